"""Models of several sizes by rows that vanish: the reweighting knows no number, and is done once for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from handful.methods import reweighted
from handful.methods.problem import Monitor, Problem, Selected
from handful.methods.reweighted.engine import refitted
from handful.methods.reweighted.ranking import best_different
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
    for k in ks[:-1]:
        yield k, _of_size(k, largest, last.state)
    yield ks[-1], largest


def _of_size(k: int, largest: Selected, state: Reweighting) -> Selected:
    """Return the selection of another number, with the weights that the method's own last fit gives it."""
    scores = largest.more["scores_"]
    ids, weights, intercept = best_different(state.data, state.columns, state.step, scores, k)
    return refitted(replace(largest, ids=ids, weights=weights, intercept=intercept), state)
