"""scikit-learn's callbacks: one task for the fit, one for each round, fold or resample in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class FitTasks:
    """Opens and closes the tasks; cheap when nobody listens.

    Folds and resamples may be worked on elsewhere, so their tasks are told of when they are done.

    Parameters
    ----------
    estimator : estimator with CallbackSupportMixin
    X, y, sample_weight
        Passed on to the callbacks.
    n_tasks : int or None, default=None
        How many there will be; None where nobody knows.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, n_tasks: int | None = None
    ) -> None:
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self._fit = estimator._init_callback_context(max_subtasks=n_tasks)
        self._fit.call_on_fit_task_begin(**self._data)

    def _begun(self, name: str) -> Any:
        task = self._fit.subcontext(task_name=name)
        task.call_on_fit_task_begin(**self._data)
        return task

    def done(self, name: str) -> None:
        """Tell of a task that is done."""
        self._begun(name).call_on_fit_task_end(**self._data)

    @contextmanager
    def of_estimator(self, name: str) -> Iterator[Callable[[Any], Any]]:
        """Open a task in which another estimator is fitted; yields what hands the callbacks on to it."""
        task = self._begun(name)
        yield task.propagate_callback_context
        task.call_on_fit_task_end(**self._data)

    def end(self) -> None:
        """Close the fit."""
        self._fit.call_on_fit_task_end(**self._data)


class RoundTasks(FitTasks):
    """Opens a task before each round and closes it after.

    Whether a round follows is only known once the oracle has been asked, so the fit may end with a
    round open: it is closed without a fitted estimator, as scikit-learn's own estimators do.
    """

    _round: Any = None

    def begin_round(self) -> None:
        """Open the task of the round that starts now."""
        self._round = self._begun("round")

    def end_round(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """Close the round's task; true when a callback asks to stop."""
        stop = self._round.call_on_fit_task_end(**self._data, reconstruction_attributes=attributes)
        self._round = None
        return bool(stop)

    def end(self) -> None:
        """Close what is open: a round that brought nothing, and the fit."""
        if self._round is not None:
            self._round.call_on_fit_task_end(estimator=self._data["estimator"])
        self._fit.call_on_fit_task_end(**self._data, reconstruction_attributes={})


class NoTasks:
    """In the place of :class:`RoundTasks` where nobody can listen: a path is no fit of an estimator."""

    def begin_round(self) -> None:
        """Do nothing."""

    def end_round(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """Go on."""
        return False
