"""scikit-learn's callbacks: one task for the fit, one for each round in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator


class RoundTasks:
    """Opens a task before each round and closes it after; cheap when nobody listens.

    Whether a round follows is only known once the oracle has been asked, so the fit may end with a
    round open: it is closed without a fitted estimator, as scikit-learn's own estimators do.

    Parameters
    ----------
    estimator : estimator with CallbackSupportMixin
    X, y, sample_weight
        Passed on to the callbacks.
    """

    def __init__(self, estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"X": X, "y": y, "metadata": metadata}
        self._fit = estimator._init_callback_context(max_subtasks=None)
        self._fit.call_on_fit_task_begin(estimator=estimator, **self._data)
        self._round: Any = None

    def begin_round(self) -> None:
        """Open the task of the round that starts now."""
        self._round = self._fit.subcontext(task_name="round")
        self._round.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def end_round(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """Close the round's task; true when a callback asks to stop."""
        stop = self._round.call_on_fit_task_end(
            estimator=self._estimator, **self._data, reconstruction_attributes=attributes
        )
        self._round = None
        return bool(stop)

    def end(self) -> None:
        """Close what is open: a round that brought nothing, and the fit."""
        if self._round is not None:
            self._round.call_on_fit_task_end(estimator=self._estimator)
        self._fit.call_on_fit_task_end(
            estimator=self._estimator, **self._data, reconstruction_attributes={}
        )


class NoTasks:
    """In the place of :class:`RoundTasks` where nobody can listen: a path is no fit of an estimator."""

    def begin_round(self) -> None:
        """Do nothing."""

    def end_round(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """Go on."""
        return False
