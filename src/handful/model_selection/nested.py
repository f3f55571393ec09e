"""An honest score: everything that was chosen by looking at rows is chosen again without those that judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from handful import validation
from handful.model_selection._folds import Split, make_splits
from handful.model_selection._samples import Samples, as_bags_are, with_checked_targets
from handful.model_selection._scoring import (
    check_response,
    check_rows_of_params,
    resolve_scoring,
    takes_weights,
)
from handful.model_selection._wrapped import judged, n_selected, own_ids
from handful.model_selection.k_path import standard_error
from handful.validation import model_selection as checks
from handful.validation.plural import plural
from handful.validation.warning import warn_user

Array = np.ndarray
_is_within = ContextVar("_is_within", default=False)


@contextmanager
def within_another() -> Iterator[None]:
    """Have choices that are made meanwhile end with KeyboardInterrupt, and not with what they have."""
    token = _is_within.set(True)
    try:
        yield
    finally:
        _is_within.reset(token)


def raise_within_another() -> None:
    """Raise KeyboardInterrupt in a choice that another one repeats: that one says what it keeps."""
    if _is_within.get():
        raise KeyboardInterrupt


@dataclass(frozen=True)
class NestedScore:
    """Scores of outer folds that no choice has seen.

    Attributes
    ----------
    scores : ndarray
        Of the held-out rows of each outer fold.
    k : ndarray of int
        How many features were chosen without that fold.
    """

    scores: Array
    k: Array

    @classmethod
    def of(cls, folds: Sequence[tuple[float, int]]) -> NestedScore:
        """Put together the scores and numbers of outer folds."""
        return cls(np.array([score for score, _ in folds]), np.array([k for _, k in folds]))

    @property
    def mean(self) -> float:
        """Mean over the outer folds."""
        return float(self.scores.mean())

    @property
    def standard_error(self) -> float:
        """``std / sqrt(n_folds)``."""
        return float(standard_error(self.scores[:, None])[0])

    def __str__(self) -> str:
        return self.told("features")

    def told(self, counted: str) -> str:
        """Return a line, where what was chosen is called so."""
        ks = ", ".join(str(k) for k in self.k)
        return (
            f"{self.mean:.4f} +- {self.standard_error:.4f} nested: {len(self.scores)} outer folds, with {ks} "
            f"{counted} chosen inside them"
        )

    __repr__ = __str__


def nested_score(
    selector: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: Callable[[str], Any] | None = None,
    **params: Any,
) -> NestedScore:
    """Score a selector with its whole choice repeated inside outer folds.

    Held-out rows of an outer fold have no say in which features, how many of them, or which other
    parameters are chosen for the model that they judge. After Ctrl-C the score is that of the outer folds that
    are complete, and a warning says so.

    Parameters
    ----------
    selector : estimator
        :class:`SelectKCV`, RFECV, a search over a selector, or any estimator that selects. One that does not
        predict is followed by the estimator it selects for.
    X, y : as for its ``fit``
    cv : int, splitter or iterable, default=5
        Outer folds; a number is stratified for classifiers and keeps ``groups`` together.
    scoring : str, callable or None, default=None
        As for :class:`SelectKCV`. None is what the selector's ``score`` gives.
    n_jobs : int or None, default=None
        Processes for outer folds.
    random_state : int, RandomState or None, default=None
        Shuffles the rows before they are dealt into folds, if ``cv`` is a number.
    verbose : callable or None, default=None
        Is called with a line for each outer fold.
    **params : dict
        ``groups`` of samples go to ``cv`` and, with their rows, to a selector that has folds of its own (those of
        :class:`SelectKCV` keep them together; a search of scikit-learn does with a splitter for groups); others to
        ``fit``, and ``sample_weight`` to the scorer too if it takes any.

    Returns
    -------
    score : NestedScore

    Examples
    --------
    >>> import numpy as np
    >>> from handful import GreedyRLSClassifier
    >>> from handful.model_selection import SelectKCV, nested_score
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((60, 500)), np.repeat([0, 1], 30)  # noise
    >>> search = SelectKCV(GreedyRLSClassifier(), k=[1, 2, 4, 8], cv=3).fit(X, y)
    >>> nested = nested_score(search, X, y, cv=3)
    >>> bool(nested.mean < 0.7)
    True
    """
    options = {"scoring": scoring, "n_jobs": n_jobs, "random_state": random_state}
    found, n_splits = scores_of_outer_folds(
        selector, X, y, cv=cv, verbose=verbose, **options, **params
    )
    if not found:
        raise KeyboardInterrupt
    if len(found) < n_splits:
        raise_within_another()
        warn_user(checks.nesting_interrupted(len(found), n_splits))
    return NestedScore.of(found)


def scores_of_outer_folds(
    selector: Any,
    X: Any,
    y: Any,
    *,
    cv: Any,
    scoring: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: Callable[[str], Any] | None = None,
    **params: Any,
) -> tuple[list[tuple[float, int]], int]:
    """Return score and number of features of each outer fold, and how many folds there are.

    After Ctrl-C these are the folds that were complete.
    """
    validation.check_n_jobs(n_jobs)
    given = {name: value for name, value in params.items() if value is not None}
    selector = judged(selector)
    samples = with_checked_targets(selector, Samples.of(selector, X, y, **given))
    given = as_bags_are(selector, samples.X, given)
    check_rows_of_params(given, len(samples))
    splits = make_splits(cv, selector, samples, random_state, groups=given.get("groups"))
    scorer = resolve_scoring(selector, scoring)
    check_response(selector, scorer)
    if not _takes_groups(selector):  # nobody inside it would know what to do with them
        more = {name: value for name, value in samples.more.items() if name != "groups"}
        samples = Samples(samples.X, samples.y, more)
    is_weighted = "sample_weight" in given and takes_weights(scorer)
    jobs = (delayed(_outer_fold)(selector, samples, split, scorer, is_weighted) for split in splits)
    found: list[tuple[float, int]] = []
    with suppress(KeyboardInterrupt):
        for score, k in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            found.append((score, k))
            if verbose is not None:
                verbose(
                    f"outer fold {len(found)} of {len(splits)}  {score:.4f} with {plural(k, 'feature')}"
                )
    return found, len(splits)


def _takes_groups(selector: Any) -> bool:
    """Whether a selector has folds of its own and takes groups of samples for them."""
    takes = signature(selector.fit).parameters.values()
    return hasattr(selector, "cv") and any(
        one.name == "groups" or one.kind is one.VAR_KEYWORD for one in takes
    )


def _outer_fold(
    selector: Any, samples: Samples, split: Split, scorer: Any, is_weighted: bool
) -> tuple[float, int]:
    """Choose and fit on one part, judge on the other."""
    train, test = split
    with within_another():
        model = samples.take(train).fit(clone(selector))
    rest = samples.take(test)
    weights = {"sample_weight": rest.more["sample_weight"]} if is_weighted else {}
    return float(scorer(model, rest.X, rest.y, **weights)), _n_chosen(model)


def _n_chosen(model: Any) -> int:
    """Return how many features a fitted model has."""
    if hasattr(model, "n_features_"):
        return int(model.n_features_)
    if hasattr(model, "best_estimator_"):
        return _n_chosen(model.best_estimator_)
    # What cannot be told how many, as SelectKBest, or does not count, as a lasso, is counted below.
    with suppress(ValueError):
        return n_selected(model)
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps]
        return _n_chosen(next(filter(_tells_features, reversed(steps)), steps[-1]))
    if hasattr(model, "get_support"):
        return len(own_ids(model))
    if not hasattr(model, "coef_"):
        return int(getattr(model, "n_features_in_", 0))
    return int(np.count_nonzero(np.any(np.atleast_2d(model.coef_) != 0, axis=0)))


def _tells_features(step: Any) -> bool:
    """Whether a fitted step of a Pipeline says which features it has, of those that it was given."""
    names = ("get_support", "n_features_", "best_estimator_", "coef_")
    return any(hasattr(step, name) for name in names)
