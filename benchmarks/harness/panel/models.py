"""Rivals with a linear model: elimination, l1 and its relatives searched to k, best subsets, forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import RFE, SequentialFeatureSelector
from sklearn.linear_model import (
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    enet_path,
    lars_path,
    lasso_path,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from harness import peers
from harness.peers import Scores, feature_strength, search_to_k, strongest

from .judge import ALPHAS, SEARCH_TOL, folds_of
from .method import Array, Chosen, Data, Method

C_DENSE, C_SPARSE = (0.001, 0.01, 0.1, 1.0), (0.1, 1.0, 10.0)  # for models of all columns
PATH = {"eps": 1e-3, "n_alphas": 200}
MIXTURE = 0.5  # share of l1 in the elastic net
MCP_GAMMA = 3.0


# ------------------------------------------------------------- elimination


def tuned_model(data: Data) -> Any:
    """Return the l2 model of all columns, its penalty by cross-validation (ridge: leave-one-out).

    C is raised from the smallest as long as the accuracy over three folds rises with it.
    """
    if data.is_numbers:
        return Ridge(alpha=RidgeCV(ALPHAS).fit(data.X, data.y).alpha_)
    grid = C_SPARSE if sp.issparse(data.X) else C_DENSE
    is_wide = data.X.shape[0] < data.X.shape[1] or data.n_classes > 2  # where the dual is faster
    folds = folds_of(data.y)

    def model(C: float) -> LinearSVC:
        return LinearSVC(dual=is_wide, C=C, tol=SEARCH_TOL, random_state=0)

    def rights(C: float) -> int:
        parts = ((model(C).fit(data.X[a], data.y[a]), b) for a, b in folds)
        return sum(int((fitted.predict(data.X[b]) == data.y[b]).sum()) for fitted, b in parts)

    best, most = grid[0], rights(grid[0])
    for C in grid[1:]:
        found = rights(C)
        if found <= most:
            break
        best, most = C, found
    return model(best)


def _elimination(step: float) -> Callable[[Data, Any, int], Chosen]:
    def select(data: Data, model: Any, k: int) -> Chosen:
        found = RFE(model, n_features_to_select=k, step=step).fit(data.X, data.y)
        return Chosen(np.flatnonzero(found.support_))

    return select


# ------------------------------------------------------ penalties, searched to k


def _along(alphas: Array, coefficients: Array, k: int) -> Chosen:
    """Take the k strongest of the first model of a path with at least k features, or of the last."""
    counts = np.count_nonzero(coefficients, axis=0)
    enough = np.flatnonzero(counts >= k)
    place = enough[0] if len(enough) else int(np.argmax(counts))
    return Chosen(strongest(np.abs(coefficients[:, place]), k))


def _centred(data: Data) -> tuple[Array, Array]:
    return np.asfortranarray(data.X), data.y - data.y.mean()


def _path_or(path: Callable[[Array, Array], Any], search: Callable[[Data, int], Chosen]) -> Any:
    """Of quantities the whole path once; of classes a search for each k."""

    def prepare(data: Data) -> Any:
        return path(*_centred(data))[:2] if data.is_numbers else None

    def select(data: Data, found: Any, k: int) -> Chosen:
        return _along(*found, k) if data.is_numbers else search(data, k)

    return {"prepare": prepare, "select": select}


def _l1_svm(data: Data, k: int) -> Chosen:
    return Chosen(peers.l1_svm(data.X, data.y, k).ids)


def _logistic_search(data: Data, k: int, coefficients: Callable[[float], Array]) -> Chosen:
    """Search C, the weight of the summed loss."""

    def strength_at(C: float) -> Scores:
        return feature_strength(coefficients(C))

    start = 2 * peers.logistic_c_min(data.X, data.y)
    return Chosen(search_to_k(strength_at, start, k).ids)


def _l1_logistic(data: Data, k: int) -> Chosen:
    def coefficients(C: float) -> Array:
        model = LogisticRegression(l1_ratio=1, solver="liblinear", C=C, random_state=0)
        if data.n_classes == 2:
            return model.fit(data.X, data.y).coef_
        every = OneVsRestClassifier(model).fit(data.X, data.y).estimators_
        return np.vstack([one.coef_ for one in every])

    return _logistic_search(data, k, coefficients)


def _lars(data: Data) -> Any:
    """Of quantities the order in which least angle regression takes the features in."""
    if not data.is_numbers:
        return None
    order = lars_path(*_centred(data), method="lar", max_iter=data.most)[1]
    return np.asarray(order, dtype=np.int64)


def _l1_logistic_or_lars(data: Data, order: Any, k: int) -> Chosen:
    return Chosen(order[:k]) if data.is_numbers else _l1_logistic(data, k)


def _elastic_logistic(data: Data, k: int) -> Chosen:
    """One logistic regression for each class (one for two), by skglm: scikit-learn's takes minutes."""
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic
    from skglm.penalties import L1_plus_L2
    from skglm.solvers import ProxNewton

    columns = data.X.tocsc() if sp.issparse(data.X) else np.asfortranarray(data.X)
    classes = np.unique(data.y)

    def coefficients(C: float) -> Array:
        penalty = L1_plus_L2(1 / (C * data.X.shape[0] * MIXTURE), MIXTURE)
        found = []
        for label in classes if len(classes) > 2 else classes[1:]:
            signs = np.where(data.y == label, 1.0, -1.0)
            model = GeneralizedLinearEstimator(Logistic(), penalty, ProxNewton())
            found.append(np.ravel(model.fit(columns, signs).coef_))
        return np.vstack(found)

    return _logistic_search(data, k, coefficients)


