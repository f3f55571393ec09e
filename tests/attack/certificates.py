"""Certificates against each other: what one fit proves, no other model may undercut.

``objective_ - dual_gap_`` is claimed to lie below the objective of every admissible model, whoever found it. Here others
look for one: closer fits, other solvers, rows and columns in another order, and fits to every choice of k columns.
"""

import itertools
import warnings

import numpy as np
from sklearn.base import clone

import handful
from attack.verdict import FellError

ROUNDING = 1e-7


def draw(rng):
    """A small problem of an unpleasant kind: X, labels, numbers."""
    n_rows, n_columns = int(rng.integers(6, 30)), int(rng.integers(2, 8))
    X = rng.standard_normal((n_rows, n_columns))
    match rng.integers(6):
        case 0:
            X = X.round()
        case 1:
            X[:, -1] = X[:, 0]
        case 2:
            X[:, rng.integers(n_columns)] = 0.0
        case 3:
            X *= 10.0 ** rng.integers(-3, 4, n_columns)
        case 4:
            X = np.where(rng.random(X.shape) < 0.6, 0.0, X)
    score = X @ rng.standard_normal(n_columns) + rng.standard_normal(n_rows)
    labels = (score > np.median(score)).astype(int)
    labels[:2] = 0, 1
    if rng.random() < 0.3:
        labels[2] = 2
    return X, labels, score


def drawn_estimator(rng, n_columns):
    """An estimator whose objective is comparable between fits, and other settings that find models too."""
    C = float(10.0 ** rng.integers(-2, 3))
    k = int(rng.integers(1, min(n_columns, 3) + 1))
    closer = {"tol": 1e-7}
    kinds = [
        (handful.FGMClassifier(budget=k, C=C, refit=False), [closer, {"solver": "mkl"}], None),
        (handful.FGMRegressor(budget=k, C=C, refit=False), [closer, {"solver": "ksupport"}], None),
        (handful.FGMClassifier(k, C=C, refit=False), [], k),
        (handful.FGMRegressor(k, C=C, refit=False), [], k),
        (handful.GreedyRLSClassifier(k, alpha=C), [], k),
        (handful.GreedyRLSRegressor(k, alpha=C), [], k),
        (handful.MultiTaskLassoInf(alpha=min(C, 1.0)), [closer], None),
        (handful.RFSClassifier(alpha=C, scale="raw", refit=False), [closer], None),
        (handful.RFSRegressor(alpha=C, scale="raw"), [closer], None),
        (handful.DirectSparsityClassifier(p=1, margin="soft", C=C, refit=False), [closer], None),
        (handful.SVMPerfClassifier(C=min(C, 1.0), tol=1e-2, max_iter=300), [{"tol": 1e-5}], None),
    ]
    return kinds[rng.integers(len(kinds))]


def prepare():
    """A few cases, which know no crash."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, labels, numbers = draw(rng)
        estimator, _, _ = drawn_estimator(rng, X.shape[1])
        fitted(estimator, X, labels if is_classifier(estimator) else numbers)


def is_classifier(estimator):
    return type(estimator).__name__.endswith("Classifier")


def attack(seed, folder):
    """Fit, and let the others look for a model below the bound."""
    rng = np.random.default_rng(seed)
    X, labels, numbers = draw(rng)
    estimator, settings, k = drawn_estimator(rng, X.shape[1])
    y = labels if is_classifier(estimator) else numbers
    model = fitted(estimator, X, y)
    if model is None:
        return
    bound = model.objective_ - model.dual_gap_
    if not model.dual_gap_ >= 0:
        raise FellError(f"{estimator}: the gap is {model.dual_gap_}")
    for rival, objective in rivals(estimator, settings, k, X, y, rng):
        if bound > objective + ROUNDING * max(abs(objective), abs(model.objective_)):
            raise FellError(f"{estimator} claims at least {bound!r}, and {rival} has {objective!r}")


def rivals(estimator, settings, k, X, y, rng):
    """Others that fit the same problem, and the objective of what they found."""
    for options in settings:
        yield f"{options}", objective_of(clone(estimator).set_params(**options), X, y)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    yield "another order", objective_of(clone(estimator), X[rows][:, columns], y[rows])
    for ids in itertools.combinations(range(X.shape[1]), k) if k is not None else ():
        yield f"the columns {ids}", objective_of(clone(estimator), X[:, ids], y)


def objective_of(estimator, X, y):
    found = fitted(estimator, X, y)
    return np.inf if found is None else found.objective_


def fitted(estimator, X, y):
    """The fitted model; None where there is nothing to find, which must be said in a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return estimator.fit(X, y)
        except ValueError as error:
            if "\n" in str(error):
                raise FellError(f"{estimator}: {error}") from error
            return None
