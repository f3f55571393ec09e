"""What every benchmark is: options, cells of sets by methods, their tables, targets, and one file of everything.

A script declares its sets, its methods, what is measured in a cell, what has to come of it and how that is
printed. A :class:`Run` reads the command line and ends with the targets. A :class:`Study` runs the cells that are
not known yet, each in a process of its own, and keeps their rows in the report, from which a later run takes them up.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from rich.console import Console
from rich.table import Table

from .child import Answer, ask
from .data import MissingDataError, Source, default_data_folder
from .system import system_information

T = TypeVar("T")
R = TypeVar("R")
Texts = Sequence[str] | None
RUNS = 3


@dataclass(frozen=True)
class Target:
    """One target, what was measured, and whether that meets it (None: not measured)."""

    text: str
    figure: str
    met: bool | None

    @property
    def verdict(self) -> str:
        """The word to print."""
        return "not measured" if self.met is None else "met" if self.met else "MISSED"

    @classmethod
    def under(
        cls, text: str, seconds: float | None, limit: float, why: str = "not run", note: str = ""
    ) -> Target:
        """Whether something took less than so many seconds; ``why`` says that there are none."""
        if seconds is None:
            return cls(text, why, None)
        return cls(text, f"{seconds:.2f} s{note}", seconds < limit)

    def at(self, where: str) -> Target:
        """Return the same, told where."""
        return Target(f"{where}: {self.text}", self.figure, self.met)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a table for a document, the first row its heading.

    >>> print(markdown([["set", "best"], ["colon", "**0.9**"]]))
    | set | best |
    |---|---|
    | colon | **0.9** |
    """
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


