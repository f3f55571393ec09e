"""The settings of a reweighting, where it stands between two steps, and what it gives if it ends there: the columns that rows of weights select, and a model of these."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from handful.history import History
from handful.methods.near_copies import Copies, covariances, depth
from handful.methods.problem import Selected
from handful.methods.reweighted.data import Data, RemainingColumns
from handful.methods.reweighted.step import Fitting, Step, lower_bound
from handful.spaces.base import Array, Unit
from handful.status import Status

#: Which margins are tried, one after the other, until one can be kept.
ORDERS = {
    "hard": ("hard", "projected", "soft"),
    "projected": ("projected", "soft"),
    "soft": ("soft",),
}
#: The automatic C is the first over the number of samples, so that the mean of squared slacks counts that often,
#: but not below the second: the more samples, the more rows they are worth.
SLACKS, LEAST_C = 50.0, 0.05
#: Rows below this share of the largest have vanished.
VANISHED = 1e-9
#: A row fades when it falls below this share of the largest: vanished rows rank by when that was.
STRONG = 0.03


@dataclass(frozen=True)
class Options:
    """The settings, as the estimators' parameters of the same names.

    Attributes
    ----------
    n_keep : int or None
        How many features; None is all whose rows are not zero.
    margin : str or None
        Which margins direct sparsity keeps; None for robust feature selection, whose loss is the
        lengths of residuals.
    p : float
        Of ``sum_i |W_i|^p``; 1 for robust feature selection.
    alpha : float
        Factor of that sum; 1 for direct sparsity.
    unit : {None, "norm", "std"}
        What is made one of every column.
    refit : bool or "auto"
        Whether the selected columns get a model of their own; "auto": where they are not those with weights.
    refit_by : {"margins", "residuals"}
        Whether that model is a support vector machine, or the same problem of residuals again.
    checkpoint : Checkpoint or None
        What was saved of this fit.
    """

    n_keep: int | None
    margin: str | None = None
    p: float = 1.0
    alpha: float = 1.0
    C: float | str = "auto"
    penalize_intercept: bool = False
    unit: Unit | None = None
    refit: bool | str = "auto"
    refit_by: str = "margins"
    max_iter: int = 100
    tol: float = 1e-4
    checkpoint: Any = None

    def margins(self, *, is_wide: bool) -> tuple[str, ...]:
        """Return the margins to try; hard ones are a matter of wide data."""
        if self.margin == "auto":
            return ORDERS["hard" if is_wide else "soft"]
        return ORDERS[str(self.margin)]

    def slack_weight(self, weight: Array) -> float:
        """Return C, as given or for these weights of samples."""
        if isinstance(self.C, str):
            return max(SLACKS / float(weight.sum()), LEAST_C)
        return float(self.C)


@dataclass
class Reweighting:
    """Where the loop stands.

    Attributes
    ----------
    data : Data
    options : Options
    fitting : Fitting
        Solves the steps, on the columns that have not vanished.
    step : Step
        Weights of these.
    norms : ndarray
        Of their rows.
    seen : ndarray of shape (2, n_features)
        For each row the last step at which it was not far below the largest, and its norm then.
    more : dict
        What else is told, by the names of fitted attributes.
    objectives : list of float
    history : History
    """

    data: Data
    options: Options
    fitting: Fitting
    step: Step
    norms: Array
    seen: Array
    more: dict[str, Any] = field(default_factory=dict)
    objectives: list[float] = field(default_factory=list)
    history: History = field(default_factory=History)
    started: float = field(default_factory=time.perf_counter)

    @classmethod
    def start(cls, data: Data, options: Options, fitting: Fitting, **more: Any) -> Self:
        """All rows count the same, and none has a weight yet."""
        nothing, seen = Step(np.empty((0, 0)), np.empty(0)), np.zeros((2, len(data.factors)))
        return cls(data, options, fitting, nothing, np.ones(len(fitting.columns)), seen, more)

    @property
    def columns(self) -> RemainingColumns:
        """Those that have not vanished."""
        return self.fitting.columns

    @property
    def has_settled(self) -> bool:
        """Whether the last step brought less than ``tol`` of the objective."""
        if len(self.objectives) < 2:
            return False
        before, objective = self.objectives[-2:]
        return before - objective <= self.options.tol * objective

    def accept(self, step: Step, norms: Array, objective: float) -> None:
        """Go on to a solution."""
        self.step, self.norms = step, norms
        self.objectives.append(objective)
        mine = norms[: len(self.columns.ids)]
        strong = mine >= STRONG * mine.max(initial=0.0)
        if len(self.objectives) == 1:
            strong[:] = True
        ids = self.columns.ids[strong]
        self.seen[0, ids], self.seen[1, ids] = len(self.objectives), mine[strong]

    def drop(self) -> None:
        """Let rows go whose part of the predictions is negligible."""
        sizes = self.data.sizes[self.columns.ids]
        parts = self.norms * np.append(sizes, [1.0] * self.columns.constant)
        kept = parts > VANISHED * parts.max(initial=0.0)
        self.columns.keep(kept)
        self.norms = self.norms[kept]
        self.step = replace(self.step, weights=self.step.weights[kept])

    def scores(self) -> Array:
        """Return the norms of rows; those that vanished rank below by when they faded.

        Their scores lie between 0 and ``VANISHED**2`` of the largest, one above the other; a row
        that never had any weight has 0.
        """
        scores = np.zeros(self.seen.shape[1])
        scores[self.columns.ids] = self.norms[: len(self.columns.ids)]
        when, norms = self.seen
        vanished = np.lexsort((norms, when))
        vanished = vanished[(norms[vanished] > 0) & (scores[vanished] == 0)]
        top = VANISHED**2 * self.norms.max(initial=0.0)
        scores[vanished] = top * np.arange(1, len(vanished) + 1) / (len(vanished) + 1)
        return scores

    def selected(self) -> Selected:
        """What the method gives if it ends here."""
        data, k, scores = self.data, self.options.n_keep, self.scores()
        if k is None:
            ids = np.sort(self.columns.ids)
            weights, intercept = of_columns(self.columns, self.step, ids)
        else:
            ids, weights, intercept = best_different(data, self.columns, self.step, scores, k)
        return Selected(
            ids=ids,
            weights=weights,
            intercept=intercept,
            objective=self.objectives[-1],
            bound=self._bound(),
            history=History(list(self.history)),
            status=Status.INTERRUPTED,
            more={"scores_": scores, "objective_path_": np.array(self.objectives), **self.more},
        )

    def _bound(self) -> float:
        """Return how low the objective can be; minus infinity where nothing bounds it."""
        if self.step.proof is None:
            return -np.inf
        # A column that is constant has no weight in the fit, but where the intercept has its price could have one.
        everything = np.delete(np.arange(self.data.space.n_features), self.data.exclude)
        columns = self.data.columns(constant=self.options.penalize_intercept, ids=everything)
        return lower_bound(columns, self.step.proof, self.options.alpha)


def best_different(
    data: Data, columns: RemainingColumns, step: Step, scores: Array, k: int
) -> tuple[Array, Array, Array]:
    """Return k ids, best first of columns that are no copies, their weights and the intercept.

    Copies count as one column with all their weights: those that share them would look weak one by one.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0].astype(np.int64)
    n_looked = min(depth(data.space.n_samples, k), len(order)) if len(order) > k else 0
    while True:
        ids = order[:n_looked]
        means, deviations = data.means[ids], data.deviations[ids]
        copies = Copies.among(covariances(data.space, ids, means, data.weight), deviations)
        if copies.n_different >= k or n_looked in (0, len(order)):
            break
        n_looked = min(2 * n_looked, len(order))
    if copies.n_different == n_looked:  # no copies: the ranking as it is
        ids = np.sort(order[:k])
        return ids, *of_columns(columns, step, ids)
    weights, intercept = of_columns(columns, step, ids)
    norms = np.linalg.norm(copies.together(weights.T), axis=1) / data.factors[ids]
    shared = copies.leaders[~copies.is_leader & np.isin(ids, columns.ids)]
    ranks = scores[ids]
    ranks[shared] = norms[shared]
    best = copies.best(ranks, k)
    best = best[np.argsort(ids[best])]
    carried = copies.unless(best)
    gone = weights * np.where(carried.is_leader, 0.0, 1.0)
    intercept = intercept + gone @ (means - carried.slopes * means[carried.leaders])
    return ids[best], np.ascontiguousarray(carried.together(weights.T)[best].T), intercept


def of_columns(columns: RemainingColumns, step: Step, ids: Array) -> tuple[Array, Array]:
    """Return weights of ids, (n_outputs, n_ids), and the intercept, for the columns as X has them."""
    n_remaining = len(columns.ids)
    weights = np.zeros((len(ids), step.weights.shape[1]))
    if n_remaining:
        where = np.minimum(np.searchsorted(columns.ids, ids), n_remaining - 1)
        found = columns.ids[where] == ids
        weights[found] = (columns.factors[columns.ids, None] * step.weights[:n_remaining])[
            where[found]
        ]
    intercept = step.intercept - columns.shift(step.weights)
    if columns.constant:
        intercept = intercept + step.weights[-1]
    return np.ascontiguousarray(weights.T), intercept
