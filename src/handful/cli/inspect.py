"""``handful inspect``: what is in a model file."""

from __future__ import annotations

import reprlib
from typing import Annotated, Any

import typer

from handful.cli.console import output, print_json, printable
from handful.cli.options import Json, Model


def command(
    model: Model,
    all_features: Annotated[bool, typer.Option("--all", help="Show every feature.")] = False,
    as_json: Json = False,
) -> None:
    """Show the features, the parameters and the certificate of a saved model.

    Example: handful inspect model.handful
    """
    from handful.cli.feature_names import FeatureNames
    from handful.cli.model_tables import describe, print_report
    from handful.io import read_model_file

    saved = read_model_file(model)
    estimator = saved.estimator
    names = FeatureNames.of_model(saved)
    parameters = {
        name: value if _is_plain(value) else repr(value)
        for name, value in estimator.get_params(deep=False).items()
    }
    if as_json:
        print_json({**describe(estimator, names), "parameters": parameters, "about": saved.about})
        return
    console = output()
    given = (f"{key}={_shortened(x)}" for key, x in estimator.get_params(deep=False).items())
    lines = [f"{type(estimator).__name__} in {model}", f"parameters: {', '.join(given)}"]
    if saved.about.get("target") is not None:
        lines.append(f"target: {saved.about['target']}")
    if names.target_names is not None:
        lines.append(f"{len(names.target_names)} targets: {', '.join(names.target_names)}")
    if saved.encoding is not None:
        lines.append(f"made from {saved.encoding.describe()}")
        lines.append(f"missing values: {saved.encoding.missing}")
    for line in lines:
        console.print(printable(line), soft_wrap=True)
    print_report(console, estimator, names, all_features=all_features)


def _is_plain(value: Any) -> bool:
    """Whether JSON can hold it: not a loss, a measure or a space."""
    from handful.losses import Loss
    from handful.measures import Measure
    from handful.spaces import FeatureSpace

    return not isinstance(value, Loss | Measure | FeatureSpace)


def _shortened(value: Any) -> str:
    """Write a parameter in a few words, also when it is a list of all features."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 120
    return " ".join(short.repr(value).split())
