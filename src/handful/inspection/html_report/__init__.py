"""One file of HTML that says everything about a selection: to be opened, printed or mailed."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from handful.estimators._features import InputNames
from handful.estimators._gap import WEAK
from handful.files import atomic_write, check_place
from handful.inspection._fitted import chooser_in
from handful.inspection.html_report.beside import Beside, Circumstances
from handful.inspection.html_report.charts import drawn
from handful.inspection.html_report.data import data_checks
from handful.inspection.html_report.held_out import Agreement, HeldOut, predict_folds, predict_rows
from handful.inspection.html_report.how_good import HowGood, how_good
from handful.inspection.html_report.how_many import TriedNumbers, how_many
from handful.inspection.html_report.how_sure import agreement_in, how_sure, shares_by_place
from handful.inspection.html_report.page import LARGEST, STEPS, Page, render
from handful.inspection.html_report.reproduce import how_to_reproduce, what_to_cite
from handful.inspection.html_report.subject import Subject
from handful.inspection.html_report.task import describe_task
from handful.inspection.html_report.which import Limits, counted_in, which_features
from handful.validation.reporting import check_report_packages, wrong_held_out

__all__ = ["page_of", "report"]


def report(
    estimator: Any,
    X: Any,
    y: Any,
    file: str | os.PathLike[str] | None = None,
    *,
    held_out: tuple[Any, ...] | None = None,
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    search: Any = None,
    stability: Any = None,
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
    title: str | None = None,
    random_state: Any = 0,
) -> str:
    """Write one self-contained HTML file about a fitted selector: how many features, which, how sure, how good.

    The file is below 2 MB, loads nothing from anywhere, and runs nothing but a script of its own that sorts, filters and
    copies the table of features. Needs the extra ``handful[report]``.

    Parameters
    ----------
    estimator : fitted selector of this package, or what has one in it
        A Pipeline, SelectKCV, StabilitySelection.
    X, y : what it was fitted to
        In any form that it takes. Of a store or a dask array only what single passes give is looked at.
    file : str or path, optional
        Where the report goes; it appears whole or not at all.
    held_out : (X, y) or (X, y, sample_weight), optional
        Rows that neither the selection nor the fit has seen: "how good" is about these. Without them everything is
        repeated inside folds, and each row is predicted by a model that has not seen it.
    cv : int, splitter, iterable or None, default=5
        These folds; the estimator is fitted once for each. With ``held_out``, ``search`` or ``stability`` they only count how often each
        feature is chosen, where nothing else has. None fits nothing.
    groups : array-like of shape (n_samples,), optional
        Rows that belong together, such as those of one patient, as they were given to ``fit``: rows of a group are in one
        fold, and a SelectKCV or StabilitySelection is given them again inside the folds.
    sample_weight : array-like of shape (n_samples,), optional
        Weights that were given to ``fit``: models of folds have them too, and figures of folds count each row by its own.
        In a Pipeline they go to the step that selects and to the one that predicts.
    search : SelectKCV, optional
        Why there are so many features, where ``estimator`` itself is not one.
    stability : StabilitySelection, optional
        How often each feature is chosen, where ``estimator`` itself is not one. Otherwise the folds of ``search`` or of ``cv`` are counted.
    feature_names : list of str, optional
        Of the columns of X; by default those that were seen in ``fit``.
    target_name : str, optional
        By default the name of ``y``, if it is a column of pandas or polars; columns of a table name several targets.
    title : str, optional
    random_state : int, RandomState or None, default=0
        Deals rows into folds, if ``cv`` is a number.

    Returns
    -------
    html : str

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from handful import FGMClassifier
    >>> from handful.inspection import report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = FGMClassifier(3, C="fast", scale="norm").fit(X, y)
    >>> html = report(model, X, y, cv=2)
    >>> len(html) < 2_000_000, "3 of 30 features" in html
    (True, True)
    """
    check_report_packages()
    if file is not None:
        check_place(file)
    if held_out is not None and not (
        isinstance(held_out, tuple | list) and len(held_out) in (2, 3)
    ):
        raise wrong_held_out(held_out)
    names = None if feature_names is None else InputNames(list(feature_names))
    beside, around = Beside(groups, sample_weight), Circumstances(title)
    subject = Subject(estimator, X, y, names, target_name, beside, around)
    chooser = chooser_in(estimator)
    if search is None and hasattr(chooser, "k_path_"):
        search = chooser
    if stability is None and hasattr(chooser, "stability_path_"):
        stability = chooser
    with drawn():
        tried = None if search is None else TriedNumbers.of(search)
    agreement = agreement_in(stability if stability is not None else search, estimator)
    judged: HeldOut | None = None
    if cv is not None and (held_out is None or agreement is None):
        judged = predict_folds(subject, cv, random_state)
    if held_out is not None:
        X_new, y_new, *more = held_out
        judged = predict_rows(subject, X_new, y_new, None, *more, folds=judged)
    found = {"tried": tried, "judged": judged, "agreement": agreement, "stability": stability}
    text = page_of(subject, **found)
    if file is not None:
        with atomic_write(file, text=True) as opened:
            opened.write(text)
    return text


def page_of(
    subject: Subject,
    *,
    tried: TriedNumbers | None = None,
    judged: HeldOut | None = None,
    agreement: Agreement | None = None,
    stability: Any = None,
    largest: int = LARGEST,
    steps: Sequence[Limits] = STEPS,
) -> str:
    """Return the report as text, from what was found before.

    With less in it, step by step, until it has fewer bytes than the largest.
    """
    if agreement is None and judged is not None:
        agreement = judged.agreement
    with drawn():
        good = None if judged is None else how_good(judged, subject.measure)
        data = data_checks(subject)
        page = Page(
            title=subject.around.title or _title(subject),
            in_short=_in_short(subject, agreement, good),
            task=describe_task(subject),
            data=data,
            how_many=how_many(subject, tried),
            which=which_features(subject, shares_by_place(subject, agreement)),
            how_sure=how_sure(subject, agreement, stability),
            how_good=good,
            reproduce=how_to_reproduce(
                subject,
                data.fingerprint,
                getattr(judged, "seed", None),
                _chosen_by(subject, tried, stability),
            ),
            cited=what_to_cite(
                subject, counted_agreement=agreement is not None, stability=stability
            ),
        )
    return render(page, largest, steps)


def _chosen_by(subject: Subject, tried: TriedNumbers | None, stability: Any) -> list[Any]:
    """Return all that had a part in the choice: the estimator, and what chose for it without being a part of it."""
    beside = [None if tried is None else tried.search, stability]
    inside = chooser_in(subject.estimator)
    return [subject.estimator, *(one for one in beside if one is not None and one is not inside)]


def _title(subject: Subject) -> str:
    counted = counted_in(subject)
    what = "Learned atoms" if counted == "atoms" else f"Selected {counted}"
    of = subject.target.name or subject.around.source
    return what if of is None else f"{what}: {of}"


def _in_short(
    subject: Subject, agreement: Agreement | None, good: HowGood | None
) -> list[tuple[str, str]]:
    """Return what someone reads who reads nothing else."""
    selector = subject.selector
    told = []
    if good is not None:
        told.append((f"{good.headline.name}, held-out {subject.cases}", good.headline.value))
    if agreement is not None and math.isfinite(agreement.index.value):
        told.append(("stability (1 is best)", f"{agreement.index.value:z.2f}"))
    gap, objective = getattr(selector, "dual_gap_", math.inf), selector.objective_
    # Of a choice that was made before, a gap of the last fit says nothing.
    if math.isfinite(gap) and objective and subject.n_before is None:
        share = gap / abs(objective)
        told.append(("certificate", f"a gap of {share:.1%}" if share <= WEAK else "proves little"))
    told.append(("data", f"{subject.n_rows:,} {subject.cases}"))
    return told
