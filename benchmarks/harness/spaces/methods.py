"""One function per method: data and k in, a call to be timed out, which returns what was found.

What a function does before it returns the call is not timed. A method imports its package itself,
so that a missing one shows up as "not installed" in the table and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.peers import OURS, Selection, l1_svm, rfe
from harness.problem import Ids, Matrix

Call = Callable[[], Selection]
Method = Callable[[Matrix, NDArray[Any], int], Call]
NO_IDS = np.empty(0, dtype=np.int64)
ROUNDS = 10


@dataclass(frozen=True)
class Fitted(Selection):
    """A selection with its model, which can be scored on the test part."""

    model: Any = None


def fit(X: Matrix, y: NDArray[Any], **settings: Any) -> Fitted:
    from handful import FGMClassifier

    model = FGMClassifier(**settings).fit(X, y)
    return Fitted(_ids(model), rounds=_rounds(model), model=model)


def _ids(model: Any) -> Ids:
    return np.asarray(getattr(model, "group_support_", model.support_ids_))


def _rounds(model: Any) -> int:
    return sum(record.phase in ("generate", "swap") for record in model.history_)


def _signs(y: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(y == np.unique(y)[-1], 1.0, -1.0)


# ------------------------------------------------------------------- pairs


def _polynomial() -> Any:
    from handful.spaces import Polynomial

    return Polynomial()


def _scan(X: Matrix, direction: NDArray[Any], k: int) -> Call:
    from joblib import cpu_count

    space = _polynomial().on(X)
    space.n_threads = cpu_count()
    return lambda: Selection(np.sort(space.top(direction, k)[0]))


def scan_first(X: Matrix, y: NDArray[Any], k: int) -> Call:
    """Scan as the first round does: every sample pulls towards its class."""
    signs = _signs(y)
    return _scan(X, signs - signs.mean(), k)


def scan_last(X: Matrix, y: NDArray[Any], k: int) -> Call:
    """Scan as after ten rounds, when what is left to explain is mostly noise: harder to prune."""
    signs = _signs(y)
    model = fit(X, y, budget=k, max_rounds=ROUNDS, space=_polynomial()).model
    return _scan(X, signs * np.maximum(0, 1 - signs * model.decision_function(X)), k)


def bind_and_scan(X: Matrix, y: NDArray[Any], k: int) -> Call:
    """Scan once from X as it is given, with all that a scan prepares (a copy by columns)."""

    def call() -> Selection:
        return scan_first(X, y, k)()

    return call


def fit_rounds(X: Matrix, y: NDArray[Any], k: int) -> Call:
    return lambda: fit(X, y, budget=k, max_rounds=ROUNDS, space=_polynomial())


def exactly_k(X: Matrix, y: NDArray[Any], k: int) -> Call:
    return lambda: fit(X, y, n_features_to_select=k, space=_polynomial())


def linear(X: Matrix, y: NDArray[Any], k: int) -> Call:
    return lambda: fit(X, y, n_features_to_select=k)


def _expand(X: Matrix) -> Any:
    import scipy.sparse as sp
    from sklearn.preprocessing import PolynomialFeatures

    # Most products are zero, so that the expansion fits in memory only if it is sparse.
    return PolynomialFeatures(2, include_bias=False).fit_transform(sp.csr_matrix(X))


def expansion(X: Matrix, y: NDArray[Any], k: int) -> Call:
    """Only write the features down: what every rival has to do first."""

    def call() -> Selection:
        _expand(X)
        return Selection(NO_IDS)

    return call


def expanded_l1_svm(X: Matrix, y: NDArray[Any], k: int) -> Call:
    return lambda: l1_svm(_expand(X), y, k)


def expanded_rfe(X: Matrix, y: NDArray[Any], k: int) -> Call:
    return lambda: rfe(_expand(X), y, k)


# -------------------------------------------------------- additive kernels


def intersection(X: Matrix, y: NDArray[Any], k: int) -> Call:
    from handful.spaces import HistogramIntersection

    return lambda: fit(X, y, n_features_to_select=k, space=HistogramIntersection())


def _additive(kind: str) -> Method:
    def method(X: Matrix, y: NDArray[Any], k: int) -> Call:
        from handful.spaces import AdditiveKernel

        return lambda: fit(X, y, n_features_to_select=k, space=AdditiveKernel(kind))

    return method


SCAN_FIRST, SCAN_LAST, BIND_AND_SCAN = "scan, first round", "scan, last round", "bind and scan"
FIT, EXACTLY_K, EXPANSION, LINEAR = "fit, 10 rounds", "exactly k", "PolynomialFeatures", "linear"
PAIR_METHODS: dict[str, Method] = {
    SCAN_FIRST: scan_first,
    SCAN_LAST: scan_last,
    BIND_AND_SCAN: bind_and_scan,
    FIT: fit_rounds,
    EXACTLY_K: exactly_k,
    "l1-svm expanded": expanded_l1_svm,
    EXPANSION: expansion,
}
MNIST_METHODS: dict[str, Method] = {
    OURS: exactly_k,
    LINEAR: linear,
    "l1-svm": expanded_l1_svm,
    "rfe": expanded_rfe,
    EXPANSION: expansion,
}
ADDITIVE_METHODS: dict[str, Method] = {
    LINEAR: linear,
    "intersection": intersection,
    "gaussian": _additive("gaussian"),
    "chi2": _additive("chi2"),
}
