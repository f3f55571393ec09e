"""Predictions of rows that no part of the selection has seen: given ones, or those of folds."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from handful.inspection._fitted import chooser_in, innermost
from handful.inspection.html_report.beside import Beside, needs_groups, splitters_by_groups
from handful.inspection.html_report.subject import Subject, Target, plural, weights_of
from handful.model_selection._folds import make_splits, most_folds
from handful.model_selection._samples import Samples
from handful.model_selection._wrapped import (
    chosen_ids,
    ids_before,
    n_candidates,
    size_before,
    steps_before,
)
from handful.model_selection.agreement import StabilityIndex, shares_of, stability_index, table_of
from handful.validation.names import listed
from handful.validation.reporting import groups_needed, no_known_label
from handful.validation.resampling import sample_groups

Array = np.ndarray
#: Figures of the same row differ by rounding only.
DIGITS = 9
#: As often as this many times the share of twins among the fitted rows new rows may be like one of them by chance.
BY_CHANCE = 3


@dataclass(frozen=True)
class Agreement:
    """How often fits to parts of the rows chose each feature."""

    #: Features that were ever chosen, and in which share of the fits.
    ids: Array
    shares: Array
    index: StabilityIndex
    #: What the shares are of.
    fits: str


@dataclass(frozen=True)
class HeldOut:
    """What is true and what was predicted, of rows that were held out of everything."""

    truth: Target
    #: Shaped as the values of the truth: positions of classes, 0 and 1 for labels, or numbers.
    predicted: Array
    #: Of two classes (n,), of more classes or of labels one column for each.
    scores: Array | None
    #: Which rows these are, in a sentence.
    how: str
    #: Of folds: how well their selections agree.
    agreement: Agreement | None = None
    #: Of the rows, where they do not count alike.
    weight: Array | None = None
    #: What rows were dealt into folds by, a number or a RandomState; None where nothing was drawn.
    seed: Any = None


def predict_rows(
    subject: Subject,
    X: Any,
    y: Any,
    model: Any = None,
    sample_weight: Any = None,
    *,
    folds: HeldOut | None = None,
) -> HeldOut:
    """Predict rows that were given as held out, by the subject's estimator or by a model that is as good.

    Of ``folds`` it is kept how well their selections agree.
    """
    estimator, target = subject.estimator if model is None else model, subject.target
    names = None if target.kind == "classes" else target.names
    truth = Target.of(subject.fitted, Samples.of(subject.fitted, X, y).y, target.name, names)
    n_unknown = int((truth.values < 0).sum()) if truth.unknown else 0
    if truth.unknown and n_unknown == len(truth.values):
        raise no_known_label(truth.unknown, truth.names)
    Beside(sample_weight=sample_weight).check(len(truth.values))
    predicted, scores = _predictions(estimator, X, target)
    weight = weights_of(sample_weight)
    how = f"{plural(len(truth.values), subject.cases)} that were given as held out{_unseen(subject, truth, predicted, scores)}"
    how += _weighted(weight)
    if n_unknown:
        has = "has a label" if n_unknown == 1 else "have labels"
        counts = "It counts" if n_unknown == 1 else "They count"
        how += (
            f" {n_unknown:,} of them {has} that the model does not know ({listed(truth.unknown)}). {counts} as wrong in the "
            "accuracy, and for nothing in the figures of single classes."
        )
    agreement, seed = getattr(folds, "agreement", None), getattr(folds, "seed", None)
    return HeldOut(truth, predicted, scores, how, agreement, weight, seed)


def _unseen(subject: Subject, truth: Target, predicted: Array, scores: Array | None) -> str:
    """Say that the rows are new, unless their figures are those of rows that the model was fitted to."""
    own = _predictions(subject.estimator, subject.samples.X, subject.target)
    figures = [subject.target.values, own[0] if own[1] is None else own[1]]
    count = n_seen(figures, [truth.values, predicted if scores is None else scores])
    if not count:
        return ": neither the selection nor the fit has seen them."
    has = "has" if count == 1 else "have"
    one = subject.cases.removesuffix("s")
    return (
        f". But {count:,} of them {has} the target and the score of a {one} that the model was fitted to: if "
        f"they are the same {subject.cases}, these figures are too good."
    )


def _weighted(weight: Array | None) -> str:
    return "" if weight is None else " Each counts by its weight."


def folds_for(target: Target, wanted: int, groups: Array | None = None) -> int:
    """Return how many folds there can be: no more than the rarest class has rows, or groups of rows."""
    groups = np.arange(len(target.values)) if groups is None else groups
    if target.kind != "classes":
        return min(wanted, most_folds(groups, None))
    known = target.values >= 0
    return min(wanted, most_folds(groups[known], target.values[known]))


def _check_groups(subject: Subject, cv: Any) -> None:
    """Refuse folds of groups without groups: those of the report, and of a search that is fitted again inside them."""
    if subject.beside.groups is not None:
        return
    for splitter in (cv, *splitters_by_groups(subject.estimator)):
        if needs_groups(splitter):
            raise groups_needed(splitter)


def predict_folds(
    subject: Subject,
    cv: Any,
    random_state: Any = 0,
    *,
    estimator: Any = None,
    samples: Samples | None = None,
    labels: Sequence[str] | None = None,
) -> HeldOut | None:
    """Repeat the whole selection without each fold and predict its rows; None where classes are too rare for folds.

    ``estimator`` and ``samples`` are what is fitted in place of those of the subject, where rows pass
    something else before they reach it; ``labels`` are then what these call the classes.
    """
    target = subject.target
    samples = subject.samples if samples is None else samples
    estimator = _fresh(subject.estimator if estimator is None else estimator)
    seed, groups = None, subject.beside.groups
    _check_groups(subject, cv)
    if isinstance(cv, int):
        n_rows = len(target.values)
        cv = folds_for(target, cv, None if groups is None else sample_groups(groups, n_rows))
        if cv < 2:
            return None
        seed = random_state
    splits = make_splits(cv, estimator, samples, random_state, groups=groups)
    called = target if labels is None else replace(target, names=labels)
    predicted = np.zeros_like(target.values)
    scores: Array | None = None
    is_predicted = np.zeros(len(samples), dtype=bool)
    chosen: list[tuple[Array | None, int | None]] = []
    for train, test in splits:
        with warnings.catch_warnings():
            # A search in it may have a splitter of its own that takes no groups.
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            model = samples.take(train).fit(clone(estimator))
        predicted[test], own = _predictions(model, samples.take(test).X, called)
        if own is not None:
            scores = np.full((len(samples), *own.shape[1:]), np.nan) if scores is None else scores
            scores[test] = own
        is_predicted[test] = True
        chosen.append(_chosen(model))
    rows = np.flatnonzero(is_predicted)
    truth = replace(target, values=target.values[rows])
    weight = None if subject.weight is None else subject.weight[rows]
    together = "" if subject.beside.groups is None else ", which keep groups of rows together"
    how = (
        f"{plural(len(rows), subject.cases)}, each predicted by a model that was selected and fitted without it, in "
        f"{len(splits)} folds{together}: everything is repeated inside the folds. The model of this report itself has seen "
        f"them all.{_weighted(weight)}"
    )
    kept = None if scores is None or np.isnan(scores[rows]).any() else scores[rows]
    agreement = agreement_of(chosen, "folds")
    return HeldOut(truth, predicted[rows], kept, how, agreement, weight, seed)


def agreement_of(chosen: Sequence[tuple[Array | None, int | None]], fits: str) -> Agreement | None:
    """Count what several fits chose; None where that cannot be compared."""
    sizes = {size for _, size in chosen}
    if len(chosen) < 2 or len(sizes) != 1 or None in sizes or any(ids is None for ids, _ in chosen):
        return None
    [size] = sizes
    table = table_of([ids for ids, _ in chosen], size)  # type: ignore[misc, arg-type]
    return Agreement(*shares_of(table), stability_index(table), f"{len(chosen)} {fits}")


def _chosen(model: Any) -> tuple[Array | None, int | None]:
    """Return what a fitted model has chosen, and from how many."""
    chooser = chooser_in(model)
    if hasattr(chooser, "stability_path_"):  # nothing may be stable: then no selector is in it
        before = steps_before(model, chooser)
        n_features = chooser.selection_probabilities_.shape[1]
        return ids_before(before, chooser.support_ids_), size_before(before, n_features)
    fitted = innermost(model)
    return chosen_ids(fitted), n_candidates(fitted)


def _fresh(estimator: Any) -> Any:
    """Return an unfitted estimator that is silent, saves nothing and nests nothing."""
    made = clone(estimator)
    known = made.get_params(deep=True)
    quiet = {"verbose": False, "checkpoint": None, "nested": None, "certify": False}
    given = {
        name: quiet[name.rpartition("__")[2]]
        for name in known
        if name.rpartition("__")[2] in quiet and (name in quiet or _is_of_selector(made, name))
    }
    if hasattr(made, "refit") and hasattr(made, "rule"):
        given["refit"] = True  # a search that only judged does not predict
    return made.set_params(**given)


def _is_of_selector(estimator: Any, name: str) -> bool:
    """Whether a parameter of a part is one that ours have: other packages' mean other things."""
    part: Any = estimator
    for step in name.split("__")[:-1]:
        part = part.get_params(deep=False).get(step) if hasattr(part, "get_params") else None
    return type(part).__module__.startswith("handful.")


