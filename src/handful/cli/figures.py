"""Figures of a command: on the terminal or as JSON, and in files where these were asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handful.cli.console import print_json, say, write_json
from handful.cli.options import FiguresOut, Json, PlotOut, ReportOut, Source
from handful.cli.output_files import check_output_files


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
        if self.plot is not None:
            from handful.cli.pictures import check_plot

            check_plot(self.plot)
        if self.report is not None:
            from handful.cli.reporting import check_report

            check_report(self.report)

    def show(
        self,
        described: dict[str, Any],
        draw: Callable[[Path], None],
        print_tables: Callable[[], None],
    ) -> None:
        """Write and print what was asked for."""
        if self.file is not None:
            write_json(self.file, described)
            say(f"wrote {self.file}")
        if self.plot is not None:
            draw(self.plot)
            say(f"wrote {self.plot}")
        if self.as_json:
            print_json(described)
        else:
            print_tables()
