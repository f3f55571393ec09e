"""``verbose="bar"``: a progress bar on a terminal and in a notebook; lines where there is neither.

scikit-learn's own bar, a callback, needs scikit-learn 1.9, and in a notebook ipywidgets too. Here a notebook needs
nothing but itself: the bar is one output that is replaced.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from handful import markup
from handful.kernels.compile_time import compile_time

COMPILING = "compiling, the first time only"
#: Seconds between two pictures in a notebook.
PAUSE = 0.1
_drawing = threading.Lock()


@contextmanager
def telling(
    verbose: bool | str | Callable[[Any], Any], title: str, total: int | None = None
) -> Iterator[Callable[[Any], Any]]:
    """Yield what is called with every record: as ``verbose`` says it prints, calls, draws or does nothing.

    Parameters
    ----------
    verbose : bool, "bar" or callable
    title : str
        What is at work.
    total : int or None, default=None
        How many records there will be; None where nobody knows.
    """
    if callable(verbose):
        yield verbose
    elif verbose != "bar":
        yield _print if verbose else do_nothing
    else:
        with _bar(title, total) as show:
            yield show


@contextmanager
def _bar(title: str, total: int | None) -> Iterator[Callable[[Any], Any]]:
    """Yield what counts records and shows the last; a bar within another, or in a worker, shows nothing."""
    if multiprocessing.parent_process() is not None or not _drawing.acquire(blocking=False):
        yield do_nothing
        return
    try:
        from rich.console import Console

        console = Console(stderr=True)
        if not (console.is_jupyter or console.is_terminal):
            yield _print
            return
        make = _NotebookBar if console.is_jupyter else _TerminalBar
        with make(title, total) as bar, compile_time(lambda: bar.say(COMPILING)):
            yield bar.count
    finally:
        _drawing.release()


def _print(record: object) -> None:
    print(record, flush=True)


def do_nothing(record: object) -> None:
    """Tell nobody."""


class _TerminalBar:
    """Drawn by rich on stderr."""

    def __init__(self, title: str, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[count]}", markup=False),
            TimeElapsedColumn(),
            TextColumn(
                "{task.fields[news]}", markup=False, table_column=Column(no_wrap=True, ratio=1)
            ),
            console=Console(stderr=True, highlight=False),
            expand=True,
        )
        self._task = self._progress.add_task(title, total=total, count="", news="")
        self._total, self._done = total, 0

    def __enter__(self) -> _TerminalBar:
        self._progress.start()
        return self

    def count(self, record: object) -> None:
        """Show one record more."""
        self._done += 1
        counted = _count(self._done, self._total)
        news = _one_line(record)
        self._progress.update(self._task, completed=self._done, count=counted, news=news)

    def say(self, news: object) -> None:
        """Show a text at once, and count nothing."""
        self._progress.update(self._task, news=_one_line(news), refresh=True)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:  # there may have been fewer than expected
            self._progress.update(self._task, total=self._done, completed=self._done)
        self._progress.stop()


class _NotebookBar:
    """One output of the cell, replaced whenever there is something new."""

    def __init__(self, title: str, total: int | None) -> None:
        self._title, self._total, self._done = title, total, 0
        self._news: object = ""
        self._is_over = False
        self._start = time.perf_counter()
        self._shown_at = self._start

    def __enter__(self) -> _NotebookBar:
        from IPython.display import display

        self._display = display(self._mime(), raw=True, display_id=True)
        return self

    def count(self, record: object) -> None:
        """Show one record more."""
        self._done += 1
        self._news = record
        if time.perf_counter() - self._shown_at >= PAUSE:
            self._draw()

    def say(self, news: object) -> None:
        """Show a text, and count nothing."""
        self._news = news
        self._draw()

    def _draw(self) -> None:
        self._shown_at = time.perf_counter()
        self._display.update(self._mime(), raw=True)

    def _mime(self) -> dict[str, str]:
        elapsed = f"{time.perf_counter() - self._start:.1f} s"
        counted = ", ".join(filter(None, [_count(self._done, self._total), elapsed]))
        news = _one_line(self._news)
        total = self._done if self._is_over else self._total  # fewer may have come than expected
        bar = markup.progress_bar(self._title, self._done, total, counted, news)
        return {"text/html": bar, "text/plain": f"{self._title}: {counted} {news}".rstrip()}

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_over = kind is None
        self._draw()


def _count(done: int, total: int | None) -> str:
    return str(done or "") if total is None else f"{done} of {total}"


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
