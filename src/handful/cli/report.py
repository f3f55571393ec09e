"""``handful report``, and ``--report`` of other commands: a model and its data as one file of HTML; see :func:`handful.inspection.report`."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from handful.cli.console import Interrupted, progress, words, write_file
from handful.cli.options import (
    Model,
    NewRows,
    Seed,
    Source,
    output_option,
    refuse,
    validation_option,
    with_options,
)
from handful.cli.outputs import check_output_files, check_report
from handful.files import open_regular

if TYPE_CHECKING:
    from handful.cli.curve import Curve
    from handful.cli.feature_names import FeatureNames
    from handful.cli.problem import Problem
    from handful.cli.task import Task
    from handful.inspection.html_report.held_out import HeldOut
    from handful.inspection.html_report.subject import Subject
    from handful.io import ModelFile


#: Folds for rows that are held out of everything.
N_FOLDS = 5

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

    saved, new = read_model_file(model), None if test is None else _new_rows(source, test)
    problem = load_problem(_as_noted(source, saved))
    _check_same_columns(saved, problem, source.data)
    write_report(
        output_file,
        saved.estimator,
        problem,
        FeatureNames.of_model(saved),
        source.data,
        judge=lambda subject: _judge(subject, saved, problem, new, folds, seed),
        title=title,
    )


def _is_same_file(data: Path, test: Path) -> bool:
    """Whether two names are of one file, or of two that hold the same."""
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
            noted["targets"] = tuple(map(str, about["targets"]))  # a name may hold a comma
        elif isinstance(about.get("target"), str):
            noted["target"] = about["target"]
    if source.bags is None and isinstance(about.get("bag_column"), str):
        noted["bags"] = about["bag_column"]
    if source.row_groups is None and isinstance(about.get("row_groups"), str):
        noted["row_groups"] = about["row_groups"]
    if source.strings is None and about.get("strings"):
        noted["strings"] = about["strings"]
    rule = "error" if saved.encoding is None else saved.encoding.missing
    if source.missing == "error":
        noted["missing"] = rule
    elif rule not in ("error", source.missing):
        raise refuse("missing", f"the model was made with --missing {rule}; leave it out")
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


def _new_rows(source: Source, test: Path) -> NewRows:
    """Return where new rows are; what is said of how the data are read is said of a file that ends alike."""
    from handful.io.opening import ending

    if ending(test) != ending(source.data):
        return NewRows(data=test)
    return NewRows(data=test, header=source.header, file_format=source.file_format)


def _judge(
    subject: Any, saved: ModelFile, problem: Any, new: NewRows | None, folds: int, seed: int
) -> HeldOut | None:
    from handful.cli.new_rows import read_new_rows
    from handful.inspection.html_report.held_out import predict_rows
    from handful.io import InputError

    by_folds = judged_by_folds(subject, problem, seed, folds) if folds else None
    if new is None:
        return by_folds
    estimator, X, table = read_new_rows(saved, new)
    if table.y is None:
        raise InputError(f"{new.data} has no target, so nothing can be judged by it")
    return predict_rows(subject, X, table.y, estimator, folds=by_folds)


def write_report(
    path: Path,
    estimator: Any,
    problem: Problem,
    names: FeatureNames,
    data: Path,
    *,
    judge: Callable[[Subject], HeldOut | None] | None = None,
    seed: int = 0,
    title: str | None = None,
    **found: Any,
) -> None:
    """Write a report of a fitted estimator.

    ``judge`` gives the predictions of held-out rows, by default those of five folds; ``found`` is what else the command
    has found.
    """
    from handful.inspection.html_report import page_of
    from handful.inspection.html_report.beside import Beside, Circumstances
    from handful.inspection.html_report.subject import Subject

    try:
        with progress("writing the report: fitting without each fold"), warnings.catch_warnings():
            # The columns have been matched by name already.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            groups = problem.row_groups
            # What was said when the data were read: of missing values, and of rows that belong together.
            mixed_notes = () if problem.mixed is None else problem.mixed.notes
            around = Circumstances(
                title=title,
                command=words(),
                source=data.name,
                files=checksums(data),
                notes=[*mixed_notes, *([] if groups is None else [groups.note])],
                doubts=problem.doubts,
                **_of_file(problem),
            )
            target = problem.table.target_name
            beside = None if groups is None else Beside(groups.labels)
            subject = Subject(estimator, problem.X, problem.y, names, target, beside, around)
            judge = judge or (lambda one: judged_by_folds(one, problem, seed))
            text = page_of(subject, judged=judge(subject), **found)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; the report was not written") from None
    write_file(path, text)


def _of_file(problem: Problem) -> dict[str, int]:
    """Return how many columns and gaps the file has, where features are made of the one and the other is filled."""
    import numpy as np

    if problem.mixed is None or problem.mixed.encoding is None or problem.mixed.rows is None:
        return {}
    n_missing = int(np.isnan(problem.mixed.rows).sum())
    return {"n_columns": len(problem.mixed.encoding.names), "n_missing": n_missing}


def judged_by_folds(
    subject: Subject, problem: Problem, seed: int, n_folds: int = N_FOLDS
) -> HeldOut | None:
    """Return predictions of rows that the whole selection was repeated without."""
    from handful.cli.cross_validation import on_rows
    from handful.inspection.html_report.held_out import predict_folds

    estimator, samples = subject.estimator, subject.samples
    if problem.mixed is not None and problem.encoding is not None:
        more = {f"selector__{name}": value for name, value in samples.more.items()}
        estimator, samples = on_rows(problem.mixed, estimator, problem.y, more)
    return predict_folds(subject, n_folds, seed, estimator=estimator, samples=samples)


def report_of_path(path: Path, curve: Curve, task: Task, data: Path, seed: int) -> None:
    """Write a report of the chosen number of features; an estimator with it is fitted to all rows.

    The choice of the number is repeated inside the folds too.
    """
    from handful.inspection.html_report.charts import drawn
    from handful.inspection.html_report.held_out import predict_folds
    from handful.inspection.html_report.how_many import TriedNumbers
    from handful.inspection.html_report.how_sure import agreement_in

    problem = task.problem
    estimator = task.with_count(curve.chosen()).estimator().fit(problem.X, problem.y)
    with drawn():
        shown, search = curve.display().plot(), curve.search
        tried = TriedNumbers(shown, search.rule, search.honesty_, search=search)

    def judge(subject: Subject) -> HeldOut | None:
        is_coded = subject.target.kind == "classes"
        labels = [str(c) for c in range(subject.target.n_outputs)] if is_coded else None
        return predict_folds(
            subject,
            N_FOLDS,
            seed,
            estimator=curve.search,
            samples=curve.samples,
            labels=labels,
        )

    found: dict[str, Any] = {"tried": tried, "agreement": agreement_in(curve.search)}
    write_report(path, estimator, problem, task.names, data, judge=judge, **found)


def checksums(path: Path) -> list[tuple[str, str]]:
    """Return by what a file is known; nothing where it is none."""
    if not path.is_file():
        return []
    with open_regular(path) as file:
        return [(f"{path.name} (SHA-256)", hashlib.file_digest(file, "sha256").hexdigest())]
