"""How long kernels are compiled, which only a first run does: to be told apart from the time of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

__all__ = ["CompileTime", "compile_time"]

_KIND = "numba:compile"  # not sent for kernels that are loaded from a file


class CompileTime(event.TimingListener):
    """Adds up the seconds in which numba compiles; calls a function whenever it begins to.

    Kernels that a kernel calls are compiled within its time, and counted once.
    """

    def __init__(self, on_start: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._tell = on_start

    def on_start(self, event: event.Event) -> None:
        """Begin to count, unless another kernel waits for this one."""
        if self._depth == 0 and self._tell is not None:
            self._tell()
        super().on_start(event)

    @property
    def seconds(self) -> float:
        """What was spent so far, without a kernel that is in work."""
        return float(self.duration) if self.done else 0.0


@contextmanager
def compile_time(on_start: Callable[[], object] | None = None) -> Iterator[CompileTime]:
    """Measure what is compiled in this process until the block ends.

    Examples
    --------
    >>> import numba
    >>> from handful.kernels.compile_time import compile_time
    >>> with compile_time() as compiling:
    ...     numba.njit(lambda x: x + 1)(1)
    2
    >>> compiling.seconds > 0
    True
    """
    with event.install_listener(_KIND, CompileTime(on_start)) as listener:
        yield listener
