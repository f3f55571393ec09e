"""What a command writes: files in folders that are there, over nothing it reads; figures as JSON, tables or pictures."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.cli.console import output, print_json, write_file, write_json
from handful.cli.options import FiguresOut, Json, PlotOut, ReportOut, Source, refuse
from handful.files import check_apart, check_place

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console


# Formats whose target and ids may be in a file of its own.
_BESIDE = (".npz", ".mtx")


def check_output_files(
    outputs: Mapping[str, Path | None],
    data: Path,
    *others: Path | None,
    target: str | None = None,
    ids: str | None = None,
) -> None:
    """Raise OutputError, before anything is read, when an output, under the name of its option, cannot or must not be written.

    ``data`` and ``others`` are what the command reads; ``target`` and ``ids`` may be names of files that are read too.
    """
    for option, place in outputs.items():
        if place is not None:
            if str(place) == "-":
                raise refuse(option, "- is no name of a file here; give one, or /dev/stdout")
            check_place(place)
    may_be_beside = set(data.suffixes) & set(_BESIDE)
    beside = [
        name
        for name in (target, ids)
        if may_be_beside and name is not None and os.path.isfile(name)
    ]
    check_apart(outputs, [data, *others, *beside])


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Where the figures go: a JSON file, a picture, a report, and the terminal as JSON or as tables."""

    file: FiguresOut = None
    plot: PlotOut = None
    report: ReportOut = None
    as_json: Json = False

    def check(self, source: Source, *others: Path | None) -> None:
        """Raise, before long work, when something cannot be written."""
        outputs = {"--output": self.file, "--plot": self.plot, "--report": self.report}
        check_output_files(outputs, source.data, *others, target=source.target)
        check_plot(self.plot)
        check_report(self.report)

    def show(
        self,
        described: dict[str, Any],
        draw: Callable[[Axes], Any],
        size: tuple[float, float],
        print_tables: Callable[[Console], None],
    ) -> None:
        """Write and print what was asked for; the picture has so many inches."""
        if self.file is not None:
            write_json(self.file, described)
        if self.plot is not None:
            write_picture(draw, self.plot, size)
        if self.as_json:
            print_json(described)
        else:
            print_tables(output())


def check_plot(path: Path | None) -> None:
    """Raise, before long work, when a picture cannot be drawn."""
    if path is not None:
        from handful.validation.plotting import check_matplotlib

        what = f"draw {path}: its name must end in .png or .svg"
        _check_kind(path, (".png", ".svg"), what, lambda: check_matplotlib(str(path)))


def check_report(path: Path | None) -> None:
    """Raise, before long work, when a report cannot be written."""
    if path is not None:
        from handful.validation.reporting import check_report_packages

        what = f"write the report {path}: its name must end in .html"
        _check_kind(path, (".html", ".htm"), what, check_report_packages)


def _check_kind(
    path: Path, suffixes: Sequence[str], what: str, check_packages: Callable[[], None]
) -> None:
    from handful.io.errors import InputError

    if path.suffix.lower() not in suffixes:
        raise InputError(f"cannot {what}")
    try:
        check_packages()
    except ImportError as error:
        raise InputError(str(error)) from error


def write_picture(draw: Callable[[Axes], Any], path: Path, size: tuple[float, float]) -> None:
    """Have something drawn on new axes, and write them as the name of the file says."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")  # needs no screen
    FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.lower().lstrip("."), dpi=150)
    write_file(path, buffer.getvalue())
