"""What the benchmark of labels has to show: every target with its figure, met or missed."""

from __future__ import annotations

from collections.abc import Iterator

from harness.growth import Growth
from harness.targets import Target

from .methods import ABESS, FASTCAN, LASSOS, OURS, RFE_RIDGE, titles
from .rows import NOISE, Row, find, lead
from .speed import CELLS, GREEDY_PEERS, PAPER_ALGORITHM, RLSCORE, Timing

LOW = {"scene": "low", "yeast": "low", "delicious": "100", "tmc2007_500": "50"}
JUDGES = ("macro_auc", "hamming_loss")
FASTER = {"scene": 10.0, "delicious": 1000.0}
DELICIOUS_SECONDS = 8.0
FLAT = 0.2  # a slope of time against labels, both logarithmic, up to this is called flat


def measure_targets(rows: list[Row]) -> Iterator[Target]:
    """At low budgets better than every lasso; nowhere worse than the other selectors beyond noise."""
    for ours in rows:
        if ours.method not in titles(OURS):
            continue
        where = f"{ours.dataset}, {ours.budget}: {ours.method}"
        if not ours.ok:
            yield Target(f"{where} has a result", ours.status, False)
            continue
        if LOW.get(ours.dataset) == ours.budget:
            for method in LASSOS:
                yield from _against(rows, ours, method, f"{where} better than", strictly=True)
        for method in (FASTCAN, RFE_RIDGE):
            yield from _against(rows, ours, method, f"{where} not worse than", strictly=False)


def _against(
    rows: list[Row], ours: Row, method: str, text: str, *, strictly: bool
) -> Iterator[Target]:
    other = find(rows, ours.dataset, ours.budget, method)
    for measure in JUDGES:
        full = f"{text} {method}, {measure}"
        if other is None:
            place = (ours.dataset, ours.budget, method)
            found = [row.status for row in rows if row.place == place]
            yield Target(full, (found or ["not run"])[0], None)
            continue
        gain, error = lead(ours, other, measure)
        met = gain > 0 if strictly else gain >= -NOISE * error
        yield Target(full, f"{gain:+.4f} (standard error {error:.4f})", met)


def speed_targets(timings: list[Timing], growth: Growth | None) -> Iterator[Target]:
    """Speed against RLScore and greedy peers, delicious in seconds, and no growth with labels."""
    found = {(timing.cell, timing.method): timing for timing in timings}
    for cell, factor in FASTER.items():
        yield from _against_the_paper(found, cell, factor)
    yield from _fastest_peer(found)
    ours = found.get(("delicious", OURS))
    text = f"delicious, {CELLS['delicious'].k} features: under {DELICIOUS_SECONDS:g} s"
    if ours is None or ours.seconds is None:
        yield Target(text, "not run" if ours is None else ours.status, None)
    else:
        yield Target(text, f"{ours.seconds:.2f} s", ours.seconds < DELICIOUS_SECONDS)
    if growth is not None and growth.slope is not None:
        figure = f"slope {growth.slope:.2f} between {growth.sizes[0]} and {growth.sizes[-1]} labels"
        yield Target("cost against labels flat", figure, growth.slope <= FLAT)


def _against_the_paper(
    found: dict[tuple[str, str], Timing], cell: str, factor: float
) -> Iterator[Target]:
    """Compare with RLScore; a stand-in tells how things are but does not decide."""
    ours = found.get((cell, OURS))
    text = f"{cell}: {factor:g} times faster than {RLSCORE}"
    if ours is None or not ours.seconds:
        yield Target(text, "not run" if ours is None else ours.status, None)
        return
    for rival in (RLSCORE, PAPER_ALGORITHM):
        other = found.get((cell, rival))
        if other is not None and other.seconds:
            ratio = other.seconds / ours.seconds
            how = " (projected)" if other.projected else ""
            decides = rival == RLSCORE
            stand_in = "" if decides else f"{RLSCORE} not installed; {rival}: "
            figure = f"{stand_in}{ratio:,.0f} times{how}"
            yield Target(text, figure, ratio >= factor if decides else None)
            return
    yield Target(text, "no rival finished", None)


def _fastest_peer(found: dict[tuple[str, str], Timing]) -> Iterator[Target]:
    ours = found.get(("wide", OURS))
    peers = [found[("wide", name)] for name in GREEDY_PEERS if ("wide", name) in found]
    done = [peer for peer in peers if peer.seconds is not None]
    text = "wide: as fast as the fastest greedy peer"
    if ours is None or ours.seconds is None or not done:
        yield Target(text, "; ".join(f"{p.method} {p.status}" for p in peers) or "not run", None)
        return
    fastest = min(done, key=lambda peer: peer.seconds or 0.0)
    figure = f"{ours.seconds:.2f} s, {fastest.method} {fastest.seconds:.2f} s"
    other = found.get(("wide", ABESS))
    if other is not None and other.seconds is not None:
        figure += f" ({ABESS}, not greedy, {other.seconds:.2f} s)"
    yield Target(text, figure, ours.seconds <= (fastest.seconds or 0.0))
