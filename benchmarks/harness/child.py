"""A function in a process of its own, under limits of time and memory; the process is ``python -m harness.child``.

The limit of time is an alarm that the function sets itself around what counts (``with limited(seconds)``), so that
neither loading nor compiling does. Its default action ends the process even inside compiled code.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

Answer = dict[str, Any]


def ask(work: Callable[..., Any], timeout: float, **arguments: Any) -> Answer:
    """Run a function of the harness elsewhere; its answer, or a dictionary whose ``status`` says why there is none.

    The function is told its limit as ``timeout``. It returns a dictionary, or yields several: of a process
    that is ended the last one counts.
    """
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch) / "answer.json"
        done = start(work, {}, written, timeout=timeout, **arguments)
        if written.exists():
            return dict(json.loads(written.read_text()))
    return {"status": why_it_ended(done, timeout), "error": done.stderr.decode()[-2000:]}


def start(
    work: Callable[..., Any], environment: dict[str, str], written: Path | None, **arguments: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run a function in a process of its own, to its end.

    ``environment`` is added to that of this process; a PYTHONPATH in it comes before what is there.
    """
    here = Path(__file__).resolve().parents[1]
    added = dict(environment)
    paths = [str(here), added.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", "harness.child"],
        input=pickle.dumps((work, written, arguments)),
        env={**os.environ, **added, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        check=False,
    )


def why_it_ended(done: subprocess.CompletedProcess[bytes], timeout: float) -> str:
    """Say in a few words why a child ended without its answer."""
    said = done.stderr.decode()
    if done.returncode in (-signal.SIGALRM, -signal.SIGPROF):
        return f"> {timeout:g} s"
    if "ModuleNotFoundError" in said or "ImportError" in said:
        return "not installed"
    if "MemoryError" in said or "bad_alloc" in said:
        return "out of memory"
    if done.returncode < 0:
        return f"died, signal {-done.returncode}"
    last = said.strip().splitlines()[-1:] or ["no answer"]
    return f"failed: {last[0][:120]}"


@contextmanager
def limited(seconds: float, *, of_processor: bool = False) -> Iterator[None]:
    """End this process if what is inside takes longer than this by the clock, or of the processor."""
    timer = signal.ITIMER_PROF if of_processor else signal.ITIMER_REAL
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)


def _limit_memory() -> None:
    """Make a rival that needs more than the machine has fail alone, not take others with it."""
    limit = int(0.85 * psutil.virtual_memory().available)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def main() -> None:
    """Do what the parent asks, and write each answer so that nobody sees half of it."""
    work, written, arguments = pickle.load(sys.stdin.buffer)
    _limit_memory()
    warnings.simplefilter("ignore")
    answers = work(**arguments)
    if written is None:
        return
    for answer in answers if isinstance(answers, types.GeneratorType) else [answers]:
        part = written.with_suffix(".part")
        part.write_text(json.dumps(answer))
        part.replace(written)


if __name__ == "__main__":
    main()
