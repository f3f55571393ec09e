"""Macro means over topics, and what they have to show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from harness.targets import Target

from .methods import ACCURACY, ON_ALL_FEATURES, OURS, RIVAL, SVMPERF
from .topics import REUTERS

WIDE = 0.05  # what "by a wide margin" is taken to mean, for macro F1
NEAR = 0.02  # and what "rivals" is
TOPIC_SECONDS = 2.0


@dataclass(frozen=True)
class Row:
    """One way, one topic, one measure."""

    dataset: str
    topic: str
    positives: int
    method: str
    measure: str
    value: float
    seconds: float
    kept: int
    unfinished: bool


@dataclass(frozen=True)
class Mean:
    """One way over all topics of a data set: values and seconds of each measure.

    ``unfinished`` counts fits that came to their limit of cuts.
    """

    method: str
    values: dict[str, float]
    median_seconds: dict[str, float]
    longest_seconds: dict[str, float]
    kept: int
    unfinished: int


def means(rows: list[Row], dataset: str) -> dict[str, Mean]:
    """Every topic counts the same, however rare it is."""
    found: dict[str, Mean] = {}
    own = [row for row in rows if row.dataset == dataset]
    for method in dict.fromkeys(row.method for row in own):
        of_method = [row for row in own if row.method == method]
        by_measure = {
            measure: [row for row in of_method if row.measure == measure]
            for measure in dict.fromkeys(row.measure for row in of_method)
        }
        found[method] = Mean(
            method,
            {m: float(np.mean([row.value for row in part])) for m, part in by_measure.items()},
            {m: float(np.median([row.seconds for row in part])) for m, part in by_measure.items()},
            {m: max(row.seconds for row in part) for m, part in by_measure.items()},
            of_method[0].kept,
            sum(row.unfinished for row in of_method),
        )
    return found


def print_means(console: Console, dataset: str, found: dict[str, Mean], n_topics: int) -> None:
    """Print a line for each way, the best macro mean at equal k in bold."""
    title = f"{dataset}: mean over {n_topics} topics; seconds of a topic: median, longest"
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    table.add_column("features", justify="right")
    measures = list(next(iter(found.values())).values)
    for measure in measures:
        table.add_column(f"macro {measure}", justify="right")
        table.add_column("seconds", justify="right")
    best = {m: _best(found, m) for m in measures}
    for mean in found.values():
        cells = [mean.method, f"{mean.kept:,}"]
        for measure, value in mean.values.items():
            text = f"{value:.4f}"
            cells.append(f"[bold]{text}[/bold]" if mean.method == best[measure] else text)
            times = mean.median_seconds[measure], mean.longest_seconds[measure]
            cells.append(f"{times[0]:.2f}, {times[1]:.2f}")
        table.add_row(*cells, end_section=mean.method == RIVAL)
    console.print(table)
    for mean in found.values():
        if mean.unfinished:
            console.print(f"{mean.method}: {mean.unfinished} fits ended at the limit of cuts")


def print_topics(console: Console, rows: list[Row], dataset: str) -> None:
    """Print every topic, for those who wonder where a mean comes from."""
    for measure in dict.fromkeys(row.measure for row in rows):
        own = [row for row in rows if (row.dataset, row.measure) == (dataset, measure)]
        methods = list(dict.fromkeys(row.method for row in own))
        table = Table(title=f"{dataset}, {measure}", title_justify="left")
        table.add_column("topic")
        table.add_column("positives", justify="right")
        for method in methods:
            table.add_column(method, justify="right")
        for topic in dict.fromkeys(row.topic for row in own):
            line = {row.method: row for row in own if row.topic == topic}
            positives = str(next(iter(line.values())).positives)
            values = (f"{line[m].value:.3f}" if m in line else "" for m in methods)
            table.add_row(topic, positives, *values)
        console.print(table)


def _best(found: dict[str, Mean], measure: str) -> str:
    """The best way with the same number of features as ours."""
    equal = [mean for name, mean in found.items() if name not in ON_ALL_FEATURES]
    return max(equal, key=lambda mean: mean.values[measure]).method if equal else ""


def targets(found: dict[str, Mean], dataset: str) -> Iterator[Target]:
    """Compare ours with the others."""
    if OURS not in found:
        yield Target(f"{dataset}: all", f"{OURS!r} was not run", None)
        return
    ours = found[OURS]
    for measure, value in ours.values.items():
        rivals = {
            name: mean.values[measure]
            for name, mean in found.items()
            if name != OURS and name not in ON_ALL_FEATURES
        }
        text = f"{dataset}: best macro {measure} of all at equal k"
        if not rivals:
            yield Target(text, f"{value:.4f}, no rival was run", None)
            continue
        name = max(rivals, key=lambda name: rivals[name])
        lead = value - rivals[name]
        yield Target(text, f"{value:.4f}, {name} {rivals[name]:.4f} ({lead:+.4f})", lead > 0)
    yield from _f1_targets(found, dataset)
    if dataset == REUTERS:
        for measure, longest in ours.longest_seconds.items():
            figure = f"longest {longest:.2f} s, median {ours.median_seconds[measure]:.2f} s"
            text = f"{dataset}: a topic under {TOPIC_SECONDS:g} s with {measure}"
            yield Target(text, figure, longest < TOPIC_SECONDS)


def _f1_targets(found: dict[str, Mean], dataset: str) -> Iterator[Target]:
    """The shape of the paper's Table 2."""
    value = found[OURS].values.get("f1")
    if value is None:
        return
    limits = (
        (ACCURACY, WIDE, f"macro f1 at least {WIDE} above selection for accuracy"),
        (SVMPERF, -NEAR, f"macro f1 at most {NEAR} below SVMperf on all features"),
    )
    for method, least, text in limits:
        if method in found:
            other = found[method].values["f1"]
            figure = f"{value:.4f} against {other:.4f} ({value - other:+.4f})"
            yield Target(f"{dataset}: {text}", figure, value - other >= least)
