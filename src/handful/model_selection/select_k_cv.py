"""How many features: a selector at every number of them, judged on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, process_routing

from handful import validation
from handful.estimators._attributes import all_or_nothing
from handful.estimators._bar import telling
from handful.estimators._callbacks import FitTasks
from handful.estimators._older_sklearn import CallbackSupportMixin, with_callbacks
from handful.model_selection._counts import numbers_to_try, points_of_grid
from handful.model_selection._delegated import DelegatedMixin
from handful.model_selection._folds import (
    FoldFigures,
    Split,
    make_splits,
    work_on_folds,
    work_through,
)
from handful.model_selection._results import (
    agreement_of_folds,
    complete_folds,
    score_table,
    search_results,
    summary_of_search,
)
from handful.model_selection._samples import Samples, as_bags_are, with_checked_targets
from handful.model_selection._scoring import (
    check_rows_of_params,
    is_routing,
    resolve_scoring,
    routed,
    router_of_search,
    takes_weights,
)
from handful.model_selection._wrapped import (
    check_fitted_many_times,
    count_parameter,
    judged,
    with_k,
)
from handful.model_selection.aggregate import agreed_ids, check_can_agree, columns_for, refitted
from handful.model_selection.agreement import chosen_at
from handful.model_selection.k_path import Honesty, KPath, Rule
from handful.model_selection.nested import NestedScore, raise_within_another, scores_of_outer_folds
from handful.status import Status
from handful.validation import model_selection as checks
from handful.validation.warning import warn_user


class SelectKCV(DelegatedMixin, CallbackSupportMixin):
    """Choose how many features, by held-out rows, for any selector.

    ``k* = min { k : mean_f s_f(k) >= mean_f s_f(kbest) - std_f s_f(kbest) / sqrt(folds) }``

    where ``s_f(k)`` is the score, on the rows of fold f, of the model with k features that was selected
    and fitted on all other rows: the one-standard-error rule. The wrapped estimator is then fitted with
    k* on all rows, and this one behaves as it.

    The selection is done inside each fold. All k of a fold come from one fit where the selector can: see
    ``fit_path`` of :class:`~handful.FGMClassifier`, :class:`~handful.GreedyRLSClassifier` and
    :class:`~handful.RFSClassifier`, and RFE with ``step=1``. Others are fitted for each k.

    Parameters
    ----------
    estimator : estimator with ``n_features_to_select``, or a Pipeline with such a step
        A selector of handful, RFE, SequentialFeatureSelector, or a Pipeline: [scaler, selector] and
        [scaler, selector, classifier] are both taken. A selector that does not predict is followed by the
        estimator it selects for.
    k : "auto" or list of int or float, default="auto"
        Numbers of features to try, or shares of those there are. "auto" is 1, 2, 3, 5, 8, 13, 21, 34, ... (each
        1.6 times the one before) up to half of the rows that a fold trains on, the features there are (in every
        fold, behind the other steps of a Pipeline), and 200.
    param_grid : dict, list of dict or None, default=None
        Other parameters of the estimator to try with each k, as for GridSearchCV.
    cv : int, splitter or iterable, default=5
        Folds. A number is stratified for classifiers, and keeps ``groups`` together if ``fit`` gets any:
        StratifiedGroupKFold for classes, GroupKFold for quantities and for labels of a matrix y.
    scoring : str, callable or None, default=None
        A scorer of scikit-learn, a measure ("prec@100", "f1", ``FBeta(2)``), or a function of the estimator, X and y. A
        measure is that of the loss of its name: of two classes the second is positive, of more and of labels it is the
        mean over them. None is what the estimator's ``score`` gives: accuracy, whatever the loss.
    rule : {"one_se", "best"} or callable, default="one_se"
        "one_se" takes the fewest features whose mean score is within one standard error of the best, "best"
        the number with the best mean. A function gets the :class:`KPath` and returns one of its k.
    n_jobs : int or None, default=None
        Processes for folds. None works through them one by one.
    random_state : int, RandomState or None, default=None
        Shuffles the rows before they are dealt into folds, if ``cv`` is a number. None keeps their order.
    refit : bool, default=True
        Fit the estimator with the chosen k on all rows. False only judges.
    aggregate : bool, default=False
        Fit the chosen number of features that the folds agree on most, instead of those that a fit to all
        rows selects; near-copies vote together. ``best_estimator_`` is then a model of these alone.
    nested : None, int, splitter or iterable, default=None
        Outer folds for :func:`nested_score`, run after the choice; a number is as for ``cv``. None leaves that out.
    return_train_score : bool, default=False
        Also score the training rows.
    verbose : bool, "bar" or callable, default=False
        Print a line for each fold, draw a progress bar on the terminal or in the notebook, or call a
        function with its figures.

    Attributes
    ----------
    n_features_ : int
        The chosen k.
    best_estimator_ : estimator
        Fitted with it on all rows: an ordinary fit.
    best_params_ : dict
        The k, under the name of the estimator's parameter, and the best parameters of ``param_grid``.
    best_index_ : int
        Their place in ``cv_results_``.
    best_score_ : float
        Their mean score. The choice was made on these folds, so it is optimistic; see ``honest_score_``.
    honest_score_ : float
        Mean over the folds of the score at what the rule chooses from the other folds.
    honesty_ : Honesty
        Both figures with their standard errors, and the nested one if there is one; ``print`` it.
    nested_score_ : NestedScore
        With ``nested``: the whole choice inside outer folds; those that were complete before Ctrl-C.
    k_path_ : KPath
        ``k``, ``mean``, ``standard_error``, and ``scores`` of each fold.
    cv_results_ : dict
        As GridSearchCV's. The time of a fit that made all k is shared out among them.
    selection_frequency_ : CSR array of shape (n_k, n_features), or None
        The share of folds that chose each feature. None where folds choose among different features, as
        instances of bags.
    stability_ : list of StabilityIndex, or None
        For each k how well the folds agree, with its confidence interval.
    n_splits_ : int
        Folds that are in the figures.
    scorer_ : callable
    status_ : Status
        How it ended, in a sentence.
    n_features_in_, feature_names_in_, classes_
        Of ``best_estimator_``.

    Notes
    -----
    Ctrl-C ends the work on folds; k is chosen from those that are complete, and nothing is nested then. In the
    outer folds it ends the nesting, and the choice is there as it was made. ``status_`` and a warning say so.

    A model on the path of :class:`~handful.FGMClassifier` has candidates of the largest k, and a fit
    with its k alone has its own: they select much the same, not always the same.
    ``best_estimator_`` is such a fit.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from handful import FGMClassifier
    >>> from handful.model_selection import SelectKCV
    >>> X, y = make_classification(
    ...     200, 300, n_informative=5, n_redundant=0, shuffle=False, random_state=0
    ... )
    >>> search = SelectKCV(FGMClassifier(C="fast"), k=[1, 2, 4, 8, 16]).fit(X, y)
    >>> search.n_features_, len(search.get_support(indices=True))
    (2, 2)
    """

    def __init__(
        self,
        estimator: Any,
        k: str | Sequence[int | float] = "auto",
        *,
        param_grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        rule: Rule = "one_se",
        n_jobs: int | None = None,
        random_state: Any = None,
        refit: bool = True,
        aggregate: bool = False,
        nested: Any = None,
        return_train_score: bool = False,
        verbose: bool | str | Callable[[FoldFigures], Any] = False,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.param_grid = param_grid
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.refit = refit
        self.aggregate = aggregate
        self.nested = nested
        self.return_train_score = return_train_score
        self.verbose = verbose

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any = None, **params: Any) -> SelectKCV:
        """Judge every k on held-out rows, choose one, and fit the estimator with it on all rows.

        Parameters
        ----------
        X : whatever the estimator takes
            Arrays, sparse matrices, frames, bags, stores, dask arrays, AnnData. Rows of data that are not
            in memory stay where they are.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        **params : dict
            ``groups`` of samples go to ``cv`` and ``nested``; ``sample_weight`` to the estimator, and to the scorer if it takes
            any; others to the estimator. With metadata routing enabled, whoever requests them.

        Returns
        -------
        self : SelectKCV
        """
        self._check_parameters()
        samples = with_checked_targets(self.estimator, Samples.of(self.estimator, X, y))
        params = as_bags_are(self.estimator, samples.X, params)
        check_rows_of_params(params, len(samples))
        given = routed(self, self.scorer_, params)
        samples = Samples(samples.X, samples.y, given.estimator.fit)
        splits = make_splits(
            self.cv, judged(self.estimator), samples, self.random_state, **given.splitter.split
        )
        # Before any work is done: what is wrong with outer folds is said at once.
        outer, groups = None, params.get("groups")
        if self.nested is not None:
            outer = make_splits(self.nested, judged(self.estimator), samples, None, groups=groups)
        points = points_of_grid(self.param_grid, self.estimator, self.scorer_)
        ks = numbers_to_try(self.k, self.estimator, samples, splits, points)
        n_tasks = len(splits) * len(points) + bool(self.refit)
        tasks = FitTasks(self, samples.X, samples.y, params.get("sample_weight"), n_tasks)
        same = {"estimator": self.estimator, "ks": ks, "scorer": self.scorer_}
        same |= {"score_params": given.scorer.score, "with_train": self.return_train_score}
        work = work_on_folds(len(splits), points, **same)
        figures = []
        with telling(self.verbose, type(self).__name__, len(work)) as tell:
            for one in work_through(work, samples, splits, self.n_jobs):
                figures.append(one)
                tell(one)
                tasks.done("fold")
        folds = complete_folds(figures, len(points))
        if not folds:
            raise KeyboardInterrupt
        self._choose(folds, points)
        self.status_ = Status.CROSS_VALIDATED
        if len(folds) < len(splits):
            raise_within_another()
            self.status_ = Status.SOME_FOLDS
            warn_user(checks.fits_interrupted(len(folds), len(splits)))
        self._forget_model()
        if self.refit:
            with tasks.of_estimator("refit") as propagate:
                self._refit(samples, propagate)
        self._nest(X, y, params, outer)
        tasks.end()
        return self

    def _check_parameters(self) -> None:
        check_fitted_many_times(self.estimator)
        checks.check_cv(self.cv)
        if self.nested is not None:
            checks.check_nesting(self.cv, self.nested)
        checks.check_rule(self.rule)
        validation.check_n_jobs(self.n_jobs)
        validation.check_flag("refit", self.refit)
        validation.check_flag("aggregate", self.aggregate)
        if self.aggregate:
            check_can_agree(self.estimator)
        validation.check_flag("return_train_score", self.return_train_score)
        validation.check_verbose(self.verbose)
        self.scorer_ = self._scorer()

    def _choose(self, folds: list[list[FoldFigures]], points: list[dict[str, Any]]) -> None:
        """Set what the figures say."""
        count = count_parameter(self.estimator)
        table = score_table(folds, points)
        path = table.path()
        point, place = table.choose(self.rule)
        self.k_path_: KPath = path
        self.n_splits_ = len(folds)
        self.cv_results_ = search_results(folds, points, count)
        self.n_features_ = int(path.k[place])
        self.best_params_ = {**points[point], count: self.n_features_}
        self.best_index_ = point * len(path.k) + place
        self.best_score_ = float(path.mean[place])
        honest = table.honest_scores(self.rule)
        self.honest_score_ = float(honest.mean())
        self.honesty_ = Honesty.of(path, place, honest)
        # At each k the parameters that are best there.
        best_points = [points.index(one) for one in path.params]
        self.selection_frequency_, self.stability_ = agreement_of_folds(folds, best_points)

    def _refit(self, samples: Samples, propagate: Callable[[Any], Any]) -> None:
        params = dict(self.best_params_)
        k = params.pop(count_parameter(self.estimator))
        made = with_k(self.estimator, k, **params)
        if self.aggregate:
            table: Any = self.selection_frequency_  # there are ids to agree on, or it was refused
            ids, shares = chosen_at(table, self.k_path_.position(k))
            best = refitted(made, samples, agreed_ids(ids, shares, k, columns_for(made, samples.X)))
        else:
            best = judged(made)
            with propagate(best):
                samples.fit(best)
        self.best_estimator_ = best
        self._remember_data()

    def _nest(self, X: Any, y: Any, params: dict[str, Any], outer: list[Split] | None) -> None:
        self.__dict__.pop("nested_score_", None)
        if outer is None or self.status_ is Status.SOME_FOLDS:
            return
        given = {**self.get_params(deep=False), "nested": None, "verbose": False, "refit": True}
        found, n_splits = scores_of_outer_folds(type(self)(**given), X, y, cv=outer, **params)
        if len(found) < n_splits:
            raise_within_another()
            self.status_ = Status.SOME_OUTER_FOLDS
            warn_user(checks.nesting_interrupted(len(found), n_splits))
        if found:
            self.nested_score_ = NestedScore.of(found)
            self.honesty_ = replace(self.honesty_, nested=self.nested_score_)

    def _summary_html(self) -> str:
        return summary_of_search(self) if hasattr(self, "k_path_") else ""

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Return the score of the best estimator by ``scoring``, on rows it has not seen, one hopes."""
        best = self._fitted()
        if is_routing():
            params = process_routing(self, "score", **params).scorer.score
        return float(self.scorer_(best, X, y, **params))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who requests what: the estimator, the scorer and the splitter."""
        return router_of_search(self, self._scorer())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        only_one = not isinstance(self.k, str) and list(np.atleast_1d(self.k)) == [1]
        if only_one and tags.classifier_tags is not None:  # too little for the checks
            tags.classifier_tags.poor_score = True
        return tags

    def _scorer(self) -> Any:
        return resolve_scoring(judged(self.estimator), self.scoring)

    @property
    def _score_takes_weights(self) -> bool:
        return takes_weights(self._scorer())
