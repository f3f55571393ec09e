"""The experiments of 001 (many labels): its sets, tables 2 and 3, two figures on parameters, and what steps cost."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from handful import GreedyRLSClassifier, MultiTaskLassoInf
from handful.metrics import coverage, macro_auc
from harness import labels
from harness.data import Source
from harness.growth import doubled, exponent
from harness.label_cells import ALPHA, CALLS, PAPER_ALGORITHM, by_hand, cell
from harness.labels import INF, OURS
from harness.measure import timed

from .claim import Figures

SMALL = ("emotions", "scene", "yeast", "CAL500")
BASE = {"n": 1500, "d": 400, "t": 20, "k": 20}


def sets(source: Source) -> Figures:
    """Table 1: labels, features, rows and labels a row of every set."""
    found: Figures = {"size": "6 sets", "sets": {}}
    for name in (*SMALL, "delicious", "tmc2007_500"):
        X, Y = labels.load(name, Source(source.data))
        found["sets"][name] = [Y.shape[1], *X.shape[::-1], _cardinality(Y > 0)]
    with np.load(source.file("multilabel/CAL500.npz")) as stored:
        labelled = stored["Y"] > 0
    kept = labelled[:, labelled.sum(axis=0) >= 40]
    return {**found, "at_least_40": [kept.shape[1], _cardinality(kept)]}


def _cardinality(labelled: Any) -> float:
    return round(float(labelled.sum(axis=1).mean()), 3)


def table_2(source: Source) -> Figures:
    """The four small sets at hand: greedy RLS and the l1/l-infinity lasso, at 10, 45 and 80 per cent of the features."""
    n_folds, n_alphas = (2, 3) if source.quick else (10, 31)
    found: Figures = {"size": f"first {n_folds} of 10 folds, {n_alphas} alphas", "sets": {}}
    for name in SMALL:
        X, _ = labels.load(name, Source(source.data))
        found["sets"][name] = {
            budget: {
                method: _means(source, name, method, k, n_alphas, n_folds) for method in (OURS, INF)
            }
            for budget, k in labels.budgets(name, X.shape[1]).items()
        }
    return found


def _means(source: Source, name: str, method: str, k: int, n_alphas: int, n_folds: int) -> Figures:
    settings: dict[str, Any] = {"n_alphas": n_alphas, "n_folds": n_folds, "timeout": 900.0}
    row = cell(Source(source.data), name, method, k, **settings)["rows"][method]
    values = {measure: float(np.mean(v)) for measure, v in row["values"].items()}
    return {"k": k, "values": values, "seconds": float(np.mean(row["seconds"]))}


def table_3(source: Source) -> Figures:
    """The large sets: tmc2007 (its 500-word version), and delicious at full size."""
    plans = {"tmc2007_500": ("50", 50), "delicious": ("100", 100)}
    n_alphas = 3 if source.quick else 7
    found: Figures = {"size": f"first of 5 folds, {n_alphas} alphas", "sets": {}}
    for name, (budget, k) in list(plans.items())[: 1 if source.quick else 2]:
        means = {m: _means(source, name, m, k, n_alphas, 1) for m in (OURS, INF)}
        found["sets"][name] = {budget: means}
    return found


def alpha_choice(source: Source) -> Figures:
    """Figure 1: on scene, the penalty that leave-one-out chooses against all of the grid."""
    X, Y = labels.load("scene", Source(source.data))
    fold = next(labels.folds("scene", X, Y, Source(source.data)))
    grid = (2.0 ** np.arange(-15, 16, 6 if source.quick else 3)).tolist()
    found: Figures = {"size": "scene, first of 10 folds", "alphas": grid, "budgets": {}}

    def judged(k: int, alpha: Any) -> float:
        model = GreedyRLSClassifier(k, alpha=alpha).fit(fold.X, fold.y)
        return float(coverage(fold.y_test, model.decision_function(fold.X_test)))

    for k in (20, 60, 150):
        found["budgets"][str(k)] = {"all": [judged(k, a) for a in grid], "chosen": judged(k, grid)}
    return found


def lasso_path(source: Source) -> Figures:
    """Figure 2: on emotions, features and area under the curve along the penalty of the lasso."""
    X, Y = labels.load("emotions", Source(source.data))
    fold = next(labels.folds("emotions", X, Y, Source(source.data)))
    pulls = np.abs(fold.X.T @ (fold.y - fold.y.mean(axis=0))).sum(axis=1)
    largest = float(pulls.max()) / len(fold.y)
    found: Figures = {"size": "emotions, first of 10 folds", "points": []}
    for share in np.geomspace(0.9, 0.01, 90 if source.quick else 200):
        model = MultiTaskLassoInf(alpha=share * largest).fit(fold.X, fold.y)
        auc = float(macro_auc(fold.y_test, model.predict(fold.X_test)))
        found["points"].append([float(share), len(model.support_ids_), auc])
    return found


def growth(source: Source) -> Figures:
    """Theorem 1: powers of n, d, t and k that the processor's seconds grow with, ours and the paper's algorithm; memory."""
    doublings, many = 3, [20, 80, 320]
    told = "{n} x {d}, {t} labels, {k} features, and up to {f} times each"
    _draw_and_fit(BASE)

    def least(sizes: dict[str, int]) -> float:
        return min(_draw_and_fit(sizes) for _ in range(2))

    powers = {name: doubled(BASE, name, doublings, least)["exponent"] for name in BASE}
    few = {"n": 600, "d": 60, "k": 3}
    paper = [_draw_and_fit({**few, "t": t}, CALLS[PAPER_ALGORITHM]) for t in many]
    X, Y = _draw({"n": 2000, "d": 2000, "t": 20, "k": 5})
    tracemalloc.start()
    CALLS[OURS](X, Y, 5)
    arrays = tracemalloc.get_traced_memory()[1] / X.nbytes
    tracemalloc.stop()
    about = {"size": told.format(**BASE, f=2**doublings), "powers": powers}
    return {**about, "paper_t": exponent(many, paper), "arrays": arrays}


def _draw(size: dict[str, int]) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((size["n"], size["d"]))
    return X, np.sign(rng.standard_normal((size["n"], size["t"])) + X[:, :1])


def _draw_and_fit(size: dict[str, int], call: Any = CALLS[OURS]) -> float:
    X, Y = _draw(size)
    return timed(lambda: call(X, Y, size["k"]), time.process_time)[1]


def agreement(source: Source) -> Figures:
    """The paper's algorithm, step by step in NumPy, against ours: chosen features and leave-one-out errors."""
    X, Y = labels.load("emotions", Source(source.data))
    X, steps = StandardScaler().fit_transform(X), 20
    ours = GreedyRLSClassifier(steps, alpha=ALPHA, fit_intercept=False).fit(X, Y)
    chosen, errors = by_hand(X, Y, steps)
    same = int((np.asarray(chosen) == ours.selection_order_).sum())
    away = float(np.abs(ours.loo_errors_[-steps:] / np.array(errors) - 1).max())
    return {"size": "emotions, 20 steps", "same": same, "steps": steps, "away": away}
