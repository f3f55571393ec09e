"""The k-support penalty on the union of generated features.

This is the restricted problem itself, where the paper's block form (``apg``) only approaches it as
cuts accumulate: it needs far fewer rounds.
"""

from __future__ import annotations

from dataclasses import replace

from handful.methods.fgm.solvers.base import Solution, Solver, Subproblem, padded
from handful.methods.fgm.solvers.fista import fista
from handful.methods.fgm.solvers.hessians import is_small, makes_hessians
from handful.methods.fgm.solvers.proximal_newton import proximal_newton
from handful.status import Status

PATIENCE = 100  # steps after which a small problem is one for Newton's method


class KSupport(Solver):
    """Accelerated proximal gradient, one row of weights per feature.

    Newton steps instead for columns that can make their Hessian at little cost, and for a few columns
    that depend on each other so much that gradients do not get far.
    """

    name = "ksupport"
    works_in_blocks = False

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        if makes_hessians(problem.columns, problem.n_outputs):
            solution = proximal_newton(problem, previous)
            if solution is not None:
                return solution
        small = is_small(problem.columns, problem.n_outputs)
        if not small or problem.max_steps <= PATIENCE:
            return _by_gradients(problem, previous)
        solution = _by_gradients(replace(problem, max_steps=PATIENCE), previous)
        if solution.status is not Status.MAX_STEPS:
            return solution
        closer = proximal_newton(problem, solution)
        if closer is None:  # a flat loss
            return _by_gradients(problem, solution)
        n_steps = solution.n_steps + closer.n_steps
        closer = replace(closer, n_steps=n_steps, warm=solution.warm)
        return closer if closer.status is Status.CONVERGED else _by_gradients(problem, closer)


def _by_gradients(problem: Subproblem, previous: Solution) -> Solution:
    start = padded(previous.weights, problem.n_active)
    tau = previous.warm.get("tau", problem.lipschitz_guess())
    return fista(problem, problem.penalty, start, previous.point, tau)
