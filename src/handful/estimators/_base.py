"""One fit, top to bottom: what FGMClassifier and FGMRegressor share."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin
from sklearn.feature_selection import SelectorMixin

from handful import validation
from handful.engines.checkpoint import Checkpoint
from handful.engines.cutting_plane import Plan, certificate, generate
from handful.engines.elimination import eliminate, swap
from handful.engines.schedule import Schedule, automatic_C, automatic_C_of_cut, exact_schedule
from handful.engines.state import State
from handful.estimators._callbacks import RoundTasks
from handful.estimators._last_fit import RANKING_TOL, at_zero, ranking_tol, refit, solve_closely
from handful.estimators._progress import Monitor
from handful.estimators._spaces import SPACE_ATTRIBUTES, SpaceMixin
from handful.estimators._thresholds import with_room_for_unseen, with_threshold
from handful.history import History
from handful.oracle import Cut, find_cut, has_signal
from handful.solvers import Bundle, KSupport, Solver, Target, known_solvers, ridge_solver
from handful.solvers.base import Point
from handful.solvers.penalty import Penalty
from handful.spaces.base import NO_IDS, FeatureSpace
from handful.spaces.groups import activate
from handful.spaces.resolve import n_threads
from handful.spaces.threads import limited_threads
from handful.status import Status
from handful.validation.groups import check_space_choices

Array = np.ndarray

# A solver of the convex problem gets this share of the certified gap that stops the rounds.
SOLVER_SHARE = 0.1
NEGLIGIBLE_WEIGHT = 1e-9
#: Parameters that say how to run, not what to compute.
RUN_PARAMETERS = ("checkpoint", "verbose", "n_jobs", "warm_start")


class BaseFGM(SpaceMixin, SelectorMixin, CallbackSupportMixin, BaseEstimator):
    """Feature generating machine: generate, eliminate, refit."""

    def transform(self, X: Any) -> Any:
        """Reduce X to the columns of the selected features, made from X where they are not its own."""
        # scikit-learn's set_output works on the methods of its own descendants only.
        return super().transform(X)

    def _check_parameters(self) -> None:
        validation.check_count("n_features_to_select", self.n_features_to_select, optional=True)
        validation.check_count("budget", self.budget)
        validation.check_count("max_rounds", self.max_rounds)
        validation.check_positive("C", self.C, or_word="auto")
        validation.check_positive("tol", self.tol)
        validation.check_choice("scale", self.scale, [None, "norm"])
        check_space_choices(self.space, self.groups, self.group_weights, self.scale)
        validation.check_choice("solver", self.solver, ["auto", *known_solvers()])
        validation.check_flag("refit", self.refit)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_flag("warm_start", self.warm_start)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        validation.check_checkpoint(self.checkpoint)

    def _fit(self, X: Any, y: Array, weight: Array, loss: Any, tasks: RoundTasks) -> None:
        """Fit on checked data; y is (n_samples, n_outputs)."""
        limits: Any = contextlib.nullcontext()
        if self.n_jobs is not None:
            limits = limited_threads(n_threads(self.n_jobs))
        with limits:
            if self.space is not None and not weight.all():
                # A space may learn from the rows (a range, say): those without weight do not count.
                X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
            if not loss.is_smooth:
                loss = loss.of_samples(y[:, 0], weight)
            space = self._space_on(X, weight)
            include, exclude = self._wanted_ids(space)
            validation.check_n_features_to_select(
                self.n_features_to_select, space.n_features, len(include), len(exclude)
            )
            checkpoint = self._open_checkpoint(space, y, weight)
            plan, penalty = self._plan(space, include, exclude, weight, loss)
            state, cut = self._start(space, plan, penalty, include, y, weight, loss)
            monitor = Monitor(self.verbose, checkpoint, tasks, self._attributes)
            with monitor.listening():
                moved = self._resume(space, plan, state, checkpoint)
                status = self._select(space, plan, state, None if moved else cut, monitor)
                self._store(state)
            self.status_ = Status.INTERRUPTED if monitor.interrupted else status

    def _schedule(self, k: int, weight: Array, mean_width: float) -> Schedule:
        # A weight counts as that many copies of its row; what may be too many is columns.
        n_samples = float(weight.sum()) / mean_width
        return exact_schedule(k, n_samples, self.budget, self.max_rounds)

    def _plan(
        self, space: FeatureSpace, include: Array, exclude: Array, weight: Array, loss: Any
    ) -> tuple[Plan, Penalty]:
        """Decide how features are generated, and which penalty is certified.

        A named solver minimises the convex objective itself; exactly-k selection by default
        collects candidates with plain ridge models, which is faster and picks better.
        """
        k = self.n_features_to_select
        budget = min(self.budget if k is None else k - len(include), space.n_features)
        penalty = Penalty(budget, len(include))
        if k is not None and self.solver == "auto":
            schedule = self._schedule(k, weight, space.mean_width)
            plan = Plan(
                solver=ridge_solver(loss),
                per_round=schedule.per_round,
                max_rounds=schedule.max_rounds,
                tol=self.tol,
                solver_tol=ranking_tol(loss),
                only_new=True,
                max_active=schedule.max_active + len(include),
                exclude=exclude,
            )
            return plan, penalty
        by_default: Solver = KSupport() if loss.is_smooth else Bundle()
        plan = Plan(
            solver=by_default if self.solver == "auto" else known_solvers()[self.solver](),
            per_round=max(budget, 1),
            max_rounds=self.max_rounds,
            tol=self.tol,
            solver_tol=SOLVER_SHARE * self.tol,
            exclude=exclude,
        )
        return plan, penalty

    def _start(
        self,
        space: FeatureSpace,
        plan: Plan,
        penalty: Penalty,
        include: Array,
        y: Array,
        weight: Array,
        loss: Any,
    ) -> tuple[State, Cut]:
        """The state before the first round, and the first cut: C is read off its columns."""
        active = activate(space, include, weight)
        has_intercept = self.fit_intercept and getattr(loss, "has_threshold", True)
        # A measure has its own use for the sample weights.
        factors = weight[:, None] if loss.is_smooth else np.ones((len(y), 1))
        unit = Target(loss, y, factors, has_intercept)
        start = at_zero(unit, penalty, active)
        cut = find_cut(space, start.point.a, plan.count(start), plan.exclusions(start))
        if not len(cut.ids) and not len(include):
            raise validation.no_signal()
        validation.check_magnitude(cut.scores)
        first = cut if len(cut.ids) else Cut(include, np.empty(0))
        self.C_ = float(self.C) if self.C != "auto" else self._automatic_C(space, first, start)
        target = replace(unit, weight=self.C_ * unit.weight)
        # With all weights at zero the gradient of every loss is proportional to C.
        cut = Cut(cut.ids, self.C_**2 * cut.scores)
        return at_zero(target, penalty, active), cut

    def _automatic_C(self, space: FeatureSpace, cut: Cut, start: State) -> float:
        target = start.target
        spread = float(self.max_rounds) if self.n_features_to_select is None else 1.0
        if not target.loss.is_smooth:
            return spread * automatic_C_of_cut(cut, start.point.cost, start.penalty.budget)
        return automatic_C(
            space,
            cut,
            target.weight[:, 0],
            centred=target.fit_intercept,
            n_outputs=target.y.shape[1],
            spread=spread,
        )

    def _resume(
        self, space: FeatureSpace, plan: Plan, state: State, checkpoint: Checkpoint | None
    ) -> bool:
        """Take up the rounds of the checkpoint, the candidates of the last fit, and include.

        True when that leaves the state elsewhere than at zero, where the first cut was made.
        """
        if checkpoint is not None and checkpoint.restore(state):
            return True
        if checkpoint is None:
            self._add_candidates_of_last_fit(space, plan, state)
        if not len(state.active):
            return False
        if len(state.active) > state.penalty.n_always:
            solver = ridge_solver(state.target.loss)
            state.solution = solver.solve(state.subproblem(plan.solver_tol), state.solution)
        else:
            solve_closely(state)
        return True

    def _select(
        self, space: FeatureSpace, plan: Plan, state: State, cut: Cut | None, monitor: Monitor
    ) -> Status:
        """Generate and, for exactly k, eliminate and refit; the model ends up in ``state``."""
        k = self.n_features_to_select
        status = Status.EXHAUSTED
        if state.phase == "generate" and state.penalty.budget > 0:
            status = generate(space, plan, state, cut, monitor)
            self._candidate_ids = state.active.ids.copy()
        if not len(state.active):
            raise validation.no_signal()
        if not state.history and len(state.active) == state.penalty.n_always:
            self._fit_included(plan, state)
            monitor(state)
        if k is None:
            return status
        if state.phase != "refit":
            eliminate(state, k, plan.solver_tol if plan.only_new else RANKING_TOL, monitor)
            self._swap(space, plan, state, k, monitor)
            solve_closely(state)
            state.record("refit")
            monitor(state)
        if len(state.active) < k and not monitor.interrupted:
            warnings.warn(validation.fewer_features(len(state.active), k), stacklevel=6)
            return Status.EXHAUSTED
        return Status.SELECTED

    def _swap(
        self, space: FeatureSpace, plan: Plan, state: State, k: int, monitor: Monitor
    ) -> None:
        """Improve the k features; a named solver's answer is only reduced, not improved."""
        if not plan.only_new or len(state.active) < k or monitor.interrupted:
            return
        schedule = self._schedule(k, state.target.weight / self.C_, space.mean_width)
        active = schedule.swap_active
        swap_plan = replace(plan, per_round=max(active - k, 1), max_active=active)
        swap(space, swap_plan, state, k, schedule.swaps, monitor)

    def _fit_included(self, plan: Plan, state: State) -> None:
        """No feature beside include may or need be added: the penalty on those is plain ridge."""
        solve_closely(state)
        if state.penalty.budget == 0:
            a = state.target.dual_point(state.point)
            state.raise_bound(certificate(state, plan, a, Cut(NO_IDS, np.empty(0))))
        state.record("refit")

    def _add_candidates_of_last_fit(self, space: FeatureSpace, plan: Plan, state: State) -> None:
        """Warm start: begin with the candidates of the last fit, as far as this one may have them."""
        known = getattr(self, "_candidate_ids", None)
        if not self.warm_start or known is None or not plan.only_new:
            return
        known = known[known < space.n_features]
        known = known[~np.isin(known, plan.exclude)][: plan.max_active]
        active, a = state.active, state.target.dual_point(state.point)
        active.add(known)
        speaks = has_signal(active, np.arange(len(active)), a)
        speaks[: state.penalty.n_always] = True
        active.keep(np.flatnonzero(speaks))

    def _open_checkpoint(self, space: FeatureSpace, y: Array, weight: Array) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        parameters = self.get_params(deep=False)
        for name in RUN_PARAMETERS:
            parameters.pop(name)
        return Checkpoint(self.checkpoint, parameters, space, y, weight)

    def _store(self, state: State) -> None:
        """Set the fitted attributes, those that predict after a refit if one is wanted."""
        before = self._attributes(state)
        if self.n_features_to_select is None:
            sizes = state.lengths
            used = sizes > NEGLIGIBLE_WEIGHT * sizes.max(initial=0.0)
            used[: state.penalty.n_always] = True
            if not used.any():  # the tolerance was met before any weight moved: C is tiny
                used[:] = True
            state.keep(np.flatnonzero(used))
        if self.refit:
            refit(state)
        if not state.target.loss.is_smooth:
            state.solution = replace(state.solution, point=self._with_threshold(state))
        for name in SPACE_ATTRIBUTES:
            self.__dict__.pop(name, None)  # of an earlier fit on another space
        for name, value in self._attributes(state).items():
            setattr(self, name, value)
        self.objective_, self.dual_gap_ = before["objective_"], before["dual_gap_"]

    def _with_threshold(self, state: State) -> Point:
        """Move the threshold to where labels are predicted, if the measure is no judge of that."""
        loss, y = state.target.loss, state.target.y
        if not loss.has_threshold:
            return with_threshold(state.point, y, loss.measure, loss.sample_weight)
        if self.refit and state.target.fit_intercept and loss.needs_positives:
            return with_room_for_unseen(state.point, y, loss)
        return state.point

    def _attributes(self, state: State) -> dict[str, Any]:
        """The fitted attributes as if the fit ended with this state."""
        ids, weights = state.active.model(state.solution.weights)
        return {
            "support_ids_": ids,
            "weights_": np.ascontiguousarray(weights.T),
            "intercept_": state.point.intercept.copy(),
            "objective_": state.objective,
            "dual_gap_": max(state.objective - state.bound, 0.0),
            "history_": History(state.history),
            "n_iter_": len(state.history),
            "status_": Status.INTERRUPTED,
            **self._space_attributes(state.active, ids),
        }
