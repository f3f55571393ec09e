"""Exactly k features on thirty-five tasks: handful against its rivals, with one judge for all.

    python benchmarks/panel.py --jobs 2                       everything (a day; can be stopped)
    python benchmarks/panel.py --quick --only "colon;SRBCT"   two splits of small training parts
    python benchmarks/panel.py --half tuned --methods "FGM;RFE, step .5;SelectKBest, F"
    python benchmarks/panel.py --no-run --half unseen --markdown --json panel.json --plots docs
    python benchmarks/panel.py --copies                       columns with near-copies

Each task has ten random splits, five if it is large; 5, 10, 20, 50 and, of 300 columns or more, 100 features are
selected on the training rows by every method, and the same linear model with a tuned penalty is fitted to
them (``harness/panel/judge.py``). A hash of its name puts a task in one of two halves: defaults may be
tuned on the one, the other is only looked at. Tables are of one half at a time.

What is measured is kept in a file for each task and method, so a run can be stopped and taken up. Cells of
handful are known by a fingerprint of its sources and run anew when these change, those of rivals by their
versions. Scores of rivals that were not measured here are read from ``panel-rivals.json``, which ``--store`` writes,
unless ``--refresh`` is given. Every cell has a process of its own with one thread; seconds are those of the processor. A selection
that takes more of them than ``--timeout`` is given up, and the method is last there.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from harness.data import CACHE
from harness.panel import stored
from harness.panel.copies import REPEATS, copies, copies_rows
from harness.panel.methods import FGM, METHODS, RIVALS
from harness.panel.plots import draw_difference
from harness.panel.results import Results, gather
from harness.panel.run import Panel
from harness.panel.tables import (
    panel_targets,
    rank_rows,
    score_rows,
    shower,
    summary,
    task_rows,
    test_rows,
)
from harness.panel.tasks import COUNTS, HALVES, TASKS, UNSEEN
from harness.panel.verdict import Verdict, judge_half, mean_ranks
from harness.study import Options, Run

BOTH = "both"
STORED = Path(__file__).with_name("panel-rivals.json")
QUICK_REPEATS = 2


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    quick, limit = "two splits, at most 300 training rows", "processor seconds of one selection"
    options = Options(__doc__, quick=quick, timeout=(30, limit))
    add = options.add_argument
    options.words("--only", TASKS, "tasks", by=";")
    options.words("--methods", METHODS, "methods", by=";")
    add("--half", choices=(*HALVES, BOTH), default=BOTH, help="which half of the tasks (both)")
    options.words("--k", map(str, COUNTS), "numbers of features", kind=int)
    add("--splits", type=int, help="run only the first so many splits of a task")
    add("--jobs", type=int, default=1, help="cells side by side, one thread each (1)")
    add("--cache", type=Path, default=CACHE / "panel", help="folder of what was measured")
    add("--store", action="store_true", help=f"keep scores of rivals in {STORED.name}")
    add("--refresh", action="store_true", help="measure anew what is asked for")
    add("--no-run", action="store_true", help="measure nothing, only print what is known")
    add("--no-tables", action="store_true", help="measure only, print no figures")
    options.words(
        "--lead", METHODS, f"what others are compared with ({FGM})", default=[FGM], by=";"
    )
    add("--scores", action="store_true", help="print the scores of all methods too")
    add("--markdown", action="store_true", help="print tables for a document")
    add("--copies", action="store_true", help="only the study of columns with near-copies")
    add("--plots", type=Path, help="draw critical differences as svg files in this folder")
    given = options.parse()
    [given.lead] = given.lead
    return given


def make_panel(run: Run) -> Panel:
    """Choose the tasks, and where results are kept."""
    given = run.given
    names = [name for name in TASKS if name in given.only]
    return Panel(
        run.source,
        given.cache / "quick" if given.quick else given.cache,
        [name for name in names if given.half in (BOTH, TASKS[name].half)],
        given.methods,
        [k for k in COUNTS if k in given.k],
        given.timeout,
        run.console,
        given.splits,
        None if given.quick or given.refresh else STORED,
    )


def show_half(run: Run, results: Results, half: str) -> Verdict | None:
    """Print the tables of one half, and draw its diagram."""
    given = run.given
    verdict = judge_half(results, half, given.lead)
    if verdict is None:
        run.console.print(f"{half} half: nothing measured of {given.lead}")
        return None
    show = shower(run)
    show(f"Mean ranks, {half} half", rank_rows(verdict))
    print(summary(verdict, results))
    show(f"{given.lead} against each rival, {half} half", test_rows(verdict))
    show(f"{given.lead} on each task, {half} half", task_rows(results, given.lead, verdict.field))
    if given.scores:
        for k in results.all_counts():
            show(f"k = {k}, {half} half", score_rows(results, k, results.methods))
    if given.plots is not None:
        ranks = mean_ranks(results, verdict.field)
        title = f"mean ranks, {verdict.n_tasks} tasks ({half} half)"
        path = given.plots / f"panel-{half}.svg"
        draw_difference(ranks, verdict.difference, given.lead, title, path)
    return verdict


def main() -> None:
    """Run what is missing, print the halves, list the targets."""
    run = Run(parse_arguments(), width=190, tell_system=False)
    given = run.given
    if given.copies:
        found = copies(given.methods, QUICK_REPEATS if given.quick else REPEATS)
        run.report.add(copies=[asdict(one) for one in found])
        title = "Three copies of 50 columns, 4 decide, k = 4 (signals found)"
        shower(run)(title, copies_rows(found))
        return
    panel = make_panel(run)
    if not given.no_run:
        panel.run(given.jobs, refresh=given.refresh)
    if given.no_tables:
        return
    for half in HALVES:
        results = gather(panel, half)
        if not results.tasks:
            continue
        verdict = show_half(run, results, half)
        if given.store:
            stored.write(STORED, [one for one in results.cells.values() if one.method in RIVALS])
        cells = [cell.as_dict() for cell in results.cells.values()]
        run.report.add(**{half: {"cells": cells, "verdict": verdict and asdict(verdict)}})
        if verdict is not None and half == UNSEEN:
            run.targets += panel_targets(verdict, results)
    run.finish()


if __name__ == "__main__":
    main()
