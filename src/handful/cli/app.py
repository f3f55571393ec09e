"""The commands, and how what they raise becomes one line and an exit code."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from handful import __version__
from handful.cli import convert, demo, inspect, path, predict, select
from handful.cli.console import Interrupted, say
from handful.cli.methods import list_methods
from handful.files import OutputError

__all__ = ["app", "run"]

app = typer.Typer(
    help="Pick exactly k features, with a certificate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.command)
app.command("select", epilog=list_methods())(select.command)
app.command("path")(path.command)
app.command("predict")(predict.command)
app.command("inspect")(inspect.command)
app.command("convert")(convert.command)

# typer's errors about options; their common base has moved between its versions.
_UsageError: Any = next(
    base for base in reversed(typer.BadParameter.__mro__) if hasattr(base, "format_message")
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; see :func:`handful.cli.main`."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            code = app(
                args=None if arguments is None else list(arguments),
                prog_name="handful",
                standalone_mode=False,
            )
        except _UsageError as error:
            say(error.format_message() or "give a command; see handful --help")
            return 2
        except (OutputError, ValueError) as error:
            say(str(error))
            return 2
        except MemoryError:
            say("there is not enough memory for this")
            return 2
        except Interrupted as interruption:
            say(str(interruption))
            return 130
    if code == 130:  # what typer makes of Ctrl-C
        say("interrupted; nothing was written")
    return int(code or 0)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {message}")


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
