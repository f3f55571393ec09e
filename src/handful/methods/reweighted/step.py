"""What one step of the reweighting gives, and who solves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from handful.methods.reweighted.bound import Proof
from handful.methods.reweighted.remaining_columns import RemainingColumns
from handful.spaces.base import Array


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
