"""Compiling is told apart from the time of a fit, on a terminal."""

import time

import numba

from handful.cli.console import COMPILING, fitting


def compile_something():
    return numba.njit(lambda x: x + 1)(1)


def test_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with fitting("selecting", long=0.0) as (show, compiling):
        compile_something()
        time.sleep(0.5)  # the line is drawn some times in a second
        shown = capsys.readouterr().err
        show("round 1")
    assert compiling.seconds > 0
    assert f"selecting: {COMPILING}" in shown
    assert "went into compiling, which is done once" in capsys.readouterr().err


def test_nothing_is_said_when_nothing_was_compiled(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with fitting("selecting") as (_, compiling):
        pass
    assert compiling.seconds == 0
    assert "compiling" not in capsys.readouterr().err


def test_silent_where_there_is_no_terminal(capsys):
    with fitting("selecting") as (show, compiling):
        compile_something()
    assert show is None
    assert compiling.seconds > 0
    assert capsys.readouterr() == ("", "")
