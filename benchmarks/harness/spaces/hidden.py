"""The published example, run as a user would run it: a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass

from rich.console import Console

from harness.data import ROOT

EXAMPLE = ROOT / "examples" / "hidden_interaction.py"


@dataclass(frozen=True)
class Hidden:
    """What the example printed, and its seconds from start to end with all imports."""

    seconds: float
    output: str
    found: bool
    fit_seconds: float | None


def run_hidden(console: Console, *, timeout: float) -> Hidden:
    """Run the example; it says itself whether it found what it had hidden."""
    started = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, str(EXAMPLE)],
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        output = done.stdout if done.returncode == 0 else done.stderr[-2000:]
    except subprocess.TimeoutExpired:
        output = f"> {timeout:g} s"
    seconds = time.perf_counter() - started
    facts = dict(line.split(": ", 1) for line in output.splitlines() if ": " in line)
    fit = facts.get("seconds")
    chosen, hidden = facts.get("chosen"), facts.get("hidden")
    result = Hidden(seconds, output, chosen is not None and chosen == hidden, fit and float(fit))
    console.print(f"hidden interaction, {EXAMPLE.name}: {seconds:.1f} s with all imports")
    console.print(output, markup=False, highlight=False)
    return result
