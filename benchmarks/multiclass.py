"""Features for many classes: direct sparsity against filters, lassos and selectors, as in the paper.

    python benchmarks/multiclass.py                              everything (hours)
    python benchmarks/multiclass.py --quick --only SRBCT,speed   400 rows, two splits
    python benchmarks/multiclass.py --only lung,UMIST --methods "direct sparsity;RFS" --json out.json
    python benchmarks/multiclass.py --reuse out.json --json out.json --splits 10
    python benchmarks/multiclass.py --only p                     Figure 1: the effect of p

Protocol of Peng and Fan (2017): random splits, 60 % of each class to train; every column scaled to mean 0
and deviation 1 on the training rows; one ranking of the features on each split; then LIBSVM's linear
machine, one class against one, on the best 10, 20, ... 100 of them. Its C is chosen by three-fold
cross-validation on the training rows from 0.01 ... 10, at 10, 30, 60 and 100 features, in the same way for every
method. The paper's figures stand beside ours where it has the set.

"First" is the highest mean accuracy at 100 features; within a standard error of first means the standard error of
the first one's mean over the splits. The paired difference is printed too. Every cell runs in its own process,
under a time limit that counts the selections of all its splits; a method that runs out of time keeps the
splits it has. Packages that cannot be imported are "not installed" in the tables.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from harness.data import MissingDataError, Source, default_data_folder
from harness.multiclass.cell import run_splits
from harness.multiclass.data import SETS, load
from harness.multiclass.methods import CHOSEN_P, METHODS, OURS, POWERS, RIVALS, with_power
from harness.multiclass.plots import FIGURE_1, draw_curves, draw_powers
from harness.multiclass.rows import Row, find
from harness.multiclass.speed import run_speed
from harness.multiclass.tables import markdown, print_set
from harness.multiclass.targets import accuracy_targets, coverage, speed_targets
from harness.report import Report
from harness.tables import print_targets
from harness.targets import Target
from rich.console import Console

EFFECT_OF_P, SPEED = "p", "speed"
QUICK_SPLITS = 2


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = (*SETS, EFFECT_OF_P, SPEED)
    add = parser.add_argument
    add("--quick", action="store_true", help="400 rows and two splits of each set")
    add("--only", default=",".join(parts), help=f"sets and parts, with commas ({','.join(parts)})")
    add("--methods", help=f"separated by semicolons (ours and rivals): {'; '.join(METHODS)}")
    add("--splits", type=int, help="random splits of each set (10)")
    add("--timeout", type=float, default=600, help="seconds all selections of a cell take (600)")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    add("--seed", type=int, default=0, help="seed of the splits")
    add("--json", type=Path, help="write everything measured to this file")
    add("--reuse", type=Path, help="take splits measured before from this file, run the others")
    add("--plots", type=Path, help="draw the curves as svg files in this folder")
    given = parser.parse_args()
    given.only = given.only.split(",")
    given.methods = given.methods.split(";") if given.methods else [OURS, CHOSEN_P, *RIVALS]
    given.splits = given.splits or (QUICK_SPLITS if given.quick else 10)
    for words, names in ((given.only, parts), (given.methods, METHODS)):
        for word in words:
            if word not in names:
                parser.error(f"unknown {word!r}; known: {'; '.join(names)}")
    return given


class Bench:
    """The rows measured so far, and what is still to be run."""

    def __init__(self, given: argparse.Namespace, console: Console) -> None:
        self.given, self.console = given, console
        self.source = Source(given.data, given.seed, given.quick)
        self.report = Report(given.json)
        self.rows: list[Row] = []
        if given.reuse is not None and given.reuse.exists():
            self.rows = [Row(**row) for row in json.loads(given.reuse.read_text())["rows"]]

    def run_set(self, name: str, methods: list[str]) -> list[Row]:
        """Run the methods on one set, as far as they have not been, and print its table."""
        load(name, self.source)  # says here if it is missing
        own = []
        for method in methods:
            with self.console.status(f"{name}: {method}"):
                own.append(self._run(name, method))
            self.report.add(rows=[asdict(row) for row in self.rows])
        print_set(self.console, own)
        return own

    def _run(self, name: str, method: str) -> Row:
        known = find(self.rows, name, method)
        done = 0 if known is None else len(known.seconds)
        if known is not None and (
            known.ran_out_of(self.given.timeout) or done >= self.given.splits
        ):
            return known
        row = run_splits(self.source, name, method, done, self.given.splits, self.given.timeout)
        if known is not None:
            self.rows.remove(known)
            row = known.followed_by(row)
        self.rows.append(row)
        return row


def main() -> None:
    """Run the parts asked for, then list the targets."""
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 170)
    bench = Bench(given, console)
    console.print(bench.report.results["system"])
    targets: list[Target] = []
    for name in (part for part in given.only if part in SETS):
        try:
            bench.run_set(name, given.methods)
        except MissingDataError as missing:
            console.print(f"{name}: not run, {missing}")
            targets.append(Target(f"{name}: data", str(missing), None))
    if EFFECT_OF_P in given.only:
        for name in FIGURE_1:
            bench.run_set(name, [with_power(p) for p in POWERS])
    for method in (OURS, CHOSEN_P):
        if any(row.method == method for row in bench.rows):
            targets += accuracy_targets(bench.rows, method)
    if bench.rows:
        targets.append(coverage(bench.rows, given.splits))
    if SPEED in given.only:
        isolet, drawn, growth = run_speed(console, bench.source, given.timeout)
        timings = [asdict(timing) for timing in (*isolet, *drawn)]
        bench.report.add(timings=timings, slope=growth.slope)
        targets += speed_targets(isolet, drawn, growth)
    if given.plots is not None:
        draw_curves(bench.rows, given.plots / "multiclass-curves.svg")
        draw_powers(bench.rows, given.plots / "multiclass-powers.svg")
    print(markdown(bench.rows))
    bench.report.add(targets=[asdict(target) for target in targets])
    print_targets(console, targets)


if __name__ == "__main__":
    main()
