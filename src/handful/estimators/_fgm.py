"""One fit of the feature generating machine: what FGMClassifier, FGMRegressor and MILESClassifier share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from handful import validation
from handful.estimators._callbacks import RoundTasks
from handful.estimators._checkpoints import open_checkpoint
from handful.estimators._progress import Monitor
from handful.estimators._selected import assign
from handful.estimators._spaces import SPACE_ATTRIBUTES, SpaceSelector
from handful.losses import Loss
from handful.methods import fgm
from handful.methods.fgm.checkpoint import Checkpoint
from handful.methods.fgm.solvers import known_solvers
from handful.methods.problem import Problem, Selected
from handful.spaces.base import FeatureSpace
from handful.spaces.resolve import threads_for
from handful.status import Status

Array = np.ndarray


class BaseFGM(SpaceSelector):
    """Feature generating machine: generate, eliminate, refit."""

    #: How much each output counts where it has a measure of its own.
    average: str = "macro"

    def _check_parameters(self) -> None:
        validation.check_wanted(self.n_features_to_select)
        validation.check_count("budget", self.budget)
        validation.check_count("max_rounds", self.max_rounds)
        validation.check_positive("C", self.C, "auto", "fast")
        validation.check_positive("tol", self.tol)
        self._check_space()
        validation.check_choice("solver", self.solver, ["auto", *known_solvers()])
        validation.check_flag("refit", self.refit)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_flag("warm_start", self.warm_start)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        validation.check_checkpoint(self.checkpoint)

    def _fit(
        self, X: Any, y: Array, weight: Array, loss: Loss, tasks: RoundTasks, depth: int = 5
    ) -> None:
        """Fit on checked data; y is (n_samples, n_outputs), ``depth`` how far away the user's line is."""
        with threads_for(self.n_jobs):
            if self.space is not None and not weight.all():
                # A space may learn from the rows (a range, say): those without weight do not count.
                X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
            problem = self._problem(X, y, weight, loss)
            options = self._options(problem)

            def attributes(selected: Selected) -> dict[str, Any]:
                own = self._space_attributes(problem.space, selected.ids)
                return self._attributes(selected) | own

            monitor = Monitor(self.verbose, options.checkpoint, tasks, attributes)
            with monitor.listening():
                selected = fgm.fit(problem, options, monitor)
        for name in SPACE_ATTRIBUTES:
            self.__dict__.pop(name, None)  # of an earlier fit on another space
        assign(self, attributes(selected))
        k = options.n_keep
        if self.status_ is Status.EXHAUSTED and k is not None:
            n_found = len(selected.more.get("group_support_", selected.ids))
            warnings.warn(validation.fewer_features(n_found, k), stacklevel=depth)

    def _options(self, problem: Problem) -> fgm.Options:
        n_keep = self._n_wanted(problem.space)
        return fgm.Options(
            n_keep=n_keep,
            budget=self.budget,
            max_rounds=self.max_rounds,
            tol=self.tol,
            solver=self.solver,
            C=self.C,
            refit=self.refit,
            checkpoint=open_checkpoint(Checkpoint, self, problem, n_keep),
            candidates=getattr(self, "_candidate_ids", None) if self.warm_start else None,
        )

    def _problem(self, X: Any, y: Array, weight: Array, loss: Loss) -> Problem:
        space = self._space_on(X, weight)
        include, exclude = self._wanted_ids(space)
        validation.check_n_features_to_select(
            self._n_wanted(space), space.n_features, len(include), len(exclude)
        )
        loss = loss.of_outputs(y, weight, self.average)
        return Problem(space, y, weight, loss, self.fit_intercept, include, exclude)

    def _n_wanted(self, space: FeatureSpace) -> int | None:
        """Return how many features to select, of a share of those there are too."""
        return validation.n_wanted(self.n_features_to_select, self._n_choices(space))

    def _n_choices(self, space: Any) -> int:
        """Return how many there are to choose from."""
        return int(space.n_features)
