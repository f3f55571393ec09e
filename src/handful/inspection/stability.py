"""How often each feature was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.estimators._features import InputNames
from handful.inspection import _drawing as drawing
from handful.inspection._fitted import drawn_from
from handful.model_selection._wrapped import selector_in
from handful.validation.plotting import check_names, wrong_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handful.model_selection import SelectKCV, StabilitySelection


Array = np.ndarray
KINDS = ("bars", "path")
MOST_FEATURES = 30
#: Of the path: features with a colour and a name, and others that are drawn in grey.
MOST_NAMED, MOST_OTHERS = 16, 200
#: Bars that leave room for the legend.
SHORT_BAR = 0.5
STYLES = ("-", "--", "-.", ":")


class StabilityDisplay:
    """The share of fits in which each feature was chosen, or that share against the number of features.

    Use :meth:`from_estimator` or :meth:`from_cv`.

    Parameters
    ----------
    names : list of str
        Of features that were ever chosen.
    shares : array of shape (n_features,)
        In which share of the fits each was.
    is_selected : array of bool
        Which are selected in the end.
    k : array of int, optional
        Numbers of features, ascending.
    paths : array of shape (n_features, n_k), optional
        The share at each k.
    threshold : float, optional
        The share from which on features are selected.
    fits : str, default="halves"
        What the shares are of.

    Attributes
    ----------
    order : ndarray of int
        The most often chosen feature first, of equals the first.
    ax_, figure_
        Where it was drawn.
    bars_ : BarContainer
        Of kind "bars".
    lines_ : list of Line2D
        Of kind "path": one for each selected feature.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from handful.inspection import StabilityDisplay
    >>> display = StabilityDisplay(["a", "b"], [0.4, 0.9], [False, True], threshold=0.6).plot()
    >>> [float(bar.get_width()) for bar in display.bars_]
    [0.9, 0.4]
    """

    def __init__(
        self,
        names: Sequence[str],
        shares: Any,
        is_selected: Any,
        *,
        k: Any = None,
        paths: Any = None,
        threshold: float | None = None,
        fits: str = "halves",
    ) -> None:
        self.names = list(names)
        self.shares: Array = np.asarray(shares, dtype=np.float64)
        self.is_selected: Array = np.asarray(is_selected, dtype=bool)
        self.k = k
        self.paths = paths
        self.threshold = threshold
        self.fits = fits

    @classmethod
    def from_estimator(
        cls,
        estimator: StabilitySelection,
        *,
        kind: str = "bars",
        feature_names: Sequence[str] | None = None,
        X: Any = None,
        ax: Axes | None = None,
    ) -> StabilityDisplay:
        """Draw what a fitted :class:`~handful.model_selection.StabilitySelection` counted.

        Parameters
        ----------
        estimator : StabilitySelection
        kind : {"bars", "path"}, default="bars"
        feature_names : list of str, optional
            Of the columns of X; by default those that were seen in ``fit``.
        X : data of the fit, optional
            Some features that are made from the data, as substrings, have names only beside them.
        ax : matplotlib axes, optional

        Returns
        -------
        display : StabilityDisplay
        """
        ids = drawn_from(estimator, "stability_path_")["ids"]
        display = cls._of_counts(estimator, _names(estimator, ids, feature_names, X))
        return display.plot(ax, kind=kind)

    @classmethod
    def _of_counts(cls, model: StabilitySelection, names: Sequence[str]) -> StabilityDisplay:
        """Return what a stability selection counted of features that have names already; nothing is drawn."""
        path = model.stability_path_
        return cls(
            names,
            model.selection_probabilities_.data,
            np.isin(path["ids"], model.support_ids_),
            k=path["k"],
            paths=path["frequency"],
            threshold=model.threshold_,
        )

    @classmethod
    def from_cv(
        cls,
        search: SelectKCV,
        *,
        kind: str = "bars",
        feature_names: Sequence[str] | None = None,
        X: Any = None,
        ax: Axes | None = None,
    ) -> StabilityDisplay:
        """Draw in which share of the folds a fitted :class:`~handful.model_selection.SelectKCV` chose each feature.

        Parameters
        ----------
        search : SelectKCV
        kind : {"bars", "path"}, default="bars"
            Bars are those of the chosen k.
        feature_names, X
            As for :meth:`from_estimator`.
        ax : matplotlib axes, optional

        Returns
        -------
        display : StabilityDisplay
        """
        table = drawn_from(search, "selection_frequency_")
        ids = np.unique(table.indices)
        paths = table[:, ids].toarray().T
        shares = paths[:, search.k_path_.position(search.n_features_)]
        best = getattr(search, "best_estimator_", None)
        chosen = [] if best is None else getattr(selector_in(best), "support_ids_", [])
        display = cls(
            _names(search, ids, feature_names, X),
            shares,
            np.isin(ids, chosen),
            k=search.k_path_.k,
            paths=paths,
            fits="folds",
        )
        return display.plot(ax, kind=kind)

    @property
    def order(self) -> Array:
        """The most often chosen first; of equals the first."""
        return np.argsort(-self.shares, kind="stable")

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: str = "bars",
        max_features: int = MOST_FEATURES,
        title: str | None = None,
    ) -> StabilityDisplay:
        """Draw bars for the features most often chosen, or their shares against the number of features.

        Parameters
        ----------
        ax : matplotlib axes, optional
        kind : {"bars", "path"}, default="bars"
        max_features : int, default=30
            Of bars.
        title : str, optional

        Returns
        -------
        display : StabilityDisplay
        """
        known = KINDS if self.paths is not None else KINDS[:1]
        if kind not in known:
            raise wrong_axes(kind, known)
        ax = self._draw_bars(ax, max_features) if kind == "bars" else self._draw_path(ax)
        drawing.plain(ax, title)
        return self

    def _draw_bars(self, ax: Axes | None, max_features: int) -> Axes:
        shown = self.order[self.shares[self.order] > 0][:max_features]
        ax = drawing.axes_for(self, ax, (drawing.WIDTH, drawing.height_for(len(shown)) + 0.3))
        colours = [drawing.BLUE if self.is_selected[j] else drawing.PALE for j in shown]
        self.bars_ = ax.barh(np.arange(len(shown)), self.shares[shown], 0.75, color=colours)
        for colour, label in ((drawing.BLUE, "selected"), (drawing.PALE, "not selected")):
            if colour in colours:
                ax.barh([0], [0], color=colour, label=label)
        drawing.name_rows(ax, [self.names[j] for j in shown])
        if self.threshold is not None:
            label = f"threshold {self.threshold:.1%}"
            ax.axvline(self.threshold, color=drawing.RED, linestyle="--", linewidth=1, label=label)
        ax.set(xlim=(0, 1.02), xlabel=f"share of the {self.fits} that chose it")
        has_room = len(shown) > 4 and self.shares[shown].min() < SHORT_BAR
        drawing.legend(ax, outside=not has_room, **({"loc": "lower right"} if has_room else {}))
        left_out = int(np.count_nonzero(self.shares)) - len(shown)
        if left_out:
            drawing.note(ax, f"and {left_out} more that were chosen less often")
        return ax

    def _draw_path(self, ax: Axes | None) -> Axes:
        ax = drawing.axes_for(self, ax, (7.6, 4.6))
        paths, ks = np.asarray(self.paths), np.asarray(self.k)
        marker = "o" if len(ks) == 1 else None
        others = [j for j in self.order if not self.is_selected[j]]
        for j in others[:MOST_OTHERS]:
            ax.plot(ks, paths[j], color=drawing.PALE, linewidth=0.6, marker=marker, zorder=1)
        self.lines_: list[Any] = []
        chosen = [j for j in self.order if self.is_selected[j]]
        labels = drawing.told_apart([self.names[j] for j in chosen[:MOST_NAMED]], 26)
        for number, j in enumerate(chosen):
            colour = drawing.COLOURS[number % 7]  # yellow lines cannot be seen on white
            style = STYLES[number // 7 % len(STYLES)]
            label = drawing.in_legend(labels[number]) if number < MOST_NAMED else None
            [line] = ax.plot(
                ks, paths[j], color=colour, linestyle=style, marker=marker, label=label, zorder=2
            )
            self.lines_.append(line)
        if self.threshold is not None:
            ax.axhline(self.threshold, color=drawing.DARK, linestyle="--", linewidth=1)
        ax.set(
            xlabel=f"features chosen in each of the {self.fits}",
            ylabel=f"share of the {self.fits}",
            ylim=(0, 1.03),
        )
        if chosen:
            drawing.legend(ax, outside=True)
        if len(chosen) > MOST_NAMED:
            drawing.note(ax, f"and {len(chosen) - MOST_NAMED} more, without a name")
        return ax


def _names(model: Any, ids: Array, given: Sequence[str] | None, X: Any) -> list[str]:
    """Return the names of features, which may be made from columns; numbers where nobody knows them."""
    names = InputNames.of(model, given)
    space = getattr(selector_in(model.estimator), "space", None)
    if space is None:
        if given is not None and len(ids) and len(given) <= max(ids):
            check_names("feature_names", len(given), int(model.n_features_in_), "column")
        return [names[int(j)] for j in ids]
    if X is not None:
        return list(space.on(X).names(ids, names))
    try:
        return list(space.sized(model.n_features_in_).names(ids, names))
    except (AttributeError, TypeError):  # nothing was fitted to all rows, or names are in the data
        return [f"feature {j}" for j in ids]
