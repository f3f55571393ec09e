"""Cutting planes for losses with kinks: a measure's risk on the active columns (paper, Algorithm 2).

Every step adds the most violated labeling at the current model and solves the small problem over all
cuts so far. A step costs one search for the labeling, O(n log n) (a few with a free intercept), two
products of the columns with a vector, O(n K) for K cuts, and the small problem: O(K p) a change with p cuts
in use, or O(K^3) and T cones of at most K rows for T blocks, whatever their width. Models on the way may
get worse: the best is kept.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from handful.losses.sums import inner
from handful.methods.fgm.solvers.base import (
    Array,
    RidgeSolver,
    Solution,
    Solver,
    Subproblem,
    Target,
    padded,
    together,
)
from handful.methods.fgm.solvers.bundle_steps import Proof, steps_for
from handful.methods.fgm.solvers.cuts import BlockCuts, Cuts
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.labelings import unpacked
from handful.methods.fgm.solvers.plain_cuts import ColumnCuts, PlainCuts
from handful.methods.fgm.solvers.quadratic import DiagonalModel, Dropping
from handful.methods.fgm.solvers.trial import Trial, first_points
from handful.status import Status
from handful.threads import map_apart

MAX_IDLE_STEPS = 50
ROUNDING = 1e-12


class Bundle(Solver):
    """Blocks of cut features, as in the paper: ``1/2 (sum over t of |w_t|)^2 + C R``."""

    name = "bundle"
    requires = frozenset({"cuts"})

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        start = None
        if not previous.weights.any():
            # Where nothing is better than no weights, rounding must not move the intercept.
            weights = padded(previous.weights, problem.n_active)
            start = Trial(weights, previous.point, previous.point.value, [])
        return bundle(BlockCuts(problem, previous), start)


class RidgeBundle(RidgeSolver):
    """One plain squared penalty on all active columns: ``1/2 |w|^2 + C R``; outputs are solved each by itself."""

    name = "ridge bundle"
    requires = frozenset({"cuts"})
    drop_share = (
        0.1  # few: what copies of a dropped column would take over is known only after the next
    )

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        targets = problem.target.outputs
        if sp.issparse(
            problem.columns
        ):  # by rows, in which labelings and models are multiplied with them
            problem = replace(problem, columns=problem.columns.tocsr())
        if len(targets) == 1:
            return self._solve_output(problem, previous)

        def solve_one(c: int) -> Solution:
            one = replace(problem, target=targets[c])
            return self._solve_output(one, output_of(previous, targets[c], c))

        solutions = map_apart(solve_one, range(len(targets)))
        return replace(together(solutions), warm=all_cuts(solutions))

    def _solve_output(self, problem: Subproblem, previous: Solution) -> Solution:
        weights = padded(previous.weights, problem.n_active)
        objective = 0.5 * inner(weights, weights) + previous.point.value
        start = Trial(weights, previous.point, objective, [])
        kind = ColumnCuts if ColumnCuts.suit(problem) else PlainCuts
        return bundle(kind(problem, previous), start)

    def without_columns(self, start: Subproblem, previous: Solution) -> Solution:
        nothing = replace(start, columns=np.zeros((len(start.target.y), 0)))
        empty = replace(
            previous, weights=previous.weights[:0]
        )  # of include there are columns already
        return replace(self.solve(nothing, empty), weights=previous.weights)

    def quadratic(
        self, problem: Subproblem, solution: Solution, grams: Grams | None = None
    ) -> Dropping:
        """Half the squared weights: without a feature the objective rises by no less.

        The best value is ``max over alpha of cost'alpha - 1/2 alpha' A'XX'A alpha``. Without feature j the same alpha
        gives ``1/2 (x_j'A alpha)^2 = 1/2 w_j^2`` more. How the weights of others would change is left to the
        next solution: that takes another face of the cuts, and the cuts in use are not even unique.
        """
        weights = problem.dots(solution.point.a)
        ones = np.ones((len(weights), 1))
        return DiagonalModel(weights, ones, problem.widths, np.arange(len(problem.widths)))


def bundle(cuts: Cuts, best: Trial | None = None) -> Solution:
    """Minimise until the gap between the best model and the bound of the cuts is closed."""
    problem = cuts.problem
    if not len(cuts):
        cuts.add(first_points(problem.target))
    way = steps_for(cuts)
    proof: Proof | None = None
    idle = steps = 0
    status = Status.MAX_STEPS

    def is_closed(objective: float, bound: float) -> bool:
        return objective - bound <= problem.tol * abs(objective)

    while True:
        steps += 1
        is_last = steps >= problem.max_steps
        now, found = way.take(best, idle)
        is_better = best is None or now.objective < best.objective
        best = now if best is None or is_better else best
        if is_last or is_closed(best.objective, way.reach):
            is_the_end = is_last or is_closed(best.objective, found.bound)
            found = way.closer(found, is_the_end=is_the_end)
        moved = (
            is_better or proof is None or found.bound > proof.bound + ROUNDING * abs(proof.bound)
        )
        idle = 0 if moved else idle + 1
        proof = found if proof is None or found.bound >= proof.bound else proof
        is_to_end = problem.after_step is not None and problem.after_step(
            Solution(best.weights, best.point, best.objective, proof.bound, steps, status)
        )
        if is_closed(best.objective, proof.bound):
            status = Status.CONVERGED
            break
        if is_to_end:
            status = Status.INTERRUPTED
            break
        if idle > MAX_IDLE_STEPS:
            status = Status.STALLED
            break
        if is_last:
            break
        cuts.add(now.points)
    best = best.from_columns(problem)
    if status is Status.CONVERGED and not is_closed(best.objective, proof.bound):
        status = Status.STALLED
    # What the oracle asks and the bound needs is the mixture of cuts, not the last of them.
    point = replace(best.point, a=proof.mixing(), cost=proof.cost)
    warm = cuts.to_start_from()
    return Solution(best.weights, point, best.objective, proof.bound, steps, status, warm)


def output_of(solution: Solution, target: Target, c: int) -> Solution:
    """One output of a solution, with its cuts."""
    point = target.evaluate(solution.point.scores[:, [c]], solution.point.intercept[[c]])
    warm = solution.warm
    if "owner" in warm:
        own = warm["owner"] == c
        warm = {name: array[..., own] for name, array in warm.items() if name != "owner"}
    return replace(solution, weights=solution.weights[:, [c]], point=point, warm=warm)


def all_cuts(solutions: list[Solution]) -> dict[str, Array]:
    """The cuts of all outputs, and whose they are."""
    own = [one.warm for one in solutions]
    if not all("cut_sizes" in warm for warm in own):
        n_samples = len(solutions[0].point.scores)
        own = [{"cuts": unpacked(warm, n_samples), "costs": warm["costs"]} for warm in own]
    counts = [len(warm["costs"]) for warm in own]
    owner = np.repeat(np.arange(len(solutions), dtype=np.float64), counts)
    return {name: np.hstack([warm[name] for warm in own]) for name in own[0]} | {"owner": owner}
