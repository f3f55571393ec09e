"""What one step of the reweighting gives, who solves it, and what it proves: how low ``penalty * sum_j |W_j| + loss(X W + b)`` can be.

For any U of shape (n_samples, n_outputs) with ``|x_j' U| <= penalty`` for all columns, and ``sum_i U_i = 0`` beside a
free intercept, the objective is at least ``- loss*(-U)``, loss* the conjugate. Multiples ``t U`` of what a
solver ends with are tried; ``- loss*(-t U)`` is ``t linear - t^2/2 square`` for the losses here, up to a largest t:
beyond it loss* is infinite, and nothing is proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from handful.methods.reweighted.data import RemainingColumns
from handful.spaces.base import Array


@dataclass(frozen=True)
class Proof:
    """Multipliers of the samples, and what multiples t of them are worth: ``t linear - t^2/2 square``.

    Attributes
    ----------
    multipliers : ndarray of shape (n_samples, n_outputs)
    linear, square : float
    most : float
        The largest t for which that is so: where the domain of the conjugate ends.
    """

    multipliers: Array
    linear: float
    square: float = 0.0
    most: float = np.inf


@dataclass(frozen=True)
class Step:
    """The solution of one reweighted problem.

    Attributes
    ----------
    weights : ndarray of shape (n_remaining, n_outputs)
        The constant's last, where it is one of the columns.
    intercept : ndarray of shape (n_outputs,)
    loss : float
        What the objective has beside the rows.
    proof : Proof or None
        What bounds the objective, where that can be.
    """

    weights: Array
    intercept: Array
    loss: float = 0.0
    proof: Proof | None = None


class StepError(Exception):
    """A step has no solution."""


class Fitting(Protocol):
    """Solves the problem for given s."""

    columns: RemainingColumns

    def solve(self, s: Array, last: Step | None) -> Step:
        """Minimise ``p/2 sum_i |W_i|^2 / s_i + loss``, from where the last step ended."""

    def to_arrays(self) -> dict[str, Array]:
        """Return what it remembers of the last step."""

    def fill(self, arrays: Mapping[str, Array]) -> None:
        """Remember that again; ValueError when it is of other data."""


def lower_bound(columns: RemainingColumns, proof: Proof, penalty: float) -> float:
    """Return the bound of the best multiple.

    Parameters
    ----------
    columns : RemainingColumns
        All there were, those that have vanished too.
    proof : Proof
    penalty : float
    """
    dots = columns.dots(proof.multipliers)
    longest = float(np.sqrt(np.einsum("jk,jk->j", dots, dots).max(initial=0.0)))
    if not proof.linear > 0.0:
        return 0.0
    multiple = proof.most
    if longest > 0.0:
        multiple = min(multiple, penalty / longest)
    if proof.square > 0.0:
        multiple = min(multiple, proof.linear / proof.square)
    if multiple == np.inf:  # hard margins that no weights keep
        return 0.0
    return multiple * (proof.linear - 0.5 * multiple * proof.square)


def balanced(signed: Array) -> Array:
    """Make the columns add up to zero: the side that weighs more is scaled down."""
    above, below = np.maximum(signed, 0.0), np.maximum(-signed, 0.0)
    totals = above.sum(axis=0), below.sum(axis=0)
    less = np.minimum(*totals)
    return above * _share(less, totals[0]) - below * _share(less, totals[1])


def _share(part: Array, total: Array) -> Array:
    return np.divide(part, total, out=np.zeros_like(total), where=total > 0)
