"""Direct sparsity: as few rows of weights as keep the margins of all classes."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from handful import validation
from handful.estimators._attributes import fitting
from handful.estimators._labels import LabelsMixin, SeveralLabelsMixin
from handful.estimators._refit import ClassifiesByRefit
from handful.estimators._row_sparse import N_FOLDS, Array, BaseRowSparse, Task
from handful.history import Round
from handful.methods import reweighted
from handful.validation import direct as checks
from handful.validation.refit import CLASSIFIER, check_refit
from handful.validation.warning import warn_user


class RowSparseClassifier(LabelsMixin, BaseRowSparse):
    """What classifiers of vanishing rows share: folds of classes."""

    def _signs(self, y: Array, weight: Array, class_weight: Any = None) -> tuple[Array, Array]:
        signs, weight = super()._signs(y, weight, class_weight)
        labels, counts = np.unique(y[weight > 0], return_counts=True)
        if (counts == 1).any():
            warn_user(checks.lonely_class(labels[np.argmax(counts == 1)]))
        return signs, weight

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


class DirectSparsityClassifier(ClassifiesByRefit, SeveralLabelsMixin, RowSparseClassifier):
    """Classifier of as few features as keep the margins of all classes, with no penalty to tune.

    ``min over W, b of  sum_i |W_i|^p  subject to  y_ik (x_i W_k + b_k) >= 1``  for all samples and classes,
    y one class against the rest, or for all samples and labels.

    Each step replaces ``|W_i|^p`` by ``p/2 |W_i|^2 / s_i`` with ``s_i = |W_i|^(2-p)`` of the last weights; that
    is a hard-margin support vector machine for each class on scaled columns, solved to rounding. The
    objective never rises, rows that vanish leave the problem, and at p = 1 the end is the optimum. Wide
    data are known to it by a matrix of n_samples squared, made in blocks of columns, so time is
    linear in the number of features and sparse X stays sparse; tall data are worked on by columns.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select, by the norms of their rows; between 0 and 1 the share of them, at least one. None takes all rows that are not zero.
        If more are asked for than have weights, those that faded last are taken too. Columns that are nearly
        multiples of each other (a correlation of .99 or more) count as one, with all their weights; the
        strongest is taken.
    p : float or list of floats, default=0.5
        Above 0 and at most 1: the smaller, the fewer rows. Of several the one with the best
        cross-validated accuracy is taken.
    margin : {"auto", "hard", "projected", "soft"}, default="auto"
        "hard" is the formula above. If no weights keep all margins (``feasible_`` says so), they
        are replaced by their least-squares projection, ``X W + b = P (Y + E)`` with ``Y * E >= 0``, where P
        projects on the columns of X; "projected" does so at once. Where that leaves nothing (classes
        that overlap in every direction), and with "soft", the objective is
        ``sum_i |W_i|^p + C/2 sum_ik s_i max(0, 1 - y_ik z_ik)^2``. "auto" is "hard" where there are at least as
        many features as samples, and "soft" for more samples, where it selects better.
    C : float or "auto", default="auto"
        Weight of slacks of soft margins; "auto" is 50 over the sum of sample weights, at least 0.05.
    penalize_intercept : bool, default=False
        Treat the intercept as one more row of weights, of a column of ones (as the paper does). It
        is never ranked.
    scale : {None, "norm", "std", "raw"}, default=None
        What is made one of every column: its length ("norm"), its standard deviation ("std"), or nothing ("raw"). Objective
        and scores are then those of the scaled columns; ``coef_`` is for X as given. (Means are taken up by a free
        intercept; a penalised one sees them.) None looks at X as :class:`~handful.FGMClassifier` does: where the ranges of
        columns differ a thousand times it is "std", else "raw". With a number for C, which is told in the units of X, and for
        sparse X it is "raw", with a warning where that is seen to be doubtful. ``scaling_`` tells.
    refit : bool, "auto" or estimator, default="auto"
        Fit the selected features anew: True by an l2 support vector machine (squared slacks, C = 1, one
        class against the rest) on their columns, scaled to deviation 1. False keeps the weights of the
        selected rows as they are. "auto" is True where the selection differs from the rows with weights. An
        estimator is fitted on the selected columns and asked, as by :class:`~handful.FGMClassifier`; ``weights_`` are
        then those of False.
    class_weight : dict, "balanced" or None, default=None
        Factors of ``sample_weight`` for the classes, with all that weights of samples do here.
    exclude : array of ids, names or a mask, default=None
        Features that must not be selected: as if X did not have them.
    cv : int, splitter or None, default=None
        Folds to choose p by; None is three stratified ones.
    max_iter : int, default=100
        Reweightings at most.
    tol : float, default=1e-4
        Stop when a step lowers the objective by less than this fraction of it.
    checkpoint : path or None, default=None
        Save each step to this file, and what was chosen by folds before. A later fit with the same data and parameters
        goes on from there to the identical result (with the same ``n_jobs`` to the last bit); with others it is
        refused. The file stays when the fit is complete, and the same fit then ends at once, but for the ``refit``, which is
        made again.
    verbose : bool, "bar" or callable, default=False
        Print a line for each step, draw a progress bar on the terminal or in the notebook, or call a
        function with each :class:`~handful.history.Round`.
    n_jobs : int or None, default=None
        Threads. None uses all cores, as BLAS does.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of weights. Rows that vanished have scores below a 1e-18th of the largest,
        which only tell which faded later; constant and excluded columns have 0.
    support_ids_ : ndarray of int64
        Selected features, ascending.
    weights_ : ndarray of shape (1 or n_classes, n_selected)
        Their weights.
    coef_ : ndarray of shape (1 or n_classes, n_features)
        All weights, made when asked for.
    intercept_ : ndarray of shape (1 or n_classes,)
    classes_ : ndarray
    objective_path_ : ndarray
        ``sum_i |W_i|^p`` after each step (with slacks, if soft); it never rises.
    objective_ : float
        The last of them.
    dual_gap_ : float
        Certified at p = 1 with hard or soft margins: no weights have an objective below ``objective_ - dual_gap_``. Otherwise
        infinite: nothing is known.
    feasible_ : bool or None
        Whether there are weights that keep all margins; None if hard margins were not tried.
    margin_ : str
        Which margins were fitted: "hard", "projected" or "soft".
    p_ : float
        The p that was used.
    C_ : float
        With soft margins: the C that was used.
    scaling_ : {None, "norm", "std"}
        What was made one of every column.
    cv_results_ : dict
        Of several p: these, and the accuracy on each fold and in the mean (of labels: the share of samples
        of which all are right).
    label_values_ : ndarray
        Of labels: what stands for no and yes in y, and in what is predicted.
    estimator_ : estimator
        What ``refit`` was, fitted.
    history_ : History
        One round for each step.
    status_ : Status
        How the fit ended, in a sentence.
    n_iter_ : int
        Steps.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    References
    ----------
    Peng and Fan, Direct sparsity optimization based feature selection for multi-class classification,
    IJCAI 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from handful import DirectSparsityClassifier
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> model = DirectSparsityClassifier(10, margin="hard", scale="std").fit(X[:200], y[:200])
    >>> len(model.support_ids_), model.feasible_
    (10, True)
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        p: Any = 0.5,
        margin: str = "auto",
        C: float | str = "auto",
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
        self.p = p
        self.margin = margin
        self.C = C
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DirectSparsityClassifier:
        """Select features and fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Two or more classes of any type, or a matrix that tells which labels each sample has (0 and 1, -1
            and 1, or False and True; it may be sparse). Labels that all samples have, or none, are told and
            predicted so.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of slacks, of the least squares of projected margins, and of a refit. Hard margins
            hold for every sample of a weight above zero.

        Returns
        -------
        self : DirectSparsityClassifier
        """
        self._fit(self._prepared(X, y, sample_weight))
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Task:
        self._check_rows()
        grid = checks.powers(self.p)
        validation.check_choice("margin", self.margin, checks.MARGINS)
        validation.check_positive("C", self.C, "auto")
        check_refit(self.refit, CLASSIFIER)
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True)
        weight = validation.sample_weights(sample_weight, y.shape[0])
        signs, weight = self._signs(y, weight, self.class_weight)
        Y = self._that_vary(signs, weight)
        has_labels = hasattr(self, "label_values_")  # made dense: rows are taken out of them
        y = self.label_values_[(signs > 0).astype(int)] if has_labels else np.ravel(y)
        return Task(X, y, weight, sample_weight, Y, "p", grid, self.unit_for(X, weight))

    @property
    def _has_free_units(self) -> bool:
        return isinstance(self.C, str)

    def _folds(self, y: Array, weight: Array, name: str) -> list[tuple[Array, Array]]:
        if not hasattr(self, "label_values_"):
            return super()._folds(y, weight, name)
        return list(self._splitter().split(np.zeros(len(y)), y))

    def _options(self, **chosen: Any) -> reweighted.Options:
        return super()._options(margin=self.margin, C=self.C, **chosen)
