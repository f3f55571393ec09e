"""``handful path``: how good is how many? A measure against the number of features."""

from __future__ import annotations

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
    Seed,
    Solver,
    Target,
    Tolerance,
    parse_weight,
)

if TYPE_CHECKING:
    from handful.cli.cross_validation import Curve

__all__ = ["command"]


def command(
    data: Data,
    k: Annotated[
        str, typer.Option("-k", metavar="N,N,...", help="Numbers of features, such as 5,10,20,50.")
    ],
    target: Target = None,
    folds: Annotated[int, typer.Option("--cv", min=2, help="Folds of cross-validation.")] = 5,
    scoring: Annotated[
        str | None,
        typer.Option(
            help="A scorer of scikit-learn: accuracy, f1, roc_auc, r2, ... "
            "[default: accuracy, or r2 for regression]",
            show_default=False,
        ),
    ] = None,
    loss: Loss = None,
    c: LossWeight = "auto",
    budget: Budget = None,
    max_rounds: MaxRounds = None,
    scale: Scale = None,
    solver: Solver = None,
    tol: Tolerance = None,
    regression: Regression = None,
    drop: Drop = None,
    header: Header = None,
    file_format: Format = None,
    seed: Seed = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curve as png or svg.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Cross-validate DATA at several numbers of features, selecting anew inside each fold.

    Example: handful path genes.csv --target outcome -k 5,10,20,50 --cv 5 --plot curve.png
    """
    ks, weight = _parse_ks(k), parse_weight(c)
    if plot is not None:
        from handful.cli.curve import check_plot

        check_plot(plot)
    from handful.cli.cross_validation import cross_validate
    from handful.cli.problem import load_problem

    problem = load_problem(
        data, target, file_format=file_format, drop=drop, header=header, regression=regression
    )
    with progress("cross-validating") as show:
        curve = cross_validate(
            problem,
            ks,
            n_folds=folds,
            scoring=scoring or ("r2" if problem.regression else "accuracy"),
            seed=seed,
            parameters={
                "loss": loss,
                "C": weight,
                "budget": budget,
                "max_rounds": max_rounds,
                "scale": scale,
                "solver": solver,
                "tol": tol,
            },
            show=show,
        )
    if plot is not None:
        from handful.cli.curve import draw

        draw(curve, plot, data.name)
        say(f"wrote {plot}")
    if as_json:
        print_json(_describe(curve))
    else:
        _print(curve)
    if curve.interrupted:
        raise Interrupted(f"interrupted; the figures are those of {len(curve.test)} complete folds")


def _parse_ks(text: str) -> list[int]:
    try:
        ks = sorted({int(part) for part in text.split(",") if part.strip()})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise typer.BadParameter(f"{text!r} is not a list such as 5,10,20,50", param_hint="-k")
    return ks


def _describe(curve: Curve) -> dict[str, Any]:
    columns = zip(
        curve.ks,
        curve.n_selected.T,
        curve.test.T,
        curve.mean,
        curve.std,
        curve.train.mean(axis=0),
        curve.seconds.sum(axis=0),
        strict=True,
    )
    fields = ("k", "n_selected", "test_scores", "mean", "std", "train_mean", "seconds")
    return {
        "scoring": curve.scoring,
        "n_folds": len(curve.test),
        "path": [dict(zip(fields, column, strict=True)) for column in columns],
        "best_k": curve.ks[curve.best],
        "one_standard_error_k": curve.ks[curve.one_standard_error],
        "interrupted": curve.interrupted,
    }


def _print(curve: Curve) -> None:
    from rich.table import Table

    table = Table()
    for column in ("features", "held-out rows", "training rows", "seconds"):
        table.add_column(column, justify="right")
    for j, k in enumerate(curve.ks):
        table.add_row(
            str(k),
            f"{curve.mean[j]:.4f} ± {curve.std[j]:.4f}",
            f"{curve.train[:, j].mean():.4f}",
            f"{curve.seconds[:, j].sum():.2f}",
        )
    console = output()
    title = f"{curve.scoring}, {len(curve.test)} folds, selection inside each fold"
    console.print(title, style="bold")
    console.print(table)
    console.print(f"best: {curve.ks[curve.best]} features")
    console.print(
        f"fewest within one standard error of the best: "
        f"{curve.ks[curve.one_standard_error]} features"
    )
