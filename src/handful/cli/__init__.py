"""The command ``handful``: one file per command, nothing heavy imported before it is needed."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0; 2 after wrong input, with one line on stderr; 130 after an interrupt.
    """
    from handful.cli.app import run

    return run(arguments)
