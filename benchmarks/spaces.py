"""Features that are never written down: pairs, groups and additive kernels, on the same data.

    python benchmarks/spaces.py                       everything (hours)
    python benchmarks/spaces.py --quick               small versions of all (minutes)
    python benchmarks/spaces.py --only pairs-bigrams,mnist --k 50 --timeout 900 --json out.json

pairs       20 newsgroups, all pairs of 168 thousand words or of 1.6 million words and word pairs
mnist       threes against eights, all pairs of 784 pixels, against selectors on the written-down
            expansion (sparse, in the order of PolynomialFeatures; its seconds are taken off theirs)
groups      the paper's sets, 4096 rows of 20,000 and 400,000 columns in groups of 10
additive    additive kernels against single columns (a9a and semeion are 0/1 and cannot gain)
growth      how one scan grows with rows n, columns m and features asked for B
hidden      the published example: one interaction among 10^9 pairs

Every cell runs in its own process: load, warm up on a corner of the data, fit under a time limit.
Accuracy is that of the same refit for every method (``harness/refit.py``) in mnist and groups, and
that of the model itself in pairs and additive.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from harness.data import Source, default_data_folder
from harness.report import Report
from harness.spaces.cell import FAMILIES
from harness.spaces.growth import run_growth
from harness.spaces.hidden import run_hidden
from harness.spaces.tables import TABLES, Bench
from harness.spaces.targets import group_targets, hidden_target, mnist_targets, pair_targets
from harness.tables import print_targets
from harness.targets import Target
from rich.console import Console

GROWTH, HIDDEN = "growth", "hidden"
PARTS = (*TABLES, GROWTH, HIDDEN)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    methods = sorted({method for family in FAMILIES.values() for method in family})
    add = parser.add_argument
    add("--quick", action="store_true", help="fewer rows, one small k, one run each")
    add("--only", help=f"parts, or what is before the dash in their names: {', '.join(PARTS)}")
    add("--k", help="numbers of features or groups, comma separated (each part has its own)")
    add("--methods", help=f"separated by semicolons (all): {'; '.join(methods)}")
    add("--repeat", type=int, help="runs of a fit shorter than 5 s (3)")
    add("--timeout", type=float, default=600, help="seconds one fit may take (600)")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    add("--seed", type=int, default=0, help="seed of synthetic data and splits")
    add("--json", type=Path, help="write everything measured to this file")
    given = parser.parse_args()
    given.k = tuple(int(k) for k in given.k.split(",")) if given.k else None
    given.repeat = given.repeat or (1 if given.quick else 3)
    given.methods = tuple(given.methods.split(";")) if given.methods else None
    words = given.only.split(",") if given.only else [*PARTS]
    given.parts = [part for part in PARTS if {part, part.split("-")[0]} & set(words)]
    for word in words:
        if not any(word in (part, part.split("-")[0]) for part in PARTS):
            parser.error(f"unknown part {word!r}; known: {', '.join(PARTS)}")
    for method in given.methods or ():
        if method not in methods:
            parser.error(f"unknown method {method!r}; known: {'; '.join(methods)}")
    return given


def run_tables(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Measure the parts that are tables."""
    source = Source(given.data, given.seed, given.quick)
    bench = Bench(source, given.k, given.methods, given.repeat, given.timeout, console)
    for name in (part for part in given.parts if part in TABLES):
        bench.run(name)
        report.add(rows=[asdict(row) for row in bench.rows], missing=bench.missing)
    missing = [Target(f"{name}: data", why, None) for name, why in bench.missing.items()]
    rows = bench.rows
    return [*pair_targets(rows), *mnist_targets(rows), *group_targets(rows), *missing]


def main() -> None:
    """Run the parts asked for, then list the targets."""
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 120)
    report = Report(given.json)
    console.print(report.results["system"])
    targets = run_tables(given, console, report)
    if GROWTH in given.parts:
        growth = run_growth(console, quick=given.quick, timeout=given.timeout)
        report.add(growth=[asdict(one) for one in growth])
    if HIDDEN in given.parts:
        hidden = run_hidden(console, timeout=given.timeout)
        report.add(hidden=asdict(hidden))
        targets.append(hidden_target(hidden))
    report.add(targets=[asdict(target) for target in targets])
    print_targets(console, targets)


if __name__ == "__main__":
    main()
