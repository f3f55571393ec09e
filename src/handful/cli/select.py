"""``handful select``: pick features and save the model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from handful.cli.console import Interrupted, fitting, one_line, output, print_json, say, write_file
from handful.cli.methods import MethodName, method_options
from handful.cli.options import (
    Json,
    ReportOut,
    Source,
    fit_option,
    output_option,
    read_count,
    refuse,
    selection_option,
    with_options,
)
from handful.cli.outputs import check_output_files, check_report
from handful.cli.task import asked_for

if TYPE_CHECKING:
    from handful.cli.feature_names import FeatureNames
    from handful.cli.problem import Problem


Count = Annotated[
    str | None,
    selection_option(
        "-k",
        metavar="N",
        help="How many features, groups of --groups, instances or atoms; between 0 and 1 the share of "
        "them, but not of atoms. [default: those that the method finds; 10 for greedy-rls; 20 for "
        "dictionary]",
    ),
]
Calibrate = Annotated[
    bool,
    fit_option(
        "--calibrate",
        help="Fit a sigmoid to the scores of rows held out of the whole selection (5 folds): predict then "
        "writes probabilities. For one target that is classes.",
    ),
]
ModelOut = Annotated[
    Path | None, output_option("--output", "-o", metavar="FILE", help="Where the model goes.")
]
FeaturesOut = Annotated[
    Path | None, output_option(metavar="FILE", help="Write the selected names, one per line.")
]


@with_options(method_options())
def command(
    source: Source,
    method: MethodName = None,
    k: Count = None,
    calibrate: Calibrate = False,
    model: ModelOut = None,
    features_out: FeaturesOut = None,
    report: ReportOut = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Select features from DATA, show them, and save the model.

    Example: handful select genes.csv --target outcome -k 50 -o model.handful

    For a rare class: handful select genes.csv --target outcome -k 50 --loss f1

    For several targets: handful select genes.csv --targets "label_*" -k 50

    For strings: handful select reads.csv --target label --strings seq -k 50

    For bags of rows: handful select musk.csv --bags molecule -t musk -k 20

    For many classes: handful select genes.csv -t tissue -k 50 --method direct
    """
    outputs = {"--output": model, "--features-out": features_out, "--report": report}
    check_output_files(
        {**outputs, "--checkpoint": options["checkpoint"]},
        source.data,
        options["groups"],
        source.beside,
        target=source.target,
    )
    check_report(report)
    count = None if k is None else read_count(k)
    task = asked_for(method, source, options).load().with_count(count)
    problem, names = task.problem, task.names
    if calibrate:
        _check_calibration(problem)
    with fitting("selecting", task.space) as (show, compiling):
        estimator = task.estimator(verbose=show)
        start = time.perf_counter()
        estimator.fit(problem.X, problem.y)
        compiled = compiling.seconds
        seconds = time.perf_counter() - start - compiled
        is_whole = estimator.status_.name != "INTERRUPTED"
        if calibrate and is_whole:
            from handful.cli.cross_validation import calibrate as fit_sigmoid

            try:
                fit_sigmoid(estimator, problem, show)
            except KeyboardInterrupt:
                is_whole = False
                say("not calibrated: the model has no probabilities")
    _write(estimator, problem, names, model, features_out)
    from handful.cli.model_tables import describe, print_report

    place = None if model is None else str(model)
    figures = {"seconds": seconds, "compile_seconds": compiled, "model": place}
    if as_json:
        print_json({**describe(estimator, names), **figures})
    else:
        print_report(output(), estimator, names)
    if not is_whole:
        saved = "" if model is None else f" and saved in {model}"
        raise Interrupted(f"interrupted; the model found up to then is shown{saved}")
    if report is not None:
        from handful.cli.report import write_report

        write_report(report, estimator, problem, names, source.data)


def _check_calibration(problem: Problem) -> None:
    """Refuse, before anything is fitted, targets that have no probabilities, or too few rows to hold out."""
    import numpy as np

    if problem.regression or problem.y.ndim == 2:
        raise refuse("calibrate", "probabilities are for one target that is classes")
    labels, counts = np.unique(problem.y, return_counts=True)
    if counts.min() < 2:
        rarest = labels[counts.argmin()]
        raise refuse(
            "calibrate", f"the class {rarest} has one of the {problem.cases}, so none to hold out"
        )


def _write(
    estimator: Any,
    problem: Problem,
    names: FeatureNames,
    model: Path | None,
    features_out: Path | None,
) -> None:
    import numpy as np

    from handful.estimators._features import Selection
    from handful.io import save_model
    from handful.io.mixed import notes_of

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
            about["grouped"] = names.grouped
        if problem.encoding is not None:
            about["encoding"] = notes_of(problem.encoding)
        if names.strings is not None:
            about["strings"] = names.strings
        if problem.bag_column is not None:
            about["bag_column"] = problem.bag_column
        if problem.row_groups is not None:
            about["row_groups"] = problem.row_groups.name
        if table.left_out:
            about["left_out"] = list(table.left_out)
        if table.target_names is not None:
            about["targets"] = list(table.target_names)
        save_model(estimator, model, about=about)
        say(f"wrote {model}")
    if features_out is not None:
        features = Selection(estimator, names).features
        write_file(features_out, "".join(f"{one_line(feature.name)}\n" for feature in features))
