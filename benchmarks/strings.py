"""Substrings of any length against n-grams of chosen lengths, from raw strings to a model.

    python benchmarks/strings.py                                    everything (an hour)
    python benchmarks/strings.py --quick                            a part of the strings (minutes)
    python benchmarks/strings.py --only promoters,index --json out.json

promoters    6,323 human sequences of 251 bases for training, 2,711 to judge by
sms          3,801 text messages and 1,629: characters, and words
newsgroups   20 newsgroups as they are, ten against ten: characters, and words
index        seconds and memory of the index of newsgroups, of one scan, and of 100 million characters
growth       seconds of index and scan against the number of characters

Every cell runs in its own process, after everything was compiled on a few hundred strings. Seconds and memory are of the whole way
from a list of str: index or n-grams, selection, last fit; "CPU" are seconds of processors, which other work on the machine changes
less. SEQL's row is cited: it was built from its public
repository and run on the same split of the promoters.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from harness.data import standing_for
from harness.growth import Growth
from harness.strings import METHODS, OURS, SETS, fit_once, index_once
from harness.study import Options, Run, Study, Target, shown

PARTS = (*SETS, "index", "growth")
SEQL_SECONDS, SEQL_ACCURACY, SEQL_AUC, SEQL_FEATURES = 11.3, 0.809, 0.882, 320
LARGE, SIZES = 100_000_000, (1_250_000, 2_500_000, 5_000_000, 10_000_000, 20_000_000)
INDEX_SECONDS, SCAN_SECONDS, SLOPE = 10.0, 0.3, 1.1
BYTES_EACH, FACTOR = 16, 3.0  # what 100 million characters may take for each: 16 bytes, times this
LEAST_OF_PROMOTERS, PROMOTERS_SECONDS = {"accuracy": 0.82, "auc": 0.89}, 1.5  # at 100 features
TIMES_FASTER = 10.0


@dataclass
class Row:
    """One method on one set at one k."""

    dataset: str
    method: str
    k: int
    status: str
    accuracy: float | None = None
    auc: float | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    extra_bytes: int | None = None
    n_characters: int | None = None
    error: str = ""


@dataclass
class Indexed:
    """The index of so many characters."""

    wanted: int
    status: str
    n_characters: int = 0
    seconds: float | None = None
    cpu_seconds: float | None = None
    scan_seconds: float | None = None
    scan_cpu_seconds: float | None = None
    bytes_each: float | None = None
    kept_each: float | None = None
    n_features: int | None = None
    error: str = ""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    options = Options(
        __doc__,
        seed="splits and of which groups are against which",
        reuse=True,
        quick="a part of the strings",
        timeout=(600, "seconds one fit may take"),
        repeat=True,
    )
    options.words("--only", None, f"parts, or what is before the dash ({', '.join(PARTS)})")
    options.words("--methods", METHODS, "methods", by=";")
    options.words("--k", None, "numbers of features (each set has its own)", kind=int)
    given = options.parse()
    given.parts = standing_for(given.only, PARTS)
    return given


def measure_sets(run: Run) -> list[Row]:
    """Fit every method to every set asked for, and print them."""
    study, about = Study(run, Row), {"source": run.source, "repeat": run.given.repeat}
    for name in (part for part in run.given.parts if part in SETS):
        if run.had(name, SETS[name].build) is None:
            continue
        for k, method in product(run.given.k or SETS[name].ks, run.given.methods):
            study.cell({"dataset": name, "method": method, "k": k}, fit_once, **about)
        headings = ("method", "k", "accuracy", "AUC", "seconds", "CPU", "memory, MiB", "")
        texts = [
            (
                *(row.method, str(row.k), shown(row.accuracy, ".3f"), shown(row.auc, ".3f")),
                *(shown(row.seconds, ".2f"), shown(row.cpu_seconds, ".2f")),
                shown(row.extra_bytes and row.extra_bytes / 2**20, ".0f"),
                "" if row.status == "ok" else row.status,
            )
            for row in sorted(study.known(dataset=name), key=lambda row: row.k)
        ]
        run.show(name, headings, texts)
    return study.rows


def measure_indexes(run: Run) -> list[Indexed]:
    """Index texts of several sizes; 0 stands for newsgroups as they are."""
    study = Study(run, Indexed, "indexes")
    sizes = [0, LARGE] if "index" in run.given.parts else []
    sizes += SIZES if "growth" in run.given.parts else ()
    for size in sizes:
        study.cell(
            {"wanted": size // 100 if run.given.quick else size}, index_once, source=run.source
        )
    headings = ("characters", "features", "seconds", "CPU", "one scan", "CPU", "bytes each", "kept")
    texts = [
        (
            *(f"{row.n_characters:,}", shown(row.n_features, ",")),
            *(shown(row.seconds, ".2f"), shown(row.cpu_seconds, ".2f")),
            *(shown(row.scan_seconds, ".3f"), shown(row.scan_cpu_seconds, ".3f")),
            *(shown(row.bytes_each, ".1f"), shown(row.kept_each, ".1f")),
            "" if row.status == "ok" else row.status,
        )
        for row in study.rows
    ]
    if texts:
        run.show("index", (*headings, ""), texts)
    return study.rows


def set_targets(rows: list[Row]) -> Iterator[Target]:
    """What ours has to reach on promoters, and among n-grams at the same k."""
    for row in rows:
        if row.method != OURS or row.accuracy is None or row.auc is None or row.seconds is None:
            continue
        where = f"{row.dataset}, k = {row.k}"
        if row.dataset == "promoters" and row.k == 100:
            yield from (target.at(where) for target in _of_promoters(row))
        rivals = [r for r in rows if (r.dataset, r.k) == (row.dataset, row.k) and r is not row]
        known = [r for r in rivals if r.accuracy is not None]
        if known:
            best = max(known, key=lambda r: r.accuracy or 0.0)
            figure = f"{row.accuracy:.3f}, {best.method} {best.accuracy:.3f}"
            level = row.accuracy >= (best.accuracy or 0.0)
            yield Target(f"{where}: at least level with n-grams", figure, level)


def _of_promoters(row: Row) -> Iterator[Target]:
    for name, least in LEAST_OF_PROMOTERS.items():
        value = getattr(row, name)
        yield Target(f"{name} at least {least}", f"{value:.3f}", value >= least)
    yield Target.under(f"under {PROMOTERS_SECONDS} s", row.seconds, PROMOTERS_SECONDS)
    times = SEQL_SECONDS / row.seconds
    told = f"{times:.1f} times, {row.accuracy:.3f} / {row.auc:.3f} with {row.k} features"
    cited = f"SEQL's {SEQL_SECONDS} s, {SEQL_ACCURACY} / {SEQL_AUC} with {SEQL_FEATURES}"
    better = row.accuracy >= SEQL_ACCURACY and row.auc >= SEQL_AUC
    text = f"{TIMES_FASTER:g} times faster than {cited}, no worse"
    yield Target(text, told, times >= TIMES_FASTER and better)


def index_targets(rows: list[Indexed]) -> Iterator[Target]:
    """Seconds of index and scan, memory, and how they grow."""
    for row in rows:
        if row.wanted == 0:
            for what, seconds, limit in (
                ("index", row.seconds, INDEX_SECONDS),
                ("one scan", row.scan_seconds, SCAN_SECONDS),
            ):
                text = f"newsgroups: {what} under {limit:g} s"
                yield Target.under(text, seconds, limit, row.status)
        if row.wanted == LARGE:
            text = f"100 million characters: within {BYTES_EACH} bytes each times {FACTOR:g}"
            met = None if row.bytes_each is None else row.bytes_each <= FACTOR * BYTES_EACH
            yield Target(text, shown(row.bytes_each, ".1f") or row.status, met)
    grown = sorted((r for r in rows if r.wanted in SIZES), key=lambda r: r.n_characters)
    if len(grown) > 1:
        for name, what in (("cpu_seconds", "index"), ("scan_cpu_seconds", "scan")):
            growth = Growth([r.n_characters for r in grown], [getattr(r, name) for r in grown])
            met = None if growth.slope is None else growth.slope <= SLOPE
            yield Target(f"{what}: grows with an exponent of at most {SLOPE}", growth.told, met)


def main() -> None:
    """Run the parts asked for, then list the targets."""
    run = Run(parse_arguments(), width=120)
    run.targets += set_targets(measure_sets(run))
    run.targets += index_targets(measure_indexes(run))
    run.finish()


if __name__ == "__main__":
    main()
