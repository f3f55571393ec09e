"""A fit on the shell: shown while it runs, and compiling, which only a first run does, told apart from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from handful.cli.console import progress, say

if TYPE_CHECKING:
    from handful.kernels.compile_time import CompileTime


COMPILING = "compiling (the first run only)"
#: Seconds from which on compiling is mentioned.
LONG = 2.0


@contextmanager
def fitting(task: str) -> Iterator[tuple[Callable[[object], None] | None, CompileTime]]:
    """Show what is being done, as :func:`~handful.cli.console.progress` does, on a terminal only.

    Yields
    ------
    show : callable or None
        Shows what it is given, such as each round; None when stderr is no terminal.
    compiling : CompileTime
        Its ``seconds`` are not those of the fit.
    """
    from handful.kernels.compile_time import compile_time

    with progress(task) as show:
        tell = None if show is None else (lambda: show(COMPILING))
        with compile_time(tell) as compiling:
            yield show, compiling
    if show is not None and compiling.seconds > LONG:
        say(f"{compiling.seconds:.0f} seconds of this went into compiling, which is done once")
