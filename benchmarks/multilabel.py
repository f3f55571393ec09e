"""One budget of features for many labels: greedy RLS against lassos and selectors, as in the paper.

    python benchmarks/multilabel.py                            everything (hours)
    python benchmarks/multilabel.py --quick --only emotions    600 rows, two folds
    python benchmarks/multilabel.py --only scene,yeast --methods "greedy RLS;MultiTaskLassoInf" --json out.json
    python benchmarks/multilabel.py --reuse out.json --json out.json    the same, less what the file has
    python benchmarks/multilabel.py --only speed               one selection at four sizes, cost against labels
    python benchmarks/multilabel.py --only agreement           step by step against RLScore

Protocol: ten folds (five for corel5k, tmc2007_500, delicious), shuffled, the same for all methods; budgets of 10, 45 and
80 % of the features, 100 features of delicious and 50 of tmc2007_500; CAL500 without labels of 40 samples or fewer.
Dense columns are scaled to mean 0 and deviation 1 on the training rows, for every method; sparse ones are binary
and left as they are. A ridge penalty is chosen by leave-one-out on the training rows from 2^-15 ... 2^15: 31 values,
and 7 of the same range on the larger sets (``--alphas`` sets it). Ours has one for all labels, as the paper; the
ridge on the features of a selector has one for each label, and every method is judged with that too. A label is predicted where its score is above 0.
The paper's figures stand beneath ours; its bias was penalised and its scaling is not told.

A difference is noise when it is within two standard errors of its mean over the folds. Every cell runs in its
own process, under a time limit that counts all folds. Packages that cannot be imported are "not installed" in the
tables. RLScore has to be built from its source; without it the paper's algorithm in NumPy stands in for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from harness import label_cells, labels
from harness.child import Answer
from harness.growth import Growth
from harness.label_cells import CALLS, CELLS, MEASURES, Timing
from harness.labels import METHODS, OURS, PLANS, titles
from harness.labels_paper import GREEDY, LASSO, figures, run_agreement
from harness.splits import Row, find, why
from harness.study import Options, Run, Study, Target, Texts, markdown

SPEED, AGREEMENT = "speed", "agreement"
ARROWS = {True: "up", False: "down"}
PAIR = ("hamming_loss", "macro_auc")
NOISE = 2.0  # differences below this many standard errors of their mean over the folds are noise
LOW = {"scene": "low", "yeast": "low", "delicious": "100", "tmc2007_500": "50"}
JUDGES = ("macro_auc", "hamming_loss")
FASTER = {"scene": 10.0, "delicious": 1000.0}
DELICIOUS_SECONDS = 8.0
FLAT = 0.2  # a slope of time against labels, both logarithmic, up to this is called flat


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    quick, limit = "600 rows and two folds of each set", "seconds one cell may take, all folds"
    options = Options(__doc__, seed="the folds", reuse=True, quick=quick, timeout=(1800, limit))
    options.words("--only", (*PLANS, SPEED, AGREEMENT), "sets and parts")
    options.words("--budgets", None, "names of budgets: low,med,high,50,100 (all)")
    options.words("--methods", METHODS | CALLS, "methods", by=";")
    options.words("--cells", CELLS, "cells of the speed part")
    add = options.add_argument
    add("--alphas", type=int, help="how many ridge penalties to choose from")
    add("--folds", type=int, help="run the first so many folds only (all)")
    return options.parse()


# ------------------------------------------------------- the cells and their tables


def run_dataset(study: Study[Row], name: str) -> None:
    """Judge every method at every budget of one set; print and write down each as it comes."""
    run, given = study.run, study.run.given
    data = run.had(name, partial(labels.load, name))
    if data is None:
        return
    options = {"n_alphas": given.alphas, "n_folds": given.folds, "source": run.source}
    for budget, k in labels.budgets(name, data[0].shape[1]).items():
        if given.budgets and budget not in given.budgets:
            continue
        own: list[Row] = []
        for method in (way for way in given.methods if way in METHODS):
            place = {"dataset": name, "budget": budget, "method": titles(method)}
            what = {"dataset": name, "method": method, "k": k, **options}
            make = partial(_rows, place, k)
            own += study.cell(place, label_cells.cell, make, **what)
        show_budget(run, own)


def _rows(place: dict[str, Any], k: int, answer: Answer) -> list[Row]:
    """Make the rows of a method of what its cell says."""
    found = answer.get("rows", {})
    return [
        Row(**{**place, "method": title}, k=k, status=answer["status"], **found.get(title, {}))
        for title in place["method"]
    ]


def show_budget(run: Run, rows: list[Row]) -> None:
    """Print the methods at one budget of one set, and what the paper says of it."""
    first, lines = rows[0], list[Texts]()
    for row in rows:
        if not row.ok:
            lines.append([row.method, *[""] * len(MEASURES), "", row.status])
            continue
        cells = [f"{row.mean(m):.4g} ±{np.std(row.values[m], ddof=1):.2g}" for m in MEASURES]
        ends = dict.fromkeys((min(row.kept), max(row.kept)))
        kept, seconds = "-".join(map(str, ends)), f"{np.median(row.seconds):.2f}"
        lines.append([row.method, *cells, kept, seconds])
    lines.append(None)
    for method, values in figures(first.dataset, first.budget).items():
        lines.append([method, *(f"{values[name]:.4g}" for name in MEASURES), "", ""])
    run.show(
        f"{first.dataset}, budget {first.budget}: {first.k} features",
        ("method", *(f"{name} ({ARROWS[up]})" for name, up in MEASURES.items()), "kept", "s"),
        lines,
        caption="mean and deviation over the folds; seconds of one fold",
    )


def for_a_document(rows: list[Row]) -> str:
    """Return one line for each set and budget: Hamming loss and macro AUC of every method, and the paper's."""
    methods = [title for method in METHODS for title in titles(method)]
    lines = [["set, features", *methods, GREEDY, LASSO]]
    for dataset, budget, k in dict.fromkeys((row.dataset, row.budget, row.k) for row in rows):
        found = [find(rows, dataset, method, budget) for method in methods]
        own = [_pair(row) if row and row.ok else why(row).split(":")[0] for row in found]
        told = figures(dataset, budget)
        theirs = [_short(told[m]) if m in told else "" for m in (GREEDY, LASSO)]
        lines.append([f"{dataset}, {k}", *own, *theirs])
    return markdown(lines)


