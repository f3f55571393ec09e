"""From the figures of folds to what a choice shows: scikit-learn's table, frequencies, stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from handful.model_selection._folds import FoldFigures
from handful.model_selection.agreement import StabilityIndex, shares_of, stability_index, table_of
from handful.model_selection.k_path import Table

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
    for table in tables:
        ids, shares = shares_of(table)
        rows.append(sp.csr_array((shares, ids, [0, len(ids)]), shape=(1, table.shape[1])))
    indices = [stability_index(table) if table.shape[0] > 1 else nothing for table in tables]
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
