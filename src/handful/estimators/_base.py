"""One fit, top to bottom: what FGMClassifier and FGMRegressor share."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin
from sklearn.feature_selection import SelectorMixin

from handful import validation
from handful.engines.checkpoint import Checkpoint
from handful.engines.cutting_plane import Plan
from handful.engines.held_out import CPath, choose_C
from handful.engines.last_fit import refit
from handful.engines.machine import Beginning, Machine, solve_again, start_from
from handful.engines.problem import Problem
from handful.engines.state import State
from handful.engines.thresholds import with_room_for_unseen, with_threshold
from handful.estimators._callbacks import RoundTasks
from handful.estimators._progress import Monitor
from handful.estimators._spaces import SPACE_ATTRIBUTES, SpaceMixin
from handful.history import History
from handful.solvers import known_solvers
from handful.solvers.base import Point
from handful.spaces.resolve import n_threads
from handful.spaces.threads import limited_threads
from handful.status import Status
from handful.validation.groups import check_space_choices

Array = np.ndarray

# Relative to the largest. The small problems of a measure are solved by an interior-point method, which
# comes no closer to zero than this: the square root of its tolerance.
NEGLIGIBLE_WEIGHT, NEGLIGIBLE_UNDER_MEASURE = 1e-9, 3e-5
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
        validation.check_positive("C", self.C, "auto", "fast")
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
            machine, problem = self._machine(), self._problem(X, y, weight, loss)
            checkpoint = self._open_checkpoint(problem)
            beginning = machine.begin(problem)
            monitor = Monitor(self.verbose, checkpoint, tasks, self._attributes)
            with monitor.listening():
                path = self._settle_C(beginning, monitor)
                self.C_, self.C_path_ = path.chosen, asdict(path)
                state, cut = beginning.with_C(self.C_)
                plan = beginning.plan
                moved = self._resume(plan, state, checkpoint)
                status = machine.select(problem, plan, state, None if moved else cut, monitor)
                self._candidate_ids = state.candidate_ids
                self._store(state)
            self.status_ = Status.INTERRUPTED if monitor.interrupted else status

    def _machine(self) -> Machine:
        return Machine(
            n_keep=self.n_features_to_select,
            budget=self.budget,
            max_rounds=self.max_rounds,
            tol=self.tol,
            solver=self.solver,
        )

    def _problem(self, X: Any, y: Array, weight: Array, loss: Any) -> Problem:
        if not loss.is_smooth:
            loss = loss.of_samples(y[:, 0], weight)
        space = self._space_on(X, weight)
        include, exclude = self._wanted_ids(space)
        validation.check_n_features_to_select(
            self.n_features_to_select, space.n_features, len(include), len(exclude)
        )
        return Problem(space, y, weight, loss, self.fit_intercept, include, exclude)

    def _settle_C(self, beginning: Beginning, monitor: Monitor) -> CPath:
        """C as given, by the closed rule, or from held-out rows."""
        if self.C not in ("auto", "fast"):
            return CPath.fixed(float(self.C), "given.")
        closed = beginning.closed_C
        if self.C == "fast":
            return CPath.fixed(closed, "the closed rule, as C='fast' says.")
        path = choose_C(beginning, closed, self.refit, monitor)
        monitor.tell(path)
        return path

    def _resume(self, plan: Plan, state: State, checkpoint: Checkpoint | None) -> bool:
        """Take up the rounds of the checkpoint, the candidates of the last fit, and include.

        True when that leaves the state elsewhere than at zero, where the first cut was made.
        """
        if checkpoint is not None and checkpoint.restore(state):
            return True
        known = getattr(self, "_candidate_ids", None)
        if checkpoint is None and self.warm_start and known is not None and plan.only_new:
            start_from(state, plan, known)
        if not len(state.active):
            return False
        solve_again(plan, state)
        return True

    def _open_checkpoint(self, problem: Problem) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        parameters = self.get_params(deep=False)
        for name in RUN_PARAMETERS:
            parameters.pop(name)
        return Checkpoint(self.checkpoint, parameters, problem.space, problem.y, problem.weight)

    def _store(self, state: State) -> None:
        """Set the fitted attributes, those that predict after a refit if one is wanted."""
        before = self._attributes(state)
        if self.n_features_to_select is None:
            sizes = state.lengths
            is_smooth = state.target.loss.is_smooth
            least = NEGLIGIBLE_WEIGHT if is_smooth else NEGLIGIBLE_UNDER_MEASURE
            used = sizes > least * sizes.max(initial=0.0)
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
