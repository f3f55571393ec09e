"""What the multi-class benchmark has to show: every target with its figure, met or missed."""

from __future__ import annotations

from collections.abc import Iterator

from harness.growth import Growth
from harness.targets import Target

from .data import SETS
from .judge import COUNTS
from .methods import OURS, RIVALS
from .rows import Row, find, lead
from .speed import WIDE, Timing

LAST = COUNTS[-1]
LEAST_ACCURACY = {"isolet": 0.952, "semeion": 0.91}
LEAST_SETS = 8
WIDE_SECONDS, ISOLET_SECONDS = 2.0, 60.0
LINEAR = 1.1  # a slope of time against features, both logarithmic, up to this is called linear


def accuracy_targets(rows: list[Row], method: str = OURS) -> Iterator[Target]:
    """First or within a standard error of first on eight of ten sets, and two figures to reach."""
    verdicts = []
    for name in dict.fromkeys(row.dataset for row in rows):
        target = _against_all(rows, name, method)
        verdicts.append(target.met)
        yield target
    text = f"{method}: first or within a standard error on {LEAST_SETS} of {len(SETS)} sets"
    n_met = sum(met is True for met in verdicts)
    is_whole = len(verdicts) == len(SETS) and None not in verdicts
    yield Target(
        text, f"{n_met} of {len(verdicts)} sets", n_met >= LEAST_SETS if is_whole else None
    )
    for name, least in LEAST_ACCURACY.items():
        ours = find(rows, name, method)
        text = f"{name}, {method}: at least {100 * least:.1f} % with {LAST} features"
        if ours is None or not ours.ok:
            yield Target(text, "not run" if ours is None else ours.status, None)
        else:
            figure = f"{100 * ours.mean(LAST):.2f} %, {len(ours.seconds)} splits"
            yield Target(text, figure, ours.mean(LAST) >= least)


def coverage(rows: list[Row], n_splits: int) -> Target:
    """Whether every method has every split of every set; those that have fewer are named with their number."""
    text = f"{n_splits} splits of every method on every set"
    short = []
    for name in SETS:
        for method in (OURS, *RIVALS):
            row = find(rows, name, method)
            done = 0 if row is None else len(row.seconds)
            if done < n_splits:
                why = "not run" if row is None else row.status
                short.append(f"{name}, {method}: {done} ({why})")
    n_cells = len(SETS) * (1 + len(RIVALS))
    figure = "; ".join([f"{n_cells - len(short)} of {n_cells}", *short])
    return Target(text, figure, not short)


def _against_all(rows: list[Row], name: str, method: str) -> Target:
    """Compare with the first: its own standard error decides; the paired difference is told.

    Splits differ by more than methods do, so a rival that did not finish as many as ours is not first.
    """
    text = f"{name}, {method}: first or within a standard error of first"
    ours = find(rows, name, method)
    if ours is None or not ours.ok:
        return Target(text, "not run" if ours is None else ours.status, None)
    found = [find(rows, name, method) for method in RIVALS]
    needed = len(ours.seconds)
    done = [row for row in found if row is not None and len(row.seconds) >= needed]
    if not done:
        return Target(text, "no rival finished", None)
    first = max(done, key=lambda row: row.mean(LAST))
    gain, error = lead(ours, first, LAST)
    figure = (
        f"{100 * ours.mean(LAST):.2f}, {first.method} {100 * first.mean(LAST):.2f} "
        f"(error {100 * first.error(LAST):.2f}; paired {100 * gain:+.2f}±{100 * error:.2f})"
    )
    return Target(text, figure, ours.mean(LAST) >= first.mean(LAST) - first.error(LAST))


def speed_targets(isolet: list[Timing], drawn: list[Timing], growth: Growth) -> Iterator[Target]:
    """Wide data in two seconds, isolet in a minute, cost that grows as the features do."""
    by_name = {timing.name: timing for timing in drawn}
    limits = (
        (by_name.get(str(WIDE)), f"200 x {WIDE:,}", WIDE_SECONDS),
        *((timing, timing.name, ISOLET_SECONDS) for timing in isolet),
    )
    for timing, name, limit in limits:
        text = f"{name}: a fit under {limit:g} s"
        if timing is None or timing.seconds is None:
            yield Target(text, "not run" if timing is None else timing.status, None)
        else:
            figure = f"{timing.seconds:.2f} s ({timing.cpu_seconds:.2f} s of work)"
            yield Target(text, figure, timing.seconds < limit)
    if growth.slope is None:
        yield Target("cost against features linear", "not all sizes finished", None)
    else:
        sizes = f"{growth.sizes[0]:,} and {growth.sizes[-1]:,} features"
        figure = f"slope {growth.slope:.2f} between {sizes}"
        yield Target("cost against features linear", figure, growth.slope <= LINEAR)
