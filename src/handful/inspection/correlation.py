"""The chosen features beside the ones that could replace them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.estimators._features import InputNames
from handful.inspection import _drawing as drawing
from handful.inspection._fitted import candidates, fitted_selector, innermost
from handful.model_selection._wrapped import names_at_selector
from handful.spaces.base import dense
from handful.spaces.columns import lengths_about_means
from handful.spaces.resolve import resolve_space
from handful.validation.plotting import check_names, nothing_to_draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = np.ndarray
MOST_CHOSEN, MOST_RUNNERS = 30, 30
#: Numbers are written into the cells of a small map.
MOST_NUMBERS = 200


class CorrelationDisplay:
    """Correlations ``r_ij`` of the chosen features with those that were not, the nearest ones.

    A feature whose correlation with a chosen one is near 1 or -1 could have had its place; one may be cheaper to
    measure than the other. Use :meth:`from_estimator`.

    Parameters
    ----------
    chosen_names, runner_names : list of str
    correlations : array of shape (n_chosen, n_runners)

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    image_ : AxesImage

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from handful import GreedyRLSRegressor
    >>> from handful.inspection import CorrelationDisplay
    >>> X = np.random.default_rng(0).standard_normal((50, 8))
    >>> X[:, 5] = -X[:, 2] + 0.1 * X[:, 7]
    >>> model = GreedyRLSRegressor(1).fit(X, X[:, 2])
    >>> display = CorrelationDisplay.from_estimator(model, X, max_runners=2)
    >>> display.chosen_names, display.runner_names[0]
    (['x2'], 'x5')
    """

    def __init__(
        self, chosen_names: Sequence[str], runner_names: Sequence[str], correlations: Any
    ) -> None:
        self.chosen_names = list(chosen_names)
        self.runner_names = list(runner_names)
        self.correlations: Array = np.asarray(correlations, dtype=np.float64)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        max_runners: int = 15,
        ax: Axes | None = None,
    ) -> CorrelationDisplay:
        """Compare the chosen columns of X with all others, and draw the nearest.

        Parameters
        ----------
        estimator : fitted selector of columns
        X : data of the fit, or other rows of the same columns
            As the selector takes them: dense, sparse, a store, ...
        feature_names : list of str, optional
        max_runners : int, default=15
            Of each chosen feature the nearest others are taken, in turn, up to this number.
        ax : matplotlib axes, optional

        Returns
        -------
        display : CorrelationDisplay
        """
        fitted = innermost(estimator)
        selector = fitted_selector(fitted)
        if hasattr(selector, "space_") or not hasattr(selector, "support_ids_"):
            raise nothing_to_draw(selector, "chosen columns of X")
        columns, ids = candidates(fitted, X)
        is_reduced = columns.shape[1] != selector.n_features_in_
        seen = (
            getattr(fitted, "feature_names_in_", None) if is_reduced else names_at_selector(fitted)
        )
        if feature_names is not None:
            check_names("feature_names", len(feature_names), columns.shape[1], "column")
        names = InputNames(seen if feature_names is None else feature_names)
        strongest = np.argsort(-np.linalg.norm(selector.weights_, axis=0), kind="stable")
        chosen = ids[strongest[:MOST_CHOSEN]]
        every = correlations_with(columns, chosen)
        runners = _nearest(every, ids, max_runners)
        if not len(runners):
            raise nothing_to_draw(selector, "columns that were not chosen")
        display = cls(
            [names[int(j)] for j in chosen], [names[int(j)] for j in runners], every[:, runners]
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> CorrelationDisplay:
        """Draw a map: a row for each chosen feature, a column for each of the others.

        Parameters
        ----------
        ax : matplotlib axes, optional
        title : str, optional

        Returns
        -------
        display : CorrelationDisplay
        """
        n_rows, n_columns = self.correlations.shape
        size = (max(5.2, 3.2 + 0.36 * n_columns), 1.6 + drawing.height_for(n_rows))
        ax = drawing.axes_for(self, ax, size)
        self.image_ = ax.imshow(
            self.correlations, cmap=drawing.DIVERGING, vmin=-1, vmax=1, aspect="auto"
        )
        drawing.name_rows(ax, self.chosen_names)
        drawing.name_columns(ax, self.runner_names)
        ax.set_ylim(n_rows - 0.5, -0.5)
        if n_rows * n_columns <= MOST_NUMBERS:
            for (i, j), value in np.ndenumerate(self.correlations):
                colour = "white" if abs(value) > 0.6 else "black"
                ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=6.5)
        ax.set(xlabel="not chosen, the nearest", ylabel="chosen")
        ax.figure.colorbar(self.image_, ax=ax, shrink=0.8).set_label("correlation")
        drawing.titled(ax, title)
        return self


def correlations_with(X: Any, chosen: Array) -> Array:
    """Return the correlations of some columns with all, (n_chosen, n_features); 0 for constant ones.

    One product with the data, wherever they are.
    """
    space = resolve_space(X)
    columns = dense(space.columns(chosen))
    weight = np.ones(space.n_samples)
    squares, about_means = space.centred_squares(weight, centred=True)
    centred = columns - columns.mean(axis=0)
    lengths = lengths_about_means(about_means, squares)
    dots = space.dots(np.ascontiguousarray(centred)).T
    return np.clip(dots / lengths / lengths[chosen][:, None], -1.0, 1.0)


def _nearest(correlations: Array, taken: Array, count: int) -> Array:
    """Take, for each chosen feature in turn, the nearest that is not taken yet."""
    sizes = np.abs(correlations)
    sizes[:, taken] = -1.0
    most = min(count, MOST_RUNNERS, sizes.shape[1] - len(taken))
    found: list[int] = []
    ranked = [iter(np.argsort(-row, kind="stable")) for row in sizes]
    while len(found) < most:
        for row in ranked[: most - len(found)]:
            found.append(next(int(j) for j in row if int(j) not in found))
    return np.array(found, dtype=np.int64)