def _pair(row: Row) -> str:
    return _short({name: row.mean(name) for name in PAIR})


def _short(values: dict[str, float]) -> str:
    return "{:.4f}, {:.3f}".format(*(values[name] for name in PAIR)).replace("0.", ".")


# -------------------------------------------------------------------- targets


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
            for method in labels.LASSOS:
                yield from _against(rows, ours, method, f"{where} better than", strictly=True)
        for method in (labels.FASTCAN, labels.RFE_RIDGE):
            yield from _against(rows, ours, method, f"{where} not worse than", strictly=False)


def _against(
    rows: list[Row], ours: Row, method: str, text: str, *, strictly: bool
) -> Iterator[Target]:
    other = find(rows, ours.dataset, method, ours.budget)
    for measure in JUDGES:
        full = f"{text} {method}, {measure}"
        if other is None or not other.ok:
            yield Target(full, why(other), None)
            continue
        gain, error = ours.lead(other, measure, 1.0 if MEASURES[measure] else -1.0)
        met = gain > 0 if strictly else gain >= -NOISE * error
        yield Target(full, f"{gain:+.4f} (standard error {error:.4f})", met)


def speed_targets(timings: list[Timing], growth: Growth | None) -> Iterator[Target]:
    """Speed against RLScore and greedy peers, delicious in seconds, and no growth with labels."""
    found = {(timing.cell, timing.method): timing for timing in timings}
    none = Timing("", "", "not run")
    for name, factor in FASTER.items():
        yield _against_the_paper(
            {m: t for (cell, m), t in found.items() if cell == name}, name, factor
        )
    yield _fastest_peer({m: t for (cell, m), t in found.items() if cell == "wide"})
    ours = found.get(("delicious", OURS), none)
    text = f"delicious, {CELLS['delicious'].k} features: under {DELICIOUS_SECONDS:g} s"
    yield Target.under(text, ours.seconds, DELICIOUS_SECONDS, ours.status)
    if growth is not None and growth.slope is not None:
        figure = f"slope {growth.slope:.2f} between {growth.sizes[0]} and {growth.sizes[-1]} labels"
        yield Target("cost against labels flat", figure, growth.slope <= FLAT)


def _against_the_paper(found: dict[str, Timing], name: str, factor: float) -> Target:
    """Compare with RLScore; a stand-in tells how things are but does not decide."""
    ours = found.get(OURS)
    text = f"{name}: {factor:g} times faster than {label_cells.RLSCORE}"
    if ours is None or not ours.seconds:
        return Target(text, "not run" if ours is None else ours.status, None)
    for rival in (label_cells.RLSCORE, label_cells.PAPER_ALGORITHM):
        other = found.get(rival)
        if other is not None and other.seconds:
            ratio = other.seconds / ours.seconds
            how = " (projected)" if other.projected else ""
            decides = rival == label_cells.RLSCORE
            stand_in = "" if decides else f"{label_cells.RLSCORE} not installed; {rival}: "
            figure = f"{stand_in}{ratio:,.0f} times{how}"
            return Target(text, figure, ratio >= factor if decides else None)
    return Target(text, "no rival finished", None)


def _fastest_peer(found: dict[str, Timing]) -> Target:
    ours, other = found.get(OURS), found.get(labels.ABESS)
    peers = [found[name] for name in label_cells.GREEDY_PEERS if name in found]
    done = [peer for peer in peers if peer.seconds is not None]
    text = "wide: as fast as the fastest greedy peer"
    if ours is None or ours.seconds is None or not done:
        return Target(text, "; ".join(f"{p.method} {p.status}" for p in peers) or "not run", None)
    fastest = min(done, key=lambda peer: peer.seconds or 0.0)
    figure = f"{ours.seconds:.2f} s, {fastest.method} {fastest.seconds:.2f} s"
    if other is not None and other.seconds is not None:
        figure += f" ({labels.ABESS}, not greedy, {other.seconds:.2f} s)"
    return Target(text, figure, ours.seconds <= (fastest.seconds or 0.0))


def main() -> None:
    """Run the parts asked for, then list the targets."""
    run = Run(parse_arguments(), width=190)
    study, given = Study(run, Row), run.given
    for name in (part for part in given.only if part in PLANS):
        run_dataset(study, name)
    shown = [row for row in study.rows if row.dataset in given.only]
    if shown:
        print(for_a_document(shown))
        study.save()
    run.targets += measure_targets(shown)
    if SPEED in given.only:
        calls = [name for name in CALLS if name in given.methods]
        timings = label_cells.run_speed(run, calls)
        is_grown = "delicious" in given.cells and OURS in calls
        run.targets += speed_targets(timings, label_cells.run_growth(run) if is_grown else None)
    if AGREEMENT in given.only:
        run_agreement(run)
    run.finish()


if __name__ == "__main__":
    main()
