"""The table of targets, for scripts that are not on ``study.py`` yet."""

from rich.console import Console
from rich.table import Table

from .study import Target


def print_targets(console: Console, targets: list[Target]) -> None:
    """Print every target with its figure and verdict, and how many were missed."""
    table = Table(title="targets")
    for heading in ("target", "figure", "verdict"):
        table.add_column(heading)
    for target in targets:
        table.add_row(target.text, target.figure, target.verdict)
    console.print(table)
    missed = sum(target.met is False for target in targets)
    unknown = sum(target.met is None for target in targets)
    console.print(f"of {len(targets)} targets {missed} missed, {unknown} not measured")
