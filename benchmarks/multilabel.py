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
import json
from dataclasses import asdict
from pathlib import Path

from harness.data import MissingDataError, Source, default_data_folder
from harness.multilabel.agreement import agreement_targets, run_agreement
from harness.multilabel.cell import run_label_cell
from harness.multilabel.data import PLANS, budgets, load
from harness.multilabel.methods import METHODS, OURS, titles
from harness.multilabel.rows import Row
from harness.multilabel.speed import CALLS, CELLS, run_growth, run_speed
from harness.multilabel.tables import markdown, print_budget
from harness.multilabel.targets import measure_targets, speed_targets
from harness.report import Report
from harness.tables import print_targets
from harness.targets import Target
from rich.console import Console

SPEED, AGREEMENT = "speed", "agreement"


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = (*PLANS, SPEED, AGREEMENT)
    add = parser.add_argument
    add("--quick", action="store_true", help="600 rows and two folds of each set")
    add("--only", default=",".join(parts), help=f"sets and parts, with commas ({','.join(parts)})")
    add("--budgets", help="names of budgets, with commas: low,med,high,50,100 (all)")
    add("--methods", help=f"separated by semicolons (all): {'; '.join(METHODS | CALLS)}")
    add("--cells", default=",".join(CELLS), help=f"of the speed part ({','.join(CELLS)})")
    add("--alphas", type=int, help="how many ridge penalties to choose from")
    add("--folds", type=int, help="run the first so many folds only (all)")
    add("--timeout", type=float, default=1800, help="seconds one cell may take, all folds (1800)")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    add("--seed", type=int, default=0, help="seed of the folds")
    add("--json", type=Path, help="write everything measured to this file")
    add("--reuse", type=Path, help="take cells measured before from this file, run the others")
    given = parser.parse_args()
    given.only, given.cells = given.only.split(","), given.cells.split(",")
    given.methods = given.methods.split(";") if given.methods else list(METHODS | CALLS)
    given.budgets = given.budgets.split(",") if given.budgets else None
    known = ((given.only, parts), (given.methods, METHODS | CALLS), (given.cells, CELLS))
    for words, names in known:
        for word in words:
            if word not in names:
                parser.error(f"unknown {word!r}; known: {'; '.join(names)}")
    return given


def run_dataset(
    name: str,
    given: argparse.Namespace,
    source: Source,
    console: Console,
    report: Report,
    rows: list[Row],
) -> None:
    """Judge every method at every budget of one set; print and write down each as it comes."""
    wanted = budgets(name, load(name, source).X.shape[1])
    options = {"n_alphas": given.alphas, "n_folds": given.folds, "timeout": given.timeout}
    for budget, k in wanted.items():
        if given.budgets and budget not in given.budgets:
            continue
        own: list[Row] = []
        for method in (name for name in given.methods if name in METHODS):
            known = [r for r in rows if r.place in {(name, budget, t) for t in titles(method)}]
            if not known:
                with console.status(f"{name}, {budget}: {method}"):
                    answer = run_label_cell(source, name, method, k, **options)
                for title in titles(method):
                    found = answer.get("rows", {}).get(title, {})
                    known.append(Row(name, budget, k, title, answer["status"], **found))
                rows += known
                report.add(rows=[asdict(row) for row in rows])
            own += known
        print_budget(console, own)


def main() -> None:
    """Run the parts asked for, then list the targets."""
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 190)
    report = Report(given.json)
    console.print(report.results["system"])
    source = Source(given.data, given.seed, given.quick)
    rows: list[Row] = []
    if given.reuse is not None and given.reuse.exists():
        rows = [Row(**row) for row in json.loads(given.reuse.read_text())["rows"]]
    targets: list[Target] = []
    for name in (part for part in given.only if part in PLANS):
        try:
            run_dataset(name, given, source, console, report, rows)
        except MissingDataError as missing:
            console.print(f"{name}: not run, {missing}")
            targets.append(Target(f"{name}: data", str(missing), None))
    shown = [row for row in rows if row.dataset in given.only]
    if shown:
        print(markdown(shown))
        report.add(rows=[asdict(row) for row in rows])
    targets += measure_targets(shown)
    if SPEED in given.only:
        calls = [name for name in CALLS if name in given.methods]
        timings = run_speed(console, source, given.cells, calls, given.timeout)
        report.add(timings=[asdict(timing) for timing in timings])
        growth = None
        if "delicious" in given.cells and OURS in calls:
            growth = run_growth(console, source, given.timeout)
            report.add(growth={**asdict(growth), "slope": growth.slope})
        targets += speed_targets(timings, growth)
    if AGREEMENT in given.only:
        agreement = run_agreement(console, source)
        report.add(agreement=[asdict(one) for one in agreement])
        targets += agreement_targets(agreement)
    report.add(targets=[asdict(target) for target in targets])
    print_targets(console, targets)


if __name__ == "__main__":
    main()
