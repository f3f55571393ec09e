"""``handful inspect``: what is in a model file."""

from __future__ import annotations

from typing import Annotated

import typer

from handful.cli.console import output, print_json, printable
from handful.cli.options import Json, Model

__all__ = ["command"]


def command(
    model: Model,
    all_features: Annotated[bool, typer.Option("--all", help="Show every feature.")] = False,
    as_json: Json = False,
) -> None:
    """Show the features, the parameters and the certificate of a saved model.

    Example: handful inspect model.handful
    """
    from handful.cli.problem import FeatureNames
    from handful.cli.report import describe, print_report
    from handful.io import read_model_file

    saved = read_model_file(model)
    estimator = saved.estimator
    names = FeatureNames.of_model(saved)
    parameters = estimator.get_params(deep=False)
    if as_json:
        print_json({**describe(estimator, names), "parameters": parameters, "about": saved.about})
        return
    console = output()
    console.print(f"{type(estimator).__name__} in {model}", soft_wrap=True)
    changed = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    console.print(f"parameters: {changed}", soft_wrap=True)
    if saved.about.get("target") is not None:
        console.print(printable(f"target: {saved.about['target']}"), soft_wrap=True)
    print_report(console, estimator, names, all_features=all_features)
