"""Robust feature selection: residuals and rows of weights both count by their lengths."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np

from handful import validation
from handful.estimators._attributes import fitting
from handful.estimators._outputs import OutputsMixin
from handful.estimators._refit import ClassifiesByRefit, RegressesByRefit
from handful.estimators._row_sparse import N_FOLDS, Array, BaseRowSparse, Task
from handful.estimators.direct_sparsity import RowSparseClassifier
from handful.history import Round
from handful.methods import reweighted
from handful.validation import direct as checks
from handful.validation.greedy import alphas
from handful.validation.refit import CLASSIFIER, REGRESSOR, check_refit


class RFSClassifier(ClassifiesByRefit, RowSparseClassifier):
    """Classifier by robust feature selection: few rows of weights, residuals not squared.

    ``min over W, b of  sum_i s_i |x_i W + b - y_i| + alpha * sum_j |W_j|``  with y_i of -1 and +1, one class
    against the rest (Nie, Huang, Cai and Ding 2010). The lengths of residuals are not squared, so a few
    wild samples do not decide. Each step weighs squared residuals and rows by one over their last
    lengths; the objective never rises and ends at the optimum. It is solved with a matrix of samples
    or of features, whichever is smaller.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select, by the norms of their rows; between 0 and 1 the share of them, at least one. None takes all rows that are not zero. Columns
        that are nearly multiples of each other count as one, as for :class:`~handful.DirectSparsityClassifier`.
    alpha : float or list of floats, default=1.0
        Weight of the penalty. Of several the one with the best cross-validated score is taken.
    scale : {None, "norm", "std", "raw"}, default=None
        As for :class:`~handful.DirectSparsityClassifier`, whatever alpha is: that is for the columns as they are then.
    penalize_intercept, refit, class_weight, exclude, cv, max_iter, tol, checkpoint, verbose, n_jobs
        As for :class:`~handful.DirectSparsityClassifier`.

    Attributes
    ----------
    alpha_ : float
        The alpha that was used.
    objective_path_ : ndarray
        The formula above after each step; it never rises.
    dual_gap_ : float
        Certified: no weights have an objective below ``objective_ - dual_gap_``.
    scores_, support_ids_, weights_, coef_, intercept_, classes_, objective_, scaling_, cv_results_
        As for :class:`~handful.DirectSparsityClassifier`.
    history_, status_, n_iter_, estimator_, n_features_in_, feature_names_in_
        Likewise.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from handful import RFSClassifier
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> model = RFSClassifier(10, scale="std").fit(X[:200], y[:200])
    >>> len(model.support_ids_)
    10
    """

    _is_least_squares = True

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        alpha: Any = 1.0,
        penalize_intercept: bool = False,
        scale: str | None = None,
        refit: Any = "auto",
        class_weight: dict[Any, float] | str | None = None,
        exclude: Any = None,
        cv: Any = None,
        max_iter: int = 100,
        tol: float = 1e-4,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.penalize_intercept = penalize_intercept
        self.scale = scale
        self.refit = refit
        self.class_weight = class_weight
        self.exclude = exclude
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RFSClassifier:
        """Select features and fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64.
        y : array-like of shape (n_samples,)
            Labels of any type, two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of its row each sample stands for.

        Returns
        -------
        self : RFSClassifier
        """
        self._fit(self._prepared(X, y, sample_weight))
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Task:
        self._check_rows()
        grid = alphas(self.alpha)
        check_refit(self.refit, CLASSIFIER)
        X, y = self._check_X(X, y=y, ensure_min_samples=2)
        weight = validation.sample_weights(sample_weight, len(y))
        Y, weight = self._signs(y, weight, self.class_weight)
        return Task(X, y, weight, sample_weight, Y, "alpha", grid, self.unit_for(X, weight))


class RFSRegressor(RegressesByRefit, OutputsMixin, BaseRowSparse):
    """Regressor by robust feature selection, for one output or many.

    ``min over W, b of  sum_i s_i |x_i W + b - y_i| + alpha * sum_j |W_j|``

    Parameters and attributes are those of :class:`RFSClassifier`, without ``class_weight`` and ``classes_``; for y of shape
    (n_samples,) ``coef_`` has shape (n_features,) and ``intercept_`` is a number. ``refit=True``
    (and "auto" where rows were cut off) solves the same problem again on the selected columns alone.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import RFSRegressor
    >>> X, Y, coef = make_regression(
    ...     100, 300, n_informative=5, n_targets=3, coef=True, random_state=0
    ... )
    >>> model = RFSRegressor(5).fit(X, Y)
    >>> model.support_ids_.tolist() == coef.any(axis=1).nonzero()[0].tolist()
    True
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        alpha: Any = 1.0,
        penalize_intercept: bool = False,
        scale: str | None = None,
        refit: Any = "auto",
        exclude: Any = None,
        cv: Any = None,
        max_iter: int = 100,
        tol: float = 1e-4,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.penalize_intercept = penalize_intercept
        self.scale = scale
        self.refit = refit
        self.exclude = exclude
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RFSRegressor:
        """Select features and fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of its row each sample stands for.

        Returns
        -------
        self : RFSRegressor
        """
        self._fit(self._prepared(X, y, sample_weight))
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Task:
        self._check_rows()
        grid = alphas(self.alpha)
        check_refit(self.refit, REGRESSOR)
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True, y_numeric=True)
        weight = validation.sample_weights(sample_weight, len(y))
        unit = self.unit_for(X, weight)
        return Task(X, y, weight, sample_weight, self._targets(y), "alpha", grid, unit)

    def _options(self, **chosen: Any) -> reweighted.Options:
        return super()._options(refit_by="residuals", **chosen)

    def _folds(self, y: Array, weight: Array, name: str) -> list[tuple[Array, Array]]:
        n_used = int(np.count_nonzero(weight))
        if self.cv is None and n_used < 2 * N_FOLDS:
            raise checks.too_few_samples(n_used, name)
        return list(self._splitter().split(np.zeros(len(y))))
