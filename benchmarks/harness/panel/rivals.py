"""Rivals that look at columns, and rivals of trees.

F, mutual information, mRMR, ReliefF and FastCan; gain of LightGBM, importance in a random forest, features above
their shadows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from harness.ranked import mrmr_order, relief_scores

from .method import Array, Data, Method, best_first, ranking

# ReliefF compares all pairs of rows in all columns: of more than this many numbers rows are drawn.
RELIEF_NUMBERS, RELIEF_ROWS, RELIEF_NEIGHBOURS = 4e9, 1000, 10


def _best_f(data: Data) -> Array:
    return best_first(data.f_statistics(), data.most)


def _has_unit_rows(X: sp.csr_matrix) -> bool:
    return bool(np.allclose(X.multiply(X).sum(axis=1), 1.0))


def information_of_presence(X: sp.csr_matrix, y: Array) -> Array:
    """Mutual information of the class with whether a column is zero, for all columns at once.

    What ``mutual_info_classif(X > 0, y, discrete_features=True)`` computes one column at a time.
    """
    classes = np.unique(y)
    present = (X != 0).astype(float)
    counts = np.vstack([np.asarray(present[y == c].sum(axis=0)) for c in classes])
    sizes = np.array([(y == c).sum() for c in classes], dtype=float)[:, None]
    found = np.zeros(X.shape[1])
    for cells in (counts, sizes - counts):
        expected = cells.sum(axis=0) * sizes / len(y)
        with np.errstate(divide="ignore", invalid="ignore"):
            found += np.where(cells > 0, cells * np.log(cells / expected), 0.0).sum(axis=0)
    return np.maximum(found / len(y), 0.0)


def _best_information(data: Data) -> Array:
    """Of tf-idf the presence of a word; of counts the counts; of dense columns by neighbours."""
    if sp.issparse(data.X) and _has_unit_rows(data.X):
        scores = information_of_presence(data.X, data.y)
    elif data.is_numbers:
        scores = mutual_info_regression(data.X, data.y, random_state=0)
    else:
        scores = mutual_info_classif(data.X, data.y, random_state=0)
    return best_first(scores, data.most)


def _mrmr(data: Data) -> Array:
    X, ids = data.dense()
    return ids[mrmr_order(X, data.f_statistics()[ids], data.most)]


def relief_of_classes(X: Array, y: Array, n_neighbours: int = RELIEF_NEIGHBOURS) -> Array:
    """ReliefF (Kononenko 1994): how much a column differs between near rows of other classes, less of the same.

    Columns have range 1, distances are sums of absolute differences, and the nearest rows of each other class
    count by how frequent it is. For two classes these are the figures of skrebate, in a hundredth of its
    time; for more its weights of the classes are slightly different.
    """
    span = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(span > 0, span, 1.0)
    distance = cdist(X, X, "cityblock")
    np.fill_diagonal(distance, np.inf)
    members = {label: np.flatnonzero(y == label) for label in np.unique(y)}
    scores = np.zeros(X.shape[1])
    for row, own in enumerate(y):
        elsewhere = len(y) - len(members[own])
        for label, rows in members.items():
            weight = -1.0 if label == own else len(rows) / elsewhere
            n_near = min(n_neighbours, len(rows) - (label == own))
            if n_near:
                near = rows[np.argpartition(distance[row, rows], n_near - 1)[:n_near]]
                scores += weight * np.abs(X[near] - X[row]).mean(axis=0)
    return scores / len(y)


def _relief(data: Data) -> Array:
    X, ids = data.dense()
    if data.is_numbers:
        scores = relief_scores(X, data.y, RELIEF_ROWS, is_numbers=True)
    else:
        rows = min(len(data.y), RELIEF_ROWS, int(np.sqrt(RELIEF_NUMBERS / X.shape[1])))
        drawn = np.random.default_rng(0).permutation(len(data.y))[:rows]
        scores = relief_of_classes(X[drawn], data.y[drawn])
    return ids[best_first(scores - scores.min() + 1e-12, data.most)]


def _fastcan(data: Data) -> Array:
    """Greedy by canonical correlation with y, classes as indicators; no more features than rows."""
    from fastcan import FastCan

    X, ids = data.dense()
    n_rows = X.shape[0]
    eta = n_rows >= X.shape[1] + data.targets().shape[1]
    wanted = min(data.most, n_rows - 2)
    spread = X.std(axis=0) > 0  # it takes no constant columns
    finder = FastCan(n_features_to_select=wanted, eta=eta, verbose=0)
    return ids[spread][finder.fit(X[:, spread], data.targets()).indices_]


FILTERS: tuple[Method, ...] = (
    ranking("SelectKBest, F", _best_f),
    ranking("SelectKBest, MI", _best_information),
    ranking("mRMR", _mrmr),
    ranking("FastCan", _fastcan, packages=("fastcan",)),
    ranking("ReliefF", _relief, packages=("scikit-learn", "skrebate")),
)


# ----------------------------------------------------------------------- trees

TREES = 300
SHADOW_ROUNDS, SHADOW_TREES, SHADOW_DEPTH = 10, 60, 5


def _gain(data: Data) -> Array:
    """LightGBM's summed gain; leaves of fewer rows than its default where rows are few.

    Each tree sees a third of the columns, as its manual advises against overfitting: otherwise a few
    columns have all the gain.
    """
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMRegressor if data.is_numbers else LGBMClassifier
    model = kind(
        n_estimators=100 if data.is_numbers or data.n_classes <= 10 else 50,
        importance_type="gain",
        colsample_bytree=0.3,
        min_child_samples=int(np.clip(len(data.y) // 30, 2, 20)),
        random_state=0,
        n_jobs=1,
        verbose=-1,
    )
    model.fit(data.X, data.y)
    return best_first(np.asarray(model.feature_importances_, dtype=float), data.most)


def _forest_importance(data: Data) -> Array:
    kind = RandomForestRegressor if data.is_numbers else RandomForestClassifier
    features = 1 / 3 if data.is_numbers and data.X.shape[1] < 1000 else "sqrt"
    model = kind(n_estimators=TREES, max_features=features, random_state=0, n_jobs=1)
    return best_first(model.fit(data.X, data.y).feature_importances_, data.most)


def _above_shadows(data: Data) -> Array:
    """Order by how often a column is more important than every shuffled one (as in Boruta).

    Equal counts are ordered by the mean importance. Trees are shallow and their number fixed, as its
    authors advise.
    """
    X, ids = data.dense()
    rng = np.random.default_rng(0)
    kind = RandomForestRegressor if data.is_numbers else RandomForestClassifier
    hits, importance = np.zeros(len(ids)), np.zeros(len(ids))
    for number in range(SHADOW_ROUNDS):
        both = np.hstack([X, rng.permuted(X, axis=0)]).astype(np.float32)
        model = kind(
            n_estimators=SHADOW_TREES,
            max_depth=SHADOW_DEPTH,
            max_features="sqrt",
            random_state=number,
            n_jobs=1,
        ).fit(both, data.y)
        real, shadows = np.split(model.feature_importances_, 2)
        hits += real > shadows.max()
        importance += real
    return ids[best_first(hits + importance / max(importance.max(), 1e-300) / 2, data.most)]


TREE_METHODS: tuple[Method, ...] = (
    ranking("LightGBM, gain", _gain, packages=("lightgbm",)),
    ranking("random forest", _forest_importance),
    ranking("shadow features", _above_shadows, revision=2),
)
