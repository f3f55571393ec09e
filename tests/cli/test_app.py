"""The door of the command: help, version, wrong options, import cost."""

import subprocess
import sys
import warnings

import pytest

import handful.io
from handful import __version__
from handful.cli import app


@pytest.mark.parametrize(
    "command", [(), ("select",), ("path",), ("predict",), ("inspect",), ("demo",)]
)
def test_help(run, command):
    result = run(*command, "--help")
    assert (result.code, result.err) == (0, "")
    assert "Usage: handful" in result.out
    if command:
        assert f"Example: handful {command[0]}" in result.out


COMMANDS = ["", *(one.name for one in app.app.registered_commands)]


@pytest.fixture(scope="module")
def helps():
    """All help texts in a terminal of their own: how wide one is, is asked once."""
    code = (
        "import shutil, os; shutil.get_terminal_size = lambda *_: os.terminal_size((80, 24)); "
        "from handful.cli import main; import sys\n"
        "for name in sys.argv[1:]: main([*name.split(), '--help']); print('\\f', end='')"
    )
    command = [sys.executable, "-c", code, *COMMANDS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(COMMANDS, done.stdout.split("\f")[:-1], strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_help_line_is_cut_off_at_80_columns(command, helps):
    lines = helps[command].splitlines()
    assert f"Usage: handful {command}".rstrip() in helps[command]
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    # An ellipsis may stand for "and others" inside of a sentence, never for its end.
    assert [line for line in lines[1:] if line.rstrip().endswith(("...", "\u2026"))] == []


def test_version(run):
    assert run("--version").out == f"handful {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["choose"], "No such command 'choose'"),
        (["select"], "Missing argument 'DATA'"),
        (["select", "x.csv", "--fast"], "No such option"),
        (["select", "x.csv", "-k", "many"], "-k"),
        (["select", "x.csv", "--C", "big"], "'big' is neither a number nor auto"),
        (["path", "x.csv", "-k", "5,x"], "'5,x' is not a list such as 5,10,20,50"),
        (["path", "x.csv", "-k", "0,5"], "'0,5' is not a list"),
        (["path", "x.csv", "-k", "5", "--cv", "1"], "--cv"),
        (["inspect"], "Missing argument 'MODEL'"),
    ],
)
def test_wrong_options_are_one_line(refused, arguments, words):
    assert words in refused(*arguments)


def test_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "handful", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"handful {__version__}\n"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from handful.cli import main; main(['select', '--help']); "
        "print(*sorted({'numpy', 'scipy', 'sklearn', 'numba', 'matplotlib'} & set(sys.modules)),"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_interrupt_anywhere_is_130(run, monkeypatch, model):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("handful.io.read_model_file", interrupt)
    result = run("inspect", model)
    assert (result.code, result.out) == (130, "")
    assert result.err == "handful: interrupted; nothing was written\n"


def test_no_memory_is_one_line(run, monkeypatch, model):
    def fail(*args):
        raise MemoryError

    monkeypatch.setattr("handful.io.read_model_file", fail)
    result = run("inspect", model)
    assert (result.code, result.err) == (2, "handful: there is not enough memory for this\n")


def test_a_bug_is_not_hidden(run, monkeypatch, model):
    def fail(*args):
        raise TypeError("a bug")

    monkeypatch.setattr("handful.io.read_model_file", fail)
    with pytest.raises(TypeError, match="a bug"):
        run("inspect", model)


def test_warnings_are_one_line_on_stderr(run, monkeypatch, model):
    read = handful.io.read_model_file

    def noisy(*args):
        warnings.warn("first\nsecond", UserWarning, stacklevel=1)
        return read(*args)

    monkeypatch.setattr("handful.io.read_model_file", noisy)
    result = run("inspect", model)
    assert result.err == "handful: warning: first second\n"
    assert result.code == 0
