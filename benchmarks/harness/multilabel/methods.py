"""Ways to get from training rows to scores of all labels that read only k features.

Selectors that bring no model of their own get a ridge regression on the k features, with a penalty for each
label that leave-one-out chooses from the same grid as ours. Those that bring one are judged by it and, as
"+ ridge", by such a ridge on their features.
A package that is absent raises ImportError, which the table prints as "not installed".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import MultiTaskLasso, Ridge, RidgeCV

from handful import GreedyRLSClassifier, MultiTaskLassoInf
from harness.problem import Matrix

Array = NDArray[Any]
OURS, INF, L2 = "greedy RLS", "MultiTaskLassoInf", "sklearn MultiTaskLasso"
FASTCAN, RFE_RIDGE, BEST_F, ABESS = "FastCan", "RFE(Ridge)", "SelectKBest, mean F", "abess"
REFITTED = " + ridge"
#: Methods with a model of their own.
WITH_MODEL = (OURS, INF, L2, ABESS)
LASSOS = (INF, INF + REFITTED, L2, L2 + REFITTED)
# RFE drops a hundredth of the features at a time, and one by one where there are few.
RFE_STEPS = 100
MOST_FITS, PATH_STEP, LEAST_SHARE, CLOSE = 60, 0.7, 1e-4, 1.001


@dataclass(frozen=True)
class Model:
    """Scores of new rows, above 0 for labels that are predicted, and the features they need."""

    scores: Callable[[Matrix], Array]
    ids: Array


Method = Callable[[Matrix, Array, int, Array], Model]


def dense(X: Matrix) -> Array:
    return X.toarray() if sp.issparse(X) else X


def ridge(X: Matrix, Y: Array, ids: Array, alphas: Array) -> Model:
    """Fit the model of selectors that bring none: rare labels may need a larger penalty than others."""
    model = RidgeCV(alphas=alphas, alpha_per_target=True).fit(dense(X[:, ids]), Y)
    return Model(lambda rows: model.predict(dense(rows[:, ids])), ids)


def greedy(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Ours: each step adds the feature with the least leave-one-out error over all labels."""
    model = GreedyRLSClassifier(k, alpha=alphas.tolist()).fit(X, Y)
    shape = (-1, Y.shape[1])
    return Model(lambda rows: model.decision_function(rows).reshape(shape), model.support_ids_)


