"""What happens after each round: save, print, call back, and stop when asked."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any, Protocol, TypeVar

from handful.estimators._bar import do_nothing, telling
from handful.estimators._callbacks import NoTasks, RoundTasks
from handful.history import History, Round
from handful.methods.checkpoint_file import CheckpointFile
from handful.methods.problem import Problem, Selected

Kind = TypeVar("Kind", bound=CheckpointFile)
#: Parameters that say how to run, not what to compute.
RUN_PARAMETERS = ("certify", "checkpoint", "verbose", "n_jobs", "warm_start")


class Recorded(Protocol):
    """Where a method stands between two rounds."""

    history: History

    def selected(self) -> Selected:
        """Return what it gives if it ends here."""


class Monitor:
    """Passes each round on to whoever wants to know; true when the fit should end there.

    Parameters
    ----------
    estimator : estimator
        Its ``verbose`` says who is told: True prints a line; a callable gets each
        :class:`~handful.history.Round`; a bar, called as the estimator, shows it.
    tasks : RoundTasks
    attributes : callable
        Gives the fitted attributes of what was found so far, for scikit-learn's callbacks.
    checkpoint : CheckpointFile or None, default=None
        Its ``save`` is called with the state of every round.
    n_rounds : int or None, default=None
        How many rounds there will be, where that is known.
    """

    def __init__(
        self,
        estimator: Any,
        tasks: RoundTasks | NoTasks,
        attributes: Callable[[Selected], dict[str, Any]],
        checkpoint: Any = None,
        n_rounds: int | None = None,
    ) -> None:
        verbose = estimator.verbose
        self._telling = partial(telling, verbose, type(estimator).__name__, n_rounds)
        self._tells_all = not callable(verbose) and verbose != "bar"
        self._show: Callable[[Any], Any] = do_nothing  # nobody listens yet
        self._checkpoint = checkpoint
        self._tasks = tasks
        self._attributes = attributes
        self.interrupted = False
        self._cut_short = False
        tasks.begin_round()

    def __call__(self, state: Recorded) -> bool:
        # An uninterrupted fit would not have the rounds after the one that was interrupted, so a
        # later fit must not go on from there.
        if self._checkpoint is not None and not self._cut_short:
            self._checkpoint.save(state)
        self._show(state.history[-1])
        if self._tasks.end_round(lambda: self._attributes(state.selected())):
            self.interrupted = True
        self._tasks.begin_round()
        if self.interrupted:
            self.stop_saving()
        return self.interrupted

    def stop_saving(self) -> None:
        """Leave the checkpoint as it is: what comes now only brings the model to an end."""
        self._cut_short = True

    def tell(self, news: object) -> None:
        """Print what no checkpoint needs; who is called with every round gets it if it is one."""
        if self._tells_all or isinstance(news, Round):
            self._show(news)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Tell of rounds, and let the first Ctrl-C end the fit after the round in hand; a second ends it at once."""
        with self._telling() as self._show, self._hearing_interrupts():
            yield

    @contextlib.contextmanager
    def _hearing_interrupts(self) -> Iterator[None]:
        before = signal.getsignal(signal.SIGINT)
        in_main = threading.current_thread() is threading.main_thread()
        if not in_main or before is not signal.default_int_handler:
            yield  # signals reach the main thread only; another handler knows what Ctrl-C means
            return

        def on_interrupt(number: int, frame: FrameType | None) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        signal.signal(signal.SIGINT, on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def open_checkpoint(
    kind: type[Kind], estimator: Any, problem: Problem, n_keep: int | None, **meant: Any
) -> Kind | None:
    """Return the file that ``checkpoint`` names, if it names one.

    ``n_keep`` is how many features are wanted: a share and the number it means are the same fit. ``meant`` are other
    parameters as the method takes them.
    """
    if estimator.checkpoint is None:
        return None
    given = estimator.get_params(deep=False)
    parameters = {name: value for name, value in given.items() if name not in RUN_PARAMETERS}
    parameters |= {"n_features_to_select": n_keep, **meant}
    return kind(estimator.checkpoint, parameters, problem.space, problem.y, problem.weight)
