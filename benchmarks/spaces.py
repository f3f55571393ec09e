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
from collections.abc import Iterator
from functools import partial

from harness import spaces
from harness.data import a9a, standing_for
from harness.peers import OURS
from harness.problem import Ids, Matrix
from harness.refit import GRID
from harness.scans import run_growth, run_hidden
from harness.selection import Row, Table, families, find, measure_table
from harness.spaces import EXACTLY_K, EXPANSION, FIT, LINEAR, SCAN_FIRST, SCAN_LAST
from harness.study import Options, Run, Study, Target

from handful.spaces import Polynomial

# A thousand columns of noise and signal want a small C, and large ones take minutes a fit.
SMALL_C = tuple(C for C in GRID if C <= 0.1)
GIB = 2**30
SCAN_SECONDS, FIT_SECONDS, EXTRA_BYTES = 2.0, 30.0, 2 * GIB
PAIRS_FASTER, GROUPS_FASTER = 10.0, 5.0
SLACK = 1e-12


def pair_columns(X: Matrix, ids: Ids) -> Matrix:
    """Columns of pairs, by the numbering of ``Polynomial`` and ``PolynomialFeatures`` alike."""
    return Polynomial().on(X).columns(ids)


_pairs = partial(
    Table, family="pairs", ks=(20,), columns=None, once=EXPANSION, about=spaces.expansion_cost
)
_groups = partial(
    Table, "groups", ks=(50, 100), columns=spaces.group_columns, once="", grid=SMALL_C
)
_additive = partial(Table, "additive", ks=(10, 25, 50), columns=None, once="")
MNIST_KS = (10, 25, 50, 100, 200, 500)
TABLES: dict[str, Table] = {
    "pairs-unigrams": _pairs(build=partial(spaces.text, longest=1)),
    "pairs-bigrams": _pairs(build=partial(spaces.text, longest=2)),
    "mnist": _pairs(family="mnist", build=spaces.mnist, ks=MNIST_KS, columns=pair_columns),
    "groups-20000": _groups(build=partial(spaces.grouped, n_groups=2000)),
    "groups-400000": _groups(build=partial(spaces.grouped, n_groups=40_000)),
    "additive-a9a": _additive(build=a9a),
    "additive-semeion": _additive(build=spaces.semeion),
    "additive-isolet": _additive(build=spaces.isolet),
    "additive-mnist": _additive(build=spaces.mnist),
}
QUICK_KS = {"mnist": (10, 50)}
OTHERS = {"growth": run_growth, "hidden": run_hidden}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    options = Options(
        __doc__,
        seed="synthetic data and splits",
        reuse=True,
        quick="fewer rows, one small k, one run each",
        timeout=(600, "seconds one fit may take"),
        repeat=True,
    )
    parts = (*TABLES, *OTHERS)
    methods = sorted({name for table in TABLES.values() for name in families()[table.family]})
    what = f"parts, or what is before the dash in their names ({', '.join(parts)})"
    options.words("--only", None, what)
    options.words("--k", None, "numbers of features or groups (each part has its own)", kind=int)
    options.words("--methods", methods, "methods", by=";")
    given = options.parse()
    given.parts = standing_for(given.only, parts)
    return given


# -------------------------------------------------------------------- targets


def pair_targets(rows: list[Row]) -> Iterator[Target]:
    """Limits on scans and fits among all pairs of words."""
    limits = {SCAN_FIRST: SCAN_SECONDS, SCAN_LAST: SCAN_SECONDS, FIT: FIT_SECONDS}
    for row in rows:
        if not row.dataset.startswith("pairs") or row.method not in (*limits, EXACTLY_K):
            continue
        where = f"{row.dataset}, {row.method}, k = {row.k}"
        if row.seconds is None or row.extra_bytes is None:
            yield Target(f"{where}: a result", row.status, False)
            continue
        if limit := limits.get(row.method):
            yield Target.under(f"{where}: under {limit:g} s", row.seconds, limit)
        figure = f"{row.extra_bytes / GIB:.2f} GiB"
        text = f"{where}: extra memory under {EXTRA_BYTES / GIB:g} GiB"
        yield Target(text, figure, row.extra_bytes < EXTRA_BYTES)


def _least_seconds(row: Row) -> float | None:
    """Seconds a rival took, or the limit that it did not finish in."""
    if row.status.startswith("> "):
        return float(row.status.split()[1])
    return row.seconds


