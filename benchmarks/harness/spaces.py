"""Features that are never written down: their data sets, and one function per method.

A function takes data and k and returns a call to be timed, which returns what was found; what it does before is not
timed. A method imports its package itself, so that a missing one shows up as "not installed" in the table and
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import cpu_count
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import PolynomialFeatures

from handful.datasets import make_grouped_linear
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

from .data import CLASSES, Source, mnist_parts, need_memory, newsgroups, synthetic
from .peers import OURS, Array, Call, Selection, fgm, l1_svm, rfe
from .problem import Ids, Matrix, Problem

Method = Callable[[Matrix, Array, int], Call]
GROUP_SIZE, TRUE_GROUPS = 10, 100
QUICK_ROWS = 1500
NO_IDS = np.empty(0, dtype=np.int64)
ROUNDS = 10


# -------------------------------------------------------------------- the data


def text(source: Source, longest: int) -> Problem:
    """20 newsgroups as words, or as words and word pairs."""
    problem = newsgroups(source, longest)
    return _fewer_rows(problem) if source.quick else problem


def mnist(source: Source) -> Problem:
    """Threes against eights, dense, grey levels from 0 to 1."""
    X, y, X_test, y_test = mnist_parts(source)
    problem = Problem("mnist", X / 255.0, y, X_test / 255.0, y_test)
    return _fewer_rows(problem) if source.quick else problem


def grouped(source: Source, n_groups: int) -> Problem:
    """The paper's sets for group selection; ``truth`` holds groups, not features."""
    n_rows, n_true = (512, 10) if source.quick else (4096, TRUE_GROUPS)
    n_groups = min(n_groups, 100) if source.quick else n_groups
    # Training and test rows here, and rivals that want a copy in another order.
    need_memory(2 * 4 * (n_rows + 2000) * n_groups * GROUP_SIZE)
    sizes = (n_rows, n_groups, GROUP_SIZE, n_true)
    made = make_grouped_linear(*sizes, dtype=np.float32, random_state=source.seed)
    return synthetic("groups", made)


def semeion(source: Source) -> Problem:
    """Handwritten digits in 256 pixels that are 0 or 1, ten classes."""
    X, y = CLASSES["semeion"](source)
    parts = train_test_split(X, y, test_size=0.3, random_state=source.seed, stratify=y)
    return Problem("semeion", parts[0], parts[2], parts[1], parts[3])


def isolet(source: Source) -> Problem:
    """Spoken letters, 26 classes; values from 0 to 1, the fifth group of speakers for the test."""
    stored = np.load(source.file("multiclass/isolet_full_x1e4.npz"))
    X, y = (stored["X"] * 1e-4 + 1) / 2, stored["y"].astype(np.int64)
    train = stored["speaker_group"] < 5
    return Problem("isolet", np.maximum(X[train], 0), y[train], np.maximum(X[~train], 0), y[~train])


def expansion_cost(X: Any) -> str:
    """Say what writing down all products of two columns would take."""
    m = X.shape[1]
    per_row = np.diff(X.indptr) if sp.issparse(X) else np.count_nonzero(X, axis=1)
    products = float((per_row * (per_row + 3) / 2).sum())
    features = m * (m + 3) // 2
    return (
        f"{features:,} features; written down: {products:,.0f} products that are not zero, "
        f"{16 * products / 2**30:,.1f} GiB sparse, {8 * features * X.shape[0] / 2**30:,.0f} GiB "
        f"dense; a weight for each feature: {8 * features / 2**30:,.1f} GiB"
    )


def members(groups: Ids) -> Ids:
    """Columns of whole groups."""
    return (groups[:, None] * GROUP_SIZE + np.arange(GROUP_SIZE)).ravel()


def group_columns(X: Matrix, ids: Ids) -> Matrix:
    return np.ascontiguousarray(X[:, members(ids)], dtype=np.float64)


