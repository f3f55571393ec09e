"""Before the first round: all weights at zero, the first cut, and the C that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from handful import validation
from handful.losses.base import FirstCut
from handful.methods.fgm.oracle import Cut, find_cut
from handful.methods.fgm.plan import Options, Plan
from handful.methods.fgm.schedule import LOOKED_AT, Typical, column_sizes, typical_features
from handful.methods.fgm.solvers import Target, ridge_solver
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.state import State
from handful.methods.problem import Problem
from handful.spaces.base import Array
from handful.spaces.groups.space import activate


@dataclass(frozen=True)
class Beginning:
    """Where a fit stands before C is known: with all weights at zero every C has the same first cut."""

    options: Options
    problem: Problem
    plan: Plan
    state: State
    first: Cut

    @cached_property
    def closed_C(self) -> float:
        """C by the closed rule, from the columns of the first cut."""
        return self._closed_C(self.options)

    def closed_Cs(self, ks: Sequence[int | None]) -> list[float]:
        """The same for each of some numbers of features: a first cut of fewer is the beginning of this one."""
        return [self._closed_C(replace(self.options, n_keep=k)) for k in ks]

    def _closed_C(self, options: Options) -> float:
        problem, typical, k = self.problem, self.typical, options.n_keep
        budget = options.penalty(problem).budget if self._leaves_choice else len(problem.include)
        # Fewer features have a shorter first cut.
        sizes = typical.sizes[: max(options.plan(problem).per_round, budget)]
        first = FirstCut(
            scores=self.told.scores[: max(self.plan.count(self.state), budget)]
            * typical.score_factor,
            cost=self.state.point.cost,
            factor=options.C_factor,
            budget=budget,
            sizes=sizes,
            features_per_sample=0.0 if k is None else k / float(problem.weight.sum()),
            n_outputs=problem.y.shape[1],
            search_outputs=lambda: (self._output_sums(budget), self.output_costs),
        )
        C = problem.loss.automatic_C(first)
        return C * options.max_rounds if k is None else C

    @cached_property
    def _leaves_choice(self) -> bool:
        """Whether there are features beside those that must be there, and some of them vary."""
        problem, ids = self.problem, self.first.ids[:LOOKED_AT]
        if not len(problem.include):
            return True
        # A ranking sees nothing of a constant either.
        centred = problem.fit_intercept or not problem.loss.has_threshold
        return bool(column_sizes(problem.space, ids, problem.weight, centred=centred).any())

    @cached_property
    def told(self) -> Cut:
        """What C follows from: the first cut, or where it leaves no choice that of the features that must be there."""
        if self._leaves_choice:
            return self.first
        return self._find_included(self.state.point.a, len(self.problem.include))

    def _find_included(self, a: Array, count: int) -> Cut:
        return find_cut(self.problem.space, a, count, self.problem.exclude)

    @cached_property
    def typical(self) -> Typical:
        """The ones of these by whose sizes C is set."""
        told, centred = self.told, self.state.target.fit_intercept
        return typical_features(
            self.problem.space, told.ids, told.scores, self.problem.weight, centred=centred
        )

    @cached_property
    def output_scores(self) -> list[Array]:
        """For each output the scores of its own best features, its share of the budget: a search for each."""
        outputs = self.state.point.a.T[:, :, None]
        if not self._leaves_choice:
            each = _share(len(self.problem.include), len(outputs))
            return [self._find_included(a, each).scores for a in outputs]
        space, exclusions = self.problem.space, self.plan.exclusions(self.state)
        each = _share(self.state.penalty.budget, len(outputs))
        return [find_cut(space, a, each, exclusions).scores for a in outputs]

    def _output_sums(self, budget: int) -> Array:
        """For each output its scores added up, of as many features as are its share of a budget."""
        each = _share(budget, self.problem.y.shape[1])
        sums = [scores[:each].sum() for scores in self.output_scores]
        return np.array(sums) * self.typical.score_factor

    @cached_property
    def output_costs(self) -> Array:
        """For each output the cost of its cut."""
        target, intercept = self.state.target, self.state.point.intercept
        # Without weights, and balanced, a cut costs what the loss is.
        points = (
            one.evaluate(np.zeros_like(one.y), intercept[[c]])
            for c, one in enumerate(target.outputs)
        )
        return np.array([point.value for point in points])

    def with_C(self, C: float) -> tuple[State, Cut]:
        """The state and the first cut for a C."""
        state = _at_zero(self.problem, self.state.penalty, C)
        # With all weights at zero the gradient of every loss is proportional to C.
        named = self.first.best(self.plan.n_named(self.state))
        return state, Cut(named.ids, C**2 * named.scores)


def begin(problem: Problem, options: Options) -> Beginning:
    """All weights at zero, C = 1, and the first cut."""
    plan = options.plan(problem)
    state = _at_zero(problem, options.penalty(problem), 1.0)
    count = max(plan.n_named(state), LOOKED_AT)
    first = find_cut(problem.space, state.point.a, count, plan.exclusions(state))
    if not len(first.ids) and not len(problem.include):
        has_slope = state.point.a.any() or np.ptp(problem.y) == 0
        raise validation.no_signal() if has_slope else validation.no_slope(problem.loss)
    validation.check_magnitude(first.scores)
    return Beginning(options, problem, plan, state, first)


def _at_zero(problem: Problem, penalty: Penalty, C: float) -> State:
    """The state with all weights at zero, the intercept at its best."""
    loss = problem.loss
    target = Target.of(problem, C)
    active = activate(problem.space, problem.include, problem.weight)
    state = State.start(target, penalty, active)
    start = state.subproblem(loss.tolerances(0).kept)
    state.solution = ridge_solver(loss).without_columns(start, state.solution)
    return state


def _share(budget: int, n_outputs: int) -> int:
    """How many features are an output's own."""
    return max(1, -(-budget // n_outputs))
