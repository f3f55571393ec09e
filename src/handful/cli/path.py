"""``handful path``: how good is how many? A measure against the number of features."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import Interrupted, output, print_json, progress, say
from handful.cli.options import (
    Budget,
    Coef0,
    Data,
    Drop,
    Format,
    Gamma,
    Groups,
    GroupWeights,
    Header,
    InteractionOnly,
    Json,
    Loss,
    LossWeight,
    MaxRounds,
    Pairs,
    Regression,
    Scale,
    Seed,
    Solver,
    Space,
    Target,
    Tolerance,
    parse_weight,
)
from handful.cli.output_files import check_output_files
from handful.cli.spaces import check_beside, make_space

if TYPE_CHECKING:
    from handful.cli.cross_validation import Curve
    from handful.cli.problem import Problem

__all__ = ["command"]

Counts = Annotated[
    str, typer.Option("-k", metavar="N,N,...", help="Numbers of features, such as 5,10,20,50.")
]
Folds = Annotated[int, typer.Option("--cv", min=2, help="Folds of cross-validation.")]
Scoring = Annotated[
    str | None,
    typer.Option(
        help="A measure as in --loss, or a scorer of scikit-learn: balanced_accuracy, r2, ... "
        "[default: the measure of --loss, or else accuracy; r2 for regression]",
        show_default=False,
    ),
]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the curve as png or svg.")]


def command(
    data: Data,
    k: Counts,
    target: Target = None,
    folds: Folds = 5,
    scoring: Scoring = None,
    pairs: Pairs = False,
    interaction_only: InteractionOnly = False,
    space: Space = None,
    gamma: Gamma = None,
    coef0: Coef0 = None,
    groups: Groups = None,
    group_weights: GroupWeights = None,
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
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Cross-validate DATA at several numbers of features, selecting anew inside each fold.

    Example: handful path genes.csv --target outcome -k 5,10,20,50 --cv 5 --plot curve.png

    With --loss f1, prec@100, ... that measure is reported, unless --scoring names another.
    """
    ks = _parse_ks(k)
    check_beside(pairs=pairs, kernel=space, groups=groups, group_weights=group_weights)
    parameters: dict[str, Any] = {
        "loss": loss,
        "C": parse_weight(c),
        "budget": budget,
        "max_rounds": max_rounds,
        "scale": scale,
        "solver": solver,
        "tol": tol,
        "group_weights": group_weights,
        "space": make_space(
            pairs=pairs,
            interaction_only=interaction_only,
            kernel=space,
            gamma=gamma,
            coef0=coef0,
        ),
    }
    check_output_files({"--plot": plot}, data, groups, target=target)
    if plot is not None:
        _check_plot(plot)
    from handful.cli.problem import load_problem

    problem = load_problem(
        data, target, file_format=file_format, drop=drop, header=header, regression=regression
    )
    parameters["groups"] = _members(problem, groups)
    curve = _curve(problem, ks, folds, scoring, seed, parameters)
    _show(curve, data.name, plot, as_json)
    if curve.interrupted:
        raise Interrupted(f"interrupted; the figures are those of {len(curve.test)} complete folds")


def _check_plot(plot: Path) -> None:
    from handful.cli.curve import check_plot

    check_plot(plot)


def _members(problem: Problem, groups: Path | None) -> Any:
    if groups is None:
        return None
    from handful.cli.groups import read_groups

    return read_groups(groups, problem.names).members


def _curve(
    problem: Problem,
    ks: list[int],
    folds: int,
    scoring: str | None,
    seed: int,
    parameters: dict[str, Any],
) -> Curve:
    from handful.cli.cross_validation import cross_validate
    from handful.cli.scoring import choose_scoring

    chosen = choose_scoring(scoring, parameters["loss"], problem.n_classes)
    with progress("cross-validating") as show:
        return cross_validate(
            problem,
            ks,
            n_folds=folds,
            scoring=chosen,
            seed=seed,
            parameters=parameters,
            show=show,
        )


def _show(curve: Curve, title: str, plot: Path | None, as_json: bool) -> None:
    if plot is not None:
        from handful.cli.curve import draw

        draw(curve, plot, title)
        say(f"wrote {plot}")
    if as_json:
        print_json(_describe(curve))
    else:
        _print(curve)


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
    for column in (curve.counted, "held-out rows", "training rows", "seconds"):
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
    console.print(f"best: {curve.ks[curve.best]} {curve.counted}")
    console.print(
        f"fewest within one standard error of the best: "
        f"{curve.ks[curve.one_standard_error]} {curve.counted}"
    )
