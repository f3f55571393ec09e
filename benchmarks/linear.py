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
from collections.abc import Iterator

from harness.claims import POINT, run_claims, run_start_up
from harness.data import BUILDERS, QUICK, standing_for
from harness.peers import FLOOR, OURS, SELECTORS
from harness.refit import take_columns
from harness.selection import Row, Table, find, floor_seconds, measure_table
from harness.study import Options, Run, Study, Target

TEXT = ("newsgroups", "reuters", "news20")
LEAD_OF_A_POINT = ("newsgroups", "x2")
DENSE = ("x1", "x2")
SMALL_MULTIPLE = 16  # numbers of 8 bytes per row and column, next to the active columns


def parse_arguments() -> argparse.Namespace:
    """Read the command line and fill in what depends on other options."""
    options = Options(
        __doc__,
        seed="synthetic data and splits",
        reuse=True,
        quick="three small sets, k = 50, one run each",
        timeout=(120, "seconds one fit may take"),
        repeat=True,
    )
    sets = f"data sets, or the part of their names before the dash ({', '.join(BUILDERS)})"
    options.words("--only", None, sets)
    options.words("--k", None, "numbers of features (50,150,500)", kind=int)
    options.words("--peers", SELECTORS, "methods")
    options.words("--sections", SECTIONS, "what to run")
    given = options.parse()
    given.k = given.k or ([50] if given.quick else [50, 150, 500])
    return given


def run_tables(run: Run) -> None:
    """Measure every data set against every method."""
    study, given = Study(run, Row), run.given
    small = QUICK if given.quick and not given.only else BUILDERS
    for name in standing_for(given.only, small):
        table = Table("linear", BUILDERS[name], (), take_columns, FLOOR)
        measure_table(study, name, table, given.peers, given.k)
    run.targets[:0] = row_targets(study.rows)


# -------------------------------------------------------------------- targets


def _belongs(dataset: str, families: tuple[str, ...]) -> bool:
    return any(dataset == f or dataset.startswith(f"{f}-") for f in families)


def _accuracy(ours: Row, rivals: list[Row]) -> Iterator[Target]:
    if not rivals:
        yield Target("no less accurate than the best rival", "no rival finished", None)
        return
    best = max(rivals, key=lambda row: row.accuracy or 0)
    lead = ours.accuracy - best.accuracy
    needed = POINT if _belongs(ours.dataset, LEAD_OF_A_POINT) else 0.0
    figure = f"{ours.accuracy:.4f}, {best.method} {best.accuracy:.4f} ({lead:+.4f})"
    text = "a point above the best rival" if needed else "no less accurate than the best rival"
    yield Target(text, figure, lead >= needed - 1e-12)


def _speed(ours: Row, rivals: list[Row], floor: float | None) -> Iterator[Target]:
    if _belongs(ours.dataset, DENSE):
        near = [r for r in rivals if (r.accuracy or 0) >= ours.accuracy - 2 * POINT]
        text = "20 times faster than the fastest rival within 2 points"
        if not rivals:
            yield Target(text, "no rival finished", None)
        elif near:
            fastest = min(near, key=lambda row: row.seconds or 0)
            ratio = (fastest.seconds or 0) / ours.seconds
            yield Target(text, f"{ratio:.1f} times ({fastest.method})", ratio >= 20)
        else:
            yield Target(text, "no rival within 2 points", True)
        if floor and ours.rounds:
            ratio = ours.seconds / (ours.rounds * floor)
            figure = f"{ratio:.2f} times ({ours.rounds} rounds of {floor:.4f} s)"
            yield Target("within 1.5 times rounds x one pass", figure, ratio <= 1.5)
    if _belongs(ours.dataset, TEXT):
        rfe = next((row for row in rivals if row.method == "rfe"), None)
        if rfe and rfe.seconds:
            share = ours.seconds / rfe.seconds
            yield Target("a fifth of RFE's time or less", f"{share:.2f} of it", share <= 0.2)


def _memory(ours: Row) -> Iterator[Target]:
    if ours.extra_bytes is None or ours.active_bytes is None or ours.rows_and_columns is None:
        return
    multiple = max(0, ours.extra_bytes - ours.active_bytes) / (8 * ours.rows_and_columns)
    text = f"extra memory under active columns + {SMALL_MULTIPLE} numbers per row and column"
    extra, active = ours.extra_bytes / 2**20, ours.active_bytes / 2**20
    figure = f"{extra:.0f} MiB, active columns {active:.0f} MiB, so {multiple:.1f} numbers"
    yield Target(text, figure, multiple <= SMALL_MULTIPLE)


def row_targets(rows: list[Row]) -> Iterator[Target]:
    """Accuracy, speed and memory of ours in every cell, and true features against l1."""
    for ours in (row for row in rows if row.method == OURS):
        where = f"{ours.dataset}, k = {ours.k}"
        if not ours.ok:
            yield Target(f"{where}: a result", ours.status, False)
            continue
        same = [row for row in rows if (row.dataset, row.k) == (ours.dataset, ours.k) and row.ok]
        rivals = [r for r in same if r.method not in (OURS, FLOOR) and r.accuracy is not None]
        floor = floor_seconds(rows, ours.dataset)
        found = [*_accuracy(ours, rivals), *_speed(ours, rivals, floor), *_memory(ours)]
        l1 = find(rows, ours.dataset, "l1-svm", ours.k)
        if l1 and _belongs(ours.dataset, ("x1",)):
            figure = f"{ours.true_found} against {l1.true_found}"
            met = ours.true_found > l1.true_found
            found.append(Target("more true features than l1", figure, met))
        yield from (target.at(where) for target in found)


SECTIONS = {"tables": run_tables, "claims": run_claims, "start-up": run_start_up}


def main() -> None:
    """Run the sections asked for, then list the targets."""
    run = Run(parse_arguments(), width=120)
    for section in run.given.sections:
        SECTIONS[section](run)
    run.finish()


if __name__ == "__main__":
    main()
