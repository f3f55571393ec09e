"""From a few times k candidates down to exactly k: drop the weakest, solve again, repeat.

Only the active columns are touched; there is no further pass over the data.
"""

from __future__ import annotations

import numpy as np

from handful.engines.state import AfterRound, State
from handful.solvers.newton import Newton

DROP = 0.2  # share of the features dropped in one step


def eliminate(state: State, n_keep: int, tol: float, after_round: AfterRound) -> None:
    """Reduce the active features to ``n_keep`` by the size of their ridge weights.

    Must-keep features stay. ``tol`` is that of the ridge solutions on the way.
    """
    solver = Newton()
    n_always = state.penalty.n_always
    drop = DROP
    while len(state.active) > n_keep:
        n_next = max(n_keep, int((1.0 - drop) * len(state.active)))
        sizes = np.linalg.norm(state.solution.weights, axis=1)
        sizes[:n_always] = np.inf
        strongest = np.argsort(-sizes, kind="stable")[:n_next]
        state.keep(np.sort(strongest))
        state.solution = solver.solve(state.subproblem(tol), state.solution)
        state.record("eliminate")
        if after_round(state):
            drop = 1.0  # asked to end: the rest goes at once
