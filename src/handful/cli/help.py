"""What ``--help`` prints of a command with many options: panels of them, and the methods."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from handful.cli.methods import METHODS
from handful.cli.options import OUTPUT, PANELS


class Commands(TyperGroup):
    """The list of commands, each with its first sentence, which is never cut off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line or more for each command."""
        known = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        records = [(name, _first_sentence(command)) for name, command in known if command]
        with formatter.section("Commands"):
            formatter.write_dl(records)


def _first_sentence(command: Any) -> str:
    """Return the first paragraph of a command's help on one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())


class CommandOfMethods(TyperCommand):
    """A command that takes ``--method`` and the options of all methods.

    Typer has panels only in boxes, which cut long lines off; here they are sections of plain text.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for the arguments, for each panel, and for the methods."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        sections |= {panel: [] for panel in PANELS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            is_argument = parameter.param_type_name == "argument"
            panel = getattr(parameter, "rich_help_panel", None) or OUTPUT  # where --help goes
            sections["Arguments" if is_argument else panel].append(record)
        sections["Methods"] = [(method.name, method.use) for method in METHODS.values()]
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
