"""Direct sparsity: as few rows of weights as keep the margins of all classes."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.callback import with_callbacks
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.engines.direct_sparsity import Reweighting
from handful.engines.margin_fits import InseparableError, MarginFit, ProjectedFit, SilentError
from handful.estimators._callbacks import RoundTasks
from handful.estimators._progress import Monitor
from handful.estimators._rows import Array, BaseRows, Data
from handful.estimators._transaction import all_or_nothing
from handful.history import Round
from handful.status import Status
from handful.validation import direct as checks

N_FOLDS = 3


class ClassifierOfRows(ClassifierMixin, BaseRows):
    """What classifiers of vanishing rows share: labels to signs, scores to labels."""

    def _labels(self, y: Any, weight: Array) -> Array:
        """Return one column of -1 and +1 for each class, one for two classes."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        validation.check_classes(self.classes_, codes, weight, type(self).__name__)
        counts = np.bincount(codes[weight > 0], minlength=len(self.classes_))
        if (counts == 1).any():
            warnings.warn(checks.lonely_class(self.classes_[np.argmax(counts == 1)]), stacklevel=5)
        outputs = np.arange(len(self.classes_)) if len(self.classes_) > 2 else [1]
        return np.where(codes[:, None] == outputs, 1.0, -1.0)

    def _folds(self, y: Array, weight: Array, name: str) -> list[tuple[Array, Array]]:
        labels, counts = np.unique(y[weight > 0], return_counts=True)
        least = int(counts.min())
        if self.cv is None:
            if least < 2:
                raise checks.class_too_small(labels[np.argmin(counts)], least, name)
            splitter = StratifiedKFold(min(N_FOLDS, least), shuffle=True, random_state=0)
        else:
            splitter = check_cv(self.cv, y, classifier=True)
        return list(splitter.split(np.zeros(len(y)), y))

    def decision_function(self, X: Any) -> Array:
        """Return raw scores: (n_samples,) for two classes, (n_samples, n_classes) for more."""
        check_is_fitted(self)
        if hasattr(self, "estimator_"):
            return self._delegate("decision_function", X)
        raw = self._raw_predictions(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score."""
        check_is_fitted(self)
        if hasattr(self, "estimator_"):
            return self._delegate("predict", X)
        raw = self._raw_predictions(X)
        best = (raw[:, 0] > 0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One feature cannot separate the blobs of the checks.
        tags.classifier_tags.poor_score = self.n_features_to_select == 1
        return tags


class DirectSparsityClassifier(ClassifierOfRows):
    """Classifier of as few features as keep the margins of all classes, with no penalty to tune.

    ``min over W, b of  sum_i |W_i|^p  subject to  y_ik (x_i W_k + b_k) >= 1``  for all samples and classes,
    y one class against the rest.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to select, by the norms of their rows; None takes all rows that are not zero.
    p : float or list of floats, default=0.5
        Above 0 and at most 1. Of several the one with the best cross-validated accuracy is taken.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from handful import DirectSparsityClassifier
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> model = DirectSparsityClassifier(10, standardize=True).fit(X[:200], y[:200])
    >>> len(model.support_ids_), model.feasible_
    (10, True)
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        p: Any = 0.5,
        margin: str = "auto",
        C: float = 1.0,
        penalize_intercept: bool = False,
        standardize: bool = False,
        refit: Any = "auto",
        cv: Any = None,
        max_iter: int = 100,
        tol: float = 1e-4,
        verbose: bool | Callable[[Round], Any] = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.p = p
        self.margin = margin
        self.C = C
        self.penalize_intercept = penalize_intercept
        self.standardize = standardize
        self.refit = refit
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DirectSparsityClassifier:
        """Select features and fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64.
        y : array-like of shape (n_samples,)
            Labels of any type, two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of slacks, of the least squares of projected margins, and of a refit. Hard margins
            hold for every sample of a weight above zero.

        Returns
        -------
        self : DirectSparsityClassifier
        """
        self._check_rows()
        grid = checks.powers(self.p)
        validation.check_choice("margin", self.margin, checks.MARGINS)
        validation.check_positive("C", self.C)
        checks.check_refit(self.refit, "a classifier")
        X, y = self._check_X(X, y=y, ensure_min_samples=2)
        weight = validation.sample_weights(sample_weight, len(y))
        Y = self._labels(y, weight)
        data = self._data(X, Y, weight)
        tasks = RoundTasks(self, X, y, sample_weight)
        monitor: Any = Monitor(
            self.verbose, None, tasks, lambda state: self._attributes(data, state)
        )
        self.__dict__.pop("cv_results_", None)
        with monitor.listening():
            self.p_ = float(grid[0])
            if len(grid) > 1:
                folds = self._folds(y, weight, "p")
                over = lambda: monitor.interrupted  # noqa: E731
                self.p_ = self._choose("p", grid, X, y, weight, folds, over)
            state, status = self._fit_margins(data, monitor)
            self._store(data, state, X, y, sample_weight)
        self.status_ = Status.INTERRUPTED if monitor.interrupted else status
        tasks.end()
        return self

    def _fit_margins(self, data: Data, monitor: Any) -> tuple[Reweighting, Status]:
        """Try margins from hard to soft, as far as ``margin`` allows and the data need."""
        p, constant = self.p_, bool(self.penalize_intercept)
        self.feasible_: bool | None = None
        if self.margin in ("auto", "hard"):
            fitting: Any = MarginFit(data.columns(constant=constant), data.Y, p)
            with contextlib.suppress(InseparableError):
                found = self._reweight(data, fitting, p, monitor)
                self.feasible_, self.margin_ = True, "hard"
                if np.ptp(data.weight) > 0:
                    warnings.warn(checks.weights_do_not_count(), stacklevel=5)
                return found
            self.feasible_ = False
        if self.margin in ("hard", "projected") or (self.margin == "auto" and data.is_wide):
            n_silent = data.Y.shape[1] - 1 if self.margin == "projected" else 0
            columns = data.columns(constant=constant)
            with contextlib.suppress(SilentError):
                fitting = ProjectedFit(columns, data.Y, data.weight, n_silent)
                state, status = self._reweight(data, fitting, p, monitor)
                self.margin_ = "projected"
                return state, Status.PROJECTED if self.feasible_ is False else status
        slack = self.C * data.weight
        fitting = MarginFit(data.columns(constant=constant), data.Y, p, slack)
        state, status = self._reweight(data, fitting, p, monitor)
        was_asked = self.margin == "soft"
        self.margin_ = "soft"
        return state, status if was_asked else Status.SOFTENED
