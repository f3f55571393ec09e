"""Halves of the samples, drawn at random: by classes in proportion, and groups of samples together."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.validation import resampling as checks

Array = np.ndarray
#: Times that halves of groups are drawn anew because a class was missing in one.
MOST_DRAWS = 100


def draw_halves(
    n_samples: int,
    rng: np.random.RandomState,
    *,
    complementary: bool,
    classes: Array | None = None,
    groups: Array | None = None,
) -> list[Array]:
    """Return the rows of two halves that share none, or of one half.

    Parameters
    ----------
    n_samples : int
    rng : RandomState
    complementary : bool
        Two halves; one sample, or one group, is in neither when their number is odd.
    classes : ndarray of shape (n_samples,), optional
        Each half has half of every class; of odd classes what remains is shared out at random.
    groups : ndarray of shape (n_samples,), optional
        Samples that stay together; halves are then of groups, in which no class may be missing.

    Returns
    -------
    halves : list of ndarray
        Rows, ascending.
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
