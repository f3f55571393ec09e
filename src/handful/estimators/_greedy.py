"""What GreedyRLSClassifier and GreedyRLSRegressor share: one fit, top to bottom, and its path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.estimators._attributes import assign
from handful.estimators._callbacks import RoundTasks
from handful.estimators._columns import ColumnSelector
from handful.estimators._notebook import remember_training_score
from handful.estimators._progress import Monitor, open_checkpoint
from handful.estimators._spaces import grouped, label_attributes, wanted_ids
from handful.losses import Squared
from handful.methods import greedy
from handful.methods.greedy.models import GreedyCheckpoint, PathModels
from handful.methods.problem import Problem, Selected
from handful.spaces.groups.membership import ListedGroups
from handful.spaces.resolve import n_threads, resolve_space, threads_for, without_duplicates
from handful.status import Status
from handful.validation import greedy as checks
from handful.validation.model_selection import numbers_on_path
from handful.validation.warning import warn_user

Array = np.ndarray
Model = TypeVar("Model", bound="BaseGreedyRLS")
DEFAULT_COUNT = 10
#: Fitted attributes that some fits have.
EXTRA_ATTRIBUTES = ("group_support_", "group_labels_", "cost_path_", "output_alphas_")
#: Fitted attributes that do not depend on how many features are selected.
COMMON_ATTRIBUTES = (
    *("n_features_in_", "feature_names_in_"),
    *("classes_", "label_values_", "group_labels_"),
)


class BaseGreedyRLS(ColumnSelector):
    """Greedy regularised least squares on the columns of X, or groups of them."""

    _is_least_squares = True
    _certifies_choice = True

    def _check_parameters(self) -> None:
        """Check all that can be without data."""
        validation.check_wanted(self.n_features_to_select)
        checks.check_cost_choices(self.max_cost, self.feature_costs, self.group_costs, self.groups)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        validation.check_checkpoint(self.checkpoint)
        checks.output_grid(self.alpha_per_output, checks.alphas(self.alpha))

    def _fit(self: Model, X: Any, y: Any, Y: Array, weight: Array, sample_weight: Any) -> Model:
        """Fit on checked data; Y is (n_samples, n_outputs)."""
        tasks, alphas = RoundTasks(self, X, y, sample_weight), checks.alphas(self.alpha)
        warning = checks.constant_outputs(Y, weight)
        if warning:
            warn_user(warning)
        with threads_for(self.n_jobs):
            columns = resolve_space(without_duplicates(X), n_jobs=self.n_jobs, sample_weight=weight)
            names = getattr(self, "feature_names_in_", None)
            space = grouped(columns, self.groups, None, names)
            validation.check_in_order("feature_costs", self.feature_costs, names)
            include, exclude = wanted_ids(self.include, self.exclude, space, names)
            n_keep = checks.wanted_count(
                validation.n_wanted(self.n_features_to_select, space.n_features),
                DEFAULT_COUNT,
                space.n_features,
                len(include),
                len(exclude),
                grouped=self.groups is not None,
            )
            intercept = bool(self.fit_intercept)
            problem = Problem(space, Y, weight, Squared(), intercept, include, exclude)
            options = greedy.Options(
                n_keep=n_keep,
                alphas=alphas,
                output_grid=checks.output_grid(self.alpha_per_output, alphas),
                feature_costs=self.feature_costs,
                group_costs=self.group_costs,
                max_cost=self.max_cost,
                n_threads=n_threads(self.n_jobs),
                checkpoint=open_checkpoint(GreedyCheckpoint, self, problem, n_keep),
            )
            for name in EXTRA_ATTRIBUTES:
                self.__dict__.pop(name, None)  # of an earlier fit

            def attributes(selected: Selected) -> dict[str, Any]:
                return self._attributes(selected) | label_attributes(space)

            n_rounds = n_keep * len(alphas)
            monitor = Monitor(self, tasks, attributes, options.checkpoint, n_rounds)
            with monitor.listening():
                selected = greedy.fit(problem, options, monitor)
        assign(self, attributes(selected))
        remember_training_score(self, X, Y, weight)
        if self.status_ is Status.EXHAUSTED and self.n_features_to_select is not None:
            warn_user(validation.fewer_features(len(self.selection_order_), n_keep))
        tasks.end()
        return self

    def fit_path(
        self: Model, X: Any, y: Any, ks: Sequence[int], sample_weight: Any = None
    ) -> dict[int, Model]:
        """Fit a model for each of several numbers of features: the steps of the longest are those of all.

        Parameters
        ----------
        X, y, sample_weight : as for ``fit``
        ks : sequence of int
            Numbers of features, or of groups where there are any.

        Returns
        -------
        models : dict of fitted estimators by their number, rising
            The same as of separate fits. This estimator stays as it was.
        """
        rising = numbers_on_path(ks)
        longest = clone(self).set_params(n_features_to_select=rising[-1], checkpoint=None)
        longest.fit(X, y, sample_weight)
        if longest.status_ is Status.INTERRUPTED:
            raise KeyboardInterrupt
        n_steps = len(longest.loo_path_)
        return {k: longest if k >= n_steps else longest.truncate(k) for k in rising}

    def truncate(self: Model, n_features_to_select: int | float) -> Model:
        """Return the model with fewer features, as if fitted with that number.

        Nothing is selected again and no data are needed. With a grid the alpha is the best one for
        that number, with the features that were selected under it; so are alphas of outputs. ``dual_gap_`` is from
        the bound of the longer model, which holds for fewer features too.

        Parameters
        ----------
        n_features_to_select : int or float
            Features (groups, if there are any) of the new model; at most those of the longest run. Between 0
            and 1 it is a share of all there were to select from, as for the estimator.

        Returns
        -------
        model : estimator of the same class
        """
        check_is_fitted(self)
        if not hasattr(self, "path_"):
            raise checks.path_not_there()
        models = self._path_models()
        k: Any = n_features_to_select
        if validation.is_share(k):
            k = validation.n_wanted(k, self._n_choices())
        checks.check_truncation(k, len(self.loo_path_), models.n_include)
        model: Model = clone(self)
        model.n_features_to_select = n_features_to_select
        assign(model, {name: vars(self)[name] for name in COMMON_ATTRIBUTES if name in vars(self)})
        if hasattr(self, "_is_single"):
            model._is_single = np.ndim(self.intercept_) == 0
        selected = models.selected(
            int(k),
            has_costs=self.feature_costs is not None or self.group_costs is not None,
            has_groups=self.groups is not None,
        )
        assign(model, model._attributes(selected))
        return model

    def _n_choices(self) -> int:
        """Return how many features, or groups, there were to select from."""
        if self.groups is None:
            return self.n_features_in_
        if hasattr(self, "group_labels_"):
            return len(self.group_labels_)
        return len(ListedGroups(self.groups, self.n_features_in_))

    def _path_models(self) -> PathModels:
        """Return ``path_`` as an object; ValueError when it is not that of this model."""
        models = PathModels.from_plain(self.path_, self.history_)
        n_outputs, n_features = len(models.reduced.target_means), self.n_features_in_
        ids = models.reduced.ids
        if n_outputs != len(self.weights_) or not 0 <= ids.min() <= ids.max() < n_features:
            raise ValueError("path_ is of other features or outputs")
        own = getattr(self, "output_alphas_", None)
        if own is not None and own.shape != (n_outputs,):
            raise ValueError("output_alphas_ is of other outputs")
        return models
