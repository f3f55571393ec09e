"""The feature generating machine for regression."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from handful import validation
from handful.estimators._attributes import fitting
from handful.estimators._fgm import BaseFGM, Prepared
from handful.estimators._outputs import OutputsMixin
from handful.estimators._refit import RegressesByRefit
from handful.history import Round
from handful.losses import Loss, resolve_loss
from handful.spaces.base import FeatureSpace
from handful.validation.refit import REGRESSOR, check_refit


class FGMRegressor(RegressesByRefit, OutputsMixin, BaseFGM):
    """Regressor on a handful of features, found by generating them.

    ``min over w, b, d of  1/2 sum_j w_j^2 / d_j + C/2 sum_i s_i (y_i - w'x_i - b)^2``
    subject to ``0 <= d_j <= 1`` and ``sum_j d_j <= B``; several targets are summed over, and share d.

    Parameters and attributes are those of :class:`~handful.FGMClassifier`, without ``class_weight``, ``average``, ``output_units``, ``per_class``,
    ``label_threshold``, ``refit_loss``, ``selection_loss`` and ``classes_``; ``loss`` is "squared". For y of shape (n_samples,) ``coef_`` has shape (n_features,) and ``intercept_`` is a
    number. Targets count by their squares: scale them if they have different units.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import FGMRegressor
    >>> X, y, coef = make_regression(200, 500, n_informative=5, coef=True, random_state=0)
    >>> model = FGMRegressor(n_features_to_select=5).fit(X, y)
    >>> model.support_ids_.tolist() == coef.nonzero()[0].tolist()
    True
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        budget: int = 10,
        max_rounds: int = 15,
        C: float | str = "auto",
        loss: str | Loss = "squared",
        space: FeatureSpace | None = None,
        groups: Any = None,
        group_weights: Any = None,
        scale: str | None = None,
        solver: str = "auto",
        refit: Any = True,
        certify: bool = False,
        fit_intercept: bool = True,
        include: Any = None,
        exclude: Any = None,
        tol: float = 1e-2,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
        warm_start: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.budget = budget
        self.max_rounds = max_rounds
        self.C = C
        self.loss = loss
        self.space = space
        self.groups = groups
        self.group_weights = group_weights
        self.scale = scale
        self.solver = solver
        self.refit = refit
        self.certify = certify
        self.fit_intercept = fit_intercept
        self.include = include
        self.exclude = exclude
        self.tol = tol
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.warm_start = warm_start

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FGMRegressor:
        """Select features and fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64: used in place, never made dense.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C for the samples.

        Returns
        -------
        self : FGMRegressor
        """
        self._fit_all(X, y, sample_weight)
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        self._check_parameters()
        check_refit(self.refit, REGRESSOR)
        loss = resolve_loss(self.loss, "regression")
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True, y_numeric=True)
        targets = self._targets(y)
        weight = validation.sample_weights(sample_weight, len(targets))
        return Prepared(X, y, targets, weight, loss)
