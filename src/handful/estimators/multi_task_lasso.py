"""The multi-task lasso that charges each feature for its largest weight."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from handful import validation
from handful.estimators._attributes import assign, fitting
from handful.estimators._callbacks import RoundTasks
from handful.estimators._outputs import OutputsMixin
from handful.estimators._progress import Monitor, open_checkpoint
from handful.estimators._spaces import wanted_ids
from handful.history import Round
from handful.losses import Squared
from handful.methods import lasso_inf
from handful.methods.lasso_inf.checkpoint import Checkpoint
from handful.methods.problem import Problem
from handful.spaces.resolve import resolve_space, threads_for
from handful.validation.multi_output import fewer_on_path
from handful.validation.warning import warn_user


class MultiTaskLassoInf(OutputsMixin):
    """Linear regression of several outputs on few common features: the l1/l-infinity lasso.

    ``min over W, b of  |X W + 1 b' - Y|^2 / (2 n) + alpha * sum_i max_k |W_ik|``

    A feature that serves one output may serve all of them at no further cost (Turlach, Venables and
    Wright 2005). With one output this is the lasso. Weights are found by block coordinate descent on
    second moments, so the memory needed beside X is the square of the features looked at, and sparse X
    is never made dense.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty; not used when ``n_features_to_select`` is given.
    n_features_to_select : int, float or None, default=None
        Look for the smallest alpha that leaves exactly this many features (between 0 and 1 this share of
        them, at least one), along a path of falling
        alphas and then by bisection. Where the number jumps over this one, the features with the largest
        weights of the nearest larger selection are kept and fitted again at that alpha; ``status_`` says so.
        Columns that are nearly multiples of each other (a correlation of .99 or more) count as one, and one of
        them is kept.
    fit_intercept : bool, default=True
        Fit an intercept for each output, not penalised.
    exclude : array of ids, names or a mask, default=None
        Features that must not be selected: as if X did not have them.
    max_iter : int, default=10000
        Sweeps over the features at most, for each alpha.
    tol : float, default=1e-6
        Stop when the certified gap is below this fraction of the objective.
    checkpoint : path or None, default=None
        Save the solution of each alpha to this file. A later fit with the same data and parameters goes on from there to the
        identical result (with the same ``n_jobs`` to the last bit); with others it is refused. The file stays when
        the fit is complete, and the same fit then ends at once.
    verbose : bool, "bar" or callable, default=False
        Print a line for each alpha, draw a progress bar on the terminal or in the notebook, or call a
        function with each :class:`~handful.history.Round`.
    n_jobs : int or None, default=None
        Threads. None uses all cores, as BLAS does.

    Attributes
    ----------
    support_ids_ : ndarray of int64
        Features with weights, ascending.
    weights_ : ndarray of shape (n_outputs, n_selected)
        Their weights.
    coef_ : ndarray of shape (n_outputs, n_features), or (n_features,) if y was one column
        All weights, made when asked for.
    intercept_ : ndarray of shape (n_outputs,), or float if y was one column
    alpha_ : float
        The alpha that was used.
    objective_ : float
        The formula above at the solution.
    dual_gap_ : float
        Certified: at ``alpha_`` no solution has an objective below ``objective_ - dual_gap_``.
    n_iter_ : int
        Rounds.
    n_sweeps_ : int
        Sweeps over the features, for all alphas together.
    history_ : History
        One round for each alpha.
    status_ : Status
        How the fit ended, in a sentence.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from handful import MultiTaskLassoInf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 30))
    >>> Y = X[:, [3, 5, 8]] @ rng.standard_normal((3, 4)) + 0.1 * rng.standard_normal((100, 4))
    >>> model = MultiTaskLassoInf(n_features_to_select=3).fit(X, Y)
    >>> model.support_ids_
    array([3, 5, 8])
    >>> model.coef_.shape
    (4, 30)
    """

    def __init__(
        self,
        alpha: float = 1.0,
        n_features_to_select: int | float | None = None,
        *,
        fit_intercept: bool = True,
        exclude: Any = None,
        max_iter: int = 10_000,
        tol: float = 1e-6,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select
        self.fit_intercept = fit_intercept
        self.exclude = exclude
        self.max_iter = max_iter
        self.tol = tol
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiTaskLassoInf:
        """Fit the weights, looking for the alpha if a number of features is wanted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense, CSR or CSC, float32 or float64.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; only ratios matter.

        Returns
        -------
        self : MultiTaskLassoInf
        """
        self._check_parameters()
        X, y = self._check_X(X, y=y, multi_output=True, y_numeric=True, ensure_min_samples=2)
        weight = validation.sample_weights(sample_weight, len(y))
        space = resolve_space(X, n_jobs=self.n_jobs)
        names = getattr(self, "feature_names_in_", None)
        _, exclude = wanted_ids(None, self.exclude, space, names)
        k = validation.n_wanted(self.n_features_to_select, X.shape[1])
        validation.check_n_features_to_select(k, X.shape[1], 0, len(exclude))
        targets, loss, intercept = self._targets(y), Squared(), bool(self.fit_intercept)
        problem = Problem(space, targets, weight, loss, intercept, exclude=exclude)
        checkpoint = open_checkpoint(Checkpoint, self, problem, k)
        options = lasso_inf.Options(k, float(self.alpha), self.tol, self.max_iter, checkpoint)

        tasks = RoundTasks(self, X, y, sample_weight)
        monitor = Monitor(self, tasks, self._attributes, checkpoint)
        with threads_for(self.n_jobs), monitor.listening():
            selected = lasso_inf.fit(problem, options, monitor)
        assign(self, self._attributes(selected))
        if k is not None and len(selected.ids) < k and not monitor.interrupted:
            warn_user(fewer_on_path(len(selected.ids), k))
        tasks.end()
        return self

    def _check_parameters(self) -> None:
        validation.check_positive("alpha", self.alpha)
        validation.check_wanted(self.n_features_to_select)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_count("max_iter", self.max_iter)
        validation.check_positive("tol", self.tol)
        validation.check_checkpoint(self.checkpoint)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
