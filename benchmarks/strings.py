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

from harness.data import MissingDataError, standing_for
from harness.growth import Growth
from harness.strings import METHODS, OURS, SETS, fit_once, index_once
from harness.study import Options, Run, Study, Target

PARTS = (*SETS, "index", "growth")
SEQL_SECONDS, SEQL_ACCURACY, SEQL_AUC, SEQL_FEATURES = 11.3, 0.809, 0.882, 320
LARGE, SIZES = 100_000_000, (1_250_000, 2_500_000, 5_000_000, 10_000_000, 20_000_000)
INDEX_SECONDS, SCAN_SECONDS, SLOPE = 10.0, 0.3, 1.1
BYTES_EACH, FACTOR = 16, 3.0  # what 100 million characters may take for each: 16 bytes, times this
PROMOTERS_AT_100 = {"accuracy": 0.82, "auc": 0.89, "seconds": 1.5}
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
    options = Options(__doc__, seed="splits and of which groups are against which", reuse=True)
    options.add_argument("--quick", action="store_true", help="a part of the strings")
    options.words("--only", None, f"parts, or what is before the dash ({', '.join(PARTS)})")
    options.words("--methods", METHODS, "methods", by=";")
    options.words("--k", None, "numbers of features (each set has its own)", kind=int)
    options.add_argument("--repeat", type=int, default=3, help="runs of a fit shorter than 5 s (3)")
    options.add_argument(
        "--timeout", type=float, default=600, help="seconds one fit may take (600)"
    )
    given = options.parse()
    given.parts = standing_for(given.only, PARTS)
    return given


def figure(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def measure_sets(run: Run) -> list[Row]:
    """Fit every method to every set asked for, and print them."""
    study = Study(run, Row)
    for name in (part for part in run.given.parts if part in SETS):
        try:
            SETS[name].build(run.source)
        except MissingDataError as reason:
            run.miss(name, reason)
            continue
        for k in run.given.k or SETS[name].ks:
            for method in run.given.methods:
                place = {"dataset": name, "method": method, "k": k}
                study.cell(
                    place,
                    fit_once,
                    lambda answer, place=place: [Row(**place, **answer)],
                    name=name,
                    method=method,
                    k=k,
                    source=run.source,
                    repeat=run.given.repeat,
                )
        rows = sorted(study.known(dataset=name), key=lambda row: row.k)
        run.show(
            name,
            ("method", "k", "accuracy", "AUC", "seconds", "CPU", "memory, MiB", ""),
            [
                (
                    *(row.method, str(row.k), figure(row.accuracy, ".3f"), figure(row.auc, ".3f")),
                    *(figure(row.seconds, ".2f"), figure(row.cpu_seconds, ".2f")),
                    figure(row.extra_bytes and row.extra_bytes / 2**20, ".0f"),
                    "" if row.status == "ok" else row.status,
                )
                for row in rows
            ],
        )
    return study.rows


def measure_indexes(run: Run) -> list[Indexed]:
    """Index texts of several sizes; 0 stands for newsgroups as they are."""
    study = Study(run, Indexed, "indexes")
    sizes = [0, LARGE] if "index" in run.given.parts else []
    sizes += SIZES if "growth" in run.given.parts else ()
    for size in sizes:
        smaller = size // 100 if run.given.quick else size
        study.cell(
            {"wanted": smaller},
            index_once,
            lambda answer, smaller=smaller: [Indexed(wanted=smaller, **answer)],
            n_characters=smaller,
            source=run.source,
        )
    if study.rows:
        run.show(
            "index",
            (
                "characters",
                "features",
                "seconds",
                "CPU",
                "one scan",
                "CPU",
                "bytes each",
                "kept",
                "",
            ),
            [
                (
                    *(f"{row.n_characters:,}", figure(row.n_features, ",")),
                    *(figure(row.seconds, ".2f"), figure(row.cpu_seconds, ".2f")),
                    *(figure(row.scan_seconds, ".3f"), figure(row.scan_cpu_seconds, ".3f")),
                    *(figure(row.bytes_each, ".1f"), figure(row.kept_each, ".1f")),
                    "" if row.status == "ok" else row.status,
                )
                for row in study.rows
            ],
        )
    return study.rows


def set_targets(rows: list[Row]) -> Iterator[Target]:
    """What ours has to reach on promoters, and among n-grams at the same k."""
    for row in rows:
        if row.method != OURS or row.accuracy is None or row.auc is None or row.seconds is None:
            continue
        where = f"{row.dataset}, k = {row.k}"
        if row.dataset == "promoters" and row.k == 100:
            for name, least in PROMOTERS_AT_100.items():
                value = getattr(row, name)
                if name == "seconds":
                    yield Target.under(f"{where}: under {least} s", value, least)
                else:
                    yield Target(
                        f"{where}: {name} at least {least}", f"{value:.3f}", value >= least
                    )
            times = SEQL_SECONDS / row.seconds
            told = f"{times:.1f} times, {row.accuracy:.3f} / {row.auc:.3f} with {row.k} features"
            cited = f"SEQL's {SEQL_SECONDS} s, {SEQL_ACCURACY} / {SEQL_AUC} with {SEQL_FEATURES}"
            better = row.accuracy >= SEQL_ACCURACY and row.auc >= SEQL_AUC
            text = f"{where}: {TIMES_FASTER:g} times faster than {cited}, no worse"
            yield Target(text, told, times >= TIMES_FASTER and better)
        rivals = [r for r in rows if (r.dataset, r.k) == (row.dataset, row.k) and r is not row]
        known = [r for r in rivals if r.accuracy is not None]
        if known:
            best = max(known, key=lambda r: r.accuracy or 0.0)
            shown = f"{row.accuracy:.3f}, {best.method} {best.accuracy:.3f}"
            level = row.accuracy >= (best.accuracy or 0.0)
            yield Target(f"{where}: at least level with n-grams", shown, level)


def index_targets(rows: list[Indexed]) -> Iterator[Target]:
    """Seconds of index and scan, memory, and how they grow."""
    for row in rows:
        if row.wanted == 0:
            why = row.status
            yield Target.under(
                f"newsgroups: index under {INDEX_SECONDS:g} s", row.seconds, INDEX_SECONDS, why
            )
            yield Target.under(
                f"newsgroups: one scan under {SCAN_SECONDS:g} s",
                row.scan_seconds,
                SCAN_SECONDS,
                why,
            )
        if row.wanted == LARGE:
            text = f"100 million characters: within {BYTES_EACH} bytes each times {FACTOR:g}"
            met = None if row.bytes_each is None else row.bytes_each <= FACTOR * BYTES_EACH
            yield Target(text, figure(row.bytes_each, ".1f") or row.status, met)
    grown = sorted((r for r in rows if r.wanted in SIZES), key=lambda r: r.n_characters)
    if len(grown) > 1:
        for name, what in (("cpu_seconds", "index"), ("scan_cpu_seconds", "scan")):
            sizes, seconds = [r.n_characters for r in grown], [getattr(r, name) for r in grown]
            growth = Growth(sizes, seconds)
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
