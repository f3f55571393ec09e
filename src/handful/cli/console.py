"""Where things are said: results on stdout, everything else on stderr; and with which words the command was called."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from handful.kernels.compile_time import CompileTime

_arguments: ContextVar[tuple[str, ...] | None] = ContextVar("_arguments", default=None)
COMPILING = "compiling (the first run only)"
#: Seconds from which on compiling is mentioned.
LONG = 2.0


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C came and the command has put its house in order; the message says how."""


def say(message: str) -> None:
    """Print one line on stderr, whatever line breaks the message has."""
    with suppress(OSError):  # nobody can be told that nobody can be told
        print("handful:", printable(" ".join(message.split())), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Escape what a stranger's file could use to steer the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(name: str) -> str:
    """Write a name on a line of its own: as it is, or as JSON text if it would not stay on one.

    A name that begins like JSON text is written as such too, so that every line says what it is.
    """
    if name.startswith('"') or len(name.splitlines()) != 1:
        return json.dumps(name)
    return name


def output() -> Console:
    """Return the console for results; a letter that the encoding of stdout lacks is shown by its code, as on stderr."""
    from rich.console import Console

    of_python = ("strict", "surrogateescape")  # the second in the locale C; others are the user's
    if getattr(sys.stdout, "errors", None) in of_python and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(highlight=False, markup=False)


def make_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], texts: Collection[str] = ()
) -> Table:
    """Return a table of numbers; columns under the titles in ``texts`` hold words."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for title in titles:
        is_text = title in texts
        justify, overflow = ("left", "fold") if is_text else ("right", "ellipsis")
        table.add_column(Text(printable(title)), justify=justify, overflow=overflow)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object and nothing else; numbers that JSON lacks become null."""
    text = _as_json(value)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = _as_json(value, ensure_ascii=True)
    print(text)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write the same to a file."""
    write_file(path, f"{_as_json(value)}\n")


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file that appears when it is complete, and say so."""
    from handful.files import atomic_write

    with atomic_write(path, text=isinstance(content, str)) as file:
        file.write(content)
    say(f"wrote {path}")


def _as_json(value: dict[str, Any], *, ensure_ascii: bool = False) -> str:
    return json.dumps(_plain(value), allow_nan=False, ensure_ascii=ensure_ascii)


@contextmanager
def progress(task: str) -> Iterator[Callable[[object], None] | None]:
    """Show what is being done, on a terminal only.

    Yields what shows whatever it is given, such as each round of an estimator; None when stderr is no terminal.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return

    def one_line(record: object) -> Text:
        return Text(" ".join(f"{task}: {record}".split())[: console.width - 4])

    with console.status(Text(task)) as status:
        yield lambda record: status.update(one_line(record))


def _plain(value: Any) -> Any:
    """Turn numpy's types into Python's, and NaN and infinity into None."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@contextmanager
def remembering(arguments: Sequence[str] | None) -> Iterator[None]:
    """Keep the arguments of a call while it runs; None are those of the process."""
    token = _arguments.set(tuple(sys.argv[1:] if arguments is None else arguments))
    try:
        yield
    finally:
        _arguments.reset(token)


def words() -> list[str] | None:
    """Return the command that is running; None outside of one."""
    arguments = _arguments.get()
    return None if arguments is None else ["handful", *arguments]


@contextmanager
def fitting(
    task: str, space: Any = None, long: float = LONG
) -> Iterator[tuple[Callable[[object], None] | None, CompileTime]]:
    """Show what is being done, as :func:`~handful.cli.console.progress` does, on a terminal only.

    A space of features, if there is one, shows how far it is with what it makes of the data. How long compiling took
    is said afterwards if that was more than so many seconds.

    Yields the same, and the compile time, whose ``seconds`` are not those of the fit.
    """
    from handful.kernels.compile_time import compile_time

    with progress(task) as show:
        if space is not None and show is not None:
            space.tell = show
        tell = None if show is None else (lambda: show(COMPILING))
        with compile_time(tell) as compiling:
            yield show, compiling
    if show is not None and compiling.seconds > long:
        say(f"{compiling.seconds:.0f} seconds of this went into compiling, which is done once")