def _skglm(data: Data, nothing: None, k: int) -> Chosen:
    """l1 logistic regression of classes; of quantities the minimax concave penalty.

    That penalty on logistic regression does not converge in its time limit on separable classes.
    """
    if not data.is_numbers:
        return Chosen(peers.skglm(data.X, data.y, k).ids)
    from skglm import MCPRegression

    columns = np.asfortranarray(data.X)

    def strength_at(C: float) -> Scores:
        model = MCPRegression(alpha=1 / (C * data.X.shape[0]), gamma=MCP_GAMMA)
        return feature_strength(model.fit(columns, data.y).coef_)

    largest = float(np.abs(data.X.T @ (data.y - data.y.mean())).max())
    return Chosen(search_to_k(strength_at, 1.1 / largest, k).ids)


# -------------------------------------------------- subsets, one feature at a time


def _abess(data: Data, nothing: None, k: int) -> Chosen:
    """Best subset of k; it refuses constant columns."""
    X = data.X
    varying = np.diff(X.tocsc().indptr) > 0 if sp.issparse(X) else X.max(axis=0) > X.min(axis=0)
    ids = np.flatnonzero(varying)
    if len(ids) < X.shape[1]:
        X = X[:, ids]
    if not data.is_numbers:
        return Chosen(ids[peers.abess(X, data.y, k).ids])
    from abess import LinearRegression

    return Chosen(ids[np.flatnonzero(LinearRegression(support_size=[k]).fit(X, data.y).coef_)])


def _forward(data: Data, nothing: None, k: int) -> Chosen:
    """scikit-learn's sequential selection, with ridge: five folds for each feature left, k times."""
    X, ids = data.dense()
    model = Ridge() if data.is_numbers else RidgeClassifier()
    found = SequentialFeatureSelector(model, n_features_to_select=k, n_jobs=1).fit(X, data.y)
    return Chosen(ids[found.support_])


MODELS: tuple[Method, ...] = (
    Method("RFE, step .5", _elimination(0.5), tuned_model, grows=False, revision=2),
    Method("RFE, step .1", _elimination(0.1), tuned_model, grows=False, revision=2),
    Method("l1 SVM, lasso", **_path_or(lambda X, y: lasso_path(X, y, **PATH), _l1_svm)),
    Method("l1 logistic, LARS", _l1_logistic_or_lars, _lars),
    Method(
        "elastic net",
        **_path_or(lambda X, y: enet_path(X, y, l1_ratio=MIXTURE, **PATH), _elastic_logistic),
        packages=("scikit-learn", "skglm"),
    ),
    Method("skglm", _skglm, packages=("skglm",)),
    Method("abess", _abess, packages=("abess",), revision=2),
    Method("forward selection", _forward),
)
