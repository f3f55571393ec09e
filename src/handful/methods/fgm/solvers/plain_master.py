"""The small problem over the cuts of a bundle where the penalty is the plain square.

Without blocks there are no cones, and :mod:`handful.methods.fgm.solvers.master` is more than is needed: an active-set
method takes up the shares of the last small problem, and the few cuts that are new change little. Where
rounding keeps it from an answer, Clarabel gives one.
"""

from __future__ import annotations

import numpy as np

from handful.kernels.simplex_qp import simplex_qp
from handful.methods.fgm.solvers.master import TINY, Array, MasterSolution, solve_master

CLOSE = 1e-15
CLOSE_ENOUGH, SHARE = 1e-8, 0.01  # of the tolerance
FEASIBLE = 1e-9
CHANGES_PER_CUT, MORE_CHANGES = 3, 100


def solve_plain_master(
    gram: Array, costs: Array, sums: Array | None, start: Array, tol: float
) -> MasterSolution:
    """Solve as :func:`solve_master` does without blocks, from the shares ``start`` on.

    An answer that rounding keeps from being exact will do if its relative gap is far below ``tol``.
    """
    unit = max(float(np.abs(costs).max()), TINY)
    largest_sum = 1.0 if sums is None else max(float(np.abs(sums).max()), TINY)
    balance = np.zeros(len(costs)) if sums is None else sums / largest_sum
    alpha = start.copy()
    max_changes = CHANGES_PER_CUT * len(costs) + MORE_CHANGES
    multiplier, gap = simplex_qp(gram / unit, costs / unit, balance, alpha, CLOSE, max_changes)
    is_feasible = abs(float(balance @ alpha)) <= FEASIBLE and alpha.sum() <= 1.0 + FEASIBLE
    if not (is_feasible and gap <= max(SHARE * tol, CLOSE_ENOUGH)):
        return solve_master(gram, costs, sums, [])
    alpha /= max(1.0, float(alpha.sum()))
    return MasterSolution(alpha, np.array([multiplier * unit / largest_sum]), np.empty(0))
