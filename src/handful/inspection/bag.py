"""Which instance of a bag decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.inspection import _drawing as drawing
from handful.inspection._fitted import drawn_from, fitted_selector

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = np.ndarray
MOST_BAGS = 30
#: What an instance must add to have decided.
LEAST_SHARE = 0.05


class BagDisplay:
    """What each instance adds to the decision of its bag, the one that decided set off.

    The figures of all instances of a bag and the intercept add up to its decision. The instance that decided is the
    one that adds most in the direction of the decision; where none adds a twentieth of it, as in bags that are negative for
    having nothing in them, there is none. Use :meth:`from_estimator`.

    Parameters
    ----------
    scores : list of arrays of shape (n_instances,)
        Of each bag.
    decisions : array of shape (n_bags,)
    bag_names : list of str
        With the prediction, if that is to be shown.

    Attributes
    ----------
    deciding : ndarray of int
        The row in each bag that decided; -1 where none did.
    ax_, figure_
        Where it was drawn.
    instances_, deciding_ : PathCollection
        All instances, and those that decided.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from handful.inspection import BagDisplay
    >>> BagDisplay([[0.1, 0.9], [-0.5]], [0.8, -0.7], ["a", "b"]).plot().deciding.tolist()
    [1, 0]
    """

    def __init__(self, scores: Sequence[Any], decisions: Any, bag_names: Sequence[str]) -> None:
        self.scores = [np.asarray(own, dtype=np.float64) for own in scores]
        self.decisions: Array = np.asarray(decisions, dtype=np.float64)
        self.bag_names = list(bag_names)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        output: int | None = None,
        max_bags: int = MOST_BAGS,
        ax: Axes | None = None,
    ) -> BagDisplay:
        """Draw bags as a fitted estimator of bags sees them.

        Parameters
        ----------
        estimator : MILESClassifier or DictionaryMILClassifier
        X : bags in any form
        output : int, optional
            The class or label whose score is shown, where there are more than two; by default the predicted
            class of each bag.
        max_bags : int, default=30
            The first ones.
        ax : matplotlib axes, optional

        Returns
        -------
        display : BagDisplay
        """
        selector = fitted_selector(estimator)
        score_instances = drawn_from(selector, "instance_scores")
        bags = selector._check_bags(X, reset=False)
        scores: list[Array] = score_instances(bags)
        decisions = np.asarray(selector.decision_function(bags))
        predicted = selector.predict(bags)
        if decisions.ndim == 2:
            columns = decisions.argmax(axis=1) if output is None else np.full(len(bags), output)
            scores = [own[:, c] for own, c in zip(scores, columns, strict=True)]
            decisions = decisions[np.arange(len(bags)), columns]
        names = [str(name) for name in bags.bag_ids]
        if np.ndim(predicted) == 1:
            names = [f"{name} → {label}" for name, label in zip(names, predicted, strict=True)]
        return cls(scores, decisions, names).plot(ax, max_bags=max_bags)

    @property
    def deciding(self) -> Array:
        """The row in each bag that adds most in the direction of the decision; -1 where none adds much."""
        rows = np.full(len(self.scores), -1)
        for bag, (decision, own) in enumerate(zip(self.decisions, self.scores, strict=True)):
            towards = -own if decision < 0 else own
            if towards.max(initial=0.0) > LEAST_SHARE * abs(decision):
                rows[bag] = int(np.argmax(towards))
        return rows

    def plot(
        self, ax: Axes | None = None, *, max_bags: int = MOST_BAGS, title: str | None = None
    ) -> BagDisplay:
        """Draw a line of points for each bag, and the number of the row that decided.

        Parameters
        ----------
        ax : matplotlib axes, optional
        max_bags : int, default=30
            The first ones.
        title : str, optional

        Returns
        -------
        display : BagDisplay
        """
        n_bags = min(len(self.scores), max_bags)
        ax = drawing.axes_for(self, ax, (drawing.WIDTH, drawing.height_for(n_bags) + 0.4))
        shown = self.scores[:n_bags]
        places = np.repeat(np.arange(n_bags), [len(own) for own in shown])
        values = np.concatenate([np.empty(0), *shown])
        self.instances_ = ax.scatter(
            values, places, s=14, color=drawing.PALE, label="an instance", zorder=2
        )
        deciding = self.deciding[:n_bags]
        rows = np.flatnonzero(deciding >= 0)
        highest = np.array([shown[b][deciding[b]] for b in rows])
        self.deciding_ = ax.scatter(
            highest, rows, s=34, color=drawing.RED, label="it decided (with its row)", zorder=3
        )
        for bag, value in zip(rows.tolist(), highest.tolist(), strict=True):
            side = -1 if value < 0 else 1
            ax.annotate(
                str(int(deciding[bag])),
                (value, bag),
                xytext=(6 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=7.5,
            )
        ax.axvline(0, color=drawing.DARK, linewidth=0.8, zorder=1)
        ax.margins(x=0.08)
        drawing.name_rows(ax, self.bag_names[:n_bags])
        ax.set_xlabel("what an instance adds to the decision of its bag")
        drawing.plain(ax, title)
        drawing.legend(ax, outside=True)
        left_out = len(self.scores) - n_bags
        if left_out:
            drawing.note(ax, f"the first {n_bags} of {len(self.scores)} bags")
        return self
