"""A selector fitted to many parts of the samples, what each fit chose, and how often each feature was chosen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from handful.model_selection._samples import Samples
from handful.model_selection._wrapped import chosen_ids, n_candidates, selector_in, steps_before
from handful.model_selection.agreement import shares_of, table_of
from handful.validation.resampling import nothing_to_count

Array = np.ndarray
#: What the largest possible weight is worth in votes: it decides between features chosen equally often.
TIE = 1e-6


@dataclass(frozen=True)
class Resample:
    """One pair of halves, or one half, of which the fits are done.

    Attributes
    ----------
    number, n_resamples : int
        Which it is, from 1, and of how many.
    counts : tuple of int
        Features that were selected in each half.
    seconds : float
        What the fits took.
    """

    number: int
    n_resamples: int
    counts: tuple[int, ...]
    seconds: float

    def __str__(self) -> str:
        selected = " and ".join(str(count) for count in self.counts)
        what = "feature" if self.counts == (1,) else "features"
        return (
            f"resample {self.number} of {self.n_resamples}: {selected} {what}, {self.seconds:.2f} s"
        )


def votes_of_parts(
    estimator: Any,
    samples: Samples,
    resamples: Sequence[Sequence[Array]],
    seeds: Sequence[int],
    *,
    n_jobs: int | None,
    report: Callable[[Resample], Any],
) -> tuple[list[list[Vote]], bool]:
    """Fit a clone to every part of every resample, some side by side; Ctrl-C keeps what is finished.

    Parameters
    ----------
    estimator : selector, or a Pipeline with one
    samples : Samples
    resamples : sequence of sequence of ndarray
        The rows of each part.
    seeds : sequence of int
        For what the estimator itself draws at random, where that is left open.
    n_jobs : int or None
        Resamples side by side, in threads: X is not copied to other processes.
    report : callable
        Gets each :class:`Resample`.

    Returns
    -------
    votes : list of list of Vote
        Of the resamples that are finished, in their order.
    interrupted : bool
        Whether Ctrl-C ended it; with nothing finished that is raised.
    """
    finished: list[list[Vote]] = []
    is_alone = joblib.effective_n_jobs(n_jobs) == 1
    tasks = (
        (_prepared(estimator, seed, is_alone), samples, parts)
        for parts, seed in zip(resamples, seeds, strict=True)
    )
    try:
        for votes, seconds in _results(tasks, n_jobs, is_alone):
            finished.append(votes)
            counts = tuple(len(vote.ids) for vote in votes)
            report(Resample(len(finished), len(resamples), counts, seconds))
    except KeyboardInterrupt:
        if not finished:
            raise
        return finished, True
    return finished, False


def _results(
    tasks: Iterator[tuple[Any, Samples, Sequence[Array]]], n_jobs: int | None, is_alone: bool
) -> Iterator[tuple[list[Vote], float]]:
    if is_alone:  # in this thread: the fit in hand then hears Ctrl-C too
        return (_fit_parts(*task) for task in tasks)
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    results: Iterator[tuple[list[Vote], float]] = parallel(
        delayed(_fit_parts)(*task) for task in tasks
    )
    return results


def _prepared(estimator: Any, seed: int, is_alone: bool) -> Any:
    """Return a clone whose open seeds are set, and that leaves the cores to other fits where there are any."""
    made = clone(estimator)
    settings: dict[str, Any] = {}
    for name, value in made.get_params(deep=True).items():
        own = name.rpartition("__")[2]
        if own == "random_state" and value is None:
            settings[name] = seed
        elif own == "n_jobs" and value is None and not is_alone:
            settings[name] = 1
    return made.set_params(**settings)


def _fit_parts(
    estimator: Any, samples: Samples, parts: Sequence[Array]
) -> tuple[list[Vote], float]:
    start = time.perf_counter()
    votes = []
    for rows in parts:
        part = samples.take(rows)
        votes.append(vote_of(part.fit(clone(estimator)), part.X))
    return votes, time.perf_counter() - start


@dataclass(frozen=True)
class Vote:
    """What one fit chose.

    Attributes
    ----------
    ids : ndarray of int64
        The first chosen first: in the order in which features were added, or the heaviest first.
    sizes : ndarray
        How heavily each counts: the length of its weights times the deviation of its column, relative to the
        length of all; equal where the selector has no weights.
    n_features : int
        Features there were to choose from.
    """

    ids: Array
    sizes: Array
    n_features: int


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
    return Vote(ids[place], sizes[place], n_features)


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
class Votes:
    """All fits together.

    Attributes
    ----------
    each : sequence of Vote
    """

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

    def counted(self) -> tuple[Array, Array]:
        """Return the ids that were ever chosen, ascending, and their shares; of equal ones the heavier has more."""
        ids, place = np.unique(np.concatenate([v.ids for v in self.each]), return_inverse=True)
        sizes = np.concatenate([v.sizes for v in self.each])
        votes = np.bincount(place, 1 + TIE * sizes, len(ids)) / len(self.each)
        return ids.astype(np.int64), votes
