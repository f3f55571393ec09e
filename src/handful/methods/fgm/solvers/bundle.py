"""Cutting planes for losses with kinks: a measure's risk on the active columns (paper, Algorithm 2).

Every step adds the most violated labeling at the current model and solves the small problem over all
cuts so far. A step costs one search for the labeling, O(n log n) (a few with a free intercept), two
products of the columns with a vector, O(n K) for K cuts, and the small problem: O(K p) a change with p cuts
in use, or O(K^3) and T cones of at most K rows for T blocks, whatever their width. Models on the way may
get worse: the best is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handful.losses.base import joined
from handful.losses.intercepts import settle_intercept
from handful.losses.sums import inner
from handful.methods.fgm.solvers.base import (
    Array,
    Point,
    RidgeSolver,
    Solution,
    Solver,
    Subproblem,
    Target,
    padded,
    together,
)
from handful.methods.fgm.solvers.cuts import BlockCuts, Cuts, PlainCuts, unpacked
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.master import MasterSolution
from handful.methods.fgm.solvers.outputs import map_apart
from handful.methods.fgm.solvers.quadratic import DiagonalModel, Dropping
from handful.status import Status

MAX_IDLE_STEPS = 50
LINE_STEPS = 6
LEAST_STEP = 1e-3
ROUNDING = 1e-12
FAR = 1e3  # an intercept that decides every label


class Bundle(Solver):
    """Blocks of cut features, as in the paper: ``1/2 (sum over t of |w_t|)^2 + C R``."""

    name = "bundle"
    requires = frozenset({"cuts"})

    def solve(self, problem: Subproblem, previous: Solution) -> Solution:
        start = None
        if not previous.weights.any():
            # Where nothing is better than no weights, rounding must not move the intercept.
            weights = padded(previous.weights, problem.n_active)
            start = _Model(weights, previous.point, previous.point.value, [])
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
        start = _Model(weights, previous.point, objective, [])
        return bundle(PlainCuts(problem, previous), start)

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


@dataclass(frozen=True)
class _Model:
    """Weights, the loss there, penalty plus loss, and each output's points whose cuts are worth having."""

    weights: Array
    point: Point
    objective: float
    points: list[list[Point]]


def bundle(cuts: Cuts, best: _Model | None = None) -> Solution:
    """Minimise until the gap between the best model and the small problem is closed."""
    problem = cuts.problem
    if not len(cuts):
        cuts.add(_first_points(problem.target))
    bound, idle, steps = -np.inf, 0, 0
    status = Status.MAX_STEPS

    def is_closed(objective: float, bound: float) -> bool:
        return objective - bound <= problem.tol * abs(objective)

    while True:
        steps += 1
        master = cuts.solve()
        cuts.note_use(master.alpha)
        now = _at_minimum(cuts, master)
        if cuts.is_euclidean and best is not None:
            now = _search_line(problem.target, best, now)
        now_bound = cuts.bound(master)
        is_better = best is None or now.objective < best.objective
        moved = is_better or now_bound > bound + ROUNDING * abs(bound)
        idle = 0 if moved else idle + 1
        best = now if best is None or is_better else best
        bound = max(bound, now_bound)
        if is_closed(best.objective, bound):
            status = Status.CONVERGED
            break
        if idle > MAX_IDLE_STEPS:
            status = Status.STALLED
            break
        if steps >= problem.max_steps:
            break
        cuts.add(now.points)
    best = _from_columns(problem, best)
    if status is Status.CONVERGED and not is_closed(best.objective, bound):
        status = Status.STALLED
    # What the oracle asks and the bound needs is the mixture of cuts, not the last of them.
    a, cost = cuts.mixture(master.alpha)
    point = replace(best.point, a=a, cost=cost)
    return Solution(best.weights, point, best.objective, bound, steps, status, cuts.to_start_from())


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


def _from_columns(problem: Subproblem, model: _Model) -> _Model:
    """Evaluate a model anew from its weights: predictions that were added up on the way have lost digits."""
    point = problem.target.evaluate(problem.scores(model.weights), model.point.intercept)
    penalty = model.objective - model.point.value
    return replace(model, point=point, objective=penalty + point.value)


def _at_minimum(cuts: Cuts, master: MasterSolution) -> _Model:
    """The model that the small problem found."""
    scores, found = cuts.scores(master), []
    for c, target in enumerate(cuts.problem.target.outputs):
        points = [target.evaluate(scores[:, [c]], master.intercept[[c]])]
        if target.fit_intercept:
            points = settle_intercept(target.along_intercept(scores[:, [c]]), points[0])
        found.append(points)
    best = joined([min(points, key=_value) for points in found])
    return _Model(cuts.weights(master), best, cuts.penalty(master) + best.value, found)


def _search_line(target: Target, best: _Model, trial: _Model) -> _Model:
    """Minimise between the best model and a trial, and a little beyond; the cuts found there help most.

    The small problem's minimum alone jumps about. Along the line the objective is convex, and every
    look gives its slope (as in Franc and Sonnenburg's OCAS).
    """
    move = trial.weights - best.weights
    change = trial.point.scores - best.point.scores
    shift = trial.point.intercept - best.point.intercept
    along, straight = inner(best.weights, move), inner(move, move)
    whole = change + shift

    def look(t: float) -> tuple[_Model, float]:
        point = target.evaluate(best.point.scores + t * change, best.point.intercept + t * shift)
        weights = best.weights + t * move
        objective = 0.5 * inner(weights, weights) + point.value
        return _Model(weights, point, objective, []), along + t * straight - inner(point.a, whole)

    low, high, t = 0.0, np.inf, 1.0
    slope_low, slope_high = -np.inf, np.inf
    found: list[_Model] = []
    for _ in range(LINE_STEPS):
        model, slope = look(t)
        found.append(model)
        if slope < 0:
            low, slope_low = t, slope
        else:
            high, slope_high = t, slope
        if high == np.inf:
            t = 2.0 * t
        elif slope_low == -np.inf:
            t = 0.5 * high if high > LEAST_STEP else high
        else:
            share = slope_low / (slope_low - slope_high)
            t = low + (high - low) * min(max(share, 0.1), 0.9)
        if high < np.inf and high - low <= LEAST_STEP * high:
            break
    model = min(found, key=_objective)
    points = [found[-1].point, model.point, *trial.points[0]]
    if target.fit_intercept:
        settled = settle_intercept(target.along_intercept(model.point.scores), model.point)
        point = min([*settled, model.point], key=_value)
        penalty = model.objective - model.point.value
        model = _Model(model.weights, point, penalty + point.value, [])
        points = [*points, *settled]
    return replace(model, points=[_distinct(points)])


def _distinct(points: list[Point]) -> list[Point]:
    """Leave out cuts that were found twice."""
    kept: list[Point] = []
    for point in points:
        if not any(point.cost == other.cost and (point.a == other.a).all() for other in kept):
            kept.append(point)
    return kept


def _objective(model: _Model) -> float:
    return model.objective


def _first_points(target: Target) -> list[list[Point]]:
    """Where the first cuts are made, for each output: at zero, and where all labels are equal.

    The latter two keep a free intercept from running away.
    """
    sides = (0.0, FAR, -FAR) if target.fit_intercept else (0.0,)
    return [
        [one.evaluate(np.zeros_like(one.y), np.array([side])) for side in sides]
        for one in target.outputs
    ]


def _value(point: Point) -> float:
    return point.value
