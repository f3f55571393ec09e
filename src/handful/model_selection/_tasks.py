"""scikit-learn's callbacks are told of the work on folds and resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class FitTasks:
    """Opens and closes the tasks; cheap when nobody listens.

    Folds and resamples may be worked on elsewhere, so their tasks are told of when they are done.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, params: dict[str, Any], n_tasks: int | None
    ) -> None:
        weight = params.get("sample_weight")
        metadata = None if weight is None else {"sample_weight": weight}
        self._estimator = estimator
        self._data = {"X": X, "y": y, "metadata": metadata}
        self._fit = estimator._init_callback_context(max_subtasks=n_tasks)
        self._fit.call_on_fit_task_begin(estimator=estimator, **self._data)

    def done(self, name: str) -> None:
        """Tell of a task that is done."""
        task = self._fit.subcontext(task_name=name)
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        task.call_on_fit_task_end(estimator=self._estimator, **self._data)

    @contextmanager
    def of_estimator(self, name: str) -> Iterator[Callable[[Any], Any]]:
        """Open a task in which another estimator is fitted; yields what hands the callbacks on to it."""
        task = self._fit.subcontext(task_name=name)
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        yield task.propagate_callback_context
        task.call_on_fit_task_end(estimator=self._estimator, **self._data)

    def end(self) -> None:
        """Close the fit."""
        self._fit.call_on_fit_task_end(estimator=self._estimator, **self._data)
