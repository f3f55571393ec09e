"""The page of errors is true: what it shows is provoked, and said word for word as it stands there."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from handful.cli import main

PAGE = Path(__file__).resolve().parents[1] / "docs" / "errors.md"
BLOCK = re.compile(r"^```(pycon|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DATA, *BLOCKS = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
IN_PYTHON = [text for language, text in BLOCKS if language == "pycon"]
ON_SHELL = [text for language, text in BLOCKS if language == "console"]


def run(text, namespace):
    """Run a block as a session; return what came out otherwise than it stands, and the names after it."""
    told = []
    test = doctest.DocTestParser().get_doctest(text, namespace, PAGE.name, str(PAGE), 0)
    doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
    return "".join(told), test.globs


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The folder and the names that the first block of the page makes."""
    folder = tmp_path_factory.mktemp("errors")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        told, namespace = run(DATA[1], {})
    assert not told
    return folder, namespace


def first_line(text):
    return text.splitlines()[0].removeprefix(">>> ")


@pytest.mark.parametrize("text", IN_PYTHON, ids=first_line)
def test_said_in_python(text, data, monkeypatch):
    folder, namespace = data
    monkeypatch.chdir(folder)
    assert "Traceback" in text
    told, _ = run(text, namespace)
    assert not told


@pytest.mark.parametrize("text", ON_SHELL, ids=first_line)
def test_said_on_the_shell(text, data, monkeypatch, capsys):
    monkeypatch.chdir(data[0])
    command, *told = text.splitlines()
    assert command.startswith("$ handful ")
    assert main(shlex.split(command)[2:]) == 2
    assert capsys.readouterr().err.splitlines() == told


def test_a_sentence_that_changed_is_noticed(data):
    for text in IN_PYTHON[:3]:
        told, _ = run(text.replace("Error: ", "Error: not "), data[1])
        assert told
