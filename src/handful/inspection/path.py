"""The score against the number of features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.inspection import _drawing as drawing
from handful.inspection._fitted import drawn_from
from handful.model_selection.k_path import KPath
from handful.model_selection.select_k_cv import SelectKCV
from handful.validation.plural import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handful.model_selection.nested import NestedScore


#: From this ratio of the largest k to the smallest on, each doubling has the same width.
WIDE = 8
MOST_TICKS = 12


@dataclass(eq=False, repr=False)
class PathDisplay:
    """Held-out score against the number of features: ``mean_f s_f(k)`` and its standard error.

    Use :meth:`from_cv` or :meth:`from_estimator`.

    Parameters
    ----------
    path : KPath
        Scores of the folds at each k.
    chosen : int
        The k that was chosen.
    train_mean : array of shape (n_k,), optional
        Mean score of the training rows.
    nested : NestedScore, optional
        The score of the whole choice inside outer folds.
    score_name : str, default="score"
    counted, cases : str
        What there are k of, and what is held out.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    line_ : ErrorbarContainer
        Means and standard errors.
    chosen_ : Line2D
        At the chosen k.
    threshold_ : Line2D
        One standard error below the best mean.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_regression
    >>> from handful import GreedyRLSRegressor
    >>> from handful.inspection import PathDisplay
    >>> X, y = make_regression(80, 50, n_informative=3, noise=10, random_state=0)
    >>> display = PathDisplay.from_estimator(GreedyRLSRegressor(), X, y, k=[1, 2, 3, 5, 8])
    >>> display.chosen
    3
    """

    path: KPath
    chosen: int
    _: KW_ONLY
    train_mean: Any = None
    nested: NestedScore | None = None
    score_name: str = "score"
    counted: str = "features"
    cases: str = "rows"

    @classmethod
    def from_cv(
        cls, search: SelectKCV, *, score_name: str | None = None, ax: Axes | None = None
    ) -> PathDisplay:
        """Draw what a fitted :class:`~handful.model_selection.SelectKCV` found.

        Parameters
        ----------
        search : SelectKCV
        score_name : str, optional
            By default the name in ``scoring``.
        ax : matplotlib axes, optional

        Returns
        -------
        display : PathDisplay
        """
        path: KPath = drawn_from(search, "k_path_")
        if score_name is None:
            score_name = search.scoring if isinstance(search.scoring, str) else "score"
        train = None
        if "mean_train_score" in search.cv_results_ and not search.param_grid:
            train = np.asarray(search.cv_results_["mean_train_score"])
        nested = getattr(search, "nested_score_", None)
        display = cls(
            path, search.n_features_, train_mean=train, nested=nested, score_name=score_name
        )
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        k: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        rule: Any = "one_se",
        nested: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        ax: Axes | None = None,
        **fit_params: Any,
    ) -> PathDisplay:
        """Judge a selector at several numbers of features, on held-out rows, and draw it.

        Parameters
        ----------
        estimator : selector or Pipeline, X, y, k, cv, scoring, rule, nested, n_jobs, random_state
            As for :class:`~handful.model_selection.SelectKCV`.
        ax : matplotlib axes, optional
        **fit_params : dict
            As for its ``fit``.

        Returns
        -------
        display : PathDisplay
        """
        search = SelectKCV(
            estimator,
            k,
            cv=cv,
            scoring=scoring,
            rule=rule,
            nested=nested,
            n_jobs=n_jobs,
            random_state=random_state,
            refit=False,
        )
        search.fit(X, y, **fit_params)
        return cls.from_cv(search, ax=ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> PathDisplay:
        """Draw means with standard errors, the chosen k, and the line that the one-standard-error rule looks at.

        Parameters
        ----------
        ax : matplotlib axes, optional
        title : str, optional

        Returns
        -------
        display : PathDisplay
        """
        ax = drawing.axes_for(self, ax)
        path, ks = self.path, self.path.k
        if self.train_mean is not None:
            label = f"training {self.cases}"
            ax.plot(ks, self.train_mean, color=drawing.PALE, linestyle="--", label=label)
        self.line_ = ax.errorbar(
            ks,
            path.mean,
            yerr=path.standard_error,
            color=drawing.BLUE,
            marker="o",
            markersize=4,
            capsize=3,
            label=f"held-out {self.cases}, {path.n_folds} folds, ± standard error",
        )
        self._draw_rule(ax)
        if self.nested is not None:
            self._draw_nested(ax)
        self._draw_ticks(ax)
        ax.set_xlabel(f"number of {self.counted}")
        ax.set_ylabel(self.score_name, parse_math=False)
        drawing.plain(ax, title)
        drawing.legend(ax, loc="best")
        return self

    def _draw_rule(self, ax: Axes) -> None:
        path = self.path
        best = path.position(path.choose("best"))
        least = float(path.mean[best] - path.standard_error[best])
        self.threshold_ = ax.axhline(
            least, color=drawing.DARK, linestyle=":", linewidth=1, label="best − one standard error"
        )
        self.chosen_ = ax.axvline(
            self.chosen,
            color=drawing.RED,
            linewidth=1,
            zorder=1,
            label=f"chosen: {plural(self.chosen, self.counted.removesuffix('s'))}",
        )

    def _draw_nested(self, ax: Axes) -> None:
        nested: Any = self.nested
        self.nested_ = ax.errorbar(
            [self.chosen],
            [nested.mean],
            yerr=[nested.standard_error],
            color=drawing.GREEN,
            marker="D",
            markersize=6,
            capsize=3,
            linestyle="none",
            zorder=4,
            label=f"the whole choice on outer folds: {nested.mean:.3g}",
        )

    def _draw_ticks(self, ax: Axes) -> None:
        ks = self.path.k
        if len(ks) > 1 and ks[-1] / ks[0] >= WIDE:
            ax.set_xscale("log")
        step = -(-len(ks) // MOST_TICKS)
        shown = ks[::-1][::step][::-1]  # the largest is always named
        ax.set_xticks(shown, labels=[str(k) for k in shown])
        ax.minorticks_off()
