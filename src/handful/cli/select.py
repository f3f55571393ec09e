"""``handful select``: pick features and save the model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from handful.cli.console import Interrupted, one_line, output, print_json, progress, say
from handful.cli.methods import Method, choose_method
from handful.cli.options import (
    Alpha,
    BagColumn,
    Budget,
    Checkpoint,
    Coef0,
    Count,
    Data,
    Drop,
    Exclude,
    FeaturesOut,
    Format,
    Gamma,
    Groups,
    GroupWeights,
    Header,
    Include,
    InteractionOnly,
    Json,
    Loss,
    LossWeight,
    Margin,
    MaxRounds,
    MethodName,
    ModelOut,
    Pairs,
    Power,
    Regression,
    Scale,
    Solver,
    Space,
    Standardize,
    Target,
    Targets,
    Tolerance,
)
from handful.cli.output_files import check_output_files
from handful.files import atomic_write

if TYPE_CHECKING:
    from handful.cli.problem import FeatureNames, Problem

__all__ = ["command"]


def command(
    context: typer.Context,
    data: Data,
    target: Target = None,
    targets: Targets = None,
    bags: BagColumn = None,
    k: Count = None,
    method: MethodName = None,
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
    alpha: Alpha = None,
    p: Power = None,
    margin: Margin = None,
    standardize: Standardize = False,
    include: Include = None,
    exclude: Exclude = None,
    regression: Regression = None,
    drop: Drop = None,
    header: Header = None,
    file_format: Format = None,
    checkpoint: Checkpoint = None,
    model: ModelOut = None,
    features_out: FeaturesOut = None,
    as_json: Json = False,
) -> None:
    """Select features from DATA, show them, and save the model.

    Example: handful select genes.csv --target outcome -k 50 -o model.handful

    For a rare class: handful select genes.csv --target outcome -k 50 --loss f1

    For several targets: handful select genes.csv --targets "label_*" -k 50

    For labels on bags of rows: handful select musk.csv --bags molecule --target musk -k 20

    For many classes: handful select genes.csv --target tissue -k 50 --method direct
    """
    places = {"--output": model, "--features-out": features_out, "--checkpoint": checkpoint}
    check_output_files(places, data, groups, target=target)
    chosen = choose_method(context)
    parameters = chosen.parameters(context.params)
    from handful.cli.problem import load_problem

    problem = load_problem(
        data,
        target,
        targets=targets,
        bag_column=bags,
        file_format=file_format,
        drop=drop,
        header=header,
        regression=regression,
    )
    names, wishes = _resolve_wishes(problem, groups, include, exclude)
    estimator, seconds = _fit(chosen, problem, {chosen.count: k, **parameters, **wishes})
    _write(estimator, problem, names, model, features_out)
    _show(estimator, names, as_json, {"seconds": seconds, "model": _text(model)})
    _finish(estimator, model)


def _resolve_wishes(
    problem: Problem, groups: Path | None, include: list[str] | None, exclude: list[str] | None
) -> tuple[FeatureNames, dict[str, Any]]:
    """Turn names into ids: of features, or of groups where there are any."""
    if groups is None:
        choices: Any = problem.names
        given = {}
    else:
        from handful.cli.groups import read_groups

        choices = read_groups(groups, problem.names)
        given = {"groups": choices.members}
    wishes = {"include": choices.ids(include or ()), "exclude": choices.ids(exclude or ())}
    return (problem.names if groups is None else choices.features), {**given, **wishes}


def _fit(method: Method, problem: Problem, parameters: dict[str, Any]) -> tuple[Any, float]:
    with progress("selecting") as show:
        estimator = method.estimator(problem.regression, **parameters, verbose=show)
        start = time.perf_counter()
        estimator.fit(problem.X, problem.y)
        return estimator, time.perf_counter() - start


def _write(
    estimator: Any,
    problem: Problem,
    names: FeatureNames,
    model: Path | None,
    features_out: Path | None,
) -> None:
    import numpy as np

    from handful.cli.selection import Selection
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
        if names.group_names is not None:
            about["group_names"] = list(names.group_names)
        if problem.bag_column is not None:
            about["bag_column"] = problem.bag_column
        if table.target_names is not None:
            about["targets"] = list(table.target_names)
        save_model(estimator, model, about=about)
        say(f"wrote {model}")
    if features_out is not None:
        with atomic_write(features_out, text=True) as file:
            selection = Selection(estimator, names)
            file.writelines(f"{one_line(feature.name)}\n" for feature in selection.features)
        say(f"wrote {features_out}")


def _show(estimator: Any, names: FeatureNames, as_json: bool, figures: dict[str, Any]) -> None:
    from handful.cli.report import describe, print_report

    if as_json:
        print_json({**describe(estimator, names), **figures})
    else:
        print_report(output(), estimator, names)


def _finish(estimator: Any, model: Path | None) -> None:
    if estimator.status_.name == "INTERRUPTED":
        saved = "" if model is None else f" and saved in {model}"
        raise Interrupted(f"interrupted; the model found up to then is shown{saved}")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
