"""Exactly k features from linear data: handful against its rivals, on the same data in one run.

    python benchmarks/linear.py                    everything (hours)
    python benchmarks/linear.py --quick            three small sets (minutes)
    python benchmarks/linear.py --only x2,news20 --k 150 --peers handful,rfe --json out.json

Every cell runs in its own process: load, warm up on a corner of the data, fit under a time limit.
Seconds are those of ``fit`` (for l1 methods with the search for k); memory is what the fit added.
Accuracy is that of the same refit for every method, described in ``harness/refit.py``. After the
tables come the paper's claims, the start-up times, and every target with its figure.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from harness.claims import Debias, SolverRace, debias_claim, solver_race
from harness.data import BUILDERS, Source, chosen_names, default_data_folder
from harness.peers import SELECTORS
from harness.report import Report
from harness.run import Bench
from harness.startup import StartUp, measure_start_up
from harness.tables import print_debias, print_targets
from harness.targets import Target, claim_targets, row_targets, start_up_targets
from rich.console import Console

SECTIONS = ("tables", "claims", "start-up")
MKL_TIMEOUT = 1800.0


def parse_arguments() -> argparse.Namespace:
    """Read the command line and fill in what depends on other options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="three small sets, k = 50, one run each")
    add(
        "--only",
        help=f"data sets, or the part of their names before the dash: {', '.join(BUILDERS)}",
    )
    add("--k", help="numbers of features, comma separated (50,150,500)")
    add("--peers", help=f"methods, comma separated: {', '.join(SELECTORS)}")
    add("--sections", default=",".join(SECTIONS), help=f"what to run ({','.join(SECTIONS)})")
    add("--repeat", type=int, help="runs of a fit shorter than 5 s (3)")
    add("--timeout", type=float, default=120, help="seconds one fit may take (120)")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    add("--seed", type=int, default=0, help="seed of synthetic data and splits")
    add("--json", type=Path, help="write everything measured to this file")
    given = parser.parse_args()
    given.k = [int(k) for k in (given.k or ("50" if given.quick else "50,150,500")).split(",")]
    given.repeat = given.repeat or (1 if given.quick else 3)
    given.peers = given.peers.split(",") if given.peers else list(SELECTORS)
    given.sections = given.sections.split(",")
    for name in given.peers:
        if name not in SELECTORS:
            parser.error(f"unknown method {name!r}; known: {', '.join(SELECTORS)}")
    for name in given.sections:
        if name not in SECTIONS:
            parser.error(f"unknown section {name!r}; known: {', '.join(SECTIONS)}")
    return given


def run_tables(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Measure every data set against every method."""
    source = Source(given.data, given.seed, given.quick)
    bench = Bench(source, given.peers, given.k, given.repeat, given.timeout, console)
    for name in chosen_names(given.only, given.quick):
        bench.run_dataset(name)
        report.add(rows=[asdict(row) for row in bench.rows], missing=bench.missing)
    missing = [Target(f"{name}: data", why, None) for name, why in bench.missing.items()]
    return [*row_targets(bench.rows), *missing]


def run_claims(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Check what the paper says of plain FGM."""
    source = Source(given.data, given.seed, given.quick)
    debias: list[Debias] = list(debias_claim(source))
    print_debias(console, debias)
    race: SolverRace = solver_race(source, given.timeout, MKL_TIMEOUT)
    console.print(race)
    report.add(debias=[asdict(result) for result in debias], solver_race=asdict(race))
    return list(claim_targets(debias, race))


def run_start_up(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Time what a new process pays."""
    start: StartUp = measure_start_up()
    console.print(start)
    report.add(start_up=asdict(start))
    return list(start_up_targets(start))


def main() -> None:
    """Run the sections asked for, then list the targets."""
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 120)
    report = Report(given.json)
    console.print(report.results["system"])
    runs = dict(zip(SECTIONS, (run_tables, run_claims, run_start_up), strict=True))
    targets: list[Target] = []
    for section in given.sections:
        targets += runs[section](given, console, report)
    report.add(targets=[asdict(target) for target in targets])
    print_targets(console, targets)


if __name__ == "__main__":
    main()
