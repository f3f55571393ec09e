"""The chosen features by their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.inspection import _drawing as drawing
from handful.inspection._fitted import selection_of
from handful.validation.plotting import check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handful.estimators._features import Selection


Array = np.ndarray
#: With more outputs than that weights are a map of colours.
MOST_COLOURS = 6
MOST_FEATURES = 30
MOST_NAMED_OUTPUTS = 40


class WeightsDisplay:
    """The weights ``w_cj`` of the chosen features, the strongest first, one colour for each class.

    Use :meth:`from_estimator`.

    Parameters
    ----------
    names : list of str
        Of the features.
    weights : array of shape (n_outputs, n_features)
    output_names : list of str
        What each row of the weights is for.
    group_names : list of str, optional
        The group of each feature: features of a group stand together, the strongest group first.
    weight_name : str, default="weight"

    Attributes
    ----------
    order : ndarray of int
        The features as they are drawn.
    ax_, figure_
        Where it was drawn.
    bars_ : list of BarContainer
        One for each output; none where there are too many of them for bars.
    image_ : AxesImage
        Instead, where there are more than six outputs.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from handful import FGMClassifier
    >>> from handful.inspection import WeightsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = WeightsDisplay.from_estimator(FGMClassifier(2, C="fast").fit(X, y))
    >>> display.names
    ['sepal width (cm)', 'petal length (cm)']
    """

    def __init__(
        self,
        names: Sequence[str],
        weights: Any,
        output_names: Sequence[str],
        *,
        group_names: Sequence[str] | None = None,
        weight_name: str = "weight",
    ) -> None:
        self.names = list(names)
        self.weights: Array = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        self.output_names = list(output_names)
        self.group_names = None if group_names is None else list(group_names)
        self.weight_name = weight_name
        n_outputs, n_features = self.weights.shape
        check_names("names", len(self.names), n_features, "feature")
        if n_features:  # without any, nobody can tell how many outputs there are
            check_names("output_names", len(self.output_names), n_outputs, "output")
        if self.group_names is not None:
            check_names("group_names", len(self.group_names), n_features, "feature")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        max_features: int = MOST_FEATURES,
        ax: Axes | None = None,
    ) -> WeightsDisplay:
        """Draw the weights of a fitted selector.

        Parameters
        ----------
        estimator : estimator
            A selector of this package, or what has one in it: a Pipeline, SelectKCV, StabilitySelection.
        feature_names : list of str, optional
            Of the columns of X; by default those that were seen in ``fit``.
        max_features : int, default=30
        ax : matplotlib axes, optional

        Returns
        -------
        display : WeightsDisplay
        """
        selection = selection_of(estimator, feature_names)
        return cls._from_selection(selection, max_features=max_features, ax=ax)

    @classmethod
    def _from_selection(
        cls,
        selection: Selection,
        *,
        max_features: int = MOST_FEATURES,
        ax: Axes | None = None,
    ) -> WeightsDisplay:
        """Draw the weights of features and groups that have names already."""
        features = selection.features
        display = cls(
            [feature.name for feature in features],
            np.array([feature.weights for feature in features]).T,
            selection.output_names,
            group_names=groups_of(selection),
            weight_name=selection.weight_name,
        )
        return display.plot(ax, max_features=max_features)

    @property
    def order(self) -> Array:
        """The features as they are drawn: the strongest first, within the strongest group first."""
        strength = np.linalg.norm(self.weights, axis=0)
        if self.group_names is None:
            return np.argsort(-strength, kind="stable")
        labels, group = np.unique(self.group_names, return_inverse=True)
        squares = np.bincount(group, weights=strength**2, minlength=len(labels))
        return np.lexsort([-strength, group, -squares[group]])

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_features: int = MOST_FEATURES,
        title: str | None = None,
    ) -> WeightsDisplay:
        """Draw the strongest features, and say how many are left out.

        Parameters
        ----------
        ax : matplotlib axes, optional
        max_features : int, default=30
        title : str, optional

        Returns
        -------
        display : WeightsDisplay
        """
        shown = self.order[:max_features]
        n_outputs = len(self.weights)
        is_map = n_outputs > MOST_COLOURS
        n_lines = 1 if is_map else max(1, round(0.6 * n_outputs))
        size = (drawing.WIDTH, drawing.height_for(len(shown), n_lines) + 0.8 * is_map)
        ax = drawing.axes_for(self, ax, size)
        self.bars_: list[Any] = []
        if is_map:
            self._draw_map(ax, shown)
        else:
            self._draw_bars(ax, shown)
        drawing.name_rows(ax, [self._called(j) for j in shown])
        drawing.titled(ax, title)
        left_out = len(self.names) - len(shown)
        if left_out:
            drawing.note(ax, f"and {left_out} more with smaller weights")
        return self

    def _called(self, feature: int) -> str:
        if self.group_names is None or self.group_names[feature] == self.names[feature]:
            return self.names[feature]
        half = drawing.LONGEST_NAME // 2 - 1
        group = drawing.shortened(self.group_names[feature], half)
        return f"{group}: {drawing.shortened(self.names[feature], half)}"

    def _draw_bars(self, ax: Axes, shown: Array) -> None:
        n_outputs, places = len(self.weights), np.arange(len(shown))
        height, outputs = 0.8 / n_outputs, drawing.told_apart(self.output_names)
        for c, weights in enumerate(self.weights):
            offset = (c - (n_outputs - 1) / 2) * height
            bars = ax.barh(
                places + offset,
                weights[shown],
                height,
                color=drawing.COLOURS[c],
                label=drawing.in_legend(outputs[c]),
            )
            self.bars_.append(bars)
        ax.axvline(0, color=drawing.DARK, linewidth=0.8)
        label = self.weight_name
        if n_outputs == 1 and self.weights.min(initial=0.0) < 0:
            towards = drawing.shortened(self.output_names[0])
            label = f"{label} (to the right: towards {towards})"
        ax.set_xlabel(label, parse_math=False)
        drawing.plain(ax)
        if n_outputs > 1:
            drawing.legend(ax, outside=True)

    def _draw_map(self, ax: Axes, shown: Array) -> None:
        values = self.weights[:, shown].T
        most = float(np.abs(values).max(initial=0.0)) or 1.0
        self.image_ = ax.imshow(
            values, cmap=drawing.DIVERGING, vmin=-most, vmax=most, aspect="auto"
        )
        if len(self.output_names) <= MOST_NAMED_OUTPUTS:
            drawing.name_columns(ax, self.output_names)
        ax.set_xlabel(f"{len(self.output_names)} outputs")
        bar = ax.figure.colorbar(self.image_, ax=ax, shrink=0.8)
        bar.set_label(self.weight_name)


def groups_of(selection: Selection) -> list[str] | None:
    """Return the first selected group of each feature; None without groups."""
    if selection.groups is None:
        return None
    named: dict[int, str] = {}
    for group in selection.groups:
        for feature in group.features:
            named.setdefault(feature, group.name)
    return [named.get(feature.id, feature.name) for feature in selection.features]