class Options(argparse.ArgumentParser):
    """The command line of a script: what all have, and lists of known words."""

    def __init__(
        self,
        doc: str | None,
        *,
        seed: str | None = None,
        data: bool = True,
        reuse: bool = False,
        quick: str | None = None,
        timeout: tuple[float, str] | None = None,
        repeat: bool = False,
    ) -> None:
        super().__init__(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        self._lists: dict[str, tuple[str, list[str] | None, Callable[[str], Any]]] = {}
        self.add_argument("--json", type=Path, help="write everything measured to this file")
        if data:
            folder = default_data_folder()
            self.add_argument("--data", type=Path, default=folder, help="folder of the real data")
        if reuse:
            text = "take cells measured before from this file, run the others"
            self.add_argument("--reuse", type=Path, help=text)
        if seed:
            self.add_argument("--seed", type=int, default=0, help=f"seed of {seed}")
        if quick:
            self.add_argument("--quick", action="store_true", help=quick)
        if repeat:
            text = f"runs of a fit shorter than 5 s ({RUNS}, with --quick one)"
            self.add_argument("--repeat", type=int, help=text)
        if timeout:
            limit, what = timeout
            text = f"{what} ({limit:g})"
            self.add_argument("--timeout", type=float, default=limit, help=text)

    def words(
        self,
        flag: str,
        known: Iterable[str] | None,
        what: str,
        *,
        default: Iterable[str] | None = None,
        by: str = ",",
        kind: Callable[[str], Any] = str,
    ) -> None:
        """Add a list; without a default it is all known words, or None where any word will do."""
        names = None if known is None else list(known)
        shown = "" if names is None else f": {f'{by} '.join(names)}"
        self.add_argument(flag, help=f"{what}, separated by '{by}'{shown}")
        self._lists[flag.lstrip("-").replace("-", "_")] = (by, names, kind)
        first = names if default is None else list(default)
        self.set_defaults(**{flag.lstrip("-").replace("-", "_"): first})

    def parse(self) -> argparse.Namespace:
        """Read the command line; an unknown word ends the program."""
        given = self.parse_args()
        for name, (by, known, kind) in self._lists.items():
            found = getattr(given, name)
            if isinstance(found, str):
                found = [word.strip() for word in found.split(by) if word.strip()]
            for word in found or ():
                if known is not None and word not in known:
                    self.error(f"unknown {word!r}; known: {'; '.join(known)}")
            setattr(given, name, None if found is None else [kind(word) for word in found])
        if "repeat" in given:
            given.repeat = given.repeat or (1 if given.quick else RUNS)
        return given


class Report:
    """Everything measured so far; written after each step, so an interrupted run keeps it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.results: dict[str, Any] = {"system": system_information()}

    def add(self, **parts: Any) -> None:
        """Put parts in, replacing older ones of the same name, and save."""
        self.results.update(parts)
        if self.path:
            self.path.write_text(json.dumps(self.results, indent=1) + "\n")


class Run:
    """One run of a script: what was asked for, where it is printed and written, and the targets so far."""

    def __init__(self, given: argparse.Namespace, width: int, *, tell_system: bool = True) -> None:
        self.given = given
        self.console = Console(width=None if Console().is_terminal else width)
        self.report = Report(given.json)
        self.targets: list[Target] = []
        self.missing: dict[str, str] = {}
        about = {name: getattr(given, name) for name in ("seed", "quick") if name in given}
        self.source = Source(getattr(given, "data", Path()), **about)
        if tell_system:
            self.console.print(self.report.results["system"])

    def had(self, name: str, load: Callable[[Source], T]) -> T | None:
        """Return the data, or say that they are not there, which is a target not measured."""
        try:
            return load(self.source)
        except MissingDataError as reason:
            self.miss(name, reason)
            return None

    def miss(self, name: str, reason: MissingDataError) -> None:
        """Say that data are not there."""
        self.missing[name] = str(reason)
        self.console.print(f"{name}: not run, {reason}")
        self.targets.append(Target(f"{name}: data", str(reason), None))

    def log(self, text: str) -> None:
        """Leave a line in a log file; a terminal shows the cell at work instead."""
        if not self.console.is_terminal:
            self.console.print(text, markup=False)

    def show(
        self,
        title: str,
        headings: Sequence[str],
        rows: Iterable[Texts],
        *,
        left: int = 1,
        caption: str | None = None,
        justify: Literal["left", "center"] = "left",
    ) -> None:
        """Print a table of texts, the first columns to the left; None among the rows is a line."""
        table = Table(title=title, title_justify=justify, caption=caption)
        for place, heading in enumerate(headings):
            table.add_column(heading, justify="left" if place < left else "right")
        for row in rows:
            if row is None:
                table.add_section()
            else:
                table.add_row(*row)
        self.console.print(table)

    def finish(self) -> None:
        """Write the targets down and print every one with its figure and verdict."""
        self.report.add(targets=[asdict(target) for target in self.targets])
        texts = [(one.text, one.figure, one.verdict) for one in self.targets]
        self.show("targets", ("target", "figure", "verdict"), texts, left=3, justify="center")
        missed = sum(target.met is False for target in self.targets)
        unknown = sum(target.met is None for target in self.targets)
        count = len(self.targets)
        self.console.print(f"of {count} targets {missed} missed, {unknown} not measured")


def ends_again(status: str, timeout: float) -> bool:
    """Whether a cell that says this would say it again: a longer limit of time may help, nothing else does.

    >>> ends_again("> 60 s at k = 10", 60), ends_again("> 60 s", 120), ends_again("failed: no", 120)
    (True, False, True)
    """
    return not status.startswith(">") or float(status.split()[1]) >= timeout


def as_row(make: Callable[..., R], answer: Answer, **place: Any) -> R:
    """Make a row of what a cell says at a place; what the row has no name for is left out."""
    names = {one.name for one in fields(make)}  # type: ignore[arg-type]
    return make(**place, **{name: value for name, value in answer.items() if name in names})


def shown(value: float | None, form: str) -> str:
    """Write a figure, or nothing where there is none."""
    return "" if value is None else format(value, form)


class Study(Generic[R]):
    """Rows of cells: those that a file of an earlier run has, and those measured now.

    ``make`` turns what such a file says of a row into one; ``part`` is the name of the rows in the report.
    """

    def __init__(self, run: Run, make: Callable[..., R], part: str = "rows") -> None:
        self.run, self.make, self.part, self.rows = run, make, part, list[R]()
        reuse: Path | None = getattr(run.given, "reuse", None)
        if reuse is not None and reuse.exists():
            self.rows = [make(**row) for row in json.loads(reuse.read_text()).get(part, [])]

    def known(self, **place: Any) -> list[R]:
        """Return the rows of a place; a list stands for any of its values."""

        def fits(value: Any, wanted: Any) -> bool:
            return value in wanted if isinstance(wanted, list) else value == wanted

        return [r for r in self.rows if all(fits(getattr(r, n), v) for n, v in place.items())]

    def cell(
        self,
        place: dict[str, Any],
        work: Callable[..., Any],
        make: Callable[[Answer], list[R]] | None = None,
        **what: Any,
    ) -> list[R]:
        """Return the rows of a place; what is not known, or was ended by a shorter limit, is measured.

        Without ``make`` the work is told the place, and there is one row: that and what the answer says of other fields.
        """
        known, timeout = self.known(**place), self.run.given.timeout
        if known and all(ends_again(row.status, timeout) for row in known):  # type: ignore[attr-defined]
            return known
        told = what if make else {**place, **what}
        answer = self.ask(work, ", ".join(map(str, place.values())), **told)
        rows = make(answer) if make else [as_row(self.make, answer, **place)]
        self.drop(*known)
        self.add(*rows)
        return rows

    def ask(self, work: Callable[..., Any], where: str, **what: Any) -> Answer:
        """Measure a cell in a process of its own; a terminal shows which."""
        with self.run.console.status(where):
            return ask(work, self.run.given.timeout, **what)

    def add(self, *rows: R) -> None:
        """Keep rows, and write them all down."""
        self.rows += rows
        self.save()

    def drop(self, *rows: R) -> None:
        """Forget rows that are measured anew."""
        self.rows = [row for row in self.rows if row not in rows]

    def save(self) -> None:
        """Write all rows down."""
        self.run.report.add(**{self.part: [asdict(row) for row in self.rows]})  # type: ignore[call-overload]
