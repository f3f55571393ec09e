"""What several fits selected, how often each feature was, and how well they agree: one figure with its confidence interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import norm

from handful.estimators._features import Selection
from handful.model_selection._wrapped import chosen_ids, n_candidates, selector_in, steps_before
from handful.validation.resampling import check_inner_share, nothing_to_count, selection_table

Array = np.ndarray
#: What the largest possible weight is worth in votes: it decides between features chosen equally often.
TIE = 1e-6
#: Numbers of features along the stability path, at most.
MOST_STEPS = 25
#: A share that is the threshold but for rounding has reached it.
ROUNDING = 1e-9


@dataclass(frozen=True)
class StabilityIndex:
    """The stability of selections: 1 when they are equal, about 0 when they are drawn at random.

    Attributes
    ----------
    value : float
        NaN where every selection holds everything or nothing: then there is nothing to agree on.
    low, high : float
        The confidence interval; NaN of two selections, which do not show how far others would be apart.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        between = f" ({self.low:z.3f} to {self.high:z.3f})" if np.isfinite(self.low) else ""
        return f"{self.value:z.3f}{between}"


def stability_index(selections: Any, confidence: float = 0.95) -> StabilityIndex:
    """Return Nogueira's stability of some selections, with its confidence interval.

    ``1 - (1/d) sum_f s_f^2 / (kbar/d (1 - kbar/d))``, where ``s_f^2 = M/(M-1) p_f (1 - p_f)``, ``p_f`` is
    how often feature f was selected in M selections from d features, and ``kbar`` their mean size.

    It is 1 minus the mean variance of a feature's selection over what it would be if features were drawn at
    random: corrected for chance, defined for selections of different sizes, and at most 1.

    Parameters
    ----------
    selections : array-like or sparse matrix of shape (n_selections, n_features)
        1 where a feature was selected, otherwise 0. Nothing of size n_features is made of a sparse one, so
        it may have millions of columns.
    confidence : float, default=0.95
        How sure the interval is; it is asymptotic in the number of selections.

    Returns
    -------
    index : StabilityIndex

    References
    ----------
    Nogueira, Sechidis and Brown (2018), On the Stability of Feature Selection Algorithms, JMLR 18(174).

    Examples
    --------
    >>> from handful.model_selection import stability_index
    >>> stability_index([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value
    0.333...
    """
    check_inner_share("confidence", confidence)
    table: sp.csr_array = selection_table(selections)
    n_selections, n_features = table.shape
    sizes = np.diff(table.indptr).astype(np.float64)
    share = float(sizes.mean()) / n_features
    by_chance = share * (1.0 - share)
    if by_chance == 0.0:
        return StabilityIndex(np.nan, np.nan, np.nan)
    # Of every stored entry: how often its feature was selected.
    _, place, counts = np.unique(table.indices, return_inverse=True, return_counts=True)
    frequencies: Array = (counts / n_selections)[place]
    # A sum over features is one over entries: each of the M p_f entries of f brings 1/M of its term.
    variance = float((1.0 - frequencies).sum()) / (n_selections - 1)
    value = 1.0 - variance / n_features / by_chance
    if n_selections == 2:  # of equal sizes they bring the same to it, whatever they are
        return StabilityIndex(value, np.nan, np.nan)
    each = _influences(table, frequencies, sizes, share, value)
    error = 2.0 / n_selections * float(np.linalg.norm(each - each.mean()))
    reach = float(norm.ppf(0.5 + confidence / 2)) * error
    return StabilityIndex(value, value - reach, min(1.0, value + reach))


def table_of(chosen: Sequence[Array], n_features: int) -> sp.csr_array:
    """Return selections as rows of ones; nothing as long as the features is made."""
    ends = np.cumsum([0, *map(len, chosen)])
    ids = np.concatenate([np.sort(ids) for ids in chosen])
    return sp.csr_array((np.ones(len(ids)), ids, ends), shape=(len(chosen), n_features))


def shares_of(table: sp.csr_array) -> tuple[Array, Array]:
    """Return the features in any row of selections, ascending, and in which share of the rows each is."""
    ids, counts = np.unique(table.indices, return_counts=True)
    return ids.astype(np.int64), counts / table.shape[0]


def chosen_at(table: sp.csr_array, place: int) -> tuple[Array, Array]:
    """Return the features that have an entry in one row of frequencies, ascending, and their shares."""
    part = slice(*table.indptr[place : place + 2])
    order = np.argsort(table.indices[part], kind="stable")
    return table.indices[part][order].astype(np.int64), table.data[part][order]


def _influences(
    table: sp.csr_array, frequencies: Array, sizes: Array, share: float, value: float
) -> Array:
    """Return what each selection brings to the index.

    ``[(1/d) sum_f z_f p_f - k kbar/d^2 + value/2 (2 k kbar/d^2 - k/d - kbar/d + 1)] / (kbar/d (1 - kbar/d))``
    for a selection z of size k.
    """
    n_selections, n_features = table.shape
    owners = np.repeat(np.arange(n_selections), np.diff(table.indptr))
    met = np.bincount(owners, frequencies, minlength=n_selections) / n_features
    shares = sizes / n_features
    corrected: Array = met - shares * share
    corrected += value / 2 * (2 * shares * share - shares - share + 1)
    return corrected / (share * (1 - share))


@dataclass(frozen=True)
class Vote:
    """What one fit chose."""

    #: The first chosen first: in the order in which features were added, or the heaviest first.
    ids: Array
    #: How heavily each counts: the length of its weights times the deviation of its column, relative to the
    #: length of all; equal where the selector has no weights.
    sizes: Array
    #: Features there were to choose from.
    n_features: int
    #: Groups that were chosen, by labels or numbers, where features are chosen in groups.
    groups: list[Any] | None = None
    #: Groups there were to choose from.
    n_groups: int | None = None


