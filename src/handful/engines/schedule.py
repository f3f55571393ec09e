"""How many candidates to generate for exactly k features, and which C to do it with.

Both rules were chosen on dense standardised, dense raw and tf-idf data; docs/how-to-choose.md has
the figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.oracle import Cut
from handful.spaces.base import Array, FeatureSpace

CANDIDATES_PER_FEATURE = 3
ROUNDS = 8
# With more candidates than this share of the samples, the ridge model fits the labels whatever the
# features are, and its weights stop saying which of them matter.
CANDIDATES_PER_SAMPLE = 1 / 6
LEAST_CANDIDATES_PER_FEATURE = 1.2

# C is such that the columns of the first cut are shrunk by about one part in fifty.
STRENGTH = 50.0
COLUMNS_FOR_C = 10


@dataclass(frozen=True)
class Schedule:
    """Candidates per round, and how many at most."""

    per_round: int
    max_rounds: int
    max_active: int


def exact_schedule(k: int, n_samples: int, budget: int, max_rounds: int) -> Schedule:
    """Spread about three times k candidates (eight rounds of the budget if that is more) evenly.

    Not more than a sixth of the samples, unless k itself is near that.
    """
    rounds = min(ROUNDS, max_rounds)
    per_round = max(budget, math.ceil(CANDIDATES_PER_FEATURE * k / rounds))
    most = max(math.ceil(LEAST_CANDIDATES_PER_FEATURE * k), int(CANDIDATES_PER_SAMPLE * n_samples))
    max_active = min(rounds * per_round, most)
    return Schedule(math.ceil(max_active / rounds), rounds, max_active)


def automatic_C(
    space: FeatureSpace, cut: Cut, sample_weight: Array, centred: bool, spread: float
) -> float:
    """``C = spread * 50 / h`` with h the mean sum of squares of the ten best columns.

    A ridge weight on a column with sum of squares h is shrunk by the factor ``C h / (1 + C h)``, so C
    follows the scale of the data and not its units. Columns are centred when there is an
    intercept. ``spread`` is the number of active features over the budget: the k-support penalty
    shares the budget among them and shrinks each accordingly.
    """
    columns = space.columns(cut.ids[:COLUMNS_FOR_C])
    squares = _weighted_sums(columns * columns, sample_weight)
    if centred:
        squares -= _weighted_sums(columns, sample_weight) ** 2 / sample_weight.sum()
    return spread * STRENGTH / float(squares.mean())


def _weighted_sums(columns: Any, sample_weight: Array) -> Array:
    return np.asarray(columns.T @ sample_weight).ravel()
