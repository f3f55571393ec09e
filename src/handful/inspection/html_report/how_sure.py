"""How sure: whether other rows would choose the same, and what the certificate proves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.estimators._gap import gap_in_words
from handful.estimators._labels import class_or_label
from handful.history import TITLES, cells_of
from handful.inspection._fitted import chooser_in
from handful.inspection.html_report.charts import Chart, chart_of
from handful.inspection.html_report.held_out import Agreement
from handful.inspection.html_report.subject import Subject, plural
from handful.inspection.rounds import RoundsDisplay
from handful.inspection.stability import StabilityDisplay
from handful.model_selection._wrapped import chooses_columns, chosen_ids, ids_before, steps_before
from handful.model_selection.agreement import chosen_at

Array = np.ndarray
MOST_DRAWN = 30
MOST_ROUNDS = 60


@dataclass(frozen=True)
class HowSure:
    """Everything that the section shows."""

    stability: Sequence[str]
    stability_chart: Chart | None
    certificate: str
    status: str
    rounds_chart: Chart | None
    #: What the picture of the rounds is of.
    rounds_words: str


def agreement_in(model: Any, within: Any = None) -> Agreement | None:
    """Return how often a search or a stability selection has chosen each feature; None of anything else.

    ``within`` is the Pipeline that the model is a step of: columns are then counted as those before its other steps.
    """
    if hasattr(model, "stability_path_"):
        n_fits = (2 if model.complementary else 1) * model.n_resamples_
        ids, shares = model.stability_path_["ids"], model.selection_probabilities_.data
        index, fits = model.stability_, f"{n_fits} fits to halves of the rows"
    elif getattr(model, "selection_frequency_", None) is not None:
        place = model.k_path_.position(model.n_features_)
        ids, shares = chosen_at(model.selection_frequency_, place)
        index, fits = model.stability_[place], f"{model.n_splits_} folds"
    else:
        return None
    if within is not None and chooses_columns(model.estimator):
        ids = ids_before(steps_before(within, model), ids)
    return Agreement(ids, shares, index, fits)


def shares_by_place(subject: Subject, agreement: Agreement | None) -> dict[int, float]:
    """Return in which share of the fits each feature of the model was chosen, by its position in the model."""
    ids = None if agreement is None else chosen_ids(subject.fitted)
    if agreement is None or ids is None:
        return {}
    known = dict(zip(agreement.ids.tolist(), agreement.shares.tolist(), strict=True))
    return {place: known.get(int(j), 0.0) for place, j in enumerate(ids)}


def how_sure(subject: Subject, agreement: Agreement | None, stability: Any = None) -> HowSure:
    """Say how stable the choice is and what is proved of it; ``stability`` is a StabilitySelection if there is one."""
    sentences = _stability_words(agreement, subject)
    if stability is not None:
        counted = stability._choices.called(subject.selection.names.grouped)
        sentences.append(
            f"At most {stability._most_false:.3g} false {counted} are expected among those chosen in "
            f"{stability.threshold_:.1%} of the fits or more."
        )
    threshold = None if stability is None else stability.threshold_
    selector, chooser = subject.selector, chooser_in(subject.estimator)
    # How the choice ended: that of the last fit, unless others had made it before.
    is_before = subject.n_before is not None and hasattr(chooser, "status_")
    rounds_chart, rounds_words = _rounds(subject)
    return HowSure(
        sentences,
        None if agreement is None else _stability_chart(subject, agreement, threshold),
        gap_in_words(selector, subject.selection.names.grouped, subject.n_before),
        str((chooser if is_before else selector).status_),
        rounds_chart,
        rounds_words,
    )


def _stability_words(agreement: Agreement | None, subject: Subject) -> list[str]:
    if agreement is None:
        if subject.cases == "bags":
            return [
                "Fits to other bags choose among other instances, so it cannot be counted how often each is chosen."
            ]
        return ["It was not counted how often fits to other rows choose the same features."]
    index = agreement.index
    if not math.isfinite(index.value):
        return [f"All {agreement.fits} chose everything there is: there was nothing to agree on."]
    if index.value > 0.75:
        grade = "they agree very well"
    elif index.value >= 0.4:
        grade = "they agree in part: some of the features could be replaced by others"
    else:
        grade = (
            "they hardly agree: other rows would choose other features, of which many serve as well"
        )
    between = ""
    if math.isfinite(index.low):
        between = f" (95 % interval {index.low:z.2f} to {index.high:z.2f})"
    return [
        f"Stability {index.value:z.2f} over {agreement.fits}{between}, where 1 is always the same and 0 is drawn at "
        f"random: {grade}."
    ]


def _stability_chart(subject: Subject, agreement: Agreement, threshold: float | None) -> Chart:
    chosen = chosen_ids(subject.fitted)
    is_chosen = np.isin(agreement.ids, [] if chosen is None else chosen)
    order = np.lexsort([agreement.ids, ~is_chosen, -agreement.shares])[: 2 * MOST_DRAWN]
    names = _names(subject, agreement.ids[order])
    shares = agreement.shares[order]
    display = StabilityDisplay(
        names, shares, is_chosen[order], threshold=threshold, fits=agreement.fits
    ).plot(max_features=MOST_DRAWN)
    n_always = int((agreement.shares >= 1).sum())
    alt = f"How often each feature was chosen in {agreement.fits}: {n_always} always, {len(agreement.ids)} at least once."
    rows = [
        [name, f"{share:.0%}", "yes" if selected else ""]
        for name, share, selected in zip(names, shares.tolist(), is_chosen[order], strict=True)
    ]
    return chart_of(display, "stability", alt, ("feature", "chosen in", "in the model"), rows)


def _names(subject: Subject, ids: Array) -> list[str]:
    """Return the names of features that some fit has chosen."""
    under_kernels = any(one.columns is not None for one in subject.selection.features)
    if under_kernels:  # each is one column of X
        return [str(subject.selection.names[int(j)]) for j in ids]
    if not subject.has_own_columns:
        return [str(name) for name in subject.space().names(ids, subject.selection.names)]  # type: ignore[arg-type]
    names = subject.names_of_columns()
    return [str(names[int(j)]) for j in ids]


def _rounds(subject: Subject) -> tuple[Chart | None, str]:
    """Return the picture of the rounds, and what it is of in words."""
    selector = subject.selector
    history = getattr(selector, "history_", None)
    if history is None or len(history) < 2 or not np.isfinite([r.objective for r in history]).all():
        return None, ""
    display = RoundsDisplay.from_estimator(selector)
    name, last = display.objective_name, display.rounds[-1]
    is_bounded, is_one_fit = math.isfinite(last.bound), display.n_fits == 1
    words, alt = f"The {name}, which is made small", _course_in_words(selector, display)
    if hasattr(selector, "loo_errors_") and not is_one_fit:
        words += ": a line for each alpha"
    if is_bounded:
        words += ", and the bound below which none can be"
    if is_bounded and is_one_fit:
        of = "" if subject.n_before is None else " of the columns that this fit saw"
        alt += f" At the end no model{of} can have less than {last.bound:.4g}."
    rows = [cells_of(one) for one in history[-MOST_ROUNDS:]]
    titles = [name if title == "objective" else title for title in TITLES]
    return chart_of(display, "rounds", alt, titles, rows), f"{words}."


def _course_in_words(selector: Any, display: RoundsDisplay) -> str:
    """Say how the rounds went; where there are several fits, what matters is what the model is of."""
    rounds, name = display.rounds, display.objective_name
    if hasattr(selector, "loo_errors_"):
        errors = selector.loo_errors_
        return f"The {name} went from {errors[0]:.4g} to {errors[-1]:.4g} in {plural(len(errors), 'steps')} with alpha {selector.alpha_:g}."
    if display.n_fits > 1:
        each, _ = class_or_label(selector)
        total = float(np.sum(selector.objective_))
        return f"The {name} of each {each} by itself, one after the other; at the end they are {total:.4g} together."
    first, last = rounds[0].objective, rounds[-1].objective
    return f"The {name} went from {first:.4g} to {last:.4g} in {plural(len(rounds), 'rounds')}."
