"""Features for many classes: direct sparsity against filters, lassos and selectors, as in the paper.

    python benchmarks/multiclass.py                              everything (hours)
    python benchmarks/multiclass.py --quick --only SRBCT,speed   400 rows, two splits
    python benchmarks/multiclass.py --only lung,UMIST --methods "direct sparsity;RFS" --json out.json
    python benchmarks/multiclass.py --reuse out.json --json out.json --splits 10
    python benchmarks/multiclass.py --only p                     Figure 1: the effect of p

Protocol of Peng and Fan (2017): random splits, 60 % of each class to train; every column scaled to mean 0
and deviation 1 on the training rows; one ranking of the features on each split; then LIBSVM's linear
machine, one class against one, on the best 10, 20, ... 100 of them. Its C is chosen by three-fold
cross-validation on the training rows from 0.01 ... 10, at 10, 30, 60 and 100 features, in the same way for every
method. The paper's figures stand beside ours where it has the set.

"First" is the highest mean accuracy at 100 features; within a standard error of first means the standard error of
the first one's mean over the splits. The paired difference is printed too. Every cell runs in its own process,
under a time limit that counts the selections of all its splits; a method that runs out of time keeps the
splits it has. Packages that cannot be imported are "not installed" in the tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness.classes import DSO, TABLE_1, cell, load, run_speed
from harness.data import CLASSES as SETS
from harness.drawing import new_figure, save
from harness.ranked import CHOSEN_P, COUNTS, METHODS, OURS, POWERS, RIVALS, with_power
from harness.splits import Row, find, why
from harness.study import Options, Run, Study, Target, as_row, ends_again, markdown

EFFECT_OF_P, SPEED = "p", "speed"
FIGURE_1 = ("isolet", "lung", "UMIST")  # the sets of the paper's Figure 1
LAST = COUNTS[-1]
ROUNDING = 1e-9  # means over splits that are equal but for the order of adding
LEAST_ACCURACY = {"isolet": 0.952, "semeion": 0.91}
LEAST_SETS = 8


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    quick, limit = "400 rows and two splits of each set", "seconds all selections of a cell take"
    options = Options(__doc__, seed="the splits", reuse=True, quick=quick, timeout=(600, limit))
    options.words("--only", (*SETS, EFFECT_OF_P, SPEED), "sets and parts")
    default = (OURS, CHOSEN_P, *RIVALS)
    options.words("--methods", METHODS, "methods (ours and rivals)", by=";", default=default)
    options.add_argument("--splits", type=int, help="random splits of each set (10)")
    options.add_argument("--plots", type=Path, help="draw the curves as svg files in this folder")
    given = options.parse()
    given.splits = given.splits or (2 if given.quick else 10)
    return given


# ------------------------------------------------------------------ the cells


def read_row(**about: Any) -> Row:
    """Make a row of what a file says; older files have another name for the values."""
    if "values" not in about:
        about["values"] = about.pop("accuracies", {})
    return Row(**about)


def measure(study: Study[Row], name: str, method: str) -> Row:
    """Return the splits of a method on a set; those that are missing are run."""
    given = study.run.given
    known = find(study.rows, name, method)
    done = 0 if known is None else len(known.seconds)
    if known is not None:
        is_short = known.status.startswith(">") and ends_again(known.status, given.timeout)
        if done >= given.splits or is_short:
            return known
        study.drop(known)
    place, wanted = {"dataset": name, "method": method}, {"first": done, "last": given.splits}
    answer = study.ask(cell, f"{name}: {method}", source=study.run.source, **place, **wanted)
    row = as_row(Row, answer, **place)
    if row.ok and len(row.seconds) < given.splits - done:
        row = replace(row, status=f"> {given.timeout:g} s")
    if known is not None and known.ok:
        row = known.with_later(row)
    study.add(row)
    return row


def run_set(study: Study[Row], name: str, methods: list[str]) -> None:
    """Run the methods on one set, and print their accuracy at every number of features."""
    if study.run.had(name, partial(load, name)) is None:
        return
    texts = []
    for row in [measure(study, name, method) for method in methods]:
        paper = _of_paper(name, DSO if row.method == OURS else row.method)
        if not row.ok:
            texts.append([row.method, *[""] * len(COUNTS), paper, "", "", row.status])
            continue
        curve = [f"{100 * row.mean(k):.1f}" for k in COUNTS[:-1]]
        kept, seconds = f"{np.mean(row.kept[str(LAST)]):.0f}", f"{np.median(row.seconds):.2f}"
        count = str(len(row.seconds)) + ("" if row.status == "ok" else f" ({row.status})")
        texts.append([row.method, *curve, _at_last(row), paper, kept, seconds, count])
    title = f"{name}: accuracy in per cent of a linear SVM on the best 10 ... 100 features"
    headings = ("method", *map(str, COUNTS), "paper, 100", "kept", "s", "splits")
    caption = "mean over the splits, at 100 with deviation; kept: features at 100; s: median seconds of a selection"
    study.run.show(title, headings, texts, caption=caption)


def _at_last(row: Row) -> str:
    """Write an accuracy as the paper does."""
    return f"{100 * row.mean(LAST):.2f}±{100 * row.deviation(LAST):.2f}"


def for_a_document(rows: list[Row]) -> str:
    """Return the table of all sets at 100 features, the first in bold; fewer splits are told in brackets."""
    methods = [OURS, *RIVALS]
    lines = [["", *methods, "paper"]]
    for name in dict.fromkeys(row.dataset for row in rows):
        found = [find(rows, name, method) for method in methods]
        done = [row for row in found if row is not None and row.ok]
        if not done:
            continue
        most = max(len(row.seconds) for row in done)
        best = max(row.mean(LAST) for row in done if len(row.seconds) == most)
        cells = [_in_document(row, most, best) for row in found]
        lines.append([name, *cells, _of_paper(name, DSO)])
    return markdown(lines)


def _in_document(row: Row | None, most: int, best: float) -> str:
    if row is None or not row.ok:
        return why(row)
    if len(row.seconds) < most:
        return f"{_at_last(row)} ({len(row.seconds)})"
    return f"**{_at_last(row)}**" if row.mean(LAST) >= best - ROUNDING else _at_last(row)


def _of_paper(name: str, title: str) -> str:
    told = TABLE_1.get(name, {}).get(title)
    return "" if told is None else "{:.2f}±{:.2f}".format(*told)


# -------------------------------------------------------------------- targets


def accuracy_targets(rows: list[Row], method: str) -> Iterator[Target]:
    """First or within a standard error of first on eight of ten sets, and two figures to reach."""
    found = [_against_all(rows, name, method) for name in dict.fromkeys(r.dataset for r in rows)]
    yield from found
    text = f"{method}: first or within a standard error on {LEAST_SETS} of {len(SETS)} sets"
    n_met = sum(target.met is True for target in found)
    is_whole = len(found) == len(SETS) and all(target.met is not None for target in found)
    met = n_met >= LEAST_SETS if is_whole else None
    yield Target(text, f"{n_met} of {len(found)} sets", met)
    for name, least in LEAST_ACCURACY.items():
        ours = find(rows, name, method)
        text = f"{name}, {method}: at least {100 * least:.1f} % with {LAST} features"
        if ours is None or not ours.ok:
            yield Target(text, why(ours), None)
        else:
            figure = f"{100 * ours.mean(LAST):.2f} %, {len(ours.seconds)} splits"
            yield Target(text, figure, ours.mean(LAST) >= least)


def _against_all(rows: list[Row], name: str, method: str) -> Target:
    """Compare with the first: its own standard error decides; the paired difference is told.

    Splits differ by more than methods do, so a rival that did not finish as many as ours is not first.
    """
    text = f"{name}, {method}: first or within a standard error of first"
    ours = find(rows, name, method)
    if ours is None or not ours.ok:
        return Target(text, why(ours), None)
    found = [find(rows, name, rival) for rival in RIVALS]
    needed = len(ours.seconds)
    done = [row for row in found if row is not None and len(row.seconds) >= needed]
    if not done:
        return Target(text, "no rival finished", None)
    first = max(done, key=lambda row: row.mean(LAST))
    gain, error = ours.lead(first, LAST)
    figure = (
        f"{100 * ours.mean(LAST):.2f}, {first.method} {100 * first.mean(LAST):.2f} "
        f"(error {100 * first.error(LAST):.2f}; paired {100 * gain:+.2f}±{100 * error:.2f})"
    )
    return Target(text, figure, ours.mean(LAST) >= first.mean(LAST) - first.error(LAST))


def coverage(rows: list[Row], n_splits: int) -> Target:
    """Whether every method has every split of every set; those that have fewer are named with their number."""
    short = []
    for name in SETS:
        for method in (OURS, *RIVALS):
            row = find(rows, name, method)
            done = 0 if row is None else len(row.seconds)
            if done < n_splits:
                short.append(f"{name}, {method}: {done} ({why(row)})")
    n_cells = len(SETS) * (1 + len(RIVALS))
    figure = "; ".join([f"{n_cells - len(short)} of {n_cells}", *short])
    return Target(f"{n_splits} splits of every method on every set", figure, not short)


# ---------------------------------------------------------------------- plots


def draw(rows: list[Row], names: list[str], methods: list[str], path: Path) -> None:
    """Accuracy against the number of features, one panel for each set: as the paper's Figures 1 and 2."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    if not names:
        return
    n_lines, n_columns = -(-len(names) // 3), 3
    figure, axes = new_figure(n_lines, n_columns, (4 * n_columns, 3.1 * n_lines), paths=True)
    FigureCanvasSVG(figure)  # the layout is tight by its measure of text
    for panel in axes.flat[len(names) :]:
        panel.axis("off")
    lines: dict[str, Any] = {}
    for name, panel in zip(names, axes.flat, strict=False):
        for place, method in enumerate(methods):
            row = find(rows, name, method)
            if row is None or not row.ok:
                continue
            heights = [100 * row.mean(k) for k in COUNTS]
            width = 2.2 if method == OURS else 1.1
            [lines[method]] = panel.plot(COUNTS, heights, color=f"C{place}", linewidth=width)
        panel.set_title(name, fontsize=10)
        panel.grid(alpha=0.3)
    for panel in axes[:, 0]:
        panel.set_ylabel("accuracy, per cent")
    for panel in axes[-1]:
        panel.set_xlabel("features")
    shown = [method for method in methods if method in lines]
    handles = [lines[method] for method in shown]
    figure.legend(handles, shown, loc="lower center", ncols=min(5, len(shown)), fontsize=9)
    figure.tight_layout(rect=(0, 0.09 if n_lines > 1 else 0.12, 1, 1))
    save(figure, path)


def draw_all(rows: list[Row], folder: Path) -> None:
    """Draw every set with the methods that finished most splits; then different p on the paper's sets."""
    names = list(dict.fromkeys(row.dataset for row in rows))
    most = {name: max(len(row.seconds) for row in rows if row.dataset == name) for name in names}
    whole = [row for row in rows if len(row.seconds) == most[row.dataset]]
    draw(whole, names, [OURS, *RIVALS], folder / "multiclass-curves.svg")
    powers = [with_power(p) for p in POWERS]
    known = {row.dataset for row in rows if row.method in powers}
    draw(rows, [n for n in FIGURE_1 if n in known], powers, folder / "multiclass-powers.svg")


def main() -> None:
    """Run the parts asked for, then list the targets."""
    run = Run(parse_arguments(), width=170)
    study, given = Study(run, read_row), run.given
    for name in (part for part in given.only if part in SETS):
        run_set(study, name, given.methods)
    if EFFECT_OF_P in given.only:
        for name in FIGURE_1:
            run_set(study, name, [with_power(p) for p in POWERS])
    for method in (OURS, CHOSEN_P):
        if any(row.method == method for row in study.rows):
            run.targets += accuracy_targets(study.rows, method)
    if study.rows:
        run.targets.append(coverage(study.rows, given.splits))
    if SPEED in given.only:
        run_speed(run)
    if given.plots is not None:
        draw_all(study.rows, given.plots)
    print(for_a_document(study.rows))
    run.finish()


if __name__ == "__main__":
    main()
