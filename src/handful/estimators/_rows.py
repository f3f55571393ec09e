"""What estimators of vanishing rows share: columns in, scores, selection and weights out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from handful import validation
from handful.estimators._callbacks import RoundTasks
from handful.estimators._progress import Monitor
from handful.estimators._spaces import SpaceMixin
from handful.history import History
from handful.methods.near_copies import Copies, covariances, depth
from handful.methods.reweighted.bound import lower_bound
from handful.methods.reweighted.engine import Fitting, Reweighting, reweight
from handful.methods.reweighted.margin_fits import MarginFit
from handful.methods.reweighted.remaining_columns import RemainingColumns, moments
from handful.spaces.base import ExplicitSpace, inverse_norms
from handful.spaces.resolve import by_storage, resolve_space
from handful.status import Status

Array = np.ndarray
#: C of the support vector machine on the selected features, whose columns have deviation 1.
REFIT_C = 1.0


@dataclass(frozen=True)
class Data:
    """Checked rows of positive weight, and what is known of the columns.

    Attributes
    ----------
    space : ExplicitSpace
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    means, deviations : ndarray of shape (n_features,)
    factors : ndarray of shape (n_features,)
        What each column is multiplied by.
    """

    space: ExplicitSpace
    Y: Array
    weight: Array
    means: Array
    deviations: Array
    factors: Array

    @property
    def sizes(self) -> Array:
        """Deviations of the columns after scaling."""
        return self.deviations * self.factors

    @property
    def is_wide(self) -> bool:
        """Whether there are fewer samples than columns that vary, and an intercept."""
        return bool(self.space.n_samples <= np.count_nonzero(self.deviations) + 1)

    def columns(self, *, constant: bool, ids: Array | None = None) -> RemainingColumns:
        """Return the columns that vary; with ``constant`` a column of ones is one of them."""
        ids = np.flatnonzero(self.deviations > 0) if ids is None else ids
        means = None if constant else self.means
        return RemainingColumns(self.space, self.factors, ids, means=means, constant=constant)


@dataclass(frozen=True)
class Rows:
    """What the user gave: rows and targets for cross-validation, refits and callbacks.

    Attributes
    ----------
    X, y : as checked
    weight : ndarray of shape (n_samples,)
    sample_weight : as given
    folds : callable
        Makes pairs of rows to train and to test on.
    """

    X: Any
    y: Any
    weight: Array
    sample_weight: Any
    folds: Callable[[], list[tuple[Array, Array]]]


class BaseRows(SpaceMixin, SelectorMixin, CallbackSupportMixin, BaseEstimator):
    """A selector whose weights are rows that vanish, by reweighting."""

    #: Features are the columns of X.
    space: Any = None
    groups: Any = None

    def _check_rows(self) -> None:
        """Check the parameters that all have."""
        validation.check_count("n_features_to_select", self.n_features_to_select, optional=True)
        validation.check_flag("penalize_intercept", self.penalize_intercept)
        validation.check_flag("standardize", self.standardize)
        validation.check_count("max_iter", self.max_iter)
        validation.check_positive("tol", self.tol)
        validation.check_verbose(self.verbose)

    def _data(self, X: Any, Y: Array, weight: Array) -> Data:
        """Leave out rows of weight zero and measure the columns."""
        validation.check_n_features_to_select(self.n_features_to_select, X.shape[1], 0, 0)
        if not weight.all():
            used = np.flatnonzero(weight)
            X, Y, weight = X[used], Y[used], weight[used]
        space = resolve_space(by_storage(X, np.asarray, lambda columns: columns))
        means, deviations = moments(space, weight)
        varying = deviations[~(deviations <= 0)]
        if not len(varying):
            raise validation.no_signal()
        validation.check_magnitude(np.square(varying))
        factors = inverse_norms(np.square(deviations)) if self.standardize else np.ones(X.shape[1])
        return Data(space, Y, weight, means, deviations, factors)

    def _fit_rows(
        self,
        data: Data,
        rows: Rows,
        name: str,
        grid: Array,
        solve: Callable[[Data, Any], tuple[Reweighting, Status]],
    ) -> None:
        """Choose the parameter of that name from its grid, solve, and keep the model."""
        tasks = RoundTasks(self, rows.X, rows.y, rows.sample_weight)
        monitor: Any = Monitor(self.verbose, None, tasks, lambda at: self._attributes(data, at))
        self.__dict__.pop("cv_results_", None)
        with monitor.listening():
            best = float(grid[0])
            if len(grid) > 1:
                best = self._choose(name, grid, rows, lambda: monitor.interrupted)
            setattr(self, f"{name}_", best)
            state, status = solve(data, monitor)
            self._store(data, state, rows)
        self.status_ = Status.INTERRUPTED if monitor.interrupted else status
        tasks.end()

    def _reweight(
        self, data: Data, fitting: Fitting, p: float, monitor: Any, penalty: float = 1.0
    ) -> tuple[Reweighting, Status]:
        return reweight(fitting, p, data.sizes, self.max_iter, self.tol, monitor, penalty)

    def _store(self, data: Data, state: Reweighting, rows: Rows) -> None:
        """Set the fitted attributes; predictions come from a refit where one is wanted."""
        self.__dict__.pop("estimator_", None)
        for name, value in self._attributes(data, state).items():
            setattr(self, name, value)
        k = self.n_features_to_select
        if k is not None and len(self.support_ids_) < k:
            warnings.warn(validation.fewer_features(len(self.support_ids_), k), stacklevel=6)
        refit = self.refit
        if isinstance(refit, str) and refit == "auto":
            refit = not np.array_equal(self.support_ids_, np.sort(state.columns.ids))
        if isinstance(refit, (bool, np.bool_)) or refit is None or isinstance(refit, str):
            if refit:
                self.weights_, self.intercept_ = self._refitted(data)
            return
        self.estimator_ = clone(refit)
        options = {}
        if rows.sample_weight is not None and has_fit_parameter(self.estimator_, "sample_weight"):
            options["sample_weight"] = rows.sample_weight
        self.estimator_.fit(self._selected_columns(rows.X), rows.y, **options)

    def _refitted(self, data: Data) -> tuple[Array, Any]:
        """Return weights and intercept of an l2 model on the selected columns."""
        columns = RemainingColumns(
            data.space,
            inverse_norms(np.square(data.deviations)),
            self.support_ids_,
            means=data.means,
        )
        fit = MarginFit(columns, data.Y, 1.0, REFIT_C * data.weight)
        return of_columns(columns, fit.solve(np.ones(len(columns)), None), self.support_ids_)

    def _attributes(self, data: Data, state: Reweighting) -> dict[str, Any]:
        """The fitted attributes as if the fit ended with this state, without a refit."""
        scores = state.scores()
        if self.n_features_to_select is None:
            ids = np.sort(state.columns.ids)
            weights, intercept = of_columns(state.columns, state.step, ids)
        else:
            ids, weights, intercept = best_different(data, state, scores, self.n_features_to_select)
        return {
            "support_ids_": ids,
            "weights_": weights,
            "intercept_": self._shaped(intercept),
            "scores_": scores,
            "objective_path_": np.array(state.objectives),
            "objective_": state.objectives[-1],
            "dual_gap_": self._gap(data, state),
            "history_": History(list(state.history)),
            "n_iter_": len(state.objectives),
            "status_": Status.INTERRUPTED,
        }

    def _gap(self, data: Data, state: Reweighting) -> float:
        """Return how much lower the objective could be; infinite where nothing bounds it."""
        if state.step.proof is None:
            return np.inf
        # A column that is constant has no weight in the fit, but where the intercept has its price could have one.
        everything = np.arange(data.space.n_features)
        columns = data.columns(constant=bool(self.penalize_intercept), ids=everything)
        bound = lower_bound(columns, state.step.proof, state.penalty)
        return max(state.objectives[-1] - bound, 0.0)

    def _shaped(self, intercept: Array) -> Any:
        return intercept

    def _choose(self, name: str, grid: Array, rows: Rows, is_over: Callable[[], bool]) -> float:
        """Return the value of a parameter that scores best on left-out folds; the first on a tie."""
        X, y, weight, folds = rows.X, rows.y, rows.weight, rows.folds()
        scores = np.full((len(grid), len(folds)), np.nan)
        for column, (train, test) in enumerate(folds):
            for row, value in enumerate(grid.tolist()):
                model = clone(self).set_params(**{name: value, "verbose": False})
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    model.fit(X[train], y[train], sample_weight=weight[train])
                scores[row, column] = model.score(X[test], y[test], sample_weight=weight[test])
                if is_over():
                    break
            if is_over():
                break
        means = np.array([np.nanmean(row) if np.isfinite(row).any() else -np.inf for row in scores])
        self.cv_results_ = {name: grid, "scores": scores, "mean_score": means}
        return float(grid[int(np.argmax(means))])

    def _raw_predictions(self, X: Any) -> Array:
        check_is_fitted(self)
        return super()._raw_predictions(X)

    def _delegate(self, method: str, X: Any) -> Array:
        """Ask the estimator that was fitted on the selected columns."""
        X = self._check_X(X, reset=False)
        return np.asarray(getattr(self.estimator_, method)(self._selected_columns(X)))


def best_different(
    data: Data, state: Reweighting, scores: Array, k: int
) -> tuple[Array, Array, Array]:
    """Return k ids, best first of columns that are no copies, their weights and the intercept.

    Copies count as one column with all their weights: those that share them would look weak one by one.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0].astype(np.int64)
    n_looked = min(depth(data.space.n_samples, k), len(order)) if len(order) > k else 0
    while True:
        ids = order[:n_looked]
        means, deviations = data.means[ids], data.deviations[ids]
        copies = Copies.among(covariances(data.space, ids, means, data.weight), deviations)
        if copies.n_different >= k or n_looked in (0, len(order)):
            break
        n_looked = min(2 * n_looked, len(order))
    if copies.n_different == n_looked:  # no copies: the ranking as it is
        ids = np.sort(order[:k])
        return ids, *of_columns(state.columns, state.step, ids)
    weights, intercept = of_columns(state.columns, state.step, ids)
    norms = np.linalg.norm(copies.together(weights.T), axis=1) / data.factors[ids]
    shared = copies.leaders[~copies.is_leader & np.isin(ids, state.columns.ids)]
    ranks = scores[ids]
    ranks[shared] = norms[shared]
    best = copies.best(ranks, k)
    best = best[np.argsort(ids[best])]
    carried = copies.unless(best)
    gone = weights * np.where(carried.is_leader, 0.0, 1.0)
    intercept = intercept + gone @ (means - carried.slopes * means[carried.leaders])
    return ids[best], np.ascontiguousarray(carried.together(weights.T)[best].T), intercept


def of_columns(columns: RemainingColumns, step: Any, ids: Array) -> tuple[Array, Array]:
    """Return weights of ids, (n_outputs, n_ids), and the intercept, for the columns as X has them."""
    n_live = len(columns.ids)
    weights = np.zeros((len(ids), step.weights.shape[1]))
    if n_live:
        where = np.minimum(np.searchsorted(columns.ids, ids), n_live - 1)
        found = columns.ids[where] == ids
        weights[found] = (columns.factors[columns.ids, None] * step.weights[:n_live])[where[found]]
    intercept = step.intercept - columns.shift(step.weights)
    if columns.constant:
        intercept = intercept + step.weights[-1]
    return np.ascontiguousarray(weights.T), intercept