def _predictions(model: Any, X: Any, target: Target) -> tuple[Array, Array | None]:
    """Return predictions in the form of the target's values, and scores where there are any."""
    predicted = np.asarray(model.predict(X))
    if target.kind == "quantities":
        return predicted.astype(np.float64), None
    scores = None
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
    if target.kind == "labels":
        return (predicted.astype(np.float64) > 0).astype(np.int64), scores
    places = {name: place for place, name in enumerate(target.names)}
    codes = np.array([places[str(label)] for label in predicted.ravel().tolist()])
    return codes, None if scores is None else _with_every_class(scores, model, target)


def _with_every_class(scores: Array, model: Any, target: Target) -> Array:
    """Return a column for each class, also for one that a fold has not seen."""
    known = [str(label) for label in np.asarray(model.classes_).tolist()]
    if known == list(target.names):
        return scores
    columns = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    every = np.full((len(scores), target.n_outputs), columns.min() - 1.0)
    for place, name in enumerate(known):
        every[:, list(target.names).index(name)] = columns[:, place]
    return every


def n_seen(fitted: Sequence[Array], held_out: Sequence[Array]) -> int:
    """Return how many held-out rows have all figures of a fitted row, its target among them; 0 if that may be chance.

    Each sequence has arrays with an entry, or a line of entries, for each row. Where few columns with few values were
    chosen many rows are alike: the fitted rows themselves tell how many.
    """
    known, new = _keys(fitted), _keys(held_out)
    counts = Counter(known)
    n_twins = sum(count for count in counts.values() if count > 1)
    found = sum(key in counts for key in new)
    return found if found * len(known) > BY_CHANCE * n_twins * len(new) else 0


def _keys(figures: Sequence[Array]) -> list[tuple[str, ...]]:
    columns = [np.asarray(one, dtype=np.float64).reshape(len(one), -1) for one in figures]
    return [tuple(f"{x + 0.0:.{DIGITS}g}" for x in row) for row in np.hstack(columns).tolist()]
