"""The regulariser of FGM: half the squared k-support norm.

Minimising the paper's ``1/2 sum_j |w_j|^2 / d_j`` over ``0 <= d_j <= 1, sum d_j <= B`` leaves half
the squared k-support norm of the row lengths with k = B (Argyriou, Foygel, Srebro 2012).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from handful.spaces.base import Array, sum_runs

NEGLIGIBLE = 1e-30  # rows shorter than this share of the longest are taken as zero


class Geometry(ABC):
    """How variables are penalised and add up to weights of the active columns; they may be these weights."""

    #: The largest number of variables that add up to the weight of one column.
    overlap: int = 1

    @abstractmethod
    def value(self, variables: Array) -> float:
        """The penalty."""

    @abstractmethod
    def prox(self, variables: Array, tau: float) -> Array:
        """``argmin over v of tau/2 |v - variables|^2 + value(v)``."""

    @abstractmethod
    def conjugate(self, dots: Array) -> float:
        """The penalty's conjugate at X'a, given on the active columns."""

    def weights(self, variables: Array) -> Array:
        """One row of weights per active column, linear in the variables."""
        return variables

    def pull(self, dots: Array) -> Array:
        """The transpose of :meth:`weights`: gradient in the variables from that in the weights."""
        return dots


@dataclass(frozen=True)
class Penalty(Geometry):
    """``1/2 sum over must-keep features of |w_j|^2 + 1/2 (k-support norm of the others)^2``.

    Parameters
    ----------
    budget : int
        B, the number of features that may be used at full strength.
    n_always : int
        The first features are must-keep: always at full strength and outside the budget.
    widths : ndarray of int64, optional
        How many neighbouring rows of the weights belong to each feature; one each by default.
        The length of a feature is that of all its rows together.
    """

    budget: int
    n_always: int = 0
    widths: Array | None = None

    @property
    def n_always_rows(self) -> int:
        """How many of the first rows belong to must-keep features."""
        return self.n_always if self.widths is None else int(self.widths[: self.n_always].sum())

    def squares(self, weights: Array) -> Array:
        """Squared length of each feature."""
        squares = np.einsum("jk,jk->j", weights, weights)
        return squares if self.widths is None else sum_runs(squares, self.widths)

    def lengths(self, weights: Array) -> Array:
        """Length of each feature."""
        return np.sqrt(self.squares(weights))

    def value(self, weights: Array) -> float:
        """Value at a weight matrix with one row per column."""
        lengths = self.lengths(weights)
        always, free = lengths[: self.n_always], lengths[self.n_always :]
        return 0.5 * float(always @ always) + half_squared_ksupport(free, self.budget)

    def conjugate(self, dots: Array) -> float:
        """Half the sum of the must-keep and of the B largest squared lengths."""
        squares = self.squares(dots)
        return 0.5 * float(
            squares[: self.n_always].sum() + largest_sum(squares[self.n_always :], self.budget)
        )

    def prox(self, point: Array, tau: float) -> Array:
        """``argmin over w of tau/2 |w - point|^2 + value(w)``."""
        lengths = self.lengths(point)
        shares = np.ones(len(lengths))
        shares[self.n_always :] = prox_shares(lengths[self.n_always :], tau, self.budget)
        factors = tau * shares / (1.0 + tau * shares)
        if self.widths is not None:
            factors = np.repeat(factors, self.widths)
        return point * factors[:, None]


def largest_sum(values: Array, count: int) -> float:
    """Sum of the ``count`` largest values."""
    if count >= len(values):
        return float(values.sum())
    return float(np.partition(values, len(values) - count)[len(values) - count :].sum())


def half_squared_ksupport(lengths: Array, budget: int) -> float:
    """Half the squared k-support norm of non-negative numbers, k = budget."""
    if np.count_nonzero(lengths) <= budget:
        return 0.5 * float(lengths @ lengths)
    ordered = np.sort(lengths)[::-1]
    n_full, level = full_rows(ordered, budget)
    full = ordered[:n_full]
    return 0.5 * float(full @ full) + 0.5 * level * level * (budget - n_full)


def full_rows(ordered: Array, budget: int) -> tuple[int, float]:
    """How many of the falling lengths have d = 1, and the level that the others share."""
    tails = np.cumsum(ordered[::-1])[::-1][:budget]
    levels = tails / (budget - np.arange(budget))
    n_full = int(np.argmax(levels >= ordered[:budget]))
    return n_full, float(levels[n_full])


def prox_shares(lengths: Array, tau: float, budget: int) -> Array:
    """``d_j = clip((kappa u_j - 1) / tau, 0, 1)`` with kappa such that ``sum d = budget``."""
    used = lengths[lengths > NEGLIGIBLE * lengths.max(initial=0.0)]
    if len(used) <= budget:
        return np.ones(len(lengths))
    # sum d rises with kappa, linearly between the points where a row enters or is full.
    ordered = np.sort(used)[::-1]
    enters, full = 1.0 / ordered, (1.0 + tau) / ordered
    kappas = np.sort(np.concatenate([enters, full]))
    n_entered = np.searchsorted(enters, kappas, side="right")
    n_full = np.searchsorted(full, kappas, side="right")
    # Sums from the small end keep their digits when lengths differ by many orders.
    tails = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
    between = tails[n_full] - tails[n_entered]
    sums = n_full + (kappas * between - (n_entered - n_full)) / tau
    last = max(int(np.searchsorted(sums, budget, side="left")) - 1, 0)
    partly = n_entered[last] - n_full[last]
    kappa = (tau * (budget - n_full[last]) + partly) / between[last]
    return np.clip((kappa * lengths - 1.0) / tau, 0.0, 1.0)
