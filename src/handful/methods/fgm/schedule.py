"""How many candidates to generate for exactly k features, and how large their columns are.

The rule was chosen on dense standardised, dense raw and tf-idf data; docs/defaults.md has the
figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.spaces.active import run_members
from handful.spaces.base import Array, FeatureSpace
from handful.spaces.columns import is_constant
from handful.spaces.units import are_of_one_kind
from handful.validation import no_signal

CANDIDATES_PER_FEATURE = 3
ROUNDS = 6
SWAPS, SWAP_PER_FEATURE = 2, 2
# With more candidates than this share of the samples, the ridge model fits the labels whatever the
# features are, and its weights stop saying which of them matter.
CANDIDATES_PER_SAMPLE = 1 / 8

COLUMNS_FOR_C, LOOKED_AT = 10, 50
POWER_STEPS = 10
TINY = 1e-300


@dataclass(frozen=True)
class Schedule:
    """Candidates per round, how many at most, and how often to swap.

    Attributes
    ----------
    per_round, max_rounds, max_active : int
        Of the rounds that generate candidates.
    swaps : int
    swap_active : int
        Features among which a swap chooses.
    """

    per_round: int
    max_rounds: int
    max_active: int
    swaps: int
    swap_active: int


def exact_schedule(k: int, n_samples: float, budget: int, max_rounds: int) -> Schedule:
    """Spread about three times k candidates (six rounds of the budget if that is more) evenly.

    Not more than an eighth of the samples, but at least one budget beyond k. A swap chooses among
    twice k features within the same limit.
    """
    rounds = min(ROUNDS, max_rounds)
    most = max(k + budget, round(CANDIDATES_PER_SAMPLE * n_samples))
    per_round = max(budget, math.ceil(CANDIDATES_PER_FEATURE * k / rounds))
    max_active = min(rounds * per_round, most)
    swap_active = min(max(SWAP_PER_FEATURE * k, k + budget), most)
    return Schedule(math.ceil(max_active / rounds), rounds, max_active, SWAPS, swap_active)


@dataclass(frozen=True)
class Typical:
    """The best features of the first cut as C follows from them.

    Attributes
    ----------
    sizes : ndarray
        Sums of squares of the columns of ten features.
    score_factor : float
        How much of a feature's score counts.
    """

    sizes: Array
    score_factor: float = 1.0


def typical_features(
    space: FeatureSpace, ids: Array, scores: Array, sample_weight: Array, *, centred: bool
) -> Typical:
    """Look at the ten features with the best scores, or beyond where columns have different units.

    A score grows with the square of a column's unit. Where the sizes of the first fifty differ by more than columns of one kind
    do, the best scores say which columns are large: then the ten that correlate most stand for all, by the
    median of their sizes and scores, in which a few large or small ones have no say.
    """
    ids, scores = ids[:LOOKED_AT], scores[:LOOKED_AT]
    parts = (ids[:COLUMNS_FOR_C], ids[COLUMNS_FOR_C:])
    every = [column_sizes(space, part, sample_weight, centred=centred) for part in parts]
    sizes = np.concatenate(every)
    varies = sizes > 0.0
    if not varies.any():
        raise no_signal()
    sizes, scores = sizes[varies], scores[varies]
    if are_of_one_kind(sizes):
        return Typical(sizes[:COLUMNS_FOR_C])
    best = np.argsort(-scores / sizes, kind="stable")[:COLUMNS_FOR_C]
    factor = _middle(scores[best]) / float(scores[:COLUMNS_FOR_C].mean())
    return Typical(np.array([_middle(sizes[best])]), factor)


def _middle(values: Array) -> float:
    """The median by orders of magnitude."""
    return float(np.exp(np.median(np.log(values))))


def column_sizes(space: FeatureSpace, ids: Array, sample_weight: Array, *, centred: bool) -> Array:
    """Return the sums of squares of the columns of some features, zero for constant ones.

    Columns are centred when there is an intercept. Of a feature with several
    columns the direction of the largest sum of squares counts.
    """
    if not len(ids):
        return np.empty(0)
    columns, widths = space.columns(ids), space.widths(ids)
    squares = _weighted_sums(columns * columns, sample_weight)
    means = (
        _weighted_sums(columns, sample_weight) / sample_weight.sum() if centred else 0.0 * squares
    )
    centred_squares = squares - sample_weight.sum() * means**2
    varies = ~is_constant(centred_squares, squares)
    sizes = np.zeros(len(ids))
    for feature in range(len(ids)):
        own = run_members(widths, np.array([feature]))
        own = own[varies[own]]
        if len(own) == 1:
            sizes[feature] = centred_squares[own[0]]
        elif len(own):
            parts = (columns[:, own], means[own], centred_squares[own])
            sizes[feature] = _longest(*parts, sample_weight)
    return sizes


def _longest(columns: Any, means: Array, squares: Array, sample_weight: Array) -> float:
    """The largest sum of squares along any direction of a few columns, by a few power steps."""
    direction = np.zeros(columns.shape[1])
    direction[squares.argmax()] = 1.0  # ones would not do: a one-hot family adds up to a constant
    size = 0.0
    for _ in range(POWER_STEPS):
        along = np.asarray(columns @ direction) - means @ direction
        image = np.asarray(columns.T @ (sample_weight * along))
        size = float(direction @ image)
        image = image - means * float(sample_weight @ along)
        direction = image / max(float(np.linalg.norm(image)), TINY)
    return size


def _weighted_sums(columns: Any, sample_weight: Array) -> Array:
    return np.asarray(columns.T @ sample_weight).ravel()
