"""Greedy regularised least squares for labels and for quantities, one or many at a time."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from handful import validation
from handful.estimators._attributes import fitting
from handful.estimators._greedy import DEFAULT_COUNT, BaseGreedyRLS
from handful.estimators._labels import SeveralLabelsMixin
from handful.estimators._outputs import OutputsMixin
from handful.history import Round


class GreedyRLSClassifier(SeveralLabelsMixin, BaseGreedyRLS):
    """Classifier on features that are added one at a time, shared by all classes or labels.

    ``min over W, b of  sum_i s_i |x_i W + b - y_i|^2 + alpha |W|^2``  on the selected features, with y_i in
    {-1, +1} for two classes, for each class against the rest, or for each label. Each step adds the
    feature that leaves the least mean squared leave-one-out error over samples and labels, exactly
    as if every model were fitted n times. The intercept b is not penalised.

    Time is O(n m t) once for n samples, m features and t labels, and O(n m) for each feature selected,
    whatever t is; with ``alpha_per_output`` O(n t) more for each number of features and each alpha.
    Memory is 16 n m bytes, 8 n m where X is float32. Where less is free, the features
    beyond it are worked on in blocks, in O(n m (k + t)) a step; X itself is used in place (a CSR matrix
    is copied by columns) and only blocks of it are made dense. Sums are float64. Rounding is watched:
    when the numbers of the feature that is added differ from the same made anew by more than 1e-8 (1e-5
    for float32), or hardly anything is left of the squared errors, all are made anew.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=10
        How many features to select; of groups, if there are any. Between 0 and 1 it is the share of
        them, at least one. None is all that ``max_cost`` buys,
        or all there are; the default is all where there are fewer than ten.
    alpha : float or list of floats, default=1.0
        Weight of the penalty. Of several the one with the least leave-one-out error is taken, each
        with a selection of its own.
    alpha_per_output : bool or list of floats, default=False
        Give each label (class, output) an alpha of its own in the model on the selected features: the
        one with the least leave-one-out error of that label, for every number of features. True chooses
        from the grid in ``alpha``, or, where that is one number, from it times 0.001, 0.01, ..., 1000; a
        list is a grid to choose from. The selection is the same, under one alpha for all.
    feature_costs : array of shape (n_features,), default=None
        What each feature costs, above zero. Each step then adds the one with the largest fall of the
        error for its price; where none lowers it, the one that leaves the least error.
    group_costs : array, or dict from label, default=None
        What each group costs by itself, once, besides the costs of those of its features that are
        not in the model. Without ``feature_costs`` the features of a group cost nothing, and one that
        is in no group costs 1.
    max_cost : float or None, default=None
        The selection ends when nothing more can be had for what is left of this.
    groups : array of labels, list of id arrays, "columns" or None, default=None
        Features that are bought together: one label per feature, or lists of ids that may overlap or
        be nested (a feature in none of them is a group of its own, after the others). A feature that
        has come with one group is free in another. "columns" puts one-hot families together. All
        counts and ids (``n_features_to_select``, ``include``, ``exclude``) are then of groups.
    fit_intercept : bool, default=True
        Fit an intercept, neither penalised nor counted. (The paper's bias is a column of ones,
        penalised like any other: give X such a column, ``include`` it and set this to False.)
    class_weight : dict, "balanced" or None, default=None
        How many copies of its row a sample of each class stands for, times ``sample_weight``. Not for
        several labels, which every sample has in its own way.
    include, exclude : array of ids, names or a mask, default=None
        Features that are selected first, in order of ids (they count, and are paid for), and features
        that must not be.
    checkpoint : path or None, default=None
        Save each step to this file. A later fit with the same data and parameters goes on from
        there to the identical result; with others it is refused. The file stays when the fit is
        complete, and the same fit then ends at once.
    verbose : bool, "bar" or callable, default=False
        Print a line for each step, draw a progress bar on the terminal or in the notebook, or call a
        function with each :class:`~handful.history.Round`.
    n_jobs : int or None, default=None
        Threads. None uses all cores, as BLAS does.

    Attributes
    ----------
    selection_order_ : ndarray of int64
        Selected features (groups) in the order they were added.
    loo_errors_ : ndarray
        Mean squared leave-one-out error over samples and labels with the first 1, 2, ... of them, by which they were
        selected: with ``alpha_per_output`` too it is that of one alpha for all labels, and not of ``output_alphas_``.
    alpha_ : float
        The alpha that was used; with ``alpha_per_output`` that of the selection.
    output_alphas_ : ndarray of shape (1 or n_labels,)
        With ``alpha_per_output``: the alpha of each label.
    loo_path_ : ndarray of shape (n_steps, n_alphas)
        Errors for all alphas, each with its own selection; NaN after the end of a shorter one.
    alphas_, alpha_path_ : ndarray
        The alphas, and for each number of features the best of them: what :meth:`truncate` uses.
    path_ : dict
        The steps for all alphas and the data of the features in them, reduced to as many rows as there
        are features: what :meth:`truncate` makes shorter models of. A model file holds it too.
    cost_path_ : ndarray
        With costs: what the first 1, 2, ... selected cost together.
    support_ids_ : ndarray of int64
        Selected features, ascending.
    group_support_, group_labels_ : ndarray
        With ``groups``: the selected groups, ascending; with labels, those in order.
    weights_ : ndarray of shape (1 or n_labels, n_selected)
        Their weights.
    coef_ : ndarray of shape (1 or n_labels, n_features)
        All weights, made when asked for.
    intercept_ : ndarray of shape (1 or n_labels,)
    classes_ : ndarray
        For several labels their numbers 0, 1, ...
    label_values_ : ndarray
        For several labels: what stands for no and yes in y.
    objective_ : float
        ``sum_i s_i |x_i W + b - y_i|^2 + alpha |W|^2``; with ``alpha_per_output`` each label has its alpha times
        the squares of its own weights.
    dual_gap_ : float
        Certified: no other choice of as many features (groups), whatever they cost, has an objective below
        ``objective_ - dual_gap_`` at ``alpha_``, or at ``output_alphas_``.
    history_ : History
        The steps of all alphas; their objective is the leave-one-out error.
    status_ : Status
        How the fit ended, in a sentence.
    n_iter_ : int
        Steps.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Notes
    -----
    A sample of weight s counts as s copies of its row, of which one is left out at a time; one with
    a weight below 1 is left out entirely. Its error counts s times.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from handful import GreedyRLSClassifier
    >>> X, Y = make_multilabel_classification(300, 50, n_classes=4, random_state=0)
    >>> model = GreedyRLSClassifier(5, alpha=[0.1, 1, 10, 100]).fit(X, Y)
    >>> len(model.support_ids_), model.loo_path_.shape
    (5, (5, 4))
    >>> model.truncate(3).support_ids_.shape
    (3,)
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = DEFAULT_COUNT,
        *,
        alpha: Any = 1.0,
        alpha_per_output: Any = False,
        feature_costs: Any = None,
        group_costs: Any = None,
        max_cost: float | None = None,
        groups: Any = None,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        include: Any = None,
        exclude: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.alpha_per_output = alpha_per_output
        self.feature_costs = feature_costs
        self.group_costs = group_costs
        self.max_cost = max_cost
        self.groups = groups
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.include = include
        self.exclude = exclude
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GreedyRLSClassifier:
        """Select features and fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes of any type, or a matrix that tells which labels each sample has (0 and 1, -1 and
            1, or False and True; it may be sparse).
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of its row each sample stands for.

        Returns
        -------
        self : GreedyRLSClassifier
        """
        self._check_parameters()
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True)
        weight = validation.sample_weights(sample_weight, y.shape[0])
        signs, weight = self._signs(y, weight, self.class_weight)
        return self._fit(X, y, signs, weight, sample_weight)


