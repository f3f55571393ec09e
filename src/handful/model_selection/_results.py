"""From the figures of folds and resamples to what a choice shows: scikit-learn's table, frequencies, stability, a notebook's box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from handful.estimators._features import InputNames
from handful.estimators._notebook import MOST_FEATURES, summary_box, summary_of_selector
from handful.markup import paragraph, table
from handful.model_selection._folds import FoldFigures
from handful.model_selection._wrapped import is_of_space, names_at_selector, selector_in
from handful.model_selection.agreement import StabilityIndex, shares_of, stability_index, table_of
from handful.model_selection.k_path import Table
from handful.validation.plural import plural

Array = np.ndarray


def complete_folds(figures: Sequence[FoldFigures], n_points: int) -> list[list[FoldFigures]]:
    """Return the figures of each fold that has them for every point of the grid, in order."""
    folds: dict[int, dict[int, FoldFigures]] = {}
    for one in figures:
        folds.setdefault(one.fold, {})[one.point] = one
    return [
        [folds[fold][point] for point in range(n_points)]
        for fold in sorted(folds)
        if len(folds[fold]) == n_points
    ]


def score_table(folds: Sequence[Sequence[FoldFigures]], params: Sequence[dict[str, Any]]) -> Table:
    """Return the held-out scores of complete folds."""
    scores = np.array([[one.test for one in points] for points in folds])
    return Table(np.array(folds[0][0].k), params, scores)


def search_results(
    folds: Sequence[Sequence[FoldFigures]], params: Sequence[dict[str, Any]], count: str
) -> dict[str, Any]:
    """Return ``cv_results_`` with the keys of GridSearchCV; ``count`` is the parameter that k is."""
    ks = folds[0][0].k
    candidates = [{**point, count: k} for point in params for k in ks]
    results: dict[str, Any] = {}
    for name, key in (("fit_seconds", "fit_time"), ("score_seconds", "score_time")):
        times = _by_candidate(folds, name)
        results[f"mean_{key}"], results[f"std_{key}"] = times.mean(axis=0), times.std(axis=0)
    for name in sorted({name for candidate in candidates for name in candidate}):
        results[f"param_{name}"] = _column([one.get(name, _MISSING) for one in candidates])
    results["params"] = candidates
    parts = ["test"] if folds[0][0].train is None else ["test", "train"]
    for part in parts:
        scores = _by_candidate(folds, part)
        for number, row in enumerate(scores):
            results[f"split{number}_{part}_score"] = row
        results[f"mean_{part}_score"] = scores.mean(axis=0)
        results[f"std_{part}_score"] = scores.std(axis=0)
        if part == "test":
            mean = scores.mean(axis=0)
            results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return results


def _selections(
    folds: Sequence[Sequence[FoldFigures]], points: Sequence[int]
) -> list[sp.csr_array] | None:
    """Return for each k what every fold chose, 1 in a row for each; nothing as long as the features is made."""
    sizes = {one.n_candidates for fold in folds for one in fold}
    if len(sizes) != 1 or any(one.ids is None for fold in folds for one in fold):
        return None
    (n_features,) = sizes
    return [
        table_of([fold[point].ids[place] for fold in folds], n_features)  # type: ignore[index, arg-type]
        for place, point in enumerate(points)
    ]


def agreement_of_folds(
    folds: Sequence[Sequence[FoldFigures]], points: Sequence[int]
) -> tuple[sp.csr_array | None, list[StabilityIndex] | None]:
    """Return for each k the share of folds that chose each feature, and how well they agree; None where ids mean nothing.

    ``points`` are the best parameters of each k. The index of a single fold is NaN.
    """
    tables = _selections(folds, points)
    if tables is None:
        return None, None
    rows, nothing = [], StabilityIndex(np.nan, np.nan, np.nan)
    for chosen in tables:
        ids, shares = shares_of(chosen)
        rows.append(sp.csr_array((shares, ids, [0, len(ids)]), shape=(1, chosen.shape[1])))
    indices = [stability_index(chosen) if chosen.shape[0] > 1 else nothing for chosen in tables]
    return sp.vstack(rows, format="csr"), indices


_MISSING = np.ma.masked


def _by_candidate(folds: Sequence[Sequence[FoldFigures]], name: str) -> Array:
    return np.array([np.concatenate([getattr(one, name) for one in points]) for points in folds])


def _column(values: list[Any]) -> np.ma.MaskedArray[Any, Any]:
    """Return parameters as GridSearchCV does: a masked array, of numbers where all are numbers."""
    there = [value for value in values if value is not _MISSING]
    is_number = all(isinstance(value, (int, float, np.number)) for value in there)
    try:
        dtype = np.result_type(*map(type, there)) if is_number and there else np.dtype(object)
    except TypeError:
        dtype = np.dtype(object)
    column = np.ma.MaskedArray(np.empty(len(values), dtype=dtype), mask=True)
    for place, value in enumerate(values):
        if value is not _MISSING:
            column[place] = value
    return column


def summary_of_search(search: Any) -> str:
    """Return the chosen k, how good it is honestly, and the features of the fit to all rows."""
    tried = ", ".join(str(k) for k in search.k_path_.k)
    parts = [paragraph(f"{plural(search.n_features_, 'feature')}, chosen among {tried}", bold=True)]
    parts += [paragraph(line) for line in str(search.honesty_).split("\n")]
    parts.append(paragraph(search.status_))
    best = getattr(search, "best_estimator_", None)
    if best is not None and hasattr(selector_in(best), "weights_"):
        parts.append(summary_of_selector(selector_in(best), names_at_selector(best)))
    return summary_box(parts)


def summary_of_stability(model: Any) -> str:
    """Return the features most often selected, and how many false ones may be among the stable."""
    ids, shares = model.stability_path_["ids"], model.selection_probabilities_.data
    order = np.lexsort([ids, -shares])[:MOST_FEATURES]
    names, is_made = InputNames.of(model), is_of_space(model.estimator)
    stable = set(model.support_ids_.tolist())
    rows = [
        (f"feature {j}" if is_made else names[j], "yes" if j in stable else "", f"{share:.0%}")
        for j, share in zip(ids[order].tolist(), shares[order].tolist(), strict=True)
    ]
    n_fits = (2 if model.complementary else 1) * model.n_resamples_
    choices = model._choices
    told = (
        f"{model._n_stable} of {choices.n_all} {choices.called()}, selected in "
        f"{model.threshold_:.1%} of {n_fits} fits or more"
    )
    return summary_box(
        [
            paragraph(told, bold=True),
            table(["feature", "stable", "share"], rows, n_texts=2),
            paragraph(
                f"At most {model._most_false:.3g} false {choices.called()} are expected among them."
            ),
            paragraph(model.status_),
        ]
    )
