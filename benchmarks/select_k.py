"""How many features: SelectKCV against what else chooses their number, on six real sets.

    python benchmarks/select_k.py                        everything (an hour, most of it rivals at their limit)
    python benchmarks/select_k.py --sets colon,SRBCT --methods "SelectKCV(FGM); RFECV" --timeout 60

Each method chooses the number, and everything else it chooses, by five folds inside each of three outer folds, which
only judge: the nested score is the mean accuracy, or r2, of the outer folds. Columns are scaled on the training rows. Seconds
are those of one choice with its last fit, the mean over the outer folds. Then the time of a path is compared with that
of one fit.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from harness.counts import METHODS, OURS, RFE, SETS, PathRow, Row, cell, path_cell
from harness.splits import standard_error
from harness.study import Options, Run, Study, Target

FASTER = 10.0
MOST_FITS = 2.0
C_RULES = ("auto", "fast")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    limit = (300, "seconds the choices of a cell may take")
    options = Options(__doc__, seed="the folds", reuse=True, timeout=limit)
    options.words("--sets", SETS, "data sets")
    options.words("--methods", METHODS, "methods", by=";")
    return options.parse()


def run_set(study: Study[Row], name: str) -> None:
    """Run the methods on one set and print what they chose."""
    run = study.run
    if run.had(name, SETS[name]) is None:
        return
    rows, texts = [], []
    for method in run.given.methods:
        place = {"dataset": name, "method": method}
        [row] = study.cell(place, cell, source=run.source)
        rows.append(row)
        told = ["", "", ""]
        if row.scores:
            scores = f"{np.mean(row.scores):.4f} ± {standard_error(row.scores):.4f}"
            told = [", ".join(map(str, row.ks)), scores, f"{np.mean(row.seconds):.2f}"]
        texts.append((method, *told, row.status))
    headings = ("method", "k in each outer fold", "nested score", "s", "status")
    caption = "nested score: mean and standard error; s: seconds of a choice"
    run.show(name, headings, texts, caption=caption)
    run.targets += [target.at(name) for target in _targets(rows, run.given.timeout)]


def _targets(rows: list[Row], timeout: float) -> list[Target]:
    known = {row.method: row for row in rows}
    ours, rfe = known.get(OURS), known.get(RFE)
    if ours is None or not ours.ok or rfe is None:
        return []
    speed = f"at least {FASTER:g} times faster than RFECV"
    level = "no lower nested score than RFECV"
    n_done = len(rfe.scores)  # of the outer folds: those are compared
    if n_done == 0:
        least = timeout / ours.seconds[0]
        met = True if least >= FASTER else None
        found = [Target(speed, f"more than {least:.1f} times: RFECV did not end", met)]
        return [*found, Target(level, "RFECV did not end", None)]
    ratio = float(np.mean(rfe.seconds) / np.mean(ours.seconds[:n_done]))
    mine, theirs = np.mean(ours.scores[:n_done]), np.mean(rfe.scores)
    figure = f"{mine:.4f} against {theirs:.4f} ({mine - theirs:+.4f}), {n_done} outer fold(s)"
    return [
        Target(speed, f"{ratio:.1f} times", ratio >= FASTER),
        Target(level, figure, bool(mine >= theirs - 1e-12)),
    ]


def run_paths(run: Run) -> None:
    """Time a path beside one fit, on every set."""
    study, texts = Study(run, PathRow, "paths"), []
    for name, C in product(run.given.sets, C_RULES):
        place = {"dataset": name, "C": C}
        [row] = study.cell(place, path_cell, source=run.source)
        if row.status != "ok":
            texts.append((name, C, "", "", "", row.status))
            continue
        ratio = row.path_seconds / row.fit_seconds
        seconds = (f"{row.path_seconds:.2f}", f"{row.fit_seconds:.2f}")
        texts.append((name, C, str(row.n_numbers), *seconds, f"{ratio:.2f}"))
        text = f"{name}, C={C!r}: a path takes at most {MOST_FITS:g} fits of the largest k"
        run.targets.append(Target(text, f"{ratio:.2f} fits", ratio <= MOST_FITS))
    headings = ("set", "C", "numbers", "path, s", "fit, s", "ratio")
    run.show("a path of all numbers beside one fit of the largest", headings, texts, left=2)


def main() -> None:
    """Run the sets, then the paths, then list the targets."""
    run = Run(parse_arguments(), width=120)
    study = Study(run, Row)
    for name in run.given.sets:
        run_set(study, name)
    run_paths(run)
    run.finish()


if __name__ == "__main__":
    main()
