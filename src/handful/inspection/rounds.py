"""How a fit went: objective, bound and gap of each round, and what the last gap proves in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from handful.estimators._gap import gap_in_words
from handful.history import History
from handful.inspection import _drawing as drawing
from handful.inspection._fitted import drawn_from, fitted_selector, n_columns_before
from handful.validation.plotting import nothing_to_draw, wrong_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = np.ndarray
#: From this ratio of the largest figure to the smallest on, figures are drawn on a log scale.
WIDE = 50
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
KINDS = ("round", "seconds")


class RoundsDisplay:
    """Objective and certified bound of each round; what is between them, the gap, is not proved.

    Use :meth:`from_estimator`. A last fit with less shrinkage ("refit") has another objective, and is left out.

    Parameters
    ----------
    history : History
    objective_name : str, default="objective"
        What the objective of a round is: of greedy RLS the leave-one-out error.

    Attributes
    ----------
    rounds : list of Round
        Those that are drawn.
    ax_, figure_
        Where it was drawn.
    objective_, bound_ : Line2D
    gap_ : FillBetweenPolyCollection

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_regression
    >>> from handful import FGMRegressor
    >>> from handful.inspection import RoundsDisplay
    >>> X, y = make_regression(80, 50, n_informative=3, random_state=0)
    >>> display = RoundsDisplay.from_estimator(FGMRegressor(3, C="fast").fit(X, y))
    >>> display.ax_.get_xlabel()
    'round'
    """

    def __init__(self, history: History, objective_name: str = "objective") -> None:
        self.history = history
        self.objective_name = objective_name
        # A refit without a bound is of another problem than rounds before it that have one.
        bounded = [np.isfinite(one.bound) for one in history]
        is_other = any(bounded) and not bounded[-1]
        self.rounds = [one for one in history if one.phase != "refit" or not is_other]

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, kind: str = "round", ax: Axes | None = None
    ) -> RoundsDisplay:
        """Draw the rounds of a fitted selector.

        Parameters
        ----------
        estimator : estimator with ``history_``, or what has one in it
        kind : {"round", "seconds"}, default="round"
            Along what they are drawn.
        ax : matplotlib axes, optional

        Returns
        -------
        display : RoundsDisplay
        """
        selector = fitted_selector(estimator)
        history = drawn_from(selector, "history_")
        if not len(history):  # as of a dictionary that stays as it began
            raise nothing_to_draw(selector, "rounds")
        return cls(history, name_of_objective(selector)).plot(ax, kind=kind)

    def plot(
        self, ax: Axes | None = None, *, kind: str = "round", title: str | None = None
    ) -> RoundsDisplay:
        """Draw objective, bound, and the gap between them; a marker for each phase.

        Parameters
        ----------
        ax : matplotlib axes, optional
        kind : {"round", "seconds"}, default="round"
        title : str, optional

        Returns
        -------
        display : RoundsDisplay
        """
        if kind not in KINDS:
            raise wrong_axes(kind, KINDS)
        ax = drawing.axes_for(self, ax)
        along = self._with_breaks(self._along(kind))
        objective = self._with_breaks([one.objective for one in self.rounds])
        bound = self._with_breaks([one.bound for one in self.rounds])
        bound[~np.isfinite(bound)] = np.nan
        (self.objective_,) = ax.plot(along, objective, color=drawing.BLUE, linewidth=1.2)
        self._draw_phases(ax, kind)
        if np.isfinite(bound).any():
            label = "no model has less (bound)"
            (self.bound_,) = ax.plot(along, bound, color=drawing.RED, linestyle="--", label=label)
            self.gap_ = ax.fill_between(
                along, bound, objective, color=drawing.PALE, alpha=0.35, linewidth=0, label="gap"
            )
            last = self.rounds[-1]
            if not len(self._starts()) and np.isfinite(last.bound):
                drawing.note(ax, f"gap at the end: {last.relative_gap:.1%} of the objective")
        self._scale(ax, objective, bound)
        if kind == "round":
            ax.locator_params(axis="x", integer=True)
        ax.set(xlabel=kind, ylabel=self.objective_name)
        drawing.plain(ax, title)
        drawing.legend(ax, outside=True)
        return self

    def _along(self, kind: str) -> list[float]:
        if kind == "seconds":
            return [one.seconds for one in self.rounds]
        return [float(place) for place in range(1, len(self.rounds) + 1)]

    @property
    def n_fits(self) -> int:
        """How many fits the rounds are of: several where each class, or alpha, has one."""
        return 1 + len(self._starts())

    def _starts(self) -> Array:
        """Positions where rounds are counted anew: those of the next class, or alpha."""
        numbers = np.array([one.number for one in self.rounds])
        sizes = np.array([one.n_active for one in self.rounds])
        is_step = np.array([one.phase == "add" for one in self.rounds], dtype=bool)
        falls = is_step[1:] & (np.diff(sizes) <= 0)  # steps only add
        return np.flatnonzero((np.diff(numbers) <= 0) | falls) + 1

    def _with_breaks(self, values: Any) -> Array:
        """Put a hole where rounds are counted anew."""
        return np.insert(np.asarray(values, dtype=np.float64), self._starts(), np.nan)

    def _draw_phases(self, ax: Axes, kind: str) -> None:
        along = np.array(self._along(kind))
        phases = [one.phase for one in self.rounds]
        for number, phase in enumerate(dict.fromkeys(phases)):
            own = np.array([one == phase for one in phases])
            ax.plot(
                along[own],
                np.array([one.objective for one in self.rounds])[own],
                color=drawing.BLUE,
                marker=MARKERS[number % len(MARKERS)],
                markersize=5,
                linestyle="none",
                label=phase,
            )

    def _scale(self, ax: Axes, objective: Array, bound: Array) -> None:
        every = np.concatenate([objective, bound])
        every = every[np.isfinite(every)]
        if len(every) and every.min() > 0 and every.max() / every.min() > WIDE:
            ax.set_yscale("log")
        if self.rounds and not np.any(bound <= 0) and ax.get_yscale() == "linear":
            ax.set_ylim(0, 1.05 * max(every.max(initial=0.0), 1e-300))


def name_of_objective(selector: Any) -> str:
    """Return what the rounds of a fitted selector tell as their objective; steps of greedy RLS are taken by another figure."""
    return "leave-one-out error" if hasattr(selector, "loo_errors_") else "objective"


def explain_gap(estimator: Any) -> str:
    """Say in a sentence or two what ``objective_`` and ``dual_gap_`` of a fit prove, and when they prove little.

    Parameters
    ----------
    estimator : fitted estimator of this package, or what has one in it
        A Pipeline, SelectKCV, StabilitySelection.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import FGMRegressor
    >>> from handful.inspection import explain_gap
    >>> X, y = make_regression(100, 50, n_informative=3, noise=5, random_state=0)
    >>> print(explain_gap(FGMRegressor(3, C=0.1).fit(X, y)))
    No 3 features can have an objective below 2662; this choice has 2822. The 5.7 % between them is what is not proved.
    >>> print(explain_gap(FGMRegressor(3, C=0.1, certify=True).fit(X, y)))
    No 3 features can have an objective below 2811; this choice has 2822. The 0.38 % between them is what is not proved.
    """
    selector = fitted_selector(estimator)
    # What has no bound may be of another kind, of which nothing else is known.
    n_before = n_columns_before(estimator) if hasattr(selector, "dual_gap_") else None
    return gap_in_words(selector, n_before=n_before)