def vote_of(fitted: Any, X: Any) -> Vote:
    """Return what a fitted selector, or a Pipeline with one, chose on its rows X."""
    ids, n_features = chosen_ids(fitted), n_candidates(fitted)
    if ids is None or n_features is None:
        raise nothing_to_count(selector_in(fitted))
    selector = selector_in(fitted)
    sizes = _sizes(selector, fitted, X, len(ids))
    order = getattr(selector, "selection_order_", None)
    if order is not None and len(order) == len(ids) and getattr(selector, "groups", None) is None:
        place = np.searchsorted(np.sort(order), order)
    else:
        place = np.argsort(-sizes, kind="stable")
    return Vote(ids[place], sizes[place], n_features, *_groups(selector))


def _groups(selector: Any) -> tuple[list[Any] | None, int | None]:
    """Return the groups that a fitted selector chose, and how many there were; None without groups."""
    n_groups = Selection(selector).n_groups
    if n_groups is None:
        return None, None
    labels = getattr(selector, "group_labels_", None)
    chosen = selector.group_support_
    return (chosen if labels is None else np.asarray(labels)[chosen]).tolist(), n_groups


def _sizes(selector: Any, fitted: Any, X: Any, n_chosen: int) -> Array:
    """Return how heavily each of the chosen counts, in the order of their ids."""
    weights = getattr(selector, "weights_", None)
    if weights is None:  # RFE keeps the model of what is left
        weights = getattr(getattr(selector, "estimator_", None), "coef_", None)
    even = np.full(n_chosen, 1 / np.sqrt(max(n_chosen, 1)))
    if weights is None or not n_chosen or np.size(weights) % n_chosen:
        return even
    for step in steps_before(fitted):
        X = step.transform(X)
    lengths = np.atleast_2d(weights) * _deviations(selector.transform(X))
    sizes: Array = np.linalg.norm(lengths.reshape(len(lengths), n_chosen, -1), axis=(0, 2))
    total = np.linalg.norm(sizes)
    return sizes / total if 0 < total < np.inf else even


def _deviations(columns: Any) -> Array:
    """Return the standard deviation of every column of a small matrix."""
    if not sp.issparse(columns):
        return np.asarray(columns, dtype=np.float64).std(axis=0)
    means = np.asarray(columns.mean(axis=0)).ravel()
    squares = np.asarray(columns.multiply(columns).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(squares - means**2, 0))


@dataclass(frozen=True)
class Choices:
    """What the fits had to choose, one by one: features, or groups of them where those are chosen."""

    #: How many there were.
    n_all: int
    #: How many each fit chose, on average.
    n_chosen: float
    #: In which share of the fits each of those ever chosen was chosen.
    shares: Array
    are_groups: bool

    def called(self, groups: str = "groups") -> str:
        """Return what these are called, where groups are called so."""
        return groups if self.are_groups else "features"

    def n_stable(self, threshold: float) -> int:
        """Return how many were chosen in a share of the fits that is no less than the threshold."""
        return int((self.shares >= threshold - ROUNDING).sum())


@dataclass(frozen=True)
class Votes:
    """All fits together."""

    each: Sequence[Vote]

    @property
    def n_features(self) -> int:
        """Features there were to choose from."""
        return self.each[0].n_features

    @property
    def mean_count(self) -> float:
        """Features that were chosen, on average."""
        return float(np.mean([len(vote.ids) for vote in self.each]))

    def table(self, first: int | None = None) -> sp.csr_array:
        """Return a row of 0 and 1 for each fit; of the ``first`` so many that it chose."""
        return table_of([vote.ids[:first] for vote in self.each], self.n_features)

    def shares(self, first: int | None = None) -> tuple[Array, Array]:
        """Return the ids that were ever chosen, ascending, and in which share of the fits each was."""
        return shares_of(self.table(first))

    def choices(self) -> Choices:
        """Return what a bound on false choices is about: a group comes and goes as one."""
        if self.each[0].n_groups is None:
            return Choices(self.n_features, self.mean_count, self.shares()[1], are_groups=False)
        counts = Counter(group for vote in self.each for group in vote.groups or ())
        shares = np.array(list(counts.values()), dtype=np.float64) / len(self.each)
        n_all = max(vote.n_groups or 0 for vote in self.each)
        return Choices(n_all, float(shares.sum()), shares, are_groups=True)

    def path(self) -> dict[str, Array]:
        """Return the shares along the number of features: ``k``, the ``ids`` ever chosen, and the ``frequency`` of each at each k."""
        ids = self.shares()[0]
        longest = max(1, *(len(vote.ids) for vote in self.each))
        ks = np.arange(1, longest + 1)
        if longest > MOST_STEPS:
            ks = np.unique(np.geomspace(1, longest, MOST_STEPS).round().astype(int))
        frequency = np.zeros((len(ids), len(ks)))
        for j, k in enumerate(ks.tolist()):
            some, how_often = self.shares(first=k)
            frequency[np.searchsorted(ids, some), j] = how_often
        return {"k": ks, "ids": ids, "frequency": frequency}

    def counted(self) -> tuple[Array, Array]:
        """Return the ids that were ever chosen, ascending, and their shares; of equal ones the heavier has more."""
        ids, place = np.unique(np.concatenate([v.ids for v in self.each]), return_inverse=True)
        sizes = np.concatenate([v.sizes for v in self.each])
        votes = np.bincount(place, 1 + TIE * sizes, len(ids)) / len(self.each)
        return ids.astype(np.int64), votes
