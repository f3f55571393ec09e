"""What GreedyRLSClassifier and GreedyRLSRegressor share: one fit, top to bottom, and its path."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.estimators._callbacks import RoundTasks
from handful.estimators._progress import Monitor
from handful.estimators._spaces import SpaceMixin
from handful.methods.greedy.bound import lower_bound
from handful.methods.greedy.engine import Problem, features_with_signal, select
from handful.methods.greedy.models import PathModels
from handful.methods.greedy.path import GreedyCheckpoint, Path, Run
from handful.methods.greedy.purchases import FeatureSets, Prices
from handful.spaces.base import FeatureSpace
from handful.spaces.groups.space import GroupedSpace
from handful.spaces.resolve import n_threads, without_duplicates
from handful.status import Status
from handful.threads import limited_threads
from handful.validation import greedy as checks

Array = np.ndarray
Model = TypeVar("Model", bound="BaseGreedyRLS")
DEFAULT_COUNT = 10
#: Parameters that say how to run, not what to compute.
RUN_PARAMETERS = ("checkpoint", "verbose", "n_jobs")
#: Fitted attributes that do not depend on how many features are selected.
COMMON_ATTRIBUTES = (
    *("n_features_in_", "feature_names_in_"),
    *("classes_", "label_values_", "group_labels_"),
)


class BaseGreedyRLS(SpaceMixin, SelectorMixin, CallbackSupportMixin, BaseEstimator):
    """Greedy regularised least squares."""

    #: Features are the columns of X, as they are.
    space: Any = None
    scale: Any = None
    group_weights: Any = None
    #: Whether y had no columns; see the regressor.
    _is_single = False

    def _check_parameters(self) -> Array:
        """Check all that can be without data; return the grid of alphas."""
        validation.check_count("n_features_to_select", self.n_features_to_select, optional=True)
        checks.check_cost_choices(self.max_cost, self.feature_costs, self.group_costs, self.groups)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        validation.check_checkpoint(self.checkpoint)
        return checks.alphas(self.alpha)

    def _fit(self, X: Any, Y: Array, weight: Array, tasks: RoundTasks) -> None:
        """Fit on checked data; Y is (n_samples, n_outputs)."""
        alphas = self._check_parameters()
        warning = checks.constant_outputs(Y, weight)
        if warning:
            warnings.warn(warning, stacklevel=5)
        limits: Any = contextlib.nullcontext()
        if self.n_jobs is not None:
            limits = limited_threads(n_threads(self.n_jobs))
        with limits:
            space = self._space_on(without_duplicates(X), weight)
            problem = self._problem(space, Y, weight)
            path = Path([Run(alpha) for alpha in alphas.tolist()])
            checkpoint = self._open_checkpoint(space, Y, weight)
            if checkpoint is not None:
                checkpoint.restore(path)
            self._forget(space)

            def attributes(path: Path) -> dict[str, Any]:
                return self._attributes(PathModels.of(path, problem), problem.n_units)

            monitor = Monitor(self.verbose, checkpoint, tasks, attributes)
            with monitor.listening():
                select(problem, path, monitor)
                for name, value in attributes(path).items():
                    setattr(self, name, value)
                bound = lower_bound(problem, self.support_ids_, self.weights_, self.alpha_)
            self.dual_gap_ = max(self.objective_ - bound, 0.0)
        if monitor.interrupted:
            self.status_ = Status.INTERRUPTED
        elif self.status_ is Status.EXHAUSTED and self.n_features_to_select is not None:
            found = validation.fewer_features(len(self.selection_order_), problem.n_units)
            warnings.warn(found, stacklevel=5)

    def _problem(self, space: FeatureSpace, Y: Array, weight: Array) -> Problem:
        columns = space.base if isinstance(space, GroupedSpace) else space
        include, exclude = self._wanted_ids(space)
        units = FeatureSets.of(space)
        n_units = checks.wanted_count(
            self.n_features_to_select, DEFAULT_COUNT, len(units), len(include), len(exclude)
        )
        is_useful = features_with_signal(columns, weight, self.fit_intercept)
        may_enter = units.sums(is_useful.astype(np.int64)) > 0
        may_enter[exclude] = False
        may_enter[include] = False
        if not may_enter.any() and not len(include):
            raise validation.no_signal()
        prices = self._prices(space, units)
        self._check_budget(prices, units, may_enter, include)
        return Problem(
            space=columns,
            units=units,
            Y=Y,
            weight=weight,
            fit_intercept=bool(self.fit_intercept),
            may_enter=may_enter,
            include=include,
            n_units=n_units,
            prices=prices,
            n_threads=n_threads(self.n_jobs),
        )

    def _prices(self, space: FeatureSpace, units: FeatureSets) -> Prices:
        feature_costs, unit_costs = None, None
        if self.feature_costs is not None:
            feature_costs = checks.costs(
                "feature_costs", self.feature_costs, self.n_features_in_, "features"
            )
        if self.group_costs is not None:
            labels = space.groups.labels if isinstance(space, GroupedSpace) else None
            given = self.group_costs
            if isinstance(given, Mapping):
                given = checks.costs_by_label(given, labels)
            n_given = len(self.groups) if labels is None else len(labels)
            # A feature in no group is bought by itself.
            unit_costs = np.full(len(units), 1.0 if feature_costs is None else 0.0)
            unit_costs[:n_given] = checks.costs("group_costs", given, n_given, "groups")
        max_cost = np.inf if self.max_cost is None else float(self.max_cost)
        return Prices(unit_costs, feature_costs, max_cost)

    def _check_budget(
        self, prices: Prices, units: FeatureSets, may_enter: Array, include: Array
    ) -> None:
        is_in = np.zeros(self.n_features_in_, dtype=bool)
        cost = 0.0
        for unit in include:
            cost += float(prices.now(units, is_in)[unit])
            is_in[units.members(unit)] = True
        if not prices.can_pay(np.array(cost)):
            raise checks.include_too_dear(prices.max_cost, cost)
        cheapest = prices.now(units, is_in)[may_enter].min(initial=np.inf)
        if not len(include) and not prices.can_pay(cheapest):
            what = "feature" if self.groups is None else "group"
            raise checks.buys_nothing(prices.max_cost, float(cheapest), what)

    def _open_checkpoint(
        self, space: FeatureSpace, Y: Array, weight: Array
    ) -> GreedyCheckpoint | None:
        if self.checkpoint is None:
            return None
        parameters = self.get_params(deep=False)
        for name in RUN_PARAMETERS:
            parameters.pop(name)
        return GreedyCheckpoint(self.checkpoint, parameters, space, Y, weight)

    def _forget(self, space: FeatureSpace) -> None:
        """Drop what only an earlier fit had, and keep the labels of groups if there are any."""
        for name in ("group_support_", "group_labels_", "cost_path_"):
            self.__dict__.pop(name, None)
        if isinstance(space, GroupedSpace) and space.groups.labels is not None:
            self.group_labels_ = np.asarray(space.groups.labels)

    def _attributes(self, models: PathModels, n_units: int) -> dict[str, Any]:
        """The fitted attributes as if the fit ended with this path, which is copied."""
        models = models.up_to(n_units)
        path = models.path
        run = path.best(n_units)
        ids = models.features_of(run)
        ridge = models.compact.ridge(ids, run.alpha)
        errors = path.errors
        attributes: dict[str, Any] = {
            "support_ids_": ids,
            "weights_": ridge.weights,
            "intercept_": self._shaped(ridge.intercept),
            "objective_": ridge.objective,
            "dual_gap_": np.inf,
            "selection_order_": np.array(run.units, dtype=np.int64),
            "loo_errors_": np.array(run.errors),
            "loo_path_": errors,
            "alphas_": np.array([other.alpha for other in path.runs]),
            "alpha_": run.alpha,
            "alpha_path_": np.array([path.best(n).alpha for n in range(1, len(errors) + 1)]),
            "history_": path.history,
            "n_iter_": len(path.history),
            "status_": run.status or Status.INTERRUPTED,
            "path_": models.to_plain(),
        }
        if self.feature_costs is not None or self.group_costs is not None:
            attributes["cost_path_"] = np.array(run.costs)
        if self.groups is not None:
            attributes["group_support_"] = np.sort(attributes["selection_order_"])
        return attributes

    def _shaped(self, intercept: Array) -> Any:
        return intercept

    def truncate(self: Model, n_features_to_select: int) -> Model:
        """Return the model with fewer features, as if fitted with that number.

        Nothing is selected again and no data are needed. With a grid the alpha is the best one for
        that number, with the features that were selected under it. ``dual_gap_`` is from the bound of the
        longer model, which holds for fewer features too.

        Parameters
        ----------
        n_features_to_select : int
            Features (groups, if there are any) of the new model; at most those of the longest run.

        Returns
        -------
        model : estimator of the same class
        """
        check_is_fitted(self)
        if not hasattr(self, "path_"):
            raise checks.path_not_there()
        models = self._path_models()
        checks.check_truncation(n_features_to_select, len(self.loo_path_), models.n_include)
        model: Model = clone(self)
        model.n_features_to_select = n_features_to_select
        for name in COMMON_ATTRIBUTES:
            if name in vars(self):
                setattr(model, name, getattr(self, name))
        model._is_single = np.ndim(self.intercept_) == 0
        for name, value in model._attributes(models, n_features_to_select).items():
            setattr(model, name, value)
        # Fewer features cannot do better, nor can a larger alpha; a smaller one lowers all by its share.
        bound = min(model.alpha_ / self.alpha_, 1.0) * (self.objective_ - self.dual_gap_)
        model.dual_gap_ = max(model.objective_ - bound, 0.0)
        return model

    def _path_models(self) -> PathModels:
        """Return ``path_`` as an object; ValueError when it is not that of this model."""
        models = PathModels.from_plain(self.path_, self.history_)
        n_outputs, n_features = len(models.compact.target_means), self.n_features_in_
        ids = models.compact.ids
        if n_outputs != len(self.weights_) or not 0 <= ids.min() <= ids.max() < n_features:
            raise ValueError("path_ is of other features or outputs")
        return models
