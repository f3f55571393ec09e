"""A short, fixed part of ``python3 dev.py attack``."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from attack import runner
from attack.__main__ import show

TESTS = Path(__file__).parent.parent
posix = pytest.mark.skipif(os.name != "posix", reason="cases run in forked processes")


def attack(*words):
    command = [sys.executable, "-m", "attack", *words]
    return subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)


@posix
@pytest.mark.parametrize("n_cases", [1, pytest.param(10, marks=pytest.mark.exhaustive)])
def test_nothing_falls(n_cases):
    done = attack("--cases", str(n_cases), "--seed", "20")
    assert done.returncode == 0, done.stdout
    assert f"{n_cases} cases of each of 7 parts: nothing fell" in done.stdout


def crash(seed, folder):
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(seed, folder):
    raise ZeroDivisionError("division by zero")


def hang(seed, folder):
    time.sleep(60)


def ask(seed, folder):
    np.zeros(2**28)


@posix
@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (crash, "the process died (SIGSEGV)"),
        (fail, "ZeroDivisionError: division by zero"),
        (hang, "it did not end in 0.5 seconds"),
        (ask, "it asked for 2.0 GiB of memory"),
    ],
)
def test_what_falls_is_told_with_a_way_to_see_it_again(case, reason, capsys):
    if case is ask and not os.path.exists("/proc/self/status"):
        pytest.skip("only Linux says how much memory a process has asked for")
    limit = {"seconds": 0.5} if case is hang else {}
    fall = runner.run_case("models", case, 7, **limit)
    assert fall.reason == reason
    show(fall)
    told = capsys.readouterr().out
    assert f"FELL models: {reason}" in told
    assert "python3 dev.py attack --only models --seed 7 --cases 1" in told


@posix
def test_what_stands_is_not_told():
    assert runner.run_case("models", lambda seed, folder: None, 7) is None