def _faster(
    ours: Row, rivals: list[Row], times: float, spared: float = 0.0, among: str = "rival"
) -> Target:
    """Compare with the fastest rival; ``spared`` seconds are taken off its time."""
    text = f"{times:g} times faster than the fastest {among}"
    timed = [(s - spared, r) for r in rivals if (s := _least_seconds(r)) is not None]
    if not timed or not ours.seconds:
        return Target(text, "no rival to compare with", None)
    seconds, fastest = min(timed, key=lambda pair: pair[0])
    ratio = seconds / ours.seconds
    bound = "" if fastest.ok else "at least "
    # A rival that was stopped says nothing when the limit was too short to tell.
    met = None if not fastest.ok and ratio < times else ratio >= times
    told = f"({fastest.method} {seconds:.1f} s, ours {ours.seconds:.2f} s)"
    return Target(text, f"{bound}{ratio:.1f} times {told}", met)


def _no_lower(ours: Row, rivals: list[Row], what: str, text: str, form: str) -> Target:
    known = [r for r in rivals if getattr(r, what) is not None]
    mine = getattr(ours, what)
    if not known or mine is None:
        return Target(text, "no rival finished", None)
    best = max(known, key=lambda row: getattr(row, what))
    theirs = getattr(best, what)
    figure = f"{format(mine, form)}, {best.method} {format(theirs, form)}"
    return Target(text, figure, mine >= theirs - SLACK)


def _of_mnist(ours: Row, rivals: list[Row], rows: list[Row]) -> Iterator[Target]:
    """Pairs gain over single pixels, and beat what works on the written-down expansion."""
    single, expansion = find(rows, "mnist", LINEAR, ours.k), find(rows, "mnist", EXPANSION, 0)
    figure, met = "single pixels not measured", None
    if single is not None and single.accuracy is not None and ours.accuracy is not None:
        gain = ours.accuracy - single.accuracy
        figure = f"{ours.accuracy:.4f}, single {single.accuracy:.4f} ({gain:+.4f})"
        met = gain > 0
    yield Target("pairs are more accurate than single pixels", figure, met)
    yield _no_lower(ours, rivals, "accuracy", "no less accurate than rivals", ".4f")
    yield _faster(ours, rivals, PAIRS_FASTER, (expansion.seconds or 0.0) if expansion else 0.0)


def _of_groups(ours: Row, rivals: list[Row], rows: list[Row]) -> Iterator[Target]:
    """Recover as many true groups as any rival, in a fifth of the fastest one's time."""
    equals = [r for r in rivals if (r.true_found or 0) >= (ours.true_found or 0)]
    yield _no_lower(ours, rivals, "true_found", "as many true groups as any rival", "d")
    yield _no_lower(ours, rivals, "accuracy", "no less accurate than rivals", ".4f")
    yield _faster(ours, rivals, GROUPS_FASTER)
    yield _faster(ours, equals, GROUPS_FASTER, among="rival that finds as many true groups")


def rival_targets(rows: list[Row]) -> Iterator[Target]:
    """Compare ours with its rivals at every k, among pairs of pixels and among groups."""
    for family, judge in (("mnist", _of_mnist), ("groups", _of_groups)):
        for ours in rows:
            if ours.method != OURS or ours.dataset.split("-")[0] != family:
                continue
            where = f"{ours.dataset}, k = {ours.k}"
            if not ours.ok:
                yield Target(f"{where}: a result", ours.status, False)
                continue
            same = [r for r in rows if (r.dataset, r.k) == (ours.dataset, ours.k)]
            rivals = [r for r in same if r.method not in (OURS, LINEAR, EXPANSION)]
            yield from (target.at(where) for target in judge(ours, rivals, rows))


def main() -> None:
    """Run the parts asked for, then list the targets."""
    run = Run(parse_arguments(), width=120)
    study, given = Study(run, Row), run.given
    for name in (part for part in given.parts if part in TABLES):
        table = TABLES[name]
        ks = given.k or (QUICK_KS.get(name, (10,)) if given.quick else table.ks)
        methods = [m for m in families()[table.family] if m in given.methods]
        measure_table(study, name, table, methods, ks)
    run.targets[:0] = [*pair_targets(study.rows), *rival_targets(study.rows)]
    for name, part in OTHERS.items():
        if name in given.parts:
            part(run)
    run.finish()


if __name__ == "__main__":
    main()
