"""Which features are selected again and again: a selector that is fitted to many halves of the samples."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from handful import validation
from handful.estimators._attributes import all_or_nothing
from handful.estimators._bar import telling
from handful.estimators._callbacks import FitTasks
from handful.estimators._older_sklearn import CallbackSupportMixin, with_callbacks
from handful.model_selection._counts import n_settled
from handful.model_selection._delegated import IdsSelector
from handful.model_selection._results import summary_of_stability
from handful.model_selection._samples import Samples, checked_samples
from handful.model_selection._wrapped import (
    check_fitted_many_times,
    is_of_space,
    selector_in,
    takes_bags,
)
from handful.model_selection.aggregate import (
    agreed_ids,
    check_can_agree,
    check_columns_are_kept,
    columns_for,
    refitted,
)
from handful.model_selection.agreement import (
    ROUNDING,
    Choices,
    StabilityIndex,
    Votes,
    stability_index,
)
from handful.model_selection.error_bounds import ASSUMPTIONS, ErrorBound, error_bound
from handful.model_selection.nested import raise_within_another
from handful.model_selection.resampled import Resample, draw_resamples, votes_of_parts
from handful.status import Status
from handful.validation import resampling as checks
from handful.validation.warning import warn_user

Array = np.ndarray


class StabilitySelection(IdsSelector, CallbackSupportMixin):
    """Features that a selector chooses again and again on halves of the samples, with a bound on false ones.

    ``{ j : share of halves in which j is selected >= threshold }``, with at most ``pfer`` false features
    expected among them.

    The selector is fitted to both halves of ``n_resamples`` random splits of the samples, each time with its
    own ``n_features_to_select``. From how many it selects, of how many, follows the least threshold that keeps
    the expected number of false features below ``pfer``; see :func:`~handful.model_selection.error_bound` for
    what counts as false. The estimator is then fitted to the stable features alone, and predicts.

    Parameters
    ----------
    estimator : selector, or a Pipeline with one
        Any estimator with ``n_features_to_select``: those of this package, RFE, SequentialFeatureSelector. Fewer
        features in each half allow a lower threshold.
    n_resamples : int, default=50
        Pairs of halves: each is two fits to half of the samples.
    threshold : "pfer" or float, default="pfer"
        In which share of the halves a feature must be selected; "pfer" is the least from 1/2 on that bounds
        the expected number of false features by ``pfer``. ValueError where none does.
    pfer : float, default=1.0
        The expected number of false features that is accepted (per-family error rate).
    complementary : bool, default=True
        Fit both halves of each split, which share no sample. False fits one: the improved bounds are not
        known for that.
    assumption : {"auto", "none", "unimodal", "r-concave"}, default="auto"
        What the bound assumes of how often false features are selected, from nothing to most. "auto" is
        "unimodal", and "none" where halves are not complementary.
    aggregate : bool, default=False
        Select exactly as many features as the estimator does, those that the halves agree on most, instead
        of all above a threshold. Near-copies vote together. ``threshold_`` is then the least share among
        them, and ``pfer_bound_`` what it bounds.
    n_jobs : int or None, default=None
        Resamples that are fitted side by side, in threads. None is 1: then the estimator may use all cores.
    random_state : int, RandomState instance or None, default=None
        Of the halves, and of an estimator that draws at random and has none of its own.
    verbose : bool, "bar" or callable, default=False
        Print a line for each resample, draw a progress bar on the terminal or in the notebook, or call a
        function with each :class:`~handful.model_selection.Resample`.

    Attributes
    ----------
    support_ids_ : ndarray of int64
        The stable features, ascending: columns of X, or features of the estimator's space.
    selection_probabilities_ : csr_array of shape (1, n_features)
        In which share of the halves each feature was selected; features that never were are not stored.
    threshold_ : float
    pfer_bound_ : float
        At most so many false features are expected among those selected; false groups, where the estimator
        selects groups.
    stability_ : StabilityIndex
        How well the halves agree, with a confidence interval. It takes halves as independent, which
        only those of one pair are.
    stability_path_ : dict
        Shares along the number of features: ``k``, the ``ids`` that were ever selected, and
        ``frequency`` of shape (n_ids, n_k): in which share of the halves each was among the first k. The
        first are those that were added first, where the selector adds them one by one, and otherwise
        those of the largest weights.
    n_features_ : int
        How many are stable.
    n_selected_ : float
        q, the features selected in each half. Where groups are selected the bound counts these instead.
    n_resamples_ : int
        Resamples that were finished: fewer than ``n_resamples`` after Ctrl-C.
    status_ : Status
        How it ended, in a sentence.
    estimator_ : estimator
        What predicts: fitted to all samples and the stable features. Not there where the estimator
        cannot predict.
    n_features_in_, feature_names_in_, classes_
        As of scikit-learn's estimators.

    References
    ----------
    Meinshausen and Bühlmann (2010), Stability selection, JRSS B 72, 417-473.
    Shah and Samworth (2013), Variable selection with error control: another look at stability selection, JRSS
    B 75, 55-80.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import GreedyRLSRegressor
    >>> from handful.model_selection import StabilitySelection
    >>> X, y, coef = make_regression(100, 200, n_informative=4, noise=20, coef=True, random_state=0)
    >>> model = StabilitySelection(GreedyRLSRegressor(6), n_resamples=20, random_state=0).fit(X, y)
    >>> model.support_ids_.tolist() == coef.nonzero()[0].tolist()
    True
    >>> round(model.pfer_bound_, 2)
    0.72
    """

    #: Groups that somebody routes are not ignored unless that is asked for, as by scikit-learn's splitters of groups.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        n_resamples: int = 50,
        *,
        threshold: float | str = "pfer",
        pfer: float = 1.0,
        complementary: bool = True,
        assumption: str = "auto",
        aggregate: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | str | Callable[[Resample], Any] = False,
    ) -> None:
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.threshold = threshold
        self.pfer = pfer
        self.complementary = complementary
        self.assumption = assumption
        self.aggregate = aggregate
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, groups: Any = None, **params: Any) -> StabilitySelection:
        """Fit the estimator to halves of the samples, and to the stable features.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, store or dask array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        groups : array-like of shape (n_samples,), default=None
            Samples that belong together, such as those of one patient: they are never in two halves.
        **params : dict
            Passed to the estimator's ``fit``, such as ``sample_weight``: what has an entry for each sample is
            split with the samples.

        Returns
        -------
        self : StabilitySelection
        """
        self._check_parameters()
        samples = self._samples(X, y, self._routed(params))
        rng = check_random_state(self.random_state)
        resamples = draw_resamples(
            self.estimator, samples, groups, self.n_resamples, self.complementary, rng
        )
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_resamples).tolist()
        tasks = FitTasks(
            self, samples.X, samples.y, params.get("sample_weight"), self.n_resamples + 1
        )
        with telling(self.verbose, type(self).__name__, self.n_resamples) as tell:

            def report(resample: Resample) -> None:
                tell(resample)
                tasks.done("resample")

            finished, interrupted = votes_of_parts(
                self.estimator, samples, resamples, seeds, n_jobs=self.n_jobs, report=report
            )
        votes = Votes([vote for pair in finished for vote in pair])
        self.n_resamples_ = len(finished)
        self.status_ = Status.SOME_RESAMPLES if interrupted else Status.RESAMPLED
        if interrupted:
            raise_within_another()
            warn_user(checks.some_resamples(len(finished), self.n_resamples))
        self._count(votes)
        if self.aggregate:
            self._take_agreed(votes, samples)
        else:
            self._take_stable(votes, interrupted)
        self.__dict__.pop("estimator_", None)  # of an earlier fit
        model = refitted(self.estimator, samples, self.support_ids_)
        if model is not None:
            self.estimator_ = model
        tasks.done("refit")
        tasks.end()
        return self

    def _check_parameters(self) -> None:
        """Check all that can be without data."""
        check_fitted_many_times(self.estimator)
        if takes_bags(self.estimator):
            raise checks.nothing_to_count(selector_in(self.estimator))
        check_columns_are_kept(self.estimator)
        validation.check_count("n_resamples", self.n_resamples)
        checks.check_threshold(self.threshold)
        validation.check_positive("pfer", self.pfer)
        validation.check_flag("complementary", self.complementary)
        checks.check_assumption(self.assumption, ("auto", *ASSUMPTIONS), self.complementary)
        validation.check_flag("aggregate", self.aggregate)
        if self.aggregate:
            check_can_agree(self.estimator)
        validation.check_n_jobs(self.n_jobs)
        validation.check_verbose(self.verbose)
        if not self.complementary:
            validation.check_count("n_resamples", self.n_resamples, least=2)

    def _samples(self, X: Any, y: Any, more: dict[str, Any]) -> Samples:
        """Check the data, set what describes them, and look whether the bound can be reached at all."""
        samples = checked_samples(self, X, y, **more)
        names = getattr(self, "feature_names_in_", None)
        self._n_settled = n_settled(self.estimator, samples, names)
        selector = selector_in(self.estimator)
        k: Any = getattr(selector, "n_features_to_select", None)
        # Of groups more columns are selected than asked for.
        has_groups = getattr(selector, "groups", None) is not None
        are_columns = not is_of_space(self.estimator) and not has_groups
        is_sure = are_columns and isinstance(k, numbers.Integral) and k <= self.n_features_in_
        if self.threshold == "pfer" and not self.aggregate and is_sure:
            self._bound(self.n_resamples, float(k), self.n_features_in_, float(self.pfer))
        return samples

    def _count(self, votes: Votes) -> None:
        """Set what is known of all features, before any is called stable."""
        ids, shares = votes.shares()
        shape = (1, votes.n_features)
        self.selection_probabilities_ = sp.csr_array((shares, ids, [0, len(ids)]), shape=shape)
        self.n_selected_ = votes.mean_count
        self._choices: Choices = votes.choices()
        self.stability_: StabilityIndex = stability_index(votes.table())
        self.stability_path_ = votes.path()

    def _bound(
        self, n_resamples: int, q: float, n_features: int, pfer: float | None, **given: Any
    ) -> ErrorBound:
        """Return the bound on what the selector is free to choose: without include and exclude."""
        n_include, n_exclude = self._n_settled
        named = self.assumption
        assumption = ("unimodal" if self.complementary else "none") if named == "auto" else named
        free, q = n_features - n_include - n_exclude, q - n_include
        return error_bound(
            max(free, 1),
            q=min(max(q, 1e-9), max(free, 1)),
            pfer=pfer,
            n_resamples=n_resamples,
            assumption=assumption,
            complementary=self.complementary,
            **given,
        )

    def _take_stable(self, votes: Votes, interrupted: bool) -> None:
        """Set the features above the threshold."""
        size = (self.n_resamples_, self._choices.n_chosen, self._choices.n_all)
        by_bound = isinstance(self.threshold, str)
        try:
            given: dict[str, Any] = {} if by_bound else {"threshold": float(self.threshold)}
            bound = self._bound(*size, float(self.pfer) if by_bound else None, **given)
        except ValueError:
            if not interrupted:
                raise
            bound = self._bound(*size, None, threshold=1.0)
            warn_user(checks.unreached_after_interrupt(self.pfer, bound.pfer))
        ids, shares = votes.shares()
        self._assign(ids[shares >= bound.threshold - ROUNDING], bound)
        if not self.n_features_:
            warn_user(checks.no_stable_feature(bound.threshold, shares.max()))

    def _take_agreed(self, votes: Votes, samples: Samples) -> None:
        """Set as many features as the estimator selects: those that the halves agree on most."""
        columns = columns_for(self.estimator, samples.X)
        k = math.ceil(self.n_selected_ - 1e-9)
        ids = agreed_ids(*votes.counted(), k, columns)
        every, shares = votes.shares()
        least = float(shares[np.isin(every, ids)].min())
        size = (self.n_resamples_, self.n_selected_, votes.n_features)
        self._assign(ids, self._bound(*size, None, threshold=least))

    @property
    def _n_stable(self) -> int:
        """How many features, or groups of them, are stable: what the bound is about."""
        return self.n_features_ if self.aggregate else self._choices.n_stable(self.threshold_)

    @property
    def _most_false(self) -> float:
        """At most so many of these are expected to be false; more than there are cannot be."""
        return min(self.pfer_bound_, self._n_stable)

    def _summary_html(self) -> str:
        return summary_of_stability(self) if hasattr(self, "stability_path_") else ""

    def _assign(self, ids: Array, bound: ErrorBound) -> None:
        self.support_ids_ = ids
        self.n_features_ = len(ids)
        self.threshold_ = bound.threshold
        self.pfer_bound_ = bound.pfer
