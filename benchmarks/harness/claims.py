"""The paper's own claims about plain FGM, on its own data (section 6.2), and what a new process pays.

De-biasing is the paper's: an l2 SVM with C = 20 on the features selected. If a method's weights are
biased, de-biasing helps it; the paper finds that it helps l1 and not FGM.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.svm import LinearSVC

from handful import FGMClassifier
from handful.datasets import make_sparse_linear

from .child import ask
from .data import BUILDERS, CACHE, Source, synthetic
from .measure import timed
from .papers.curves import fitted
from .peers import MKL_FGM, PLAIN_FGM, l1_svm
from .problem import write_problem
from .selection import cell
from .study import Run, Target

BUDGET = 10
MKL_ROWS, MKL_COLUMNS, MKL_TIMEOUT = 1024, 4096, 1800.0
POINT = 0.01


def debias_claim(source: Source) -> Iterator[dict[str, Any]]:
    """Plain FGM, then l1 at the same number of features, for each weighting of X1."""
    for name in ("x1-I", "x1-II", "x1-III"):
        problem = BUILDERS[name](source)
        fgm = fitted(problem, FGMClassifier(budget=BUDGET, refit=False), debias=True)
        C = l1_svm(problem.X, problem.y, fgm["kept"]).penalty
        svm = LinearSVC(penalty="l1", dual=False, C=C, random_state=0)
        for method, one in (("FGM", fgm), ("l1", fitted(problem, svm, debias=True))):
            kept = {"dataset": name, "method": method, "kept": one["kept"]}
            scores = {"own": one["accuracy"], "debiased": one["debiased"]}
            yield {**kept, "true_found": one["true"], **scores}


def solver_race(source: Source, timeout: float) -> dict[str, Any]:
    """Seconds of plain FGM with the default and with the MKL solver, on a problem that the latter can finish."""
    rows, columns = (256, 1024) if source.quick else (MKL_ROWS, MKL_COLUMNS)
    problem = synthetic("mkl", make_sparse_linear(rows, columns, random_state=source.seed))
    CACHE.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"rows": rows, "columns": columns}
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        write_problem(problem, Path(scratch))
        what = {"folder": Path(scratch), "family": "claims", "k": BUDGET}
        default = ask(cell, timeout, **what, method=PLAIN_FGM, repeat=3)
        mkl = ask(cell, MKL_TIMEOUT, **what, method=MKL_FGM, repeat=1)
    if default["status"] != "ok":
        raise RuntimeError(f"plain FGM: {default['status']}")
    for name, answer in (("default", default), ("mkl", mkl)):
        found |= {f"{name}_{what}": answer.get(what) for what in ("seconds", "objective")}
    return {**found, "mkl_status": mkl["status"]}


def run_claims(run: Run) -> None:
    """Check what the paper says of plain FGM: its bias, and the MKL solver."""
    headings = ("data", "method", "kept", "true", "own", "de-biased", "gain")
    title = "bias: own weights against an l2 SVM on the same features"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, texts = list(debias_claim(run.source)), []
    for one in found:
        gain = one["debiased"] - one["own"]
        figures = (f"{one['own']:.4f}", f"{one['debiased']:.4f}", f"{gain:+.4f}")
        where = (one["dataset"], one["method"], str(one["kept"]), str(one["true_found"]))
        texts.append((*where, *figures))
        text, met = "l1 gains by de-biasing", gain > 0
        if one["method"] == "FGM":
            text, met = "FGM within a point of its de-biased self", gain <= POINT
        figure = "{}, de-biased {} ({})".format(*figures)
        run.targets.append(Target(f"{one['dataset']}: {text}", figure, met))
    run.show(title, headings, texts, left=2)
    race = solver_race(run.source, run.given.timeout)
    run.console.print("solver race:", race)
    run.report.add(debias=found, solver_race=race)
    figure, met = f"MKL: {race['mkl_status']}", None
    if race["mkl_seconds"] is not None:
        ratio = race["mkl_seconds"] / race["default_seconds"]
        figure = f"{ratio:,.0f} times on {race['rows']} x {race['columns']}"
        met = ratio >= 1000
    run.targets.append(Target("1000 times faster than the MKL solver", figure, met))


# ------------------------------------------------------------------- start-up

RUNS = 3
IMPORT = """
import time
started = time.perf_counter()
import handful
print(time.perf_counter() - started)
"""
FIRST_FIT = """
import time
import numpy as np
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 1000))
y = np.where(X[:, :5].sum(axis=1) > 0, 1, -1)
started = time.perf_counter()
from handful import FGMClassifier
FGMClassifier(n_features_to_select=5).fit(X, y)
print(time.perf_counter() - started)
"""
LIMITS = {  # the first fit includes the import of the estimator; its kernels are cached already
    "import_handful": ("import handful under 1 s", 1),
    "demo_first": ("handful demo under 60 s with an empty kernel cache", 60),
    "demo_second": ("handful demo under 15 s the second time", 15),
    "first_fit": ("first small fit under 2 s with a warm kernel cache", 2),
}


def _printed(command: list[str], cache: str, failures: list[str]) -> str | None:
    """Run a process with this kernel cache; a failure is noted and leaves no output."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    last = done.stderr.strip().splitlines()[-1:] or ["no message"]
    failures.append(f"{Path(command[0]).name} {command[1]}: {last[0]}")
    return None


def run_start_up(run: Run) -> None:
    """Measure in fresh processes, with a kernel cache that starts empty."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as cache:

        def least(code: str, runs: int = RUNS) -> float | None:
            """Smallest number of seconds that the code prints."""
            command = [sys.executable, "-c", code]
            outputs = [_printed(command, cache, failures) for _ in range(runs)]
            return min((float(out.split()[-1]) for out in outputs if out), default=None)

        def demo() -> float | None:
            command = [str(Path(sys.executable).parent / "handful"), "demo"]
            output, seconds = timed(lambda: _printed(command, cache, failures))
            return None if output is None else seconds

        times = [least(IMPORT), demo(), demo()]
        least(FIRST_FIT, runs=1)  # fills the cache with whatever the demo left out
        found = dict(zip(LIMITS, [*times, least(FIRST_FIT)], strict=True))
    run.console.print("start-up:", {**found, "failures": failures})
    run.report.add(start_up={**found, "failures": failures})
    run.targets += [
        Target.under(text, found[name], limit, why="") for name, (text, limit) in LIMITS.items()
    ]
