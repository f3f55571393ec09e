"""All products of two input features, of which only the best are ever made."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.kernels.top import top_k
from handful.registry import Configured
from handful.spaces.base import Array, Columns, FeatureSpace, as_columns, input_names
from handful.spaces.pairs.dense import DensePairs
from handful.spaces.pairs.search import ALONE, Best, PairNumbering, PairQuery, PairSearch
from handful.spaces.pairs.sparse import SparsePairs
from handful.spaces.resolve import (
    as_csc,
    by_storage,
    columns_of,
    mostly_zeros,
    resolve_space,
    source_of,
)
from handful.validation import check_flag, check_positive
from handful.validation.spaces import check_degree, check_n_pairs, check_not_negative

WORK_OF_PAIR = 0.1  # of what a column takes: pairs are searched by products of matrices


class Polynomial(Configured, FeatureSpace):
    r"""Products of two columns, the features of the polynomial kernel of degree two.

    ``(gamma x'z + coef0)^2 = coef0^2 + phi(x)' phi(z)`` with the features ``phi``

    - ``sqrt(2 gamma coef0) x_i``,
    - ``gamma x_i^2``,
    - ``sqrt(2) gamma x_i x_j`` for i < j;

    the constant is left to the intercept. For m columns the ids 0 to m - 1 are the linear features;
    then come the pairs, row by row of the upper triangle: (0, 0), (0, 1), ..., (0, m - 1), (1, 1), ...,
    without (i, i) when ``interaction_only``. Without linear features the pairs start at id 0.

    The best features for a vector are found exactly, and for text in seconds among 10^12: by the
    Cauchy-Schwarz inequality most pairs cannot be among the best, and these are never looked at.

    Parameters
    ----------
    gamma : float
        Factor of the products, above 0.
    coef0 : float
        Weight of the linear features against the products; with 0 they are never selected.
    interaction_only : bool
        Leave out the squares.
    include_linear : bool
        Have the columns themselves among the features.
    degree : int
        Only 2.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces import Polynomial
    >>> X = np.random.default_rng(0).standard_normal((200, 300))
    >>> space = Polynomial().on(X)
    >>> space.n_features
    45450
    >>> ids, scores = space.top(X[:, 3] * X[:, 7], k=1)
    >>> space.names(ids)
    ['x3 x7']
    """

    _X: Any
    _resolved: FeatureSpace | None = None
    _numbering: PairNumbering | None = None
    _search: PairSearch | None = None

    def __init__(
        self,
        gamma: float = 1.0,
        coef0: float = 1.0,
        interaction_only: bool = False,
        include_linear: bool = True,
        degree: int = 2,
    ) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self.interaction_only = interaction_only
        self.include_linear = include_linear
        self.degree = degree

    def on(self, X: Any) -> Polynomial:
        bound = self.sized(X.shape[1])
        bound.n_samples, bound.dtype = X.shape[0], X.dtype
        bound._X, bound._resolved = X, None
        return bound

    def sized(self, n_columns: int) -> Polynomial:
        check_degree(self.degree)
        check_positive("gamma", self.gamma)
        check_not_negative("coef0", self.coef0)
        check_flag("interaction_only", self.interaction_only)
        check_flag("include_linear", self.include_linear)
        numbering = PairNumbering(
            n_columns, int(self.interaction_only), n_columns if self.include_linear else 0
        )
        check_n_pairs(n_columns, numbering.n_features)
        bound = copy.copy(self)
        bound.n_features, bound._numbering = numbering.n_features, numbering
        bound._search = None  # made when first needed, because to predict takes a few columns only
        return bound

    @property
    def search_work(self) -> float:
        return WORK_OF_PAIR * self.n_samples * self.n_features

    def in_memory(self) -> Polynomial:
        if source_of(self._X) is None:
            return self
        return self.on(
            by_storage(self._inputs.columns(np.arange(self._X.shape[1])), np.asarray, sp.csc_array)
        )

    @property
    def _inputs(self) -> FeatureSpace:
        """The columns of X, turned around for many readings where that is quicker."""
        if self._resolved is None:
            self._resolved = resolve_space(self._X)
        return self._resolved

    def _numbers(self) -> PairNumbering:
        return self._there(self._numbering)

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        a, numbering = as_columns(a), self._numbers()
        best = Best(max(0, min(k, self.n_features)), exclude)
        if best.k == 0:
            return best.ids, best.scores
        if self._search is None:
            self._search = _search_in(self._X)
        search = self._search
        linear, squares, reach = search.column_sums(a, self.n_threads)
        if self.include_linear:
            best.add(*top_k(2.0 * self.gamma * self.coef0 * linear, best.k, best.exclude))
        if not self.interaction_only:
            _add_squares(best, self.gamma**2 * squares, numbering)
        # Both sides of the bound are rounded sums of n_samples terms: no pair may be lost to that.
        reach *= 1.0 + 16 * (self.n_samples + 8) * np.finfo(np.float64).eps
        factor = 2.0 * self.gamma**2
        search.add_best(best, PairQuery(a, reach, factor, numbering, self.n_threads))
        return best.ids, best.scores

    def columns(self, ids: Array) -> Columns:
        left, right = self.pairs(ids)
        paired = right != ALONE
        used, where = np.unique(np.concatenate([left, right[paired]]), return_inverse=True)
        # To predict is to read X once, which needs no search.
        once = self._search is None
        inputs = columns_of(self._X, used) if once else self._inputs.columns(used)
        first, second = where[: len(left)], where[len(left) :]
        factors = self.factors(ids)
        if sp.issparse(inputs):
            inputs.sum_duplicates()
            products = _sparse_products(inputs, first, second, paired)
            products.data *= np.repeat(factors, np.diff(products.indptr))
            return products
        products = np.asfortranarray(inputs[:, first])
        products *= factors
        products[:, paired] *= inputs[:, second]
        return products

    def pairs(self, ids: Array) -> tuple[Array, Array]:
        """Return both columns of each feature; the second is -1 for a single column."""
        return self._numbers().decode(np.asarray(ids, dtype=np.int64))

    def factors(self, ids: Array) -> Array:
        """Return what each column, square or product is multiplied with."""
        left, right = self.pairs(ids)
        factors = np.full(len(left), np.sqrt(2.0 * self.gamma * self.coef0))
        factors[right != ALONE] = np.sqrt(2.0) * self.gamma
        factors[left == right] = self.gamma
        return factors

    def inputs(self, ids: Array) -> Array:
        left_and_right = self.pairs(ids)
        used = np.unique(np.concatenate(left_and_right))
        return used[used != ALONE]

    def narrowed(self, ids: Array, inputs: Array) -> tuple[FeatureSpace, Array]:
        space = self.sized(len(inputs))
        left, right = self.pairs(ids)
        places, paired = np.searchsorted(inputs, left), right != ALONE
        places[paired] = space._numbers().encode(
            places[paired], np.searchsorted(inputs, right[paired])
        )
        return space, places

    def names(self, ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
        left, right = self.pairs(ids)
        firsts = input_names(left, feature_names_in)
        seconds = input_names(np.maximum(right, 0), feature_names_in)
        return [
            first if j == ALONE else f"{first}^2" if i == j else f"{first} {second}"
            for i, j, first, second in zip(left, right, firsts, seconds, strict=True)
        ]

    def find(self, name: str, columns: Callable[[str], list[int]]) -> list[int]:
        """Return the ids of a column, of the square ``a^2``, or of the product ``a b`` in either order."""
        found, pairs = set(columns(name) if self.include_linear else ()), set()
        if name.endswith("^2") and not self.interaction_only:
            pairs |= {(j, j) for j in columns(name.removesuffix("^2"))}
        words = name.split(" ")  # names may hold blanks themselves
        for cut in range(1, len(words)):
            left, right = columns(" ".join(words[:cut])), columns(" ".join(words[cut:]))
            pairs |= {(min(i, j), max(i, j)) for i in left for j in right if i != j}
        for i, j in pairs:
            found.add(int(self._numbers().encode(np.array([i]), np.array([j]))[0]))
        return sorted(found)

    def fingerprint(self) -> str:
        self._numbers()
        parameters = np.array(
            [self.gamma, self.coef0, self.interaction_only, self.include_linear], dtype=np.float64
        )
        inputs = np.frombuffer(self._inputs.fingerprint().encode(), dtype=np.uint8)
        return self._digest([parameters, inputs])


def _search_in(X: Any) -> PairSearch:
    away = source_of(X)
    if away is not None:
        return away.pair_search()
    X = as_csc(X) if mostly_zeros(X) else X
    return by_storage(X, DensePairs, SparsePairs)


def _add_squares(best: Best, scores: Array, numbering: PairNumbering) -> None:
    left, right = numbering.decode(best.exclude)
    columns, scores = top_k(scores, min(best.k, len(scores)), left[left == right])
    best.add(numbering.encode(columns, columns), scores)


def _sparse_products(
    inputs: sp.csc_array, first: Array, second: Array, paired: Array
) -> sp.csc_array:
    """Multiply column ``first`` with ``second``, which is given for the paired ones only."""
    products = sp.csc_array(inputs[:, first[paired]].multiply(inputs[:, second]))
    if paired.all():
        return products
    parts = sp.hstack([inputs[:, first[~paired]], products], format="csc")
    order = np.empty(len(first), dtype=np.int64)
    order[~paired] = np.arange(np.count_nonzero(~paired))
    order[paired] = np.arange(np.count_nonzero(~paired), len(first))
    return parts[:, order]
