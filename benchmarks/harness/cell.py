"""One cell of a table: one selector, one data set, one k, in a process of its own.

The parent calls ``run_cell``; the child is ``python -m harness.cell`` and answers with a JSON file.
The time limit is an alarm set in the child just before the fit, so that neither loading nor the
warm-up counts, and its default action ends the process even inside compiled code.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from .selection import tiny  # noqa: F401


def run_child(module: str, arguments: list[str], timeout: float) -> dict[str, Any]:
    """Run a module that writes its answer to the file named last, and read that or say why not."""
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch) / "answer.json"
        done = start_child(module, [*arguments, str(written)])
        if written.exists():
            return dict(json.loads(written.read_text()))
    return {"status": why_it_ended(done, timeout), "error": done.stderr[-2000:]}


def start_child(
    module: str, arguments: list[str], environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module of the harness in a process of its own, to its end.

    ``environment`` is added to that of this process; a PYTHONPATH in it comes before what is there.
    """
    here = Path(__file__).resolve().parents[1]
    added = dict(environment or {})
    paths = [str(here), added.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **added, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )


def why_it_ended(done: subprocess.CompletedProcess[str], timeout: float) -> str:
    """Say in a few words why a child ended without its answer."""
    if done.returncode in (-signal.SIGALRM, -signal.SIGPROF):
        return f"> {timeout:g} s"
    if "ModuleNotFoundError" in done.stderr or "ImportError" in done.stderr:
        return "not installed"
    if "MemoryError" in done.stderr or "bad_alloc" in done.stderr:
        return "out of memory"
    if done.returncode < 0:
        return f"died, signal {-done.returncode}"
    last = done.stderr.strip().splitlines()[-1:] or ["no answer"]
    return f"failed: {last[0][:120]}"


def limit_memory() -> None:
    """Make a rival that needs more than the machine has fail alone, not take others with it."""
    limit = int(0.85 * psutil.virtual_memory().available)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def answer_parent(
    parser: argparse.ArgumentParser, work: Callable[[argparse.Namespace], dict[str, Any]]
) -> None:
    """Be the child of ``run_child``: read the arguments, work, write the answer where it is wanted."""
    parser.add_argument("answer", type=Path)
    given = parser.parse_args()
    limit_memory()
    given.answer.write_text(json.dumps(work(given)))
