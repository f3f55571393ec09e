"""The commands, what ``--help`` prints of them, and how what they raise becomes one line and an exit code."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from handful import __version__
from handful.cli import (
    convert,
    demo,
    export,
    inspect,
    path,
    predict,
    report,
    select,
    stability,
    transpose,
)
from handful.cli.console import Interrupted, remembering, say
from handful.cli.methods import METHODS
from handful.cli.options import OUTPUT, PANELS
from handful.cli.wording import in_options
from handful.files import OutputError, reason_of


class Commands(TyperGroup):
    """The list of commands, each with its first sentence, which is never cut off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line or more for each command."""
        known = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        # The first paragraph of the help, on one line.
        told = ((name, (one.help or "").split("\n\n")[0]) for name, one in known if one)
        records = [(name, " ".join(text.split())) for name, text in told]
        with formatter.section("Commands"):
            formatter.write_dl(records)


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


app = typer.Typer(
    cls=Commands,
    help="Pick exactly k features, with a certificate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.command)
app.command("select", cls=CommandOfMethods)(select.command)
app.command("path", cls=CommandOfMethods)(path.command)
app.command("stability", cls=CommandOfMethods)(stability.command)
app.command("report")(report.command)
app.command("predict")(predict.command)
app.command("inspect")(inspect.command)
app.command("export")(export.command)
app.command("convert")(convert.command)
app.command("transpose")(transpose.command)

# typer's errors about options; their common base has moved between its versions.
_UsageError: Any = next(
    base for base in reversed(typer.BadParameter.__mro__) if hasattr(base, "format_message")
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; see :func:`handful.cli.main`."""
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        return _say_refusal(error)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    with warnings.catch_warnings(), remembering(arguments):
        warnings.showwarning = _show_warning
        # Said when the data were read, with the names of columns.
        warnings.filterwarnings("ignore", "Columns seem to have different units")
        try:
            code = _commands()(
                args=None if arguments is None else list(arguments),
                prog_name="handful",
                standalone_mode=False,
            )
        except _UsageError as error:
            if type(error).__name__ == "NoArgsIsHelpError":  # a class that has moved, too
                print(error.format_message(), file=sys.stderr)
                return 2
            say(error.format_message() or "give a command; see handful --help")
            return 2
        except UnicodeEncodeError as error:
            say(_worded(error) if error.encoding == "utf-8" else _beyond(error))
            return 2
        except (OutputError, ValueError) as error:
            say(_worded(error))
            return 2
        except MemoryError:
            say("there is not enough memory for this")
            return 2
        except Interrupted as interruption:
            say(str(interruption))
            return 130
        except OSError as error:
            return _say_refusal(error)
    if code == 130:  # what typer makes of Ctrl-C
        say("interrupted; nothing was written")
    return int(code or 0)


@functools.cache
def _commands() -> Any:
    """Return the commands as typer makes them of their functions, for all who call in this process."""
    return typer.main.get_command(app)


def _say_refusal(error: OSError) -> int:
    """Say what the system refused: files have names, and what has none is stdout."""
    what = f"use {error.filename}" if error.filename else "write to stdout"
    if not error.filename:
        # What is still to be written goes nowhere, or Python would complain of it as it ends.
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
    if not isinstance(error, BrokenPipeError):  # whoever read had enough, as head has
        say(f"cannot {what}: {reason_of(error)}")
        return 2
    return 1


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {in_options(str(message))}")


def _worded(error: Exception) -> str:
    """Return what went wrong in the words of the shell; what is told of files is in them already."""
    from handful.io import InputError

    is_of_files = isinstance(error, (InputError, OutputError))
    return str(error) if is_of_files else in_options(str(error))


def _beyond(error: UnicodeEncodeError) -> str:
    """Return what to do where stdout has no code for a letter of a table that is not to be altered."""
    letter = error.object[error.start]
    return (
        f"stdout is {error.encoding}, which has no {letter!r}; write to a file with --output, or set "
        "PYTHONIOENCODING=utf-8"
    )


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"handful {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass
