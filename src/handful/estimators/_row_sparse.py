"""What estimators whose rows of weights vanish share: check, choose a parameter, call the method, assign."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv

from handful import validation
from handful.estimators._attributes import assign
from handful.estimators._callbacks import NoTasks, RoundTasks
from handful.estimators._notebook import remember_training_score
from handful.estimators._progress import Monitor, open_checkpoint
from handful.estimators._refit import RefitMixin
from handful.estimators._spaces import UnitsMixin, wanted_ids
from handful.losses import Squared
from handful.methods import reweighted
from handful.methods.problem import Problem, Selected
from handful.methods.reweighted.checkpoint import Checkpoint
from handful.spaces.base import Array, Unit
from handful.spaces.resolve import by_storage, resolve_space, threads_for
from handful.status import Status
from handful.validation import direct as checks
from handful.validation.model_selection import numbers_on_path
from handful.validation.warning import warn_user

N_FOLDS = 3
Model = TypeVar("Model", bound="BaseRowSparse")


@dataclass(frozen=True)
class Task:
    """What is to be fitted, beside what the user gave: that is for cross-validation, refits and callbacks.

    Attributes
    ----------
    X, y : as checked
    weight : ndarray of shape (n_samples,)
        Of samples, with the factors of their classes.
    sample_weight : as given
    Y : ndarray of shape (n_samples, n_outputs)
    name : str
        Of the parameter that is chosen by cross-validation.
    grid : ndarray
        Its values.
    unit : {None, "norm", "std"}
        What is made one of every column.
    """

    X: Any
    y: Any
    weight: Array
    sample_weight: Any
    Y: Array
    name: str
    grid: Array
    unit: Unit | None


class BaseRowSparse(UnitsMixin, RefitMixin):
    """A selector of columns whose weights are rows that vanish, by reweighting."""

    def _check_rows(self) -> None:
        """Check the parameters that all have."""
        validation.check_wanted(self.n_features_to_select)
        validation.check_flag("penalize_intercept", self.penalize_intercept)
        self._check_scale()
        validation.check_count("max_iter", self.max_iter)
        validation.check_positive("tol", self.tol)
        validation.check_checkpoint(self.checkpoint)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)

    def fit_path(
        self: Model, X: Any, y: Any, ks: Sequence[int], sample_weight: Any = None
    ) -> dict[int, Model]:
        """Fit a model for each of several numbers of features: the weights that rank them are those of one fit.

        Where a parameter is chosen from a list, each number may want another one, and is fitted by itself.

        Parameters
        ----------
        X, y, sample_weight : as for ``fit``
        ks : sequence of int
            Numbers of features.

        Returns
        -------
        models : dict of fitted estimators by their number, rising
            The same as of separate fits. This estimator stays as it was. Nothing is saved to a ``checkpoint``.
        """
        rising = numbers_on_path(ks)
        models = {
            k: clone(self).set_params(n_features_to_select=k, checkpoint=None) for k in rising
        }
        known = clone(self)
        task = known._prepared(X, y, sample_weight)
        if len(task.grid) > 1:
            return {k: model.fit(X, y, sample_weight) for k, model in models.items()}
        problem = known._problem(task)
        n_features, exclude = problem.space.n_features, problem.exclude
        validation.check_n_features_to_select(max(models), n_features, 0, len(exclude))
        options = known._options(n_keep=None, unit=task.unit, **{task.name: float(task.grid[0])})
        monitor = Monitor(self, NoTasks(), known._attributes)
        seen = vars(known).keys() - known.get_params(deep=False).keys()
        with threads_for(self.n_jobs), monitor.listening():
            for k, selected in reweighted.fit_path(problem, options, list(models), monitor):
                assign(models[k], {name: vars(known)[name] for name in seen})
                models[k]._take(selected, task, problem)
        return models

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Task:
        """Check parameters and data, and remember what describes them."""
        raise NotImplementedError

    def _fit(self, task: Task) -> None:
        """Choose the parameter from its grid, select, and refit what predicts."""
        problem = self._problem(task)
        n_features, exclude = problem.space.n_features, problem.exclude
        k = validation.n_wanted(self.n_features_to_select, n_features)
        validation.check_n_features_to_select(k, n_features, 0, len(exclude))
        refit = self._refit_by_method
        checkpoint = open_checkpoint(Checkpoint, self, problem, k, refit=refit)
        tasks = RoundTasks(self, task.X, task.y, task.sample_weight)
        monitor = Monitor(self, tasks, self._attributes, checkpoint)
        for old in ("cv_results_", "estimator_", "C_", "_training_score"):
            self.__dict__.pop(old, None)
        with threads_for(self.n_jobs), monitor.listening():
            best = float(task.grid[0])
            if len(task.grid) > 1:
                best = self._choose(task, exclude, monitor, checkpoint)
            options = self._options(n_keep=k, unit=task.unit, **{task.name: best})
            options = replace(options, checkpoint=checkpoint)
            selected = reweighted.fit(problem, options, monitor)
            self._take(selected, task, problem)
        if monitor.interrupted:
            self.status_ = Status.INTERRUPTED
        tasks.end()

    def _take(self, selected: Selected, task: Task, problem: Problem) -> None:
        """Become the model of what was selected, and fit what is to predict instead."""
        assign(self, self._attributes(selected) | {"scaling_": task.unit})
        self._mention_units(task.X, task.weight, selected.ids)
        if selected.more.get("margin_") == "hard" and np.ptp(problem.weight) > 0:
            warn_user(checks.weights_do_not_count())
        k = validation.n_wanted(self.n_features_to_select, problem.space.n_features)
        if k is not None and len(selected.ids) < k:
            warn_user(validation.fewer_features(len(selected.ids), k))
        self._fit_own(task.X, task.y, task.weight, task.sample_weight)
        if not self._has_own_refit:
            remember_training_score(self, task.X, task.Y, task.weight)
            penalty = self._penalty_used(selected)
            if penalty and reweighted.is_much_shrunk(problem, selected):
                warn_user(checks.shrunk_to_nothing(*penalty, is_scaled=task.unit is not None))

    @staticmethod
    def _penalty_used(selected: Selected) -> tuple[str, float] | None:
        """Return what weighed rows of weights against the loss, and how much; None where margins had to be kept."""
        told = selected.more
        return next(
            ((name, told[name + "_"]) for name in ("alpha", "C") if name + "_" in told), None
        )

    def _problem(self, task: Task) -> Problem:
        """Return the problem on the rows that have a weight."""
        X, Y, weight = task.X, task.Y, task.weight
        if not weight.all():
            used = np.flatnonzero(weight)
            X, Y, weight = X[used], Y[used], weight[used]
        columns = by_storage(X, np.asarray, lambda columns: columns)
        space = resolve_space(columns, n_jobs=self.n_jobs)
        names = getattr(self, "feature_names_in_", None)
        _, exclude = wanted_ids(None, self.exclude, space, names)
        # Reweighting has losses of its own, which its options tell, and does not look at this one.
        return Problem(space, Y, weight, Squared(), exclude=exclude)

    def _options(self, **chosen: Any) -> reweighted.Options:
        """The method's settings, with how many features to keep, the unit of columns and the parameter chosen from a grid."""
        return reweighted.Options(
            penalize_intercept=bool(self.penalize_intercept),
            refit=self._refit_by_method,
            max_iter=self.max_iter,
            tol=self.tol,
            **chosen,
        )

    @property
    def _refit_by_method(self) -> bool | str:
        """What the method is to fit anew: nothing where an estimator predicts."""
        if self._has_own_refit:
            return False
        return self.refit if isinstance(self.refit, str) else bool(self.refit)

    def _splitter(self) -> Any:
        return (
            KFold(N_FOLDS, shuffle=True, random_state=0) if self.cv is None else check_cv(self.cv)
        )

    def _folds(self, y: Any, weight: Array, name: str) -> list[tuple[Array, Array]]:
        """Return pairs of rows to train and to test on, for a parameter of this name."""
        raise NotImplementedError

    def _choose(
        self, task: Task, exclude: Array, monitor: Monitor, checkpoint: Checkpoint | None
    ) -> float:
        """Return the value of a parameter that scores best on left-out folds; the first on a tie."""
        name, grid = task.name, task.grid
        folds = self._folds(task.y, task.weight, name)
        scores = None if checkpoint is None else checkpoint.scores((len(grid), len(folds)))
        if scores is None:
            scores = self._scores(task, exclude, folds, monitor)
            if monitor.interrupted:
                monitor.stop_saving()  # all folds might choose another value
            elif checkpoint is not None:
                checkpoint.note_scores(scores)
        means = np.array([np.nanmean(row) if np.isfinite(row).any() else -np.inf for row in scores])
        self.cv_results_ = {name: grid, "scores": scores, "mean_score": means}
        return float(grid[int(np.argmax(means))])

    def _scores(
        self, task: Task, exclude: Array, folds: list[tuple[Array, Array]], monitor: Monitor
    ) -> Array:
        """Return how each value does on each fold; those that an interrupt left out are NaN."""
        X, y, weight, name, grid = task.X, task.y, task.weight, task.name, task.grid
        scores = np.full((len(grid), len(folds)), np.nan)
        given = {"exclude": exclude, "verbose": False, "scale": task.unit or "raw"}
        given["checkpoint"] = None
        if getattr(self, "class_weight", None) is not None:
            given["class_weight"] = None  # its factors are in the weights
        for column, row in itertools.product(range(len(folds)), range(len(grid))):
            train, test = folds[column]
            model = clone(self).set_params(**given | {name: float(grid[row])})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                model.fit(X[train], y[train], sample_weight=weight[train])
            scores[row, column] = model.score(X[test], y[test], sample_weight=weight[test])
            if monitor.interrupted:
                break
        return scores
