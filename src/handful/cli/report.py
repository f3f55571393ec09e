"""``handful report``: a saved model and its data as one file of HTML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from handful.cli.options import (
    Model,
    Seed,
    Source,
    output_option,
    refuse,
    validation_option,
    with_options,
)
from handful.cli.outputs import check_output_files, check_report

if TYPE_CHECKING:
    from handful.inspection.html_report.held_out import HeldOut
    from handful.io import ModelFile


Output = Annotated[
    Path, output_option("--output", "-o", metavar="FILE.html", help="Where the report goes.")
]
Test = Annotated[
    Path | None,
    validation_option(
        metavar="FILE",
        help="Rows that the model has not seen, with their target: how good it is, is told of these.",
    ),
]
Folds = Annotated[
    int,
    validation_option(
        "--cv",
        min=0,
        metavar="N",
        help="Folds in which everything is repeated: how often each feature is chosen and, without --test, each row "
        "predicted by a model that has not seen it; 0 leaves that out.",
    ),
]
Title = Annotated[str | None, output_option(metavar="TEXT", help="What the report is called.")]


@with_options()
def command(
    model: Model,
    source: Source,
    output_file: Output = Path("report.html"),
    test: Test = None,
    folds: Folds = 5,
    seed: Seed = 0,
    title: Title = None,
) -> None:
    """Write one HTML file about a saved model: how many features, which, how sure, how good.

    Example: handful report model.handful genes.csv -o report.html

    DATA is what the model was selected from, with the same options as then; the target is known. The file
    loads nothing, can be mailed, and is below 2 MB. select, path and stability write it with --report FILE.html.
    """
    from handful.cli.reporting import write_report

    check_output_files(
        {"--output": output_file}, source.data, model, test, source.beside, target=source.target
    )
    check_report(output_file)
    if test is not None and _is_same_file(source.data, test):
        message = "it holds the very rows that the model was selected from; leave it out, and --cv folds hold rows out"
        raise refuse("test", message)
    if folds == 1:
        raise refuse("cv", "one fold leaves nothing to fit to")
    from handful.cli.feature_names import FeatureNames
    from handful.cli.problem import load_problem
    from handful.io import read_model_file

    saved = read_model_file(model)
    problem = load_problem(_as_noted(source, saved))
    _check_same_columns(saved, problem, source.data)
    write_report(
        output_file,
        saved.estimator,
        problem,
        FeatureNames.of_model(saved),
        source.data,
        judge=lambda subject: _judge(subject, saved, problem, test, folds, seed),
        title=title,
    )


def _is_same_file(data: Path, test: Path) -> bool:
    """Whether two names are of one file, or of two that hold the same."""
    from handful.cli.reporting import checksums

    if not (data.is_file() and test.is_file()):
        return data.resolve() == test.resolve()
    if data.samefile(test):
        return True
    if data.stat().st_size != test.stat().st_size:
        return False
    return [value for _, value in checksums(data)] == [value for _, value in checksums(test)]


def _as_noted(source: Source, saved: ModelFile) -> Source:
    """Return where the data are, with what the model notes about them where nothing else is said."""
    about = saved.about
    noted: dict[str, Any] = {}
    if source.target is None and source.targets is None:
        if isinstance(about.get("targets"), list):
            noted["targets"] = ",".join(map(str, about["targets"]))
        elif isinstance(about.get("target"), str):
            noted["target"] = about["target"]
    if source.bags is None and isinstance(about.get("bag_column"), str):
        noted["bags"] = about["bag_column"]
    if source.row_groups is None and isinstance(about.get("row_groups"), str):
        noted["row_groups"] = about["row_groups"]
    if source.strings is None and about.get("strings"):
        noted["strings"] = about["strings"]
    if source.regression is None:
        noted["regression"] = not hasattr(saved.estimator, "classes_")
    return replace(source, **noted)


def _check_same_columns(saved: ModelFile, problem: Any, data: Path) -> None:
    """Refuse data that the model was not fitted to."""
    from handful.io import InputError

    n_expected, X = saved.estimator.n_features_in_, problem.X
    n_columns = X.n_features if problem.bag_column is not None else X.shape[1]
    if n_columns != n_expected:
        raise InputError(
            f"{data} has {n_columns} columns of features as it was read, the model was fitted on {n_expected}; give the "
            "data it was selected from, with the same options"
        )
    named, there = getattr(saved.estimator, "feature_names_in_", None), problem.table.feature_names
    if named is None or there is None or problem.names.strings is not None:
        return
    for own, other in zip(named.tolist(), there, strict=True):
        if str(own) != str(other):
            raise InputError(
                f"{data} has a column {other!r} where the model was fitted on {own!r}; give the data it was selected from"
            )


def _judge(
    subject: Any, saved: ModelFile, problem: Any, test: Path | None, folds: int, seed: int
) -> HeldOut | None:
    from handful.cli.new_rows import read_new_rows
    from handful.cli.options import NewRows
    from handful.cli.reporting import judged_by_folds
    from handful.inspection.html_report.held_out import predict_rows
    from handful.io import InputError

    by_folds = judged_by_folds(subject, problem, seed, folds) if folds else None
    if test is None:
        return by_folds
    estimator, X, table = read_new_rows(saved, NewRows(data=test))
    if table.y is None:
        raise InputError(f"{test} has no target, so nothing can be judged by it")
    return predict_rows(subject, X, table.y, estimator, folds=by_folds)
