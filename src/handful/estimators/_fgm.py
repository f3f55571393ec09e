"""One fit of the feature generating machine: what FGMClassifier, FGMRegressor and MILESClassifier share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any, NamedTuple

from sklearn.base import clone

from handful import validation
from handful.estimators._attributes import assign
from handful.estimators._callbacks import NoTasks, RoundTasks
from handful.estimators._notebook import remember_training_score
from handful.estimators._per_class import fit_each_class, forget_earlier_fit, together
from handful.estimators._progress import Monitor, open_checkpoint
from handful.estimators._refit import RefitMixin
from handful.estimators._spaces import SpaceSelector
from handful.losses import Loss
from handful.methods import fgm
from handful.methods.fgm.checkpoint import Checkpoint
from handful.methods.fgm.solvers import known_solvers
from handful.methods.problem import Problem, Selected
from handful.spaces.base import Array, FeatureSpace
from handful.spaces.resolve import threads_for
from handful.status import Status
from handful.validation.model_selection import numbers_on_path
from handful.validation.warning import warn_user


class Prepared(NamedTuple):
    """What a fit is of: checked data, targets as columns, weights of samples, and the loss."""

    X: Any
    y: Any
    targets: Array
    weight: Array
    loss: Loss


class BaseFGM(SpaceSelector, RefitMixin):
    """Feature generating machine: generate, eliminate, refit."""

    @property
    def _certifies_choice(self) -> bool:
        return self.n_features_to_select is not None

    @property
    def _has_free_units(self) -> bool:
        return self.C in ("auto", "fast")

    def fit_path(
        self, X: Any, y: Any, ks: Sequence[int], sample_weight: Any = None
    ) -> dict[int, Any]:
        """Fit a model for each of several numbers of features, in about the time of the largest.

        Candidates are generated once, for the largest number, and eliminated on the way down. A model
        may differ from that of ``fit`` with its number, which has candidates of its own. ``C="auto"``
        chooses a C for each number, all on the same folds.

        Parameters
        ----------
        X, y, sample_weight : as for ``fit``
        ks : sequence of int
            Numbers of features, or of groups where there are any.

        Returns
        -------
        models : dict of fitted estimators by their number, rising
            This estimator stays as it was. Nothing is saved to a ``checkpoint``.

        Examples
        --------
        >>> from sklearn.datasets import make_regression
        >>> from handful import FGMRegressor
        >>> X, y = make_regression(100, 300, n_informative=4, random_state=0)
        >>> models = FGMRegressor(C="fast").fit_path(X, y, [2, 4, 8])
        >>> [len(model.support_ids_) for model in models.values()]
        [2, 4, 8]
        """
        rising = numbers_on_path(ks)
        largest = _with_count(self, rising[-1])
        if largest.solver != "auto":  # the convex problem has no candidates to eliminate
            return {k: _with_count(self, k).fit(X, y, sample_weight) for k in rising}
        X, y, targets, weight, loss = largest._prepared(X, y, sample_weight)
        if targets.shape[1] == 1 or not getattr(largest, "per_class", False):
            models = _models(self, largest, X, targets, weight, loss, rising)
        else:
            models = self._models_of_each(largest, X, targets, weight, loss, rising)
        for model in models.values():
            model._fit_own(X, y, weight, sample_weight)
        return models

    def _models_of_each(
        self, largest: Any, X: Any, targets: Array, weight: Array, loss: Loss, ks: Sequence[int]
    ) -> dict[int, Any]:
        """Return models whose classes or labels have features of their own."""
        one_label = copy(largest)
        one_label._constant_scores = None  # labels left out are put back into all together
        parts = [
            _models(self, one_label, X, targets[:, [output]], weight, loss, ks)
            for output in range(targets.shape[1])
        ]
        models = {k: _empty(self, largest, k) for k in ks}
        for k, model in models.items():
            attributes = together(model, [part[k] for part in parts], X, weight)
            assign(model, model._of_all_labels(attributes))
        return models

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        """Check parameters and data, and set what is known of the data."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        validation.check_wanted(self.n_features_to_select)
        validation.check_count("budget", self.budget)
        validation.check_count("max_rounds", self.max_rounds)
        validation.check_positive("C", self.C, "auto", "fast")
        validation.check_positive("tol", self.tol)
        self._check_space()
        validation.check_choice("solver", self.solver, ["auto", *known_solvers()])
        validation.check_flag("certify", self.certify)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_flag("warm_start", self.warm_start)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        validation.check_checkpoint(self.checkpoint)

    def _fit_all(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit, all outputs together or each class by itself, and then what is to predict in place of the weights."""
        X, y, targets, weight, loss = self._prepared(X, y, sample_weight)
        tasks = RoundTasks(self, X, y, sample_weight)
        if targets.shape[1] > 1 and getattr(self, "per_class", False):
            fit_each_class(self, X, targets, weight, loss, tasks)
        else:
            self._fit(X, targets, weight, loss, tasks)
        self._fit_own(X, y, weight, sample_weight)
        tasks.end()

    def _fit(self, X: Any, y: Array, weight: Array, loss: Loss, tasks: RoundTasks) -> None:
        """Fit on checked data; y is (n_samples, n_outputs)."""
        self.__dict__.pop("estimator_", None)  # callbacks ask the weights of each round
        with threads_for(self.n_jobs):
            problem = self._problem(X, y, weight, loss)
            options, attributes = self._options(problem), self._attributes_on(problem.space)
            monitor = Monitor(self, tasks, attributes, options.checkpoint)
            with monitor.listening():
                selected = fgm.fit(problem, options, monitor)
        forget_earlier_fit(self)
        assign(self, attributes(selected))
        if not self._has_own_refit:
            remember_training_score(self, X, y, weight)
        k = options.n_keep
        if self.status_ is Status.EXHAUSTED and k is not None:
            n_found = len(selected.more.get("group_support_", selected.ids))
            warn_user(validation.fewer_features(n_found, k))
        self._mention_units(X, weight, selected.ids)

    def _attributes_on(self, space: FeatureSpace) -> Callable[[Selected], dict[str, Any]]:
        """Return what gives the fitted attributes of features that were selected from a space."""
        return lambda found: self._attributes(found) | self._space_attributes(space, found.ids)

    def _options(self, problem: Problem) -> fgm.Options:
        """The method's settings: those that have the name of a parameter are that."""
        n_keep, given = self._n_wanted(problem.space), self.get_params(deep=False)
        same = {one.name: given[one.name] for one in fields(fgm.Options) if one.name in given}
        own = {
            "refit": self._is_refitted,  # also where another estimator predicts: the features are the same
            "checkpoint": open_checkpoint(
                Checkpoint, self, problem, n_keep, refit=self._is_refitted
            ),
            "candidates": getattr(self, "_candidate_ids", None) if self.warm_start else None,
        }
        return fgm.Options(n_keep, **same | own)

    def _problem(self, X: Any, y: Array, weight: Array, loss: Loss) -> Problem:
        if self.space is not None and not weight.all():
            # A space may learn from the rows (a range, say): those without weight do not count.
            X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        space = self._space_on(X, weight)
        include, exclude = self._wanted_ids(space)
        self._check_count(self._n_wanted(space), space, include, exclude)
        loss = self._of_outputs(loss, y, weight)
        return Problem(space, y, weight, loss, self.fit_intercept, include, exclude)

    def _check_count(
        self, k: int | None, space: FeatureSpace, include: Array, exclude: Array
    ) -> None:
        are_groups = getattr(self, "groups", None) is not None
        validation.check_n_features_to_select(
            k, space.n_features, len(include), len(exclude), grouped=are_groups
        )

    def _of_outputs(self, loss: Loss, y: Array, weight: Array) -> Loss:
        """Return the loss of all outputs together."""
        return loss.of_outputs(y, weight)

    def _n_wanted(self, space: FeatureSpace) -> int | None:
        """Return how many features to select, of a share of those there are too."""
        return validation.n_wanted(self.n_features_to_select, self._n_choices(space))

    def _n_choices(self, space: Any) -> int:
        """Return how many there are to choose from."""
        return int(space.n_features)


def _models(
    estimator: Any,
    largest: Any,
    X: Any,
    targets: Array,
    weight: Array,
    loss: Any,
    ks: Sequence[int],
) -> dict[int, Any]:
    """Return the models of one selection."""
    models = {k: _empty(estimator, largest, k) for k in ks}
    with threads_for(estimator.n_jobs):
        problem = largest._problem(X, targets, weight, loss)
        largest._check_count(ks[0], problem.space, problem.include, problem.exclude)
        options = replace(largest._options(problem), candidates=None)
        attributes = largest._attributes_on(problem.space)
        monitor = Monitor(estimator, NoTasks(), attributes)
        with monitor.listening():
            found = fgm.fit_path(problem, options, ks, monitor)
            for k, selected in zip(reversed(ks), found, strict=True):
                assign(models[k], attributes(selected))
    return models


def _with_count(estimator: Any, k: int) -> Any:
    return clone(estimator).set_params(n_features_to_select=int(k), checkpoint=None)


def _empty(estimator: Any, largest: Any, k: int) -> Any:
    """Return a clone that knows what the largest does of the data, and has no model yet."""
    model = _with_count(estimator, k)
    known = vars(largest).keys() - model.get_params(deep=False).keys()
    assign(model, {name: vars(largest)[name] for name in known})
    return model
