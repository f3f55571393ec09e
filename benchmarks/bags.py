"""Labels on bags: dictionaries (POD) and chosen instances (MILES) for a measure, against other ways.

    python benchmarks/bags.py                                  everything
    python benchmarks/bags.py --only musk1 --measures accuracy --methods "POD;MILES, l1-SVM"
    python benchmarks/bags.py --sections study --docs docs     the figures of docs/bags.md

compare: ten folds, four measures, nine ways; see ``harness/bags/methods.py`` for the ways and how each chooses
its parameters inside the training bags. Seconds are those of one fit, the choice not included.
speed: default fits of each set, and POD on up to 350,000 instances. study: C1, C2 and m one at a time, and
the objective step by step, as Figures 3 and 5 of the paper.

The packages ``mil`` and ``sawmil`` (with ``osqp``) are used where they are installed.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from harness.bags.compare import MEASURES, run_method
from harness.bags.data import DATASETS, load
from harness.bags.methods import METHODS
from harness.bags.speed import growth, real
from harness.bags.study import draw_paths, draw_study, paths, run_study
from harness.bags.tables import print_results, speed_targets, targets
from harness.data import MissingDataError, Source, default_data_folder
from harness.report import Report
from harness.tables import print_targets
from harness.targets import Target
from rich.console import Console

SECTIONS = ("compare", "speed", "study")
STUDIED = ("musk1", "elephant")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--sections", default=",".join(SECTIONS), help=f"comma separated ({','.join(SECTIONS)})")
    add("--only", default=",".join(DATASETS), help=f"data sets ({','.join(DATASETS)})")
    add("--measures", default=",".join(MEASURES), help=f"comma separated ({','.join(MEASURES)})")
    add("--methods", help=f"separated by semicolons (all): {'; '.join(METHODS)}")
    add("--folds", type=int, default=10, help="folds (10)")
    add("--limit", type=float, default=1800.0, help="seconds for one way on one set (1800)")
    add("--quick", action="store_true", help="small sizes in the section speed")
    add("--docs", type=Path, default=Path("docs"), help="where the figures of study go (docs)")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    add("--seed", type=int, default=0, help="seed of the folds")
    add("--json", type=Path, help="write everything measured to this file")
    given = parser.parse_args()
    given.only, given.sections = given.only.split(","), given.sections.split(",")
    given.methods = given.methods.split(";") if given.methods else list(METHODS)
    known = ((given.only, DATASETS), (given.sections, SECTIONS), (given.methods, METHODS))
    for words, choices in known:
        for word in words:
            if word not in choices:
                parser.error(f"unknown {word!r}; known: {'; '.join(choices)}")
    return given


def compare(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Cross-validate every way on every set."""
    found: list[Target] = []
    everything: list[dict[str, object]] = []
    measures = tuple(given.measures.split(","))
    for dataset in given.only:
        data, results = load(dataset, Source(given.data, given.seed)), []
        for name in given.methods:
            with console.status(f"{dataset}: {name}"):
                result = run_method(
                    data, METHODS[name], measures, given.folds, given.seed, given.limit
                )
            results.append(result)
            everything.append(result.to_dict())
            report.add(compare=everything)
            if not console.is_terminal:
                print_results(console, dataset, [result])
        print_results(console, dataset, results)
        found += targets(dataset, results)
    return found


def speed(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Time single fits."""
    source = Source(given.data, given.seed)
    timings = [timing for dataset in given.only for timing in real(load(dataset, source))]
    timings += growth(given.quick)
    for timing in timings:
        console.print(timing)
    report.add(speed=[asdict(timing) for timing in timings])
    return list(speed_targets(timings))


def study(given: argparse.Namespace, console: Console, report: Report) -> list[Target]:
    """Draw the parameters and the paths."""
    source = Source(given.data, given.seed)
    sets = [load(dataset, source) for dataset in STUDIED]
    found = {data.name: paths(data) for data in sets}
    draw_paths(found, given.docs / "bags-paths.svg")
    report.add(paths=found)
    points = [point for data in sets for point in run_study(data, given.seed)]
    draw_study(points, given.docs / "bags-study.svg")
    report.add(study=[asdict(point) for point in points])
    rises = [
        f"{dataset}, {measure}"
        for dataset, of_measure in found.items()
        for measure, path in of_measure.items()
        if any(after > before for before, after in pairwise(path))
    ]
    console.print(f"wrote bags-paths.svg and bags-study.svg to {given.docs}")
    text = "the objective never rises"
    return [Target(text, f"{len(rises)} of 8 paths rise", not rises)]


def main() -> None:
    """Run the sections asked for, then list the targets."""
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 150)
    report = Report(given.json)
    console.print(report.results["system"])
    warnings.simplefilter("ignore")
    found: list[Target] = []
    for name in given.sections:
        console.rule(name)
        try:
            found += {"compare": compare, "speed": speed, "study": study}[name](
                given, console, report
            )
        except MissingDataError as missing:
            console.print(f"{name}: not run, {missing}")
            found.append(Target(f"{name}: data", str(missing), None))
    print_targets(console, found)
    report.add(targets=[asdict(target) for target in found])


if __name__ == "__main__":
    main()