def _fewer_rows(problem: Problem) -> Problem:
    rows = slice(QUICK_ROWS)
    return Problem(problem.name, problem.X[rows], problem.y[rows], problem.X_test, problem.y_test)


# ----------------------------------------------------------------- the methods


def fit(X: Matrix, y: Array, **settings: Any) -> Selection:
    """Fit ours; how large the active columns are is not known of features that are not columns of X."""
    return replace(fgm(X, y, **settings), active=None)


def _signs(y: Array) -> Array:
    return np.where(y == np.unique(y)[-1], 1.0, -1.0)


# ------------------------------------------------------------------- pairs


def _scan(X: Matrix, direction: Array, k: int) -> Call:
    space = Polynomial().on(X)
    space.n_threads = cpu_count()
    return lambda: Selection(np.sort(space.top(direction, k)[0]))


def scan_first(X: Matrix, y: Array, k: int) -> Call:
    """Scan as the first round does: every sample pulls towards its class."""
    signs = _signs(y)
    return _scan(X, signs - signs.mean(), k)


def scan_last(X: Matrix, y: Array, k: int) -> Call:
    """Scan as after ten rounds, when what is left to explain is mostly noise: harder to prune."""
    signs = _signs(y)
    model = fit(X, y, budget=k, max_rounds=ROUNDS, space=Polynomial()).model
    return _scan(X, signs * np.maximum(0, 1 - signs * model.decision_function(X)), k)


def bind_and_scan(X: Matrix, y: Array, k: int) -> Call:
    """Scan once from X as it is given, with all that a scan prepares (a copy by columns)."""

    def call() -> Selection:
        return scan_first(X, y, k)()

    return call


def _expand(X: Matrix) -> Any:
    # Most products are zero, so that the expansion fits in memory only if it is sparse.
    return PolynomialFeatures(2, include_bias=False).fit_transform(sp.csr_matrix(X))


def expansion(X: Matrix, y: Array, k: int) -> Call:
    """Only write the features down: what every rival has to do first."""

    def call() -> Selection:
        _expand(X)
        return Selection(NO_IDS)

    return call


def expanded_l1_svm(X: Matrix, y: Array, k: int) -> Call:
    return lambda: l1_svm(_expand(X), y, k)


# -------------------------------------------------------- additive kernels


def ours(make: Callable[[], Any], **settings: Any) -> Method:
    """Make a method of ours in a space; without other settings exactly k features."""

    def prepare(X: Matrix, y: Array, k: int) -> Call:
        size = {"budget": k} if settings else {"n_features_to_select": k}
        return lambda: fit(X, y, **size, **settings, space=make())

    return prepare


SCAN_FIRST, SCAN_LAST, BIND_AND_SCAN = "scan, first round", "scan, last round", "bind and scan"
FIT, EXACTLY_K, EXPANSION, LINEAR = "fit, 10 rounds", "exactly k", "PolynomialFeatures", "linear"
FAMILIES: dict[str, dict[str, Method]] = {
    "pairs": {
        SCAN_FIRST: scan_first,
        SCAN_LAST: scan_last,
        BIND_AND_SCAN: bind_and_scan,
        FIT: ours(Polynomial, max_rounds=ROUNDS),
        EXACTLY_K: ours(Polynomial),
        "l1-svm expanded": expanded_l1_svm,
        EXPANSION: expansion,
    },
    "mnist": {
        OURS: ours(Polynomial),
        LINEAR: ours(lambda: None),
        "l1-svm": expanded_l1_svm,
        "rfe": lambda X, y, k: lambda: rfe(_expand(X), y, k),
        EXPANSION: expansion,
    },
    "additive": {
        LINEAR: ours(lambda: None),
        "intersection": ours(HistogramIntersection),
        "gaussian": ours(partial(AdditiveKernel, "gaussian")),
        "chi2": ours(partial(AdditiveKernel, "chi2")),
    },
}
