"""A selector fitted to many parts of the samples, some side by side; Ctrl-C keeps what is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from handful.model_selection._samples import Samples
from handful.model_selection.votes import Vote, vote_of

Array = np.ndarray


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
    """Fit a clone to every part of every resample.

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