def lasso_inf(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Ours too: the lasso that charges for the largest weight of a feature (the paper's rival)."""
    model = MultiTaskLassoInf(n_features_to_select=k, tol=1e-5).fit(X, Y)
    return Model(model.predict, model.support_ids_)


def lasso_l2(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """scikit-learn's lasso at the smallest alpha with k features, or cut to the k strongest.

    Of tall data it gets the same problem in fewer rows and outputs: with ``X - mean = Q R`` the sum of
    squares is ``|R W - Q' Y|^2`` and a constant, and lengths of rows of W do not change when outputs are
    rotated, so the second factor of ``Q' Y = L V'`` is left out and put back afterwards.
    """
    x_mean, y_mean = np.asarray(X.mean(axis=0)).ravel(), Y.mean(axis=0)
    Q, R = np.linalg.qr(dense(X) - x_mean)
    targets = Q.T @ (Y - y_mean)
    rotation, triangle = np.linalg.qr(targets.T)
    root = np.sqrt(len(R) / len(Y))  # scikit-learn divides by the number of rows
    model, ids = lasso_of(root * R, root * triangle.T, k, fit_intercept=False)
    coef = rotation @ model.coef_[:, ids]
    intercept = y_mean - coef @ x_mean[ids]
    return Model(lambda rows: dense(rows[:, ids]) @ coef.T + intercept, ids)


def lasso_of(
    X: Array, Y: Array, k: int, *, fit_intercept: bool = True
) -> tuple[MultiTaskLasso, Array]:
    """Look for the smallest alpha with k features along a path; return the model and the features."""
    means = (X.mean(axis=0), Y.mean(axis=0)) if fit_intercept else (0.0, 0.0)
    products = np.linalg.norm((X - means[0]).T @ (Y - means[1]), axis=1)
    high = float(products.max()) / len(X)
    least = LEAST_SHARE * high
    above: float | None = None  # the largest alpha known with more than k features
    exact: float | None = None
    model = MultiTaskLasso(fit_intercept=fit_intercept, warm_start=True, max_iter=2000, tol=1e-4)
    for _ in range(MOST_FITS):
        alpha = PATH_STEP * high if above is None else float(np.sqrt(above * high))
        model.set_params(alpha=alpha).fit(X, Y)
        n_used = int(model.coef_.any(axis=0).sum())
        if n_used > k:
            above = alpha
        else:
            high = alpha
            exact = alpha if n_used == k else exact
        if alpha < least or (above is not None and high < CLOSE * above):
            break
    model.set_params(alpha=exact or above or alpha).fit(X, Y)
    strength = np.linalg.norm(model.coef_, axis=0)
    return model, np.sort(np.argsort(-strength)[:k])


def fastcan(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Greedy by the canonical correlation of the features with all labels.

    Where there are rows enough, it gets them rotated into as many as there are features and labels
    (its option ``eta``): the correlations stay what they are, and its steps need less time.
    """
    from fastcan import FastCan

    eta = X.shape[0] >= X.shape[1] + Y.shape[1]
    found = FastCan(n_features_to_select=k, eta=eta, verbose=0).fit(dense(X), Y)
    return ridge(X, Y, found.get_support(indices=True), alphas)


def rfe(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Backward elimination by the weights of one ridge for all labels."""
    step = max(1, X.shape[1] // RFE_STEPS)
    found = RFE(Ridge(alpha=1.0), n_features_to_select=k, step=step).fit(dense(X), Y)
    return ridge(X, Y, found.get_support(indices=True), alphas)


def mean_f(X: Matrix, Y: Array) -> Array:
    """F statistic of every feature, the mean over labels; of two classes it is that of correlation."""
    X, Y = dense(X), Y[:, Y.std(axis=0) > 0]
    centred, targets = X - X.mean(axis=0), Y - Y.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)[:, None] * np.linalg.norm(targets, axis=0)
    r = np.divide(centred.T @ targets, norms, out=np.zeros_like(norms), where=norms > 0)
    return (r**2 / np.maximum(1 - r**2, 1e-12) * (len(X) - 2)).mean(axis=1)


def best_f(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Each feature by itself."""
    found = SelectKBest(lambda A, B: mean_f(A, Y), k=k).fit(dense(X), np.zeros(len(Y)))
    return ridge(X, Y, found.get_support(indices=True), alphas)


def abess(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Best subset of k features for all labels; its own least-squares model."""
    from abess import MultiTaskRegression

    varied = not_constant(X)
    found = MultiTaskRegression(support_size=min(k, len(varied))).fit(dense(X)[:, varied], Y)
    used = np.flatnonzero(np.abs(found.coef_).sum(axis=1))
    ids, coef, intercept = varied[used], found.coef_[used], np.asarray(found.intercept_)
    return Model(lambda rows: dense(rows[:, ids]) @ coef + intercept, ids)


def not_constant(X: Matrix) -> Array:
    """Return the columns that abess accepts."""
    return np.flatnonzero(np.ptp(dense(X), axis=0) > 0)


def titles(method: str) -> list[str]:
    """Return the names of the rows that a method fills."""
    return [method, method + REFITTED] if method in WITH_MODEL else [method]


METHODS: dict[str, Method] = {
    OURS: greedy,
    INF: lasso_inf,
    L2: lasso_l2,
    FASTCAN: fastcan,
    RFE_RIDGE: rfe,
    BEST_F: best_f,
    ABESS: abess,
}
