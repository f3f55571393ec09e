"""Models of several sizes by rows that vanish: the reweighting knows no number, and is done once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from handful.methods import reweighted
from handful.methods.problem import Monitor, Problem, Selected
from handful.methods.reweighted.engine import by_margins, by_residuals
from handful.methods.reweighted.state import Reweighting


class LastState:
    """A monitor that passes on what it is called with, and remembers where the reweighting ended."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.state: Any = None

    @property
    def interrupted(self) -> bool:
        """Whether somebody wants an end."""
        return self._monitor.interrupted

    def __call__(self, state: Reweighting) -> bool:
        self.state = state
        return bool(self._monitor(state))

    def tell(self, news: object) -> None:
        """Pass it on."""
        self._monitor.tell(news)


def selections(
    problem: Problem, options: reweighted.Options, ks: Sequence[int], monitor: Monitor
) -> Iterator[tuple[int, Selected]]:
    """Yield each number and what a fit with it selects; KeyboardInterrupt when the monitor wants an end.

    Norms of rows rank all features in one fit, so that a number only decides how many are kept, and
    fitted anew.
    """
    last = LastState(monitor)
    largest = reweighted.fit(problem, replace(options, n_keep=ks[-1]), last)
    if monitor.interrupted:
        raise KeyboardInterrupt
    of_margins = problem.loss.task == "classification"
    refit = by_margins if of_margins else by_residuals
    for k in ks[:-1]:
        state = replace(last.state, options=replace(options, n_keep=k))
        yield k, _fitted_anew(replace(state.selected(), status=largest.status), state, refit)
    yield ks[-1], largest


def _fitted_anew(
    selected: Selected, state: Reweighting, refit: Callable[..., tuple[Any, Any]]
) -> Selected:
    """Return a selection with the weights that the method's own last fit gives it."""
    wanted = state.options.refit
    if wanted == "auto":
        wanted = not np.array_equal(selected.ids, np.sort(state.columns.ids))
    if not wanted:
        return selected
    weights, intercept = refit(state.data, state.options, selected.ids)
    return replace(selected, weights=weights, intercept=intercept)
