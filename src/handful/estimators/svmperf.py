"""A linear classifier on all features, trained for the measure it is judged by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.engines.last_fit import bundle_tol
from handful.engines.thresholds import with_threshold
from handful.estimators._checked import checked_data
from handful.estimators._losses import measure_loss, tagged
from handful.estimators._transaction import all_or_nothing
from handful.history import History
from handful.losses.multivariate import Multivariate
from handful.solvers import RidgeBundle, Solution, Subproblem, Target
from handful.solvers.penalty import Penalty
from handful.status import Status

Array = np.ndarray


class SVMPerfClassifier(ClassifierMixin, BaseEstimator):
    """Linear classifier for a measure of all samples together (Joachims 2005).

    ``min over w of  1/2 |w|^2 + C R(w)``,
    ``R(w) = max over labelings y' of  Delta(y, y') - sum_i (y_i - y'_i) x_i'w``

    With ``loss="accuracy"`` R is twice the summed hinge loss, and this is the linear SVM with 2 C. More
    than two classes are fitted one against the rest.

    Parameters
    ----------
    loss : str or Measure, default="f1"
        The measure: "accuracy", "f1", "prbep", "roc_auc", "average_precision", "prec@100", "rec@2p", ...,
        or an instance.
    C : float, default=1.0
        Weight of the risk.
    tol : float, default=1e-3
        Stop when the gap is below this fraction of the objective. Up to fifty samples are solved exactly.
    fit_intercept : bool, default=False
        Fit an intercept, not penalised. A measure of rankings gets a threshold in its place.
    max_iter : int, default=10000
        Cutting planes at most, for each class.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, for measures that take them; each multiplies those of its samples.

    Attributes
    ----------
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    classes_ : ndarray
    objective_, dual_gap_ : float
        The objective, and how far from the least possible it can be; summed over classes.
    n_iter_ : int
        Cutting planes.
    status_ : Status
        How the fit ended, in a sentence.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from handful import SVMPerfClassifier
    >>> X, y = make_classification(300, 20, weights=[0.9], random_state=0)
    >>> model = SVMPerfClassifier(loss="f1").fit(X, y)
    >>> model.dual_gap_ <= 1e-3 * model.objective_
    True
    """

    # What model files and the shell ask of any model; this one has all columns, as they are.
    space = groups = None

    def __init__(
        self,
        loss: Any = "f1",
        C: float = 1.0,
        tol: float = 1e-3,
        fit_intercept: bool = False,
        max_iter: int = 10_000,
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.class_weight = class_weight

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVMPerfClassifier:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any type, two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for measures that take them: a weight of two is the sample twice.

        Returns
        -------
        self : SVMPerfClassifier
        """
        validation.check_positive("C", self.C)
        validation.check_positive("tol", self.tol)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_count("max_iter", self.max_iter)
        loss = measure_loss(self.loss)
        X, y = self._check_X(X, y=y, ensure_min_samples=2)
        check_classification_targets(y)
        weight = validation.sample_weights(sample_weight, len(y))
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.class_weight is not None:
            factors = validation.class_weights(self.class_weight, self.classes_, codes, weight)
            weight = weight * factors[codes]
        validation.check_classes(self.classes_, codes, weight, type(self).__name__)
        outputs = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        solutions = [
            self._solve(X, np.where(codes == output, 1.0, -1.0), weight, loss) for output in outputs
        ]
        self.coef_ = np.vstack([solution.weights.T for solution in solutions])
        self.intercept_ = np.concatenate([solution.point.intercept for solution in solutions])
        self.objective_ = sum(solution.objective for solution in solutions)
        bound = sum(solution.bound for solution in solutions)
        self.dual_gap_ = max(self.objective_ - bound, 0.0)
        self.n_iter_ = sum(solution.n_steps for solution in solutions)
        unfinished = [s.status for s in solutions if s.status is not Status.CONVERGED]
        self.status_ = unfinished[0] if unfinished else Status.CONVERGED
        return self

    def _solve(self, X: Any, y: Array, weight: Array, loss: Multivariate) -> Solution:
        loss = loss.of_samples(y, weight)
        has_intercept = bool(self.fit_intercept and loss.has_threshold)
        target = Target(loss, y[:, None], np.full((len(y), 1), float(self.C)), has_intercept)
        penalty, nothing = Penalty(X.shape[1]), np.empty(0)
        tol = bundle_tol(loss, self.tol)
        problem = Subproblem(X, nothing, target, penalty, [], tol, self.max_iter)
        at_zero = Solution(np.zeros((X.shape[1], 1)), target.at_zero, 0.0, 0.0, 0, Status.MAX_STEPS)
        solution = RidgeBundle().solve(problem, at_zero)
        if solution.objective - solution.bound <= self.tol * abs(solution.objective):
            solution = replace(solution, status=Status.CONVERGED)  # closer than was asked for
        if not loss.has_threshold:
            point = with_threshold(solution.point, y, loss.measure, loss.sample_weight)
            solution = replace(solution, point=point)
        return solution

    @property
    def support_ids_(self) -> Array:
        """All features, ascending."""
        return np.arange(self.n_features_in_)

    @property
    def weights_(self) -> Array:
        """The weights, as :class:`~handful.FGMClassifier` has them."""
        return self.coef_

    @property
    def history_(self) -> History:
        """No rounds."""
        return History([])

    def decision_function(self, X: Any) -> Array:
        """Return raw scores: (n_samples,) for two classes, (n_samples, n_classes) for more."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        raw = np.asarray(X @ self.coef_.T) + self.intercept_
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score."""
        raw = self.decision_function(X)
        best = (raw > 0).astype(int) if raw.ndim == 1 else raw.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _check_X(self, X: Any, **options: Any) -> Any:
        return checked_data(self, X, accept_sparse=("csr", "csc"), dtype=np.float64, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # A border through the origin cannot separate the blobs of the checks.
        tags.classifier_tags.poor_score = not self.fit_intercept
        return tagged(tags, self.loss)