class GreedyRLSRegressor(OutputsMixin, BaseGreedyRLS):
    """Regressor on features that are added one at a time, shared by all outputs.

    ``min over W, b of  sum_i s_i |x_i W + b - y_i|^2 + alpha |W|^2``  on the selected features; each step
    adds the feature that leaves the least mean squared leave-one-out error over samples and outputs.

    Parameters and attributes are those of :class:`GreedyRLSClassifier`, without ``class_weight``,
    ``classes_`` and ``label_values_``; for y of shape (n_samples,) ``coef_`` has shape (n_features,) and ``intercept_``
    is a number. Outputs count by their squares: scale them if they have different units.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import GreedyRLSRegressor
    >>> X, Y, coef = make_regression(
    ...     200, 500, n_informative=5, n_targets=3, coef=True, random_state=0
    ... )
    >>> model = GreedyRLSRegressor(5).fit(X, Y)
    >>> model.support_ids_.tolist() == coef.any(axis=1).nonzero()[0].tolist()
    True
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = DEFAULT_COUNT,
        *,
        alpha: Any = 1.0,
        alpha_per_output: Any = False,
        feature_costs: Any = None,
        group_costs: Any = None,
        max_cost: float | None = None,
        groups: Any = None,
        fit_intercept: bool = True,
        include: Any = None,
        exclude: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.alpha_per_output = alpha_per_output
        self.feature_costs = feature_costs
        self.group_costs = group_costs
        self.max_cost = max_cost
        self.groups = groups
        self.fit_intercept = fit_intercept
        self.include = include
        self.exclude = exclude
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GreedyRLSRegressor:
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
        self : GreedyRLSRegressor
        """
        self._check_parameters()
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True, y_numeric=True)
        weight = validation.sample_weights(sample_weight, len(y))
        return self._fit(X, y, self._targets(y), weight, sample_weight)
