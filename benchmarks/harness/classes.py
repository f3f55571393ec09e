"""The ten sets of the benchmark of many classes, their splits, and what is measured of a method on them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

import handful

from .child import Answer, ask, limited
from .data import CLASSES, MissingDataError, Source
from .growth import Growth
from .measure import timed
from .peers import Array
from .problem import Problem, scaled
from .ranked import COUNTS, METHODS, MOST, judge
from .study import Run, Target, as_row

TEST_SHARE = 0.4
QUICK_ROWS = 400
WARM_UP_ROWS, WARM_UP_COLUMNS = 200, 120
#: Table 1 of Peng and Fan (2017): accuracy in per cent at 100 features, mean and deviation of 10 splits.
#: Our lung has 1543 of the paper's 3312 genes and our UMIST 1024 of its 2576 pixels.
DSO = "DSO-FS"
_COMPARED = ("mRMR", "ReliefF", "l1-SVM", "RFS", DSO)
_TABLE_1 = {
    "isolet": ((90.82, 0.72), (89.13, 0.53), (93.90, 0.53), (93.72, 0.55), (95.23, 0.44)),
    "semeion": ((88.18, 1.01), (86.54, 0.89), (90.36, 0.33), (90.45, 1.00), (90.64, 0.93)),
    "lung": ((94.88, 1.20), (94.88, 1.42), (95.12, 1.22), (95.37, 1.42), (95.37, 1.42)),
    "UMIST": ((96.87, 0.84), (98.17, 0.92), (98.17, 0.80), (98.04, 0.73), (98.39, 1.16)),
    "warpAR10P": ((87.31, 5.02), (85.58, 6.15), (87.12, 9.26), (88.85, 6.76), (89.62, 3.74)),
}
TABLE_1 = {name: dict(zip(_COMPARED, told, strict=True)) for name, told in _TABLE_1.items()}


def load(name: str, source: Source) -> tuple[Array, Array]:
    """Read a set; of a quick one some rows of each class."""
    X, y = CLASSES[name](source)
    if source.quick and len(y) > QUICK_ROWS:
        draw = StratifiedShuffleSplit(1, train_size=QUICK_ROWS, random_state=source.seed)
        rows = np.sort(next(draw.split(X, y))[0])
        X, y = X[rows], y[rows]
    return X, y


def splits(name: str, source: Source, count: int) -> Iterator[Problem]:
    """Yield random splits, 60 % of each class to train; columns scaled on the training rows.

    The paper scales all rows together and does not say whether its splits heed the classes: here
    they do, so that a class of six samples is in both parts.
    """
    X, y = load(name, source)
    draw = StratifiedShuffleSplit(count, test_size=TEST_SHARE, random_state=source.seed)
    for train, test in draw.split(X, y):
        yield Problem(name, *scaled(X[train], X[test], y[train], y[test]))


def cell(
    source: Source, dataset: str, method: str, first: int, last: int, timeout: float
) -> Iterator[Answer]:
    """Judge one method on the splits from ``first`` up to ``last``, with an answer after each.

    The time limit counts the selections of all splits and not the judging.
    """
    values, kept = ({str(k): [] for k in COUNTS} for _ in range(2))
    answer: Answer = {"status": "ok", "values": values, "kept": kept, "seconds": []}
    left, select = timeout, METHODS[method]
    for number, problem in islice(enumerate(splits(dataset, source, last)), first, None):
        if number == first and method.startswith(("direct", "FGM", "RFS")):
            select(problem.X[:WARM_UP_ROWS, :WARM_UP_COLUMNS], problem.y[:WARM_UP_ROWS])
        with limited(left):
            chosen, seconds = timed(partial(select, problem.X, problem.y))
        answer["seconds"].append(seconds)
        left = max(0.01, left - seconds)
        for k, value in judge(problem, chosen).items():
            values[str(k)].append(value)
            kept[str(k)].append(len(chosen[k]))
        yield answer


# ------------------------------------------------------- seconds of one fit of ours

ROWS, N_CLASSES = 200, 5
ISOLET = "isolet"
#: isolet with other margins, and with the labels of some samples contradicted: options of the fit.
MARGINS: dict[str, dict[str, Any]] = {
    "isolet, hard": {"margin": "hard"},
    "isolet, contradicted": {"margin": "hard"},
    "isolet, projected": {"margin": "projected"},
    "isolet, projected, constant penalised": {"margin": "projected", "penalize_intercept": True},
}
CONTRADICTIONS = 50
WARM_UP = 500
WIDE, GROWTH = 10_000, (5_000, 10_000, 20_000, 40_000, 80_000)
WIDE_SECONDS, ISOLET_SECONDS = 2.0, 60.0
LINEAR = 1.1  # a slope of time against features, both logarithmic, up to this is called linear


def wide(n_features: int) -> tuple[Array, Array]:
    """Draw classes that fifty columns tell apart, among many that do not."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, n_features))
    y = np.arange(ROWS) % N_CLASSES
    X[:, :50] += rng.standard_normal((N_CLASSES, 50))[y]
    return X, y


