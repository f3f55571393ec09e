"""Where the reweighting stands between two steps, and what it gives if it ends there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from handful.history import History
from handful.methods.problem import Selected
from handful.methods.reweighted.data import Data
from handful.methods.reweighted.options import Options
from handful.methods.reweighted.ranking import best_different, of_columns
from handful.methods.reweighted.remaining_columns import RemainingColumns
from handful.methods.reweighted.step import Step, lower_bound
from handful.spaces.base import Array
from handful.status import Status

#: Rows below this share of the largest have vanished.
VANISHED = 1e-9
#: A row fades when it falls below this share of the largest: vanished rows rank by when that was.
STRONG = 0.03


@dataclass
class Reweighting:
    """Where the loop stands.

    Attributes
    ----------
    data : Data
    options : Options
    columns : RemainingColumns
        Those that have not vanished.
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
    columns: RemainingColumns
    step: Step
    norms: Array
    seen: Array
    more: dict[str, Any] = field(default_factory=dict)
    objectives: list[float] = field(default_factory=list)
    history: History = field(default_factory=History)

    @classmethod
    def start(cls, data: Data, options: Options, columns: RemainingColumns, **more: Any) -> Self:
        """All rows count the same, and none has a weight yet."""
        nothing, seen = Step(np.empty((0, 0)), np.empty(0)), np.zeros((2, len(data.factors)))
        return cls(data, options, columns, nothing, np.ones(len(columns)), seen, more)

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
