"""How many candidates to generate for exactly k features, and which C to do it with.

Both rules were chosen on dense standardised, dense raw and tf-idf data; docs/how-to-choose.md has
the figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.methods.fgm.oracle import Cut
from handful.spaces.active import run_members
from handful.spaces.base import Array, FeatureSpace
from handful.validation import no_signal

CANDIDATES_PER_FEATURE = 3
ROUNDS = 6
SWAPS, SWAP_PER_FEATURE = 2, 2
# With more candidates than this share of the samples, the ridge model fits the labels whatever the
# features are, and its weights stop saying which of them matter.
CANDIDATES_PER_SAMPLE = 1 / 8

# C is such that the best columns are shrunk by about one part in twenty while features are chosen, and more
# where each feature has few samples. One-vs-rest models of many classes want twice that: each has few
# positive samples.
STRENGTH, STRENGTH_PER_CLASS = 20.0, 10.0
EXPLAINED = 2.0  # what the features together explain, over what they leave
COLUMNS_FOR_C = 10
CUT_STRENGTH = 5.0
POWER_STEPS = 10
TINY = 1e-300
ROUNDING = 1e-12  # what is left of a constant column once it is centred


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


def automatic_C(
    space: FeatureSpace,
    cut: Cut,
    sample_weight: Array,
    *,
    centred: bool,
    n_outputs: int,
    n_keep: int | None,
) -> float:
    """``C = S / h`` with h the harmonic mean of the sums of squares of the ten best features' columns.

    ``1 / S = 1 / 20 + k / (2 n)`` for k features and n samples; 10 instead of 20 for more than two classes, and
    no second term if k is open.

    A ridge weight on a column with sum of squares h is shrunk by the factor ``C h / (1 + C h)``, so C
    follows the scale of the data and not its units; a few large columns have no say. If k weights together
    explain twice what they leave over, each is worth a prior variance with ``C h = 2 n / k``: with few samples
    for each feature that is less than 20. Columns are centred when there is an intercept. Of a feature
    with several columns the direction of the largest sum of squares counts.
    """
    ids = cut.ids[:COLUMNS_FOR_C]
    columns, widths = space.columns(ids), space.widths(ids)
    squares = _weighted_sums(columns * columns, sample_weight)
    means = (
        _weighted_sums(columns, sample_weight) / sample_weight.sum() if centred else 0.0 * squares
    )
    centred_squares = squares - sample_weight.sum() * means**2
    varies = centred_squares > ROUNDING * squares
    sizes = []
    for feature in range(len(ids)):
        own = run_members(widths, np.array([feature]))
        own = own[varies[own]]
        if len(own) == 1:
            sizes.append(float(centred_squares[own[0]]))
        elif len(own):
            sizes.append(_longest(columns[:, own], means[own], centred_squares[own], sample_weight))
    if not sizes:
        raise no_signal()
    strength = STRENGTH if n_outputs == 1 else STRENGTH_PER_CLASS
    per_sample = 0.0 if n_keep is None else n_keep / float(sample_weight.sum())
    return 1.0 / (1.0 / strength + per_sample / EXPLAINED) * float(np.mean(1.0 / np.array(sizes)))


def automatic_C_of_cut(cut: Cut, cost: float, budget: int) -> float:
    """``C = 5 cost / (sum of the B largest scores)`` for a loss with kinks.

    With the weights ``C c_j`` of the first cut on its B features the predictions would undo the cost
    of that cut five times over; the scale of X and of the measure drop out.
    """
    return CUT_STRENGTH * cost / float(cut.scores[: max(budget, 1)].sum())


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