def time_fit(source: Source, name: str, timeout: float) -> Answer:
    """Time one fit; the name is isolet, one of :data:`MARGINS`, or how many columns to draw."""
    if name.startswith(ISOLET):
        try:
            problem = next(splits(ISOLET, Source(source.data, quick=source.quick), 1))
        except MissingDataError as missing:
            return {"status": str(missing)}
        X, y = problem.X, problem.y
        if "contradicted" in name:
            labels, codes = np.unique(y, return_inverse=True)
            X = np.vstack([X, X[:CONTRADICTIONS]])
            y = np.append(y, np.roll(labels, 1)[codes[:CONTRADICTIONS]])
    else:
        X, y = wide(int(name))
    handful.DirectSparsityClassifier(10).fit(X[:WARM_UP, :WARM_UP], y[:WARM_UP])
    model = handful.DirectSparsityClassifier(MOST, **MARGINS.get(name, {}))
    with limited(timeout):
        (_, work), seconds = timed(lambda: timed(lambda: model.fit(X, y), time.process_time))
    about = {"steps": len(model.objective_path_), "feasible": model.feasible_}
    times = {"seconds": seconds, "cpu_seconds": work}
    return {"status": "ok", **times, **about, "margin": model.margin_}


@dataclass(frozen=True)
class Timing:
    """Seconds of one fit, by the clock and of work, and its steps; None when ``status`` says why not.

    ``feasible`` is None, too, where hard margins were not tried.
    """

    name: str
    status: str
    seconds: float | None = None
    cpu_seconds: float | None = None  # of all threads: what other work on the machine leaves alone
    steps: int | None = None
    feasible: bool | None = None
    margin: str | None = None

    @property
    def told(self) -> str:
        """What is printed of it."""
        if self.seconds is None:
            return self.status
        hold = {True: ", which hold", False: ", as hard ones cannot hold", None: ""}[self.feasible]
        work = f"{self.seconds:.2f} s ({self.cpu_seconds:.2f} s of work), {self.steps} steps,"
        return f"{work} {self.margin} margins{hold}"

    def under(self, name: str, limit: float) -> Target:
        """Whether the fit was quick enough."""
        note = f" ({self.cpu_seconds:.2f} s of work)" if self.seconds is not None else ""
        text = f"{name}: a fit under {limit:g} s"
        return Target.under(text, self.seconds, limit, self.status, note)


def run_speed(run: Run) -> None:
    """Time isolet with each kind of margins and rising numbers of columns."""
    sizes = GROWTH[:3] if run.given.quick else GROWTH
    timings = {}
    for name in (ISOLET, *MARGINS, *map(str, sizes)):
        answer = ask(time_fit, run.given.timeout, source=run.source, name=name)
        timings[name] = as_row(Timing, answer, name=name)
        what = f"{ROWS} x {int(name):,}" if name.isdigit() else name
        run.console.print(f"one fit, {what}: {timings[name].told}")
    growth = Growth(list(sizes), [timings[str(size)].cpu_seconds for size in sizes])
    run.console.print(f"work against the number of features: slope {growth.told}")
    kept = [asdict(timing) for timing in timings.values()]
    run.report.add(timings=kept, slope=growth.slope)
    run.targets.append(timings[str(WIDE)].under(f"200 x {WIDE:,}", WIDE_SECONDS))
    run.targets += [timings[name].under(name, ISOLET_SECONDS) for name in (ISOLET, *MARGINS)]
    figure, met = "not all sizes finished", None
    if growth.slope is not None:
        figure = f"slope {growth.told} between {sizes[0]:,} and {sizes[-1]:,} features"
        met = growth.slope <= LINEAR
    run.targets.append(Target("cost against features linear", figure, met))
