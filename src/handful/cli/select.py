"""``handful select``: pick features and save the model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import Interrupted, output, print_json, progress, say
from handful.cli.options import (
    Budget,
    Data,
    Drop,
    Format,
    Header,
    Json,
    Loss,
    LossWeight,
    MaxRounds,
    Regression,
    Scale,
    Solver,
    Target,
    Tolerance,
    parse_weight,
)
from handful.files import atomic_write, check_place

if TYPE_CHECKING:
    from handful.cli.problem import Problem

__all__ = ["command"]


def command(
    data: Data,
    target: Target = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", metavar="N", help="How many features. [default: plain FGM]", show_default=False
        ),
    ] = None,
    loss: Loss = None,
    c: LossWeight = "auto",
    budget: Budget = None,
    max_rounds: MaxRounds = None,
    scale: Scale = None,
    solver: Solver = None,
    tol: Tolerance = None,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="A feature to keep; may be repeated."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="A feature never to take; may be repeated."),
    ] = None,
    regression: Regression = None,
    drop: Drop = None,
    header: Header = None,
    file_format: Format = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save each round here; run again to resume."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.")
    ] = None,
    features_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the selected names, one per line.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Select features from DATA, show them, and save the model.

    Example: handful select genes.csv --target outcome -k 50 -o model.handful
    """
    for place in (model, features_out, checkpoint):
        if place is not None:
            check_place(place)
    weight = parse_weight(c)
    from handful.cli.problem import load_problem
    from handful.cli.report import describe, print_report

    problem = load_problem(
        data, target, file_format=file_format, drop=drop, header=header, regression=regression
    )
    names = problem.names
    with progress("selecting") as show:
        estimator = problem.estimator(
            n_features_to_select=k,
            loss=loss,
            C=weight,
            budget=budget,
            max_rounds=max_rounds,
            scale=scale,
            solver=solver,
            tol=tol,
            include=names.ids(include or ()),
            exclude=names.ids(exclude or ()),
            checkpoint=_text(checkpoint),
            verbose=show,
        )
        start = time.perf_counter()
        estimator.fit(problem.X, problem.y)
        seconds = time.perf_counter() - start
    _write(estimator, problem, model, features_out)
    if as_json:
        print_json({**describe(estimator, names), "seconds": seconds, "model": _text(model)})
    else:
        print_report(output(), estimator, names)
    _finish(estimator, model)


def _write(estimator: Any, problem: Problem, model: Path | None, features_out: Path | None) -> None:
    import numpy as np

    from handful.io import save_model

    table = problem.table
    if table.feature_names is not None:
        # The columns came without a data frame around them; the model knows them by name all the same.
        estimator.feature_names_in_ = np.array(table.feature_names, dtype=object)
    if model is not None:
        about = {
            "target": table.target_name,
            "first_index": table.first_index,
            "n_samples": table.X.shape[0],
        }
        save_model(estimator, model, about=about)
        say(f"wrote {model}")
    if features_out is not None:
        with atomic_write(features_out, text=True) as file:
            file.writelines(f"{problem.names[int(j)]}\n" for j in estimator.support_ids_)
        say(f"wrote {features_out}")


def _finish(estimator: Any, model: Path | None) -> None:
    if estimator.status_.name == "INTERRUPTED":
        saved = "" if model is None else f" and saved in {model}"
        raise Interrupted(f"interrupted; the model found up to then is shown{saved}")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
