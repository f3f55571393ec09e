"""The multi-label sets, their folds and budgets, and ways to score all labels by only k features.

Selectors that bring no model of their own get a ridge regression on the k features, with a penalty for each
label that leave-one-out chooses from the same grid as ours. Those that bring one are judged by it and, as
"+ ridge", by such a ridge on their features.
A package that is absent raises ImportError, which the table prints as "not installed".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import MultiTaskLasso, Ridge, RidgeCV
from sklearn.model_selection import KFold

from handful import GreedyRLSClassifier, MultiTaskLassoInf

from .data import Source
from .peers import Array
from .problem import Matrix, Problem, scaled

#: Shares of the features that the paper calls low, med and high.
SHARES = {"low": 0.10, "med": 0.45, "high": 0.80}
FEWEST_POSITIVES = {"CAL500": 41}  # the paper keeps labels with more than 40 samples
QUICK_ROWS, QUICK_FOLDS = 600, 2


@dataclass(frozen=True)
class Plan:
    """How a set is judged: folds, budgets by name, and how many alphas the ridges choose from."""

    folds: int
    budgets: dict[str, int] | None = None  # None: the paper's shares
    n_alphas: int = 31


PLANS = {
    "emotions": Plan(10),
    "scene": Plan(10),
    "yeast": Plan(10),
    "medical": Plan(10, n_alphas=7),
    "CAL500": Plan(10),
    "corel5k": Plan(5, n_alphas=7),
    "tmc2007_500": Plan(5, {"50": 50}, n_alphas=7),
    "delicious": Plan(5, {"100": 100}, n_alphas=7),
}


def alphas(count: int) -> Array:
    """Return the paper's grid from 2^-15 to 2^15, or fewer of the same range."""
    return 2.0 ** np.linspace(-15, 15, count)


def budgets(name: str, n_features: int) -> dict[str, int]:
    """Return the numbers of features to keep, by the names of the paper's columns."""
    own = PLANS[name].budgets
    if own is not None:
        return {title: min(k, n_features) for title, k in own.items()}
    return {title: max(1, round(share * n_features)) for title, share in SHARES.items()}


def load(name: str, source: Source) -> tuple[Matrix, Array]:
    """Read a set, as a whole: the folds take no notice of its own split. Y holds -1 and 1."""
    with np.load(source.file(f"multilabel/{name}.npz")) as stored:
        if "X" in stored:
            X: Matrix = stored["X"].astype(np.float64)
        else:
            data, indices, starts = (stored[f"X_{part}"] for part in ("data", "indices", "indptr"))
            parts = data.astype(np.float64), indices.astype(np.int32), starts.astype(np.int32)
            X = sp.csr_array(parts, shape=tuple(stored["X_shape"]))
        labels = stored["Y"] > 0
    labels = labels[:, labels.sum(axis=0) >= FEWEST_POSITIVES.get(name, 1)]
    if source.quick:
        rows = np.sort(np.random.default_rng(source.seed).permutation(len(labels))[:QUICK_ROWS])
        X, labels = X[rows], labels[rows]
    return X, np.where(labels, 1.0, -1.0)


def folds(name: str, X: Matrix, Y: Array, source: Source) -> Iterator[Problem]:
    """Yield the folds, the same for every method; dense columns scaled by the training rows."""
    count = QUICK_FOLDS if source.quick else PLANS[name].folds
    for train, test in KFold(count, shuffle=True, random_state=source.seed).split(X):
        if sp.issparse(X):
            yield Problem(name, X[train], Y[train], X[test], Y[test])
        else:
            yield Problem(name, *scaled(X[train], X[test], Y[train], Y[test]))


# ----------------------------------------------------------------- the methods

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


def _then_ridge(select: Callable[[Matrix, Array, int], Array]) -> Method:
    """Make a method of what only selects."""
    return lambda X, Y, k, alphas: ridge(X, Y, select(X, Y, k), alphas)


def fastcan(X: Matrix, Y: Array, k: int, *, eta: bool | None = None) -> Array:
    """Greedy by the canonical correlation of the features with all labels.

    Where there are rows enough, it gets them rotated into as many as there are features and labels
    (its option ``eta``): the correlations stay what they are, and its steps need less time.
    """
    from fastcan import FastCan

    if eta is None:
        eta = X.shape[0] >= X.shape[1] + Y.shape[1]
    found = FastCan(n_features_to_select=k, eta=eta, verbose=0).fit(dense(X), Y)
    return found.get_support(indices=True)


def rfe(X: Matrix, Y: Array, k: int) -> Array:
    """Backward elimination by the weights of one ridge for all labels."""
    step = max(1, X.shape[1] // RFE_STEPS)
    found = RFE(Ridge(alpha=1.0), n_features_to_select=k, step=step).fit(dense(X), Y)
    return found.get_support(indices=True)


def mean_f(X: Matrix, Y: Array) -> Array:
    """F statistic of every feature, the mean over labels; of two classes it is that of correlation."""
    X, Y = dense(X), Y[:, Y.std(axis=0) > 0]
    centred, targets = X - X.mean(axis=0), Y - Y.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)[:, None] * np.linalg.norm(targets, axis=0)
    r = np.divide(centred.T @ targets, norms, out=np.zeros_like(norms), where=norms > 0)
    return (r**2 / np.maximum(1 - r**2, 1e-12) * (len(X) - 2)).mean(axis=1)


def best_f(X: Matrix, Y: Array, k: int) -> Array:
    """Each feature by itself."""
    found = SelectKBest(lambda A, B: mean_f(A, Y), k=k).fit(dense(X), np.zeros(len(Y)))
    return found.get_support(indices=True)


def abess_model(X: Matrix, Y: Array, k: int) -> tuple[Any, Array]:
    """Best subset of k features for all labels, and the columns that were looked at: it takes no constant ones."""
    from abess import MultiTaskRegression

    varied = np.flatnonzero(np.ptp(dense(X), axis=0) > 0)
    return MultiTaskRegression(support_size=min(k, len(varied))).fit(dense(X)[:, varied], Y), varied


def abess(X: Matrix, Y: Array, k: int, alphas: Array) -> Model:
    """Its own least-squares model."""
    found, varied = abess_model(X, Y, k)
    used = np.flatnonzero(np.abs(found.coef_).sum(axis=1))
    ids, coef, intercept = varied[used], found.coef_[used], np.asarray(found.intercept_)
    return Model(lambda rows: dense(rows[:, ids]) @ coef + intercept, ids)


def titles(method: str) -> list[str]:
    """Return the names of the rows that a method fills."""
    return [method, method + REFITTED] if method in WITH_MODEL else [method]


METHODS: dict[str, Method] = {
    OURS: greedy,
    INF: lasso_inf,
    L2: lasso_l2,
    FASTCAN: _then_ridge(fastcan),
    RFE_RIDGE: _then_ridge(rfe),
    BEST_F: _then_ridge(best_f),
    ABESS: abess,
}
