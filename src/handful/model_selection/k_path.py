"""Scores against the number of features: the figures of all folds, the rules that choose, and how honest they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.validation import model_selection as checks
from handful.validation.plural import plural

if TYPE_CHECKING:
    from handful.model_selection.nested import NestedScore

Array = np.ndarray
#: How k is chosen.
Rule = str | Callable[["KPath"], int]


@dataclass(frozen=True)
class KPath:
    """What held-out rows say of each number of features.

    Attributes
    ----------
    k : ndarray of int
        Rising.
    scores : ndarray of shape (n_folds, n_k)
        Of the held-out rows of each fold; where other parameters were tried, those of the parameters that
        are best on average for that k.
    params : list of dict
        These parameters.

    Examples
    --------
    >>> path = KPath([2, 5, 10], [[0.7, 0.88, 0.9], [0.7, 0.92, 0.96], [0.7, 0.9, 0.9]])
    >>> path.choose("best"), path.choose("one_se")
    (10, 5)
    """

    k: Array
    scores: Array
    params: Sequence[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", np.asarray(self.k, dtype=np.int64))
        object.__setattr__(self, "scores", np.asarray(self.scores, dtype=np.float64))

    @property
    def n_folds(self) -> int:
        """How many folds there are figures of."""
        return len(self.scores)

    @property
    def mean(self) -> Array:
        """Mean over the folds."""
        return np.asarray(self.scores.mean(axis=0))

    @property
    def standard_error(self) -> Array:
        """``std / sqrt(n_folds)``: how far the mean may be off by the luck of the folds; 0 for one fold."""
        return standard_error(self.scores)

    def choose(self, rule: Rule) -> int:
        """Return the k that a rule chooses.

        "best" is the k of the largest mean, the smallest of equals. "one_se" is the smallest k whose mean is
        at least that of the best minus its standard error.
        """
        checks.check_rule(rule)
        if callable(rule):
            chosen: Any = rule(self)
            if np.ndim(chosen) != 0 or not np.isin(chosen, self.k):
                raise checks.wrong_choice(chosen, self.k.tolist())
            return int(chosen)
        best = int(np.argmax(self.mean))
        if rule == "best":
            return int(self.k[best])
        # A mean exactly one error below the best counts, whatever rounding makes of the difference.
        least = self.mean[best] - self.standard_error[best]
        slack = 1e-12 * max(1.0, abs(float(self.mean[best])))
        return int(self.k[np.flatnonzero(self.mean >= least - slack)[0]])

    def position(self, k: int) -> int:
        """Return where a k stands."""
        return int(np.searchsorted(self.k, k))

    def __str__(self) -> str:
        rows = zip(self.k, self.mean, self.standard_error, strict=True)
        lines = [f"{k:6d}  {mean:.4f} +- {error:.4f}" for k, mean, error in rows]
        return "\n".join(["     k  mean and standard error", *lines])


@dataclass(frozen=True)
class Table:
    """The scores of all folds for all parameters and numbers of features, and what is chosen from them."""

    k: Array
    #: One for each point of the grid of other parameters; one empty without a grid.
    params: Sequence[dict[str, Any]]
    #: Of shape (n_folds, n_params, n_k).
    scores: Array

    def path(self) -> KPath:
        """Return the scores at each k, of the parameters that are best there."""
        best = self._best_params()
        scores = self.scores[:, best, np.arange(len(self.k))]
        return KPath(self.k, scores, [self.params[one] for one in best])

    def choose(self, rule: Rule) -> tuple[int, int]:
        """Return the positions of the parameters and of the k that the rule chooses."""
        path = self.path()
        place = path.position(path.choose(rule))
        return int(self._best_params()[place]), place

    def honest_scores(self, rule: Rule) -> Array:
        """Return for each fold its score at what the rule chooses from all other folds.

        No fold has a say in the choice that it judges. What is left of optimism is that the models of the
        other folds were trained on its rows, and chosen by their own held-out rows; nesting avoids that
        too. NaN for a single fold.
        """
        n_folds = len(self.scores)
        if n_folds < 2:
            return np.full(n_folds, np.nan)
        honest = []
        for fold in range(n_folds):
            others = Table(self.k, self.params, np.delete(self.scores, fold, axis=0))
            honest.append(self.scores[(fold, *others.choose(rule))])
        return np.array(honest)

    def _best_params(self) -> Array:
        return np.asarray(self.scores.mean(axis=0).argmax(axis=0))


@dataclass(frozen=True)
class Honesty:
    """The score of the chosen k in three ways."""

    #: The chosen one.
    k: int
    #: Mean score on the folds that chose k: optimistic, since the largest of several figures is partly luck.
    same_folds: float
    #: Its standard error.
    same_folds_error: float
    #: Each fold scored at the k that the rule chooses from all other folds. NaN with one fold.
    other_folds: float
    other_folds_error: float
    #: The whole choice inside outer folds.
    nested: NestedScore | None = None

    @classmethod
    def of(cls, path: KPath, place: int, honest: Array) -> Honesty:
        """Compare the mean at the chosen place with the honest scores of the folds."""
        error = float(standard_error(honest[:, None])[0])
        k, mean = int(path.k[place]), float(path.mean[place])
        return cls(k, mean, float(path.standard_error[place]), float(honest.mean()), error)

    def __str__(self) -> str:
        return self.told("features")

    def told(self, counted: str) -> str:
        """Return a line for each, where what was chosen is called so."""
        chosen = plural(self.k, counted.removesuffix("s"))
        lines = [
            f"{self.same_folds:.4f} +- {self.same_folds_error:.4f} with {chosen}, on the folds that "
            "chose the number: optimistic"
        ]
        if np.isfinite(self.other_folds):
            lines.append(
                f"{self.other_folds:.4f} +- {self.other_folds_error:.4f} when each fold is scored at the number "
                "that the other folds choose"
            )
        if self.nested is not None:
            lines.append(self.nested.told(counted))
        else:
            lines.append("not nested: nested_score repeats the whole choice inside outer folds")
        return "\n".join(lines)


def standard_error(scores: Array) -> Array:
    """Return the standard error of the mean over the first axis; 0 for one row."""
    n_rows = len(scores)
    if n_rows < 2:
        return np.zeros(scores.shape[1:])
    return np.asarray(scores.std(axis=0, ddof=1) / np.sqrt(n_rows))
