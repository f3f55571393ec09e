"""Tables of the comparison, and what it has to show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.console import Console
from rich.table import Table

from harness.targets import Target

from .compare import Result
from .methods import METHODS
from .speed import Timing, slope

LEAST_ACCURACY = {"musk1": 0.90, "elephant": 0.85}
MUSK2_SECONDS = 5.0
ROUNDING = 1e-9  # one bag of one fold is often just one standard error
LINEAR = 1.15  # a power of the number of instances up to this is called linear


def print_results(console: Console, dataset: str, results: list[Result]) -> None:
    """Print means over folds with their standard errors."""
    measures = list(results[0].values)
    table = Table(title=f"{dataset}: mean over folds (standard error)", title_justify="left")
    for heading in ("method", *measures, "seconds", ""):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for result in results:
        cells = [f"{result.mean(m):.3f} ({result.error(m):.3f})" for m in measures]
        seconds = f"{np.median(result.seconds):.2f}" if result.seconds else ""
        note = "" if result.status == "ok" else result.status
        table.add_row(result.method, *cells, seconds, note)
    console.print(table)


def targets(dataset: str, results: list[Result]) -> Iterator[Target]:
    """First or within one standard error by every measure; published accuracies."""
    complete = [result for result in results if result.status == "ok"]
    ours = [result for result in complete if METHODS[result.method].is_ours]
    for measure in results[0].values:
        text = f"{dataset}, {measure}: POD or MILES + measure first or within one standard error"
        if not ours:
            yield Target(text, "not run", None)
            continue
        first = max(complete, key=lambda result: result.mean(measure))
        best = max(ours, key=lambda result: result.mean(measure))
        error = max(first.error(measure), best.error(measure))
        figure = (
            f"{best.method} {best.mean(measure):.3f}, first {first.method} "
            f"{first.mean(measure):.3f}, standard error {error:.3f}"
        )
        behind = first.mean(measure) - best.mean(measure)
        yield Target(text, figure, behind <= error + ROUNDING)
    if dataset in LEAST_ACCURACY and ours and "accuracy" in ours[0].values:
        best = max(ours, key=lambda result: result.mean("accuracy"))
        least, value = LEAST_ACCURACY[dataset], best.mean("accuracy")
        text = f"{dataset}: accuracy at least {least:.2f}"
        yield Target(text, f"{best.method} {value:.3f}", value >= least)


def speed_targets(timings: list[Timing]) -> Iterator[Target]:
    """Seconds of musk2, and the growth with instances."""
    for timing in timings:
        if timing.data == "musk2":
            figure = f"{timing.seconds:.2f} s ({timing.cpu_seconds:.2f} s of processor)"
            text = f"musk2: a fit under 5 s, {timing.model}"
            yield Target(text, figure, timing.seconds < MUSK2_SECONDS)
    grown = [timing for timing in timings if timing.data == "synthetic"]
    if len(grown) > 1:
        # What every fit costs hides growth among the small ones.
        power, at_the_end = slope(grown), slope(grown[-2:])
        text = f"cost linear in instances (up to {grown[-1].n_instances})"
        figure = f"instances^{power:.2f}, from {grown[-2].n_instances} on ^{at_the_end:.2f}"
        yield Target(text, figure, max(power, at_the_end) <= LINEAR)
