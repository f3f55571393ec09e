"""What the benchmark of spaces has to show: every target with its figure, met or missed."""

from __future__ import annotations

from collections.abc import Iterator

from harness.peers import OURS
from harness.rows import Row, find
from harness.targets import Target

from .hidden import Hidden
from .methods import EXACTLY_K, EXPANSION, FIT, LINEAR, SCAN_FIRST, SCAN_LAST

GIB = 2**30
SCAN_SECONDS, FIT_SECONDS, EXTRA_BYTES = 2.0, 30.0, 2 * GIB
PAIRS_FASTER, GROUPS_FASTER = 10.0, 5.0
HIDDEN_SECONDS = 10.0
SLACK = 1e-12


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
        if row.method in limits:
            limit = limits[row.method]
            text = f"{where}: under {limit:g} s"
            yield Target(text, f"{row.seconds:.2f} s", row.seconds < limit)
        figure = f"{row.extra_bytes / GIB:.2f} GiB"
        text = f"{where}: extra memory under {EXTRA_BYTES / GIB:g} GiB"
        yield Target(text, figure, row.extra_bytes < EXTRA_BYTES)


def _rivals(rows: list[Row], ours: Row) -> list[Row]:
    known = (OURS, LINEAR, EXPANSION)
    same = [r for r in rows if (r.dataset, r.k) == (ours.dataset, ours.k)]
    return [r for r in same if r.method not in known]


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
    figure = (
        f"{bound}{ratio:.1f} times ({fastest.method} {seconds:.1f} s, ours {ours.seconds:.2f} s)"
    )
    return Target(text, figure, met)


def _no_lower(ours: Row, rivals: list[Row], what: str, text: str, form: str) -> Target:
    known = [r for r in rivals if getattr(r, what) is not None]
    mine = getattr(ours, what)
    if not known or mine is None:
        return Target(text, "no rival finished", None)
    best = max(known, key=lambda row: getattr(row, what))
    theirs = getattr(best, what)
    figure = f"{format(mine, form)}, {best.method} {format(theirs, form)}"
    return Target(text, figure, mine >= theirs - SLACK)


def _gain(ours: Row, single: Row | None) -> Target:
    text = "pairs are more accurate than single pixels"
    if single is None or single.accuracy is None or ours.accuracy is None:
        return Target(text, "single pixels not measured", None)
    gain = ours.accuracy - single.accuracy
    figure = f"{ours.accuracy:.4f}, single {single.accuracy:.4f} ({gain:+.4f})"
    return Target(text, figure, gain > 0)


def mnist_targets(rows: list[Row]) -> Iterator[Target]:
    """Pairs gain over single pixels, and beat what works on the written-down expansion."""
    expansion = find(rows, "mnist", EXPANSION, 0)
    spared = (expansion.seconds or 0.0) if expansion else 0.0
    for ours in rows:
        if ours.dataset != "mnist" or ours.method != OURS:
            continue
        where = f"mnist, k = {ours.k}"
        if not ours.ok:
            yield Target(f"{where}: a result", ours.status, False)
            continue
        rivals = _rivals(rows, ours)
        found = [
            _gain(ours, find(rows, "mnist", LINEAR, ours.k)),
            _no_lower(ours, rivals, "accuracy", "no less accurate than rivals", ".4f"),
            _faster(ours, rivals, PAIRS_FASTER, spared),
        ]
        for target in found:
            yield Target(f"{where}: {target.text}", target.figure, target.met)


def group_targets(rows: list[Row]) -> Iterator[Target]:
    """Recover as many true groups as any rival, in a fifth of the fastest one's time."""
    for ours in rows:
        if not ours.dataset.startswith("groups") or ours.method != OURS:
            continue
        where = f"{ours.dataset}, k = {ours.k}"
        if not ours.ok:
            yield Target(f"{where}: a result", ours.status, False)
            continue
        rivals = _rivals(rows, ours)
        equals = [r for r in rivals if (r.true_found or 0) >= (ours.true_found or 0)]
        found = [
            _no_lower(ours, rivals, "true_found", "as many true groups as any rival", "d"),
            _no_lower(ours, rivals, "accuracy", "no less accurate than rivals", ".4f"),
            _faster(ours, rivals, GROUPS_FASTER),
            _faster(ours, equals, GROUPS_FASTER, among="rival that finds as many true groups"),
        ]
        for target in found:
            yield Target(f"{where}: {target.text}", target.figure, target.met)


def hidden_target(result: Hidden) -> Target:
    """Check that the example finds what it hid, in seconds."""
    text = f"the interaction hidden among 10^9 pairs is found in under {HIDDEN_SECONDS:g} s"
    fit = f", the fit {result.fit_seconds:.2f} s" if result.fit_seconds else ""
    figure = f"{'found' if result.found else 'not found'}, {result.seconds:.1f} s in all{fit}"
    return Target(text, figure, result.found and result.seconds < HIDDEN_SECONDS)
