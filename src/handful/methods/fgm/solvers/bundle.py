"""Cutting planes for losses with kinks: a measure's risk on the active columns (paper, Algorithm 2).

Every step adds the most violated labeling at the current model and solves the small problem over all
cuts so far. A step costs one search for the labeling, O(n log n) (a few with a free intercept), two
products of the columns with a vector, O(n K) for K cuts, and the small problem: O(K p) a change with p cuts
in use, or O(K^3) and T cones of at most K rows for T blocks, whatever their width. Models on the way may
get worse: the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

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
from handful.methods.fgm.solvers.bundle_state import BundleState
from handful.methods.fgm.solvers.bundle_steps import OfCuts
from handful.methods.fgm.solvers.cuts import BlockCuts, Cuts
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.labelings import unpacked
from handful.methods.fgm.solvers.plain_cuts import ColumnCuts, PlainCuts
from handful.methods.fgm.solvers.quadratic import DiagonalModel, Dropping
from handful.methods.fgm.solvers.trial import Trial
from handful.status import Status
from handful.threads import map_apart

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
        problem = replace(problem, columns=by_rows(problem.columns))
        if len(targets) == 1:
            return go_on(self.begin(problem, previous))

        def solve_one(c: int) -> Solution:
            one = replace(problem, target=targets[c])
            return go_on(self.begin(one, output_of(previous, targets[c], c)))

        solutions = map_apart(solve_one, range(len(targets)))
        return replace(together(solutions), warm=all_cuts(solutions))

    def begin(self, problem: Subproblem, previous: Solution) -> BundleState[PlainCuts]:
        """Where one output stands before the first step; sparse columns are by rows."""
        weights = padded(previous.weights, problem.n_active)
        objective = 0.5 * inner(weights, weights) + previous.point.value
        start = Trial(weights, previous.point, objective, [])
        kind = ColumnCuts if ColumnCuts.suit(problem) else PlainCuts
        return BundleState(kind(problem, previous), start)

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
    """Minimise from the best model that is known, if there is one."""
    return go_on(BundleState(cuts, best))


def go_on(
    state: BundleState[OfCuts], after_step: Callable[[BundleState[OfCuts]], bool] | None = None
) -> Solution:
    """Take steps until the gap between the best model and the bound of the cuts is closed.

    ``after_step`` is told where the bundle stands after each; true when it should end there.
    """
    status = state.status
    while status is None:
        take_step(state)
        is_to_end = after_step is not None and after_step(state)
        status = state.status
        if is_to_end and status is not Status.CONVERGED:
            status = Status.INTERRUPTED
    proof = state.proof
    state.best = best = state.best.from_columns(state.cuts.problem)
    if status is Status.CONVERGED and not state.is_closed(proof.bound):
        status = Status.STALLED
    # What the oracle asks and the bound needs is the mixture of cuts, not the last of them.
    point = replace(best.point, a=proof.mixing(), cost=proof.cost)
    warm = state.cuts.to_start_from()
    return Solution(best.weights, point, best.objective, proof.bound, state.n_steps, status, warm)


def take_step(state: BundleState[Any]) -> None:
    """Make the cuts that were found last, look at the next model, and prove a bound."""
    way, best = state.way, state.best if state.n_steps else state.start
    if state.found:
        state.cuts.add(state.found)
    state.n_steps += 1
    is_first, is_last = state.n_steps == 1, state.n_steps >= state.cuts.problem.max_steps
    now, proof = way.take(best, state.idle)
    is_better = best is None or now.objective < best.objective
    state.best = now if best is None or is_better else best
    if is_last or state.is_closed(way.reach):
        proof = way.closer(proof, is_the_end=is_last or state.is_closed(proof.bound))
    moved = (
        is_better or is_first or proof.bound > state.proof.bound + ROUNDING * abs(state.proof.bound)
    )
    state.idle = 0 if moved else state.idle + 1
    if is_first or proof.bound >= state.proof.bound:
        state.proof = proof
    state.found = now.points


def by_rows(columns: Any) -> Any:
    """Columns as labelings and models are multiplied with them: sparse ones by rows."""
    return columns.tocsr() if sp.issparse(columns) else columns


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
