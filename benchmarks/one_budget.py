"""One budget of features for all classes and labels: F1 at equal total k.

    python benchmarks/one_budget.py                                  everything (hours; --reuse goes on)
    python benchmarks/one_budget.py --only emotions,scene,reuters-10 --k 50,100 --json out.json
    python benchmarks/one_budget.py --only delicious --k 100 --ways "FGM, F1;FGM, squared hinge + tuned"

Every way may read k columns for all labels together ("separate": its share of k for each label, so that the
total is k). Macro F1 is the mean over labels, micro F1 counts all labels together; means over folds, or the
one split that a set has. What selects without a model for F1 gets a linear SVM for each label with a tuned threshold
(``harness/budgets.py``). Each cell has a process of its own; seconds are wall time of selection and model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from harness.budgets import KS, OURS, PLAIN_HINGE, RIVALS, SEPARATE, SETS, WAYS, cell
from harness.study import Options, Run, Study, Target, Texts

FAST, FAST_SECONDS = ("delicious", 100, PLAIN_HINGE), 20.0


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    quick, limit = "600 rows of the sets with folds", (120, "seconds of a cell")
    options = Options(__doc__, seed="the folds", reuse=True, quick=quick, timeout=limit)
    options.words("--only", SETS, "data sets")
    options.words("--ways", WAYS, "ways", by=";")
    known = ",".join(map(str, KS))
    options.words("--k", None, f"numbers of features ({known})", default=KS, kind=int)
    options.add_argument("--folds", type=int, default=2, help="folds of sets without a split (2)")
    return options.parse()


@dataclass(frozen=True)
class Row:
    """One set, one way, one k; a list has a figure for each fold."""

    dataset: str
    way: str
    k: int
    status: str
    macro: list[float] = field(default_factory=list)
    micro: list[float] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def run_cell(study: Study[Row], dataset: str, way: str, k: int) -> Row:
    """Measure one cell, unless it is known."""
    run, place = study.run, {"dataset": dataset, "way": way, "k": k}
    [row] = study.cell(place, cell, source=run.source, n_folds=run.given.folds)
    run.log(f"{dataset}, {way}, {k}: {_figures(row)}")
    return row


def _macro(row: Row) -> float:
    return float(np.mean(row.macro))


def _figures(row: Row) -> str:
    if not row.macro:
        return row.status
    return f"{_macro(row):.3f} {np.mean(row.micro):.3f}, {np.mean(row.seconds):.1f} s"


def show(run: Run, dataset: str, rows: list[Row]) -> None:
    """Print macro and micro F1 and seconds, the best macro F1 of each k in bold."""
    ks = sorted({row.k for row in rows})
    best = {k: max((_macro(r) for r in rows if r.k == k and r.macro), default=0) for k in ks}
    lines: list[Texts] = []
    for way in dict.fromkeys(row.way for row in rows):
        line = [way]
        for row in sorted((row for row in rows if row.way == way), key=lambda row: row.k):
            is_best = row.macro and _macro(row) >= best[row.k]
            line.append(f"[bold]{_figures(row)}[/bold]" if is_best else _figures(row))
        lines.append(line)
    run.show(f"{dataset}: macro F1, micro F1, seconds", ("way", *(f"k = {k}" for k in ks)), lines)


def targets(rows: list[Row]) -> Iterator[Target]:
    """First in macro F1 at every k on two thirds of the sets; many labels in seconds."""
    first, behind = [], []
    for dataset in dict.fromkeys(row.dataset for row in rows):
        own = [row for row in rows if row.dataset == dataset and row.macro]
        ahead = []
        for k in {row.k for row in own}:
            macro = {row.way: _macro(row) for row in own if row.k == k}
            others = [value for way, value in macro.items() if way in (*RIVALS, SEPARATE)]
            if OURS in macro and others:
                ahead.append(macro[OURS] >= max(others))
        if ahead:
            (first if all(ahead) else behind).append(dataset)
    count = len(first) + len(behind)
    figure = f"{len(first)} of {count} sets; not {', '.join(behind) or 'none'}"
    met = len(first) >= 2 * count / 3 if count == len(SETS) else None  # open until all are run
    yield Target("first in macro F1 at every k on two thirds of the sets", figure, met)
    for row in rows:
        if (row.dataset, row.k, row.way) == FAST:
            seconds = float(np.mean(row.seconds)) if row.seconds else None
            text = f"delicious, 983 labels, k = 100, {row.way}, under {FAST_SECONDS:.0f} s"
            yield Target.under(text, seconds, FAST_SECONDS, row.status)


def main() -> None:
    """Run all cells, set by set."""
    run = Run(parse_arguments(), width=150)
    given = run.given
    study = Study(run, Row)
    for dataset in given.only:
        rows = [run_cell(study, dataset, way, k) for way in given.ways for k in given.k]
        show(run, dataset, rows)
    run.targets += targets(study.rows)
    run.finish()


if __name__ == "__main__":
    main()
