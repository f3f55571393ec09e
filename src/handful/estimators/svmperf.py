"""A linear classifier on all features, trained for the measure it is judged by."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.estimators._attributes import assign, attributes_of, fitting
from handful.estimators._callbacks import RoundTasks
from handful.estimators._inputs import checked_data
from handful.estimators._labels import LabelsMixin
from handful.estimators._older_sklearn import CallbackSupportMixin
from handful.estimators._progress import Monitor, open_checkpoint
from handful.estimators._to_sklearn import ToSklearnMixin
from handful.history import Round
from handful.losses import risk_of
from handful.measures import Measure
from handful.methods.fgm.all_features import Options, fit_all
from handful.methods.fgm.all_features_checkpoint import Checkpoint
from handful.methods.problem import Problem, Selected
from handful.spaces.resolve import space_in_place, threads_for
from handful.validation.measures import check_every_class_weighs

Array = np.ndarray
#: Fitted attributes that are told as all methods tell them; weights are ``coef_`` here.
FITTED = ("intercept_", "objective_", "dual_gap_", "history_", "n_iter_", "status_")


class SVMPerfClassifier(LabelsMixin, ToSklearnMixin, CallbackSupportMixin, BaseEstimator):
    """Linear classifier for a measure of all samples together (Joachims 2005).

    ``min over w of  1/2 |w|^2 + C R(w)``,
    ``R(w) = max over labelings y' of  Delta(y, y') - sum_i (y_i - y'_i) x_i'w``

    With ``loss="accuracy"`` R is twice the summed hinge loss, and this is the linear SVM with 2 C. More
    than two classes are fitted one against the rest. Samples and classes may have weights under "accuracy", F and
    "roc_auc"; other measures have no meaning for them and refuse.

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
    checkpoint : path or None, default=None
        Save each round to this file. A later fit with the same data and parameters goes on from there to the
        identical result (with the same ``n_jobs`` to the last bit); with others it is refused. The file stays when
        the fit is complete, and the same fit then ends at once. A round has all cutting planes that are in use: of K of
        them, of n samples and p features, the file has about ``K (n + 8 p + 8 K)`` bytes for "accuracy" and "f1" without
        weights where p is at most n, and ``K (16 n + 8 K)`` else, and is written anew after each.
    verbose : bool, "bar" or callable, default=False
        Print a line for each cutting plane, draw a progress bar on the terminal or in the notebook, or call a
        function with each :class:`~handful.history.Round`.
    n_jobs : int or None, default=None
        Threads. None uses all cores, as BLAS does.

    Attributes
    ----------
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    classes_ : ndarray
    objective_, dual_gap_ : float
        The objective, and how far from the least possible it can be; summed over classes.
    n_iter_ : int
        Rounds: the cutting planes of all classes.
    status_ : Status
        How the fit ended, in a sentence.
    support_ids_ : ndarray of int64
        All features, ascending: none is left out.
    weights_ : ndarray of shape (1 or n_classes, n_features)
        The same as ``coef_``, under the name that it has elsewhere.
    history_ : History
        One round for each cutting plane, of one class after the other. Objective and bound are summed over classes; those
        to come have no weights yet.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from handful import SVMPerfClassifier
    >>> X, y = make_classification(300, 20, weights=[0.9], random_state=0)
    >>> model = SVMPerfClassifier(loss="f1").fit(X, y)
    >>> model.dual_gap_ <= 1e-3 * model.objective_
    True
    """

    def __init__(
        self,
        loss: str | Measure = "f1",
        C: float = 1.0,
        tol: float = 1e-3,
        fit_intercept: bool = False,
        max_iter: int = 10_000,
        class_weight: dict[Any, float] | str | None = None,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
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
        validation.check_checkpoint(self.checkpoint)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        loss = risk_of(self.loss)
        X, y = self._check_X(X, y=y, ensure_min_samples=2)
        with np.errstate(over="ignore"):
            validation.check_magnitude(
                np.array([1.0, np.square(abs(X).max())])
            )  # small numbers will do
        weight = validation.sample_weights(sample_weight, len(y))
        signs, weight = self._signs(y, weight, self.class_weight)
        check_every_class_weighs(self.classes_, signs, weight, loss.measure)
        problem = Problem(space_in_place(X), signs, weight, loss, self.fit_intercept)
        checkpoint = open_checkpoint(Checkpoint, self, problem, None)
        options = Options(float(self.C), self.tol, self.max_iter, checkpoint)
        tasks = RoundTasks(self, X, y, sample_weight)
        monitor = Monitor(self, tasks, _attributes, checkpoint)
        with threads_for(self.n_jobs), monitor.listening():
            selected = fit_all(problem, options, monitor)
        assign(self, _attributes(selected))
        tasks.end()
        return self

    @property
    def support_ids_(self) -> Array:
        """All features, ascending."""
        return np.arange(self.n_features_in_)

    @property
    def weights_(self) -> Array:
        """The weights, as :class:`~handful.FGMClassifier` has them."""
        return self.coef_

    def _raw_predictions(self, X: Any) -> Array:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _check_X(self, X: Any, **options: Any) -> Any:
        return checked_data(self, X, accept_sparse=("csr", "csc"), dtype=np.float64, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _attributes(selected: Selected) -> dict[str, Any]:
    """The fitted attributes of what was found."""
    found = attributes_of(selected)
    return {"coef_": selected.weights} | {name: found[name] for name in FITTED}
