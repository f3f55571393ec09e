"""Select for the measure you are judged by: topics of Reuters and news20, one against the rest.

    python benchmarks/measures.py                              everything (about an hour)
    python benchmarks/measures.py --only reuters --topics corn,crude,acq --json out.json
    python benchmarks/measures.py --only reuters --methods "FGM, the measure;RFE + balanced + tuned"
    python benchmarks/measures.py --study study.svg            C and B under F1, and nothing else

Every way gets the same training rows and is judged on the test rows by macro F1, recall at twice the
number of positives (the paper's Rec@2p) and the precision/recall break-even point: means over topics.
Ways that select keep the same number of words, k. The honest rival is "RFE + balanced + tuned"; see
``harness/topics.py`` for it and the rest. Seconds are those of fitting one topic, with
whatever comes before the model (RFE, cross-validation for the threshold). All of one run happens in
one process, after a fit of each kind on a corner of the data to warm up.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from harness.data import MissingDataError
from harness.problem import Problem, tiny
from harness.study import Options, Run, Study, Target, Texts
from harness.topics import (
    ACCURACY,
    DATASETS,
    METHODS,
    ON_ALL_FEATURES,
    OURS,
    REUTERS,
    RIVAL,
    SVMPERF,
    Settings,
    Topic,
    run_study,
    topics_of,
)

from handful.metrics import measure_score

MEASURES = ("f1", "rec@2p", "prbep")
WIDE = 0.05  # what "by a wide margin" is taken to mean, for macro F1
NEAR = 0.02  # and what "rivals" is
TOPIC_SECONDS = 2.0


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    options = Options(__doc__, seed="the split of news20", reuse=True)
    add = options.add_argument
    options.words("--only", DATASETS, "data sets")
    options.words("--topics", None, "names of topics (all)")
    add("--k", type=int, default=60, help="words to keep (60)")
    options.words("--measures", None, f"measures ({','.join(MEASURES)})", default=MEASURES)
    options.words("--methods", METHODS, "methods", by=";")
    add("--svmperf-C", type=float, default=0.3, help="C of SVMperf on all features (0.3)")
    add("--svmperf-cuts", type=int, default=200, help="cutting planes it may make (200)")
    add("--each", action="store_true", help="print every topic too")
    add("--study", type=Path, help="draw C and B against F1 and size into this svg or png instead")
    add("--study-topic", default="corn", help="topic of Reuters for --study (corn)")
    return options.parse()


# ------------------------------------------------------------------ the cells


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


def run_topic(dataset: str, problem: Problem, methods: list[str], settings: Settings) -> list[Row]:
    """Judge every way on one topic."""
    topic, rows = Topic(problem, settings), []
    about = (dataset, problem.name, int((problem.y > 0).sum()))
    for method in methods:
        found = METHODS[method](topic)
        for measure, scores in found.scores.items():
            value = measure_score(problem.y_test, scores, measure)
            figures = (value, found.seconds[measure], found.kept, measure in found.unfinished)
            rows.append(Row(*about, method, measure, *figures))
    return rows


def run_dataset(study: Study[Row], dataset: str) -> None:
    """Run the topics of a data set and print the means."""
    run, given, n_topics = study.run, study.run.given, 0
    settings = Settings(tuple(given.measures), given.k, given.svmperf_C, given.svmperf_cuts)
    is_warm = False
    for problem in topics_of(dataset, run.source, given.topics):
        n_topics += 1
        done = {row.method for row in study.known(dataset=dataset, topic=problem.name)}
        todo = [method for method in given.methods if method not in done]
        if not todo:
            continue
        if not is_warm:  # have everything compiled and loaded
            X, y = tiny(problem.X, problem.y)
            run_topic("", Problem("", X, y, X, y), given.methods, replace(settings, k=5))
            is_warm = True
        with run.console.status(f"{dataset}: {problem.name}"):
            study.add(*run_topic(dataset, problem, todo, settings))
        run.log(f"{dataset}: {problem.name} done")
    if not n_topics:
        run.console.print(f"{dataset}: none of its topics was asked for")
        return
    own = study.known(dataset=dataset)
    found = means(own)
    if given.each:
        show_topics(run, own)
    show_means(run, dataset, found, n_topics)
    run.targets += targets(found, dataset)


# ----------------------------------------------------------------- the tables


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


def means(rows: list[Row]) -> dict[str, Mean]:
    """Every topic counts the same, however rare it is."""
    found: dict[str, Mean] = {}
    for method in dict.fromkeys(row.method for row in rows):
        own = [row for row in rows if row.method == method]
        parts: dict[str, list[Row]] = defaultdict(list)
        for row in own:
            parts[row.measure].append(row)
        seconds = {m: [row.seconds for row in part] for m, part in parts.items()}
        found[method] = Mean(
            method,
            {m: float(np.mean([row.value for row in part])) for m, part in parts.items()},
            {m: float(np.median(times)) for m, times in seconds.items()},
            {m: max(times) for m, times in seconds.items()},
            own[0].kept,
            sum(row.unfinished for row in own),
        )
    return found


def show_means(run: Run, dataset: str, found: dict[str, Mean], n_topics: int) -> None:
    """Print a line for each way, the best macro mean at equal k in bold."""
    measures = list(next(iter(found.values())).values)
    equal = [mean for name, mean in found.items() if name not in ON_ALL_FEATURES]
    best = {m: max(equal, key=lambda one: one.values[m]).method for m in measures if equal}
    lines: list[Texts] = []
    for mean in found.values():
        cells = [mean.method, f"{mean.kept:,}"]
        for measure, value in mean.values.items():
            text = f"{value:.4f}"
            cells.append(f"[bold]{text}[/bold]" if mean.method == best.get(measure) else text)
            times = mean.median_seconds[measure], mean.longest_seconds[measure]
            cells.append("{:.2f}, {:.2f}".format(*times))
        lines += [cells, None] if mean.method == RIVAL else [cells]
    headings = [heading for measure in measures for heading in (f"macro {measure}", "seconds")]
    title = f"{dataset}: mean over {n_topics} topics; seconds of a topic: median, longest"
    run.show(title, ("method", "features", *headings), lines)
    for mean in found.values():
        if mean.unfinished:
            run.console.print(f"{mean.method}: {mean.unfinished} fits ended at the limit of cuts")


def show_topics(run: Run, rows: list[Row]) -> None:
    """Print every topic, for those who wonder where a mean comes from."""
    for measure in dict.fromkeys(row.measure for row in rows):
        own = [row for row in rows if row.measure == measure]
        methods = list(dict.fromkeys(row.method for row in own))
        lines = []
        for topic, positives in dict.fromkeys((row.topic, row.positives) for row in own):
            line = {row.method: f"{row.value:.3f}" for row in own if row.topic == topic}
            lines.append([topic, str(positives), *(line.get(m, "") for m in methods)])
        run.show(f"{own[0].dataset}, {measure}", ("topic", "positives", *methods), lines)


# -------------------------------------------------------------------- targets


def targets(found: dict[str, Mean], dataset: str) -> Iterator[Target]:
    """Compare ours with the others."""
    if OURS not in found:
        yield Target(f"{dataset}: all", f"{OURS!r} was not run", None)
        return
    ours = found[OURS]
    for measure, value in ours.values.items():
        others = [name for name in found if name != OURS and name not in ON_ALL_FEATURES]
        text = f"{dataset}: best macro {measure} of all at equal k"
        if not others:
            yield Target(text, f"{value:.4f}, no rival was run", None)
            continue
        best = max((found[name] for name in others), key=lambda mean: mean.values[measure])
        lead = value - best.values[measure]
        figure = f"{value:.4f}, {best.method} {best.values[measure]:.4f} ({lead:+.4f})"
        yield Target(text, figure, lead > 0)
    limits = (  # the shape of the paper's Table 2
        (ACCURACY, WIDE, f"macro f1 at least {WIDE} above selection for accuracy"),
        (SVMPERF, -NEAR, f"macro f1 at most {NEAR} below SVMperf on all features"),
    )
    for method, least, text in limits:
        if method in found and "f1" in ours.values:
            value, other = ours.values["f1"], found[method].values["f1"]
            figure = f"{value:.4f} against {other:.4f} ({value - other:+.4f})"
            yield Target(f"{dataset}: {text}", figure, value - other >= least)
    if dataset == REUTERS:
        for measure, longest in ours.longest_seconds.items():
            figure = f"longest {longest:.2f} s, median {ours.median_seconds[measure]:.2f} s"
            text = f"{dataset}: a topic under {TOPIC_SECONDS:g} s with {measure}"
            yield Target(text, figure, longest < TOPIC_SECONDS)


def main() -> None:
    """Run the data sets asked for, then list the targets."""
    run = Run(parse_arguments(), width=150)
    warnings.simplefilter("ignore")
    if run.given.study:
        run_study(run)
        return
    study = Study(run, Row)
    for dataset in run.given.only:
        try:
            run_dataset(study, dataset)
        except MissingDataError as missing:
            run.miss(dataset, missing)
    run.finish()


if __name__ == "__main__":
    main()
