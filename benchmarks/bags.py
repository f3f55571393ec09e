"""Labels on bags: dictionaries (POD) and chosen instances (MILES) for a measure, against other ways.

    python benchmarks/bags.py                                  everything
    python benchmarks/bags.py --only musk1 --measures accuracy --methods "POD;MILES, l1-SVM"
    python benchmarks/bags.py --sections study --docs docs     the figures of docs/bags.md

compare: ten folds, four measures, nine ways; see ``harness/bags.py`` for the ways and how each chooses
its parameters inside the training bags. Seconds are those of one fit, the choice not included.
speed: default fits of each set, and POD on up to 350,000 instances. study: C1, C2 and m one at a time, and
the objective step by step, as Figures 3 and 5 of the paper.

The packages ``mil`` and ``sawmil`` (with ``osqp``) are used where they are installed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from harness.bags import DATASETS, MEASURES, METHODS, BagSet, load, path_of, run_method, trained_for
from harness.data import MissingDataError
from harness.drawing import new_figure, save
from harness.growth import exponent
from harness.measure import timed
from harness.splits import Row, standard_error
from harness.study import Options, Run, Study, Target
from sklearn.base import clone

from handful import DictionaryMILClassifier, MILESClassifier
from handful.datasets import make_bags

STUDIED = ("musk1", "elephant")
LEAST_ACCURACY = {"musk1": 0.90, "elephant": 0.85}
MUSK2_SECONDS = 5.0
ROUNDING = 1e-9  # one bag of one fold is often just one standard error
LINEAR = 1.15  # a power of the number of instances up to this is called linear


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    quick = "small sizes in the section speed"
    options = Options(__doc__, seed="the folds", reuse=True, quick=quick)
    options.words("--sections", SECTIONS, "what to run")
    options.words("--only", DATASETS, "data sets")
    options.words("--measures", None, f"measures ({','.join(MEASURES)})", default=MEASURES)
    options.words("--methods", METHODS, "methods", by=";")
    add = options.add_argument
    add("--folds", type=int, default=10, help="folds (10)")
    add("--limit", type=float, default=1800.0, help="seconds for one way on one set (1800)")
    add("--docs", type=Path, default=Path("docs"), help="where the figures of study go (docs)")
    return options.parse()


# -------------------------------------------------------------------- compare


def compare(run: Run) -> None:
    """Cross-validate every way on every set."""
    study, given = Study(run, Row, "compare"), run.given
    how = (given.measures, given.folds, given.seed, given.limit)
    for dataset in given.only:
        data = load(dataset, run.source)
        for name in given.methods:
            if study.known(dataset=dataset, method=name):
                continue
            with run.console.status(f"{dataset}: {name}"):
                study.add(run_method(data, METHODS[name], *how))
            if not run.console.is_terminal:
                show_results(run, study.rows[-1:])
        rows = study.known(dataset=dataset)
        show_results(run, rows)
        run.targets += targets(dataset, rows)


def show_results(run: Run, rows: list[Row]) -> None:
    """Print means over folds with their standard errors."""
    measures, texts = list(rows[0].values), []
    for row in rows:
        cells = [f"{row.mean(m):.3f} ({row.error(m):.3f})" for m in measures]
        seconds = f"{np.median(row.seconds):.2f}" if row.seconds else ""
        texts.append([row.method, *cells, seconds, "" if row.status == "ok" else row.status])
    title = f"{rows[0].dataset}: mean over folds (standard error)"
    run.show(title, ("method", *measures, "seconds", ""), texts)


def targets(dataset: str, rows: list[Row]) -> Iterator[Target]:
    """First or within one standard error by every measure; published accuracies."""
    complete = [row for row in rows if row.status == "ok"]
    ours = [row for row in complete if METHODS[row.method].is_ours]
    for measure in rows[0].values:
        text = f"{dataset}, {measure}: POD or MILES + measure first or within one standard error"
        if not ours:
            yield Target(text, "not run", None)
            continue
        first, best = (max(some, key=lambda row: row.mean(measure)) for some in (complete, ours))
        mine, theirs = best.mean(measure), first.mean(measure)
        error = max(first.error(measure), best.error(measure))
        told = f"{best.method} {mine:.3f}, first {first.method} {theirs:.3f}"
        met = theirs - mine <= error + ROUNDING
        yield Target(text, f"{told}, standard error {error:.3f}", met)
    if dataset in LEAST_ACCURACY and ours and "accuracy" in ours[0].values:
        best = max(ours, key=lambda row: row.mean("accuracy"))
        least, value = LEAST_ACCURACY[dataset], best.mean("accuracy")
        text = f"{dataset}: accuracy at least {least:.2f}"
        yield Target(text, f"{best.method} {value:.3f}", value >= least)


# ---------------------------------------------------------------------- speed

SIZES = (11_000, 35_000, 110_000, 350_000)
MEAN_SIZE, WIDTH, STEPS = 40, 13, 10  # as the spoken digits have them


@dataclass(frozen=True)
class Timing:
    """One fit, and what was fitted."""

    data: str
    model: str
    n_bags: int
    n_instances: int
    steps: int
    seconds: float
    cpu_seconds: float


def time_fit(data: str, name: str, bags: Any, y: np.ndarray, model: Any) -> Timing:
    """Fit once."""
    (_, cpu), seconds = timed(lambda: timed(lambda: model.fit(bags, y), time.process_time))
    return Timing(data, name, len(bags), bags.n_instances, model.n_iter_, seconds, cpu)


def real(data: BagSet) -> Iterator[Timing]:
    """Yield fits with default parameters on a real set."""
    models = {
        "POD": DictionaryMILClassifier(random_state=0),
        "MILES": MILESClassifier(),
        "MILES, 40 instances": MILESClassifier(40),
        "MILES, 40 instances for F1": MILESClassifier(40, loss="f1"),
    }
    for name, model in models.items():
        clone(model).fit(data.bags[::3], data.y[::3])  # compiles everything
        yield time_fit(data.name, name, data.bags, data.y, model)


def grown(quick: bool) -> Iterator[Timing]:
    """Yield fits on bags of the spoken digits' sizes, with a fixed number of steps."""
    fixed = {"loss": "squared_hinge", "max_iter": STEPS, "tol": 1e-12, "random_state": 0}
    for size in SIZES[: 2 if quick else None]:
        made = make_bags(size // MEAN_SIZE, MEAN_SIZE, WIDTH, n_test_bags=0, random_state=0)
        yield time_fit("synthetic", "POD", made.bags, made.y, DictionaryMILClassifier(**fixed))


def speed(run: Run) -> None:
    """Time single fits: musk2 in seconds, and cost that grows as instances do."""
    sets = [load(dataset, run.source) for dataset in run.given.only]
    synthetic = list(grown(run.given.quick))
    timings = [timing for data in sets for timing in real(data)] + synthetic
    for timing in timings:
        run.console.print(timing)
        if timing.data == "musk2":
            note = f" ({timing.cpu_seconds:.2f} s of processor)"
            text = f"musk2: a fit under 5 s, {timing.model}"
            run.targets.append(Target.under(text, timing.seconds, MUSK2_SECONDS, note=note))
    run.report.add(speed=[asdict(timing) for timing in timings])
    sizes, work = zip(*((one.n_instances, one.cpu_seconds) for one in synthetic), strict=True)
    # What every fit costs hides growth among the small ones.
    power, at_the_end = exponent(sizes, work), exponent(sizes[-2:], work[-2:])
    text = f"cost linear in instances (up to {sizes[-1]})"
    figure = f"instances^{power:.2f}, from {sizes[-2]} on ^{at_the_end:.2f}"
    run.targets.append(Target(text, figure, max(power, at_the_end) <= LINEAR))


# ---------------------------------------------------------------------- study

PARAMETERS = {
    "dictionary_penalty": (0.0, 1e-4, 1e-3, 1e-2, 1e-1),
    "C": (0.01, 0.1, 1.0, 10.0),
    "n_atoms": (5, 10, 20, 40, 80),
}
LABELS = {"dictionary_penalty": "C1 (dictionary_penalty)", "C": "C2 (C)", "n_atoms": "m (n_atoms)"}
STEPS_OF_PATH, FOLDS = 100, 3


@dataclass(frozen=True)
class Point:
    """Cross-validated value of a measure that POD was trained for."""

    dataset: str
    measure: str
    parameter: str
    setting: float
    value: float
    error: float


def study_points(data: BagSet, seed: int) -> Iterator[Point]:
    """Change one parameter at a time, the others at their defaults."""
    for measure in MEASURES:
        for parameter, settings in PARAMETERS.items():
            for setting in settings:
                values = trained_for(data, measure, FOLDS, seed, **{parameter: setting})
                figures = float(np.mean(values)), standard_error(values)
                yield Point(data.name, measure, parameter, float(setting), *figures)


def draw_study(points: list[Point], path: Path) -> None:
    """Draw every measure against every parameter, a row for each set."""
    shape = (len(STUDIED), len(PARAMETERS))
    figure, axes = new_figure(*shape, (3.3 * shape[1], 2.5 * shape[0]), layout="constrained")
    for row, dataset in zip(axes, STUDIED, strict=True):
        for panel, parameter in zip(row, PARAMETERS, strict=True):
            for place, measure in enumerate(MEASURES):
                where = (dataset, parameter, measure)
                own = [p.value for p in points if (p.dataset, p.parameter, p.measure) == where]
                style = f"C{place}o-"
                panel.plot(range(len(own)), own, style, markersize=3, label=measure)
            names = [f"{setting:g}" for setting in PARAMETERS[parameter]]
            panel.set_xticks(range(len(names)), names)
            panel.set(xlabel=LABELS[parameter], title=dataset, ylim=(0.5, 1.02))
    axes[0, 0].legend(frameon=False, fontsize="small")
    save(figure, path)


def draw_paths(found: dict[str, dict[str, list[float]]], path: Path) -> None:
    """Draw the objective against steps, a panel for each set."""
    figure, axes = new_figure(1, len(found), (3.3 * len(found), 2.5), layout="constrained")
    for panel, (dataset, of_measure) in zip(axes[0], found.items(), strict=True):
        for place, (measure, objective) in enumerate(of_measure.items()):
            panel.plot(range(len(objective)), objective, f"C{place}-", label=measure)
        panel.set(xlabel="steps", ylabel="objective", title=dataset, yscale="log")
    axes[0, 0].legend(frameon=False, fontsize="small")
    save(figure, path)


def study(run: Run) -> None:
    """Draw the parameters and the paths."""
    folder = run.given.docs
    sets = [load(dataset, run.source) for dataset in STUDIED]
    found = {
        data.name: {name: path_of(data, name, STEPS_OF_PATH).tolist() for name in MEASURES}
        for data in sets
    }
    draw_paths(found, folder / "bags-paths.svg")
    run.report.add(paths=found)
    points = [point for data in sets for point in study_points(data, run.given.seed)]
    draw_study(points, folder / "bags-study.svg")
    run.report.add(study=[asdict(point) for point in points])
    paths = [path for of_measure in found.values() for path in of_measure.values()]
    rises = sum(any(after > before for before, after in pairwise(path)) for path in paths)
    run.console.print(f"wrote bags-paths.svg and bags-study.svg to {folder}")
    figure = f"{rises} of {len(paths)} paths rise"
    run.targets.append(Target("the objective never rises", figure, not rises))


SECTIONS = {"compare": compare, "speed": speed, "study": study}


def main() -> None:
    """Run the sections asked for, then list the targets."""
    run = Run(parse_arguments(), width=150)
    warnings.simplefilter("ignore")
    for name in run.given.sections:
        run.console.rule(name)
        try:
            SECTIONS[name](run)
        except MissingDataError as missing:
            run.miss(name, missing)
    run.finish()


if __name__ == "__main__":
    main()
