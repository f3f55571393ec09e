"""Select for the measure you are judged by: topics of Reuters and news20, one against the rest.

    python benchmarks/measures.py                              everything (about an hour)
    python benchmarks/measures.py --only reuters --topics corn,crude,acq --json out.json
    python benchmarks/measures.py --only reuters --methods "FGM, the measure;RFE + balanced + tuned"
    python benchmarks/measures.py --study study.svg            C and B under F1, and nothing else

Every way gets the same training rows and is judged on the test rows by macro F1, recall at twice the
number of positives (the paper's Rec@2p) and the precision/recall break-even point: means over topics.
Ways that select keep the same number of words, k. The honest rival is "RFE + balanced + tuned"; see
``harness/measures/methods.py`` for it and the rest. Seconds are those of fitting one topic, with
whatever comes before the model (RFE, cross-validation for the threshold). All of one run happens in
one process, after a fit of each kind on a corner of the data to warm up.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import asdict, replace
from pathlib import Path

from harness.cell import tiny
from harness.data import MissingDataError, Source, default_data_folder
from harness.measures.methods import METHODS, Settings, Topic
from harness.measures.study import draw_study, run_study
from harness.measures.tables import Row, means, print_means, print_topics, targets
from harness.measures.topics import DATASETS, REUTERS, topics_of
from harness.problem import Problem
from harness.report import Report
from harness.tables import print_targets
from harness.targets import Target
from rich.console import Console

from handful.metrics import measure_score

MEASURES = ("f1", "rec@2p", "prbep")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", default=",".join(DATASETS), help=f"data sets ({','.join(DATASETS)})")
    add("--topics", help="names of topics, comma separated (all)")
    add("--k", type=int, default=60, help="words to keep (60)")
    add("--measures", default=",".join(MEASURES), help=f"comma separated ({','.join(MEASURES)})")
    add("--methods", help=f"separated by semicolons (all): {'; '.join(METHODS)}")
    add("--svmperf-C", type=float, default=0.3, help="C of SVMperf on all features (0.3)")
    add("--svmperf-cuts", type=int, default=200, help="cutting planes it may make (200)")
    add("--each", action="store_true", help="print every topic too")
    add("--study", type=Path, help="draw C and B against F1 and size into this svg or png instead")
    add("--study-topic", default="corn", help="topic of Reuters for --study (corn)")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    add("--seed", type=int, default=0, help="seed of the split of news20")
    add("--json", type=Path, help="write everything measured to this file")
    given = parser.parse_args()
    given.only = given.only.split(",")
    given.topics = given.topics.split(",") if given.topics else None
    given.methods = given.methods.split(";") if given.methods else list(METHODS)
    for words, known in ((given.only, DATASETS), (given.methods, METHODS)):
        for word in words:
            if word not in known:
                parser.error(f"unknown {word!r}; known: {'; '.join(known)}")
    return given


def run_topic(dataset: str, problem: Problem, methods: list[str], settings: Settings) -> list[Row]:
    """Judge every way on one topic."""
    topic, rows = Topic(problem, settings), []
    positives = int((problem.y > 0).sum())
    for method in methods:
        outcome = METHODS[method](topic)
        for measure, scores in outcome.scores.items():
            value = measure_score(problem.y_test, scores, measure)
            seconds = outcome.seconds[measure]
            place = (dataset, problem.name, positives, method, measure)
            unfinished = measure in outcome.unfinished
            rows.append(Row(*place, value, seconds, outcome.kept, unfinished))
    return rows


def warm_up(problem: Problem, methods: list[str], settings: Settings) -> None:
    """Run every way once on a corner of the data, to have everything compiled and loaded."""
    X, y = tiny(problem.X, problem.y)
    run_topic("", Problem("", X, y, X, y), methods, replace(settings, k=5))


def run_dataset(
    dataset: str, given: argparse.Namespace, console: Console, report: Report, rows: list[Row]
) -> list[Target]:
    """Run the topics of a data set and print the means."""
    measures = tuple(given.measures.split(","))
    settings = Settings(measures, given.k, given.svmperf_C, given.svmperf_cuts)
    source, n_topics = Source(given.data, given.seed), 0
    try:
        for problem in topics_of(dataset, source, given.topics):
            if n_topics == 0:
                warm_up(problem, given.methods, settings)
            with console.status(f"{dataset}: {problem.name}"):
                rows += run_topic(dataset, problem, given.methods, settings)
            n_topics += 1
            report.add(rows=[asdict(row) for row in rows])
            if not console.is_terminal:
                console.print(f"{dataset}: {problem.name} done")
    except MissingDataError as missing:
        console.print(f"{dataset}: not run, {missing}")
        return [Target(f"{dataset}: data", str(missing), None)]
    if not n_topics:
        console.print(f"{dataset}: none of its topics was asked for")
        return []
    found = means(rows, dataset)
    if given.each:
        print_topics(console, rows, dataset)
    print_means(console, dataset, found, n_topics)
    return list(targets(found, dataset))


def study(given: argparse.Namespace, console: Console, report: Report) -> None:
    """Draw the parameters of plain FGM under F1."""
    [problem] = topics_of(REUTERS, Source(given.data, given.seed), [given.study_topic])
    points = run_study(problem, "f1")
    report.add(study=[asdict(point) for point in points])
    for point in points:
        console.print(point)
    draw_study(points, given.study, f"Reuters, {problem.name}: plain FGM under F1")
    console.print(f"wrote {given.study}")


def main() -> None:
    """Run the data sets asked for, then list the targets."""
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 150)
    report = Report(given.json)
    console.print(report.results["system"])
    warnings.simplefilter("ignore")
    if given.study:
        study(given, console, report)
        return
    rows: list[Row] = []
    found: list[Target] = []
    for dataset in given.only:
        found += run_dataset(dataset, given, console, report, rows)
    report.add(targets=[asdict(target) for target in found])
    print_targets(console, found)


if __name__ == "__main__":
    main()
