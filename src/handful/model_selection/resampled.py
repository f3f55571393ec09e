"""Halves of the samples, drawn at random, and a selector that is fitted to all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed

from handful import validation
from handful.model_selection._samples import Samples
from handful.model_selection.agreement import Vote, vote_of
from handful.validation import resampling as checks

Array = np.ndarray
#: Times that halves of groups are drawn anew because a class was missing in one.
MOST_DRAWS = 100


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

    ``resamples`` are the rows of each part, ``seeds`` are for what the estimator itself draws at random, where that is left
    open. Resamples are fitted side by side in threads: X is not copied to other processes. ``report`` gets each.

    Returns the votes of the resamples that are finished, in their order, and whether Ctrl-C ended it; with nothing finished
    that is raised.
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


def draw_resamples(
    estimator: Any,
    samples: Samples,
    groups: Any,
    n_resamples: int,
    complementary: bool,
    rng: np.random.RandomState,
) -> list[list[Array]]:
    """Return the rows of the parts of every resample; a sample of weight zero is in none."""
    weight = samples.more.get("sample_weight")
    weight = validation.sample_weights(weight, len(samples))
    there = np.flatnonzero(weight)
    classes = None
    if is_classifier(estimator) and type_of_target(samples.y) in ("binary", "multiclass"):
        classes = np.asarray(samples.y).ravel()[there]
        checks.check_weighted_classes(classes, len(there) < len(samples))
    if groups is not None:
        groups = checks.sample_groups(groups, len(samples))[there]
    options = {"complementary": complementary, "classes": classes, "groups": groups}
    drawn = (draw_halves(len(there), rng, **options) for _ in range(n_resamples))
    return [[there[rows] for rows in halves] for halves in drawn]


def draw_halves(
    n_samples: int,
    rng: np.random.RandomState,
    *,
    complementary: bool,
    classes: Array | None = None,
    groups: Array | None = None,
) -> list[Array]:
    """Return the rows, ascending, of two halves that share none, or of one half: classes in proportion, groups together.

    One sample, or one group, is in neither half when their number is odd. Each half has half of every class; of odd
    classes what remains is shared out at random. Samples of one group stay together: halves are then of groups, in which no class may be
    missing.
    """
    if groups is None:
        halves = _of_rows(n_samples, rng, classes)
    else:
        halves = _of_groups(groups, rng, classes)
    return halves if complementary else halves[:1]


def _of_rows(n_samples: int, rng: np.random.RandomState, classes: Array | None) -> list[Array]:
    codes = np.zeros(n_samples, dtype=int) if classes is None else _codes(classes)
    counts = np.bincount(codes)
    checks.check_halves(n_samples, counts, classes)
    mixed = rng.permutation(n_samples)
    rest, pairs = [], []
    for code, count in enumerate(counts):
        own = mixed[codes[mixed] == code]
        pairs.append(own[: 2 * (count // 2)])
        rest.append(own[2 * (count // 2) :])
    remaining = rng.permutation(np.concatenate(rest))
    pairs.append(remaining[: 2 * (len(remaining) // 2)])
    together = np.concatenate(pairs)
    return [np.sort(together[::2]), np.sort(together[1::2])]


def _of_groups(groups: Array, rng: np.random.RandomState, classes: Array | None) -> list[Array]:
    names, members = np.unique(groups, return_inverse=True)
    checks.check_n_groups(len(names))
    size = len(names) // 2
    codes = None if classes is None else _codes(classes)
    for _ in range(MOST_DRAWS):
        mixed = rng.permutation(len(names))
        halves = [
            np.flatnonzero(np.isin(members, part))
            for part in (mixed[:size], mixed[size : 2 * size])
        ]
        if codes is None or all(len(np.unique(codes[rows])) == codes.max() + 1 for rows in halves):
            return halves
    raise checks.classes_in_few_groups()


def _codes(classes: Any) -> Array:
    codes: Array = np.unique(classes, return_inverse=True)[1]
    return codes
