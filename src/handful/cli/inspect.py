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
    from handful.cli.model_tables import describe, print_report
    from handful.cli.problem import FeatureNames
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
    console.print(f"{type(estimator).__name__} in {model}", soft_wrap=True)
    given = ", ".join(
        f"{key}={_shortened(value)}" for key, value in estimator.get_params(deep=False).items()
    )
    console.print(printable(f"parameters: {given}"), soft_wrap=True)
    if saved.about.get("target") is not None:
        console.print(printable(f"target: {saved.about['target']}"), soft_wrap=True)
    if names.target_names is not None:
        listed = ", ".join(names.target_names)
        console.print(printable(f"{len(names.target_names)} targets: {listed}"), soft_wrap=True)
    if saved.encoding is not None:
        lines = [
            f"made from {saved.encoding.describe()}",
            f"missing values: {saved.encoding.missing}",
        ]
        for line in lines:
            console.print(line, soft_wrap=True)
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
