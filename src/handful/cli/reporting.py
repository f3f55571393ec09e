"""``--report``: what a command has found, as one file of HTML; see :func:`handful.inspection.report`."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.cli.console import Interrupted, progress, words, write_file
from handful.files import open_regular

if TYPE_CHECKING:
    from handful.cli.curve import Curve
    from handful.cli.feature_names import FeatureNames
    from handful.cli.problem import Problem
    from handful.cli.task import Task
    from handful.inspection.html_report.held_out import HeldOut
    from handful.inspection.html_report.subject import Subject


#: Folds for rows that are held out of everything.
N_FOLDS = 5


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
            around = Circumstances(
                title=title,
                command=words(),
                source=data.name,
                files=checksums(data),
                notes=_notes(problem),
                doubts=problem.doubts,
                **_of_file(problem),
            )
            target = problem.table.target_name
            groups = problem.row_groups
            beside = None if groups is None else Beside(groups.labels)
            subject = Subject(estimator, problem.X, problem.y, names, target, beside, around)
            judge = judge or (lambda one: judged_by_folds(one, problem, seed))
            text = page_of(subject, judged=judge(subject), **found)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; the report was not written") from None
    write_file(path, text)


def _notes(problem: Problem) -> list[str]:
    """Return what was said when the data were read: of missing values, and of rows that belong together."""
    groups = [] if problem.row_groups is None else [problem.row_groups.note]
    return [*(() if problem.mixed is None else problem.mixed.notes), *groups]


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
