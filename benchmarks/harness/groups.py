"""Methods that select groups of columns, all groups of one size and side by side.

Group lassos are searched for the penalty that keeps k groups, as l1 methods are in
``harness/peers.py``; those with somewhat more are cut to the k strongest.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .peers import OURS, Array, Call, Scores, Selection, search_to_k, strongest
from .problem import Matrix
from .spaces import GROUP_SIZE, Method, fit


def _numbers(X: Matrix) -> Array:
    """The group of every column."""
    return np.arange(X.shape[1]) // GROUP_SIZE


def _strength(coef: Array) -> Scores:
    """Length of each group's weights."""
    return np.linalg.norm(np.asarray(coef, dtype=np.float64).reshape(-1, GROUP_SIZE), axis=1)


def _largest_alpha(X: Matrix, residual: Array) -> float:
    """Penalty above which no group is kept, for a loss averaged over rows."""
    return float(_strength(X.T @ residual.astype(X.dtype)).max()) / len(residual)


def _search(estimator_at: Any, X: Matrix, y: Array, k: int, slope: float) -> Selection:
    """Search alpha; ``slope`` is how steep the loss is at zero."""
    columns = np.asfortranarray(X)  # all of them walk columns

    def strength_at(C: float) -> Scores:
        return _strength(estimator_at(1 / C).fit(columns, y.astype(X.dtype)).coef_)

    return search_to_k(strength_at, 2 / _largest_alpha(X, slope * (y - y.mean())), k)


def skglm_logistic(X: Matrix, y: Array, k: int) -> Call:
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import LogisticGroup
    from skglm.penalties import WeightedGroupL2
    from skglm.solvers import GroupProxNewton
    from skglm.utils.data import grp_converter

    indices, starts = grp_converter(GROUP_SIZE, X.shape[1])
    weights = np.ones(len(starts) - 1)

    def estimator_at(alpha: float) -> Any:
        penalty = WeightedGroupL2(alpha, weights, starts, indices)
        solver = GroupProxNewton(fit_intercept=True)
        return GeneralizedLinearEstimator(LogisticGroup(starts, indices), penalty, solver)

    return lambda: _search(estimator_at, X, y, k, slope=0.5)


def _squared(package: str) -> Method:
    """The group lasso of a package, which is called alike in both."""

    def prepare(X: Matrix, y: Array, k: int) -> Call:
        lasso = importlib.import_module(package).GroupLasso
        return lambda: _search(lambda alpha: lasso(GROUP_SIZE, alpha), X, y, k, slope=1.0)

    return prepare


def adelie(X: Matrix, y: Array, k: int) -> Call:
    """Follow a path of falling penalties and end at its first point with k groups or more."""
    import adelie as ad
    from joblib import cpu_count

    def call() -> Selection:
        state = ad.grpnet(
            np.asfortranarray(X),
            ad.glm.binomial((y > 0).astype(X.dtype), dtype=X.dtype.type),
            groups=np.arange(0, X.shape[1], GROUP_SIZE),
            exit_cond=lambda state: len(np.unique(state.betas[-1].indices // GROUP_SIZE)) >= k,
            newton_tol=1e-12 if X.dtype == np.float64 else 1e-5,  # float32 cannot reach its own
            progress_bar=False,
            n_threads=cpu_count(),
        )
        strength = _strength(state.betas[-1].toarray())
        return Selection(strongest(strength, k), fits=state.betas.shape[0])

    return call


def abess(X: Matrix, y: Array, k: int) -> Call:
    from abess import LogisticRegression

    model = LogisticRegression(support_size=[k], group=_numbers(X))
    return lambda: Selection(strongest(_strength(model.fit(X, y).coef_), k))


FAMILIES: dict[str, dict[str, Method]] = {
    "groups": {
        OURS: lambda X, y, k: lambda: fit(X, y, n_features_to_select=k, groups=_numbers(X)),
        "skglm": skglm_logistic,
        "skglm squared": _squared("skglm"),
        "celer squared": _squared("celer"),
        "adelie": adelie,
        "abess": abess,
    }
}
