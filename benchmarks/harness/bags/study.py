"""The parameters of POD, and its objective step by step (the paper's Figures 3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handful import DictionaryMILClassifier
from handful.metrics import measure_score

from .compare import MEASURES
from .data import BagSet, folds

PARAMETERS = {
    "dictionary_penalty": (0.0, 1e-4, 1e-3, 1e-2, 1e-1),
    "C": (0.01, 0.1, 1.0, 10.0),
    "n_atoms": (5, 10, 20, 40, 80),
}
LABELS = {"dictionary_penalty": "C1 (dictionary_penalty)", "C": "C2 (C)", "n_atoms": "m (n_atoms)"}
STEPS_OF_STUDY, STEPS_OF_PATH, FOLDS = 15, 100, 3


@dataclass(frozen=True)
class Point:
    """Cross-validated value of a measure that POD was trained for."""

    dataset: str
    measure: str
    parameter: str
    setting: float
    value: float
    error: float


def run_study(data: BagSet, seed: int) -> list[Point]:
    """Change one parameter at a time, the others at their defaults."""
    points = []
    for measure in MEASURES:
        for parameter, settings in PARAMETERS.items():
            for setting in settings:
                values = [
                    _value(data.some(train), data.some(test), measure, {parameter: setting})
                    for train, test in folds(data.y, FOLDS, seed)
                ]
                error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
                mean = float(np.mean(values))
                points.append(Point(data.name, measure, parameter, float(setting), mean, error))
    return points


def _value(train: BagSet, test: BagSet, measure: str, options: dict[str, float]) -> float:
    model = DictionaryMILClassifier(
        loss=measure, max_iter=STEPS_OF_STUDY, random_state=0, **options
    )
    scores = model.fit(train.bags, train.y).decision_function(test.bags)
    return measure_score(test.y, scores, measure)


def paths(data: BagSet) -> dict[str, list[float]]:
    """Return the objective after each step, for each measure."""
    found = {}
    for measure in MEASURES:
        model = DictionaryMILClassifier(
            loss=measure, max_iter=STEPS_OF_PATH, tol=1e-6, random_state=0
        )
        found[measure] = model.fit(data.bags, data.y).objective_path_.tolist()
    return found


def _figure(n_rows: int, n_columns: int) -> tuple[object, np.ndarray]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "handful"  # the same figures make the same file
    mpl.rcParams["svg.fonttype"] = "none"  # text as text: a small file
    figure = Figure(figsize=(3.3 * n_columns, 2.5 * n_rows), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _save(figure: object, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def draw_study(points: list[Point], path: Path) -> None:
    """Draw every measure against every parameter, a row for each set."""
    sets = list(dict.fromkeys(point.dataset for point in points))
    figure, axes = _figure(len(sets), len(PARAMETERS))
    for row, dataset in zip(axes, sets, strict=True):
        for panel, parameter in zip(row, PARAMETERS, strict=True):
            for place, measure in enumerate(MEASURES):
                own = [
                    point
                    for point in points
                    if (point.dataset, point.parameter, point.measure)
                    == (dataset, parameter, measure)
                ]
                panel.plot(
                    range(len(own)),
                    [point.value for point in own],
                    f"C{place}o-",
                    markersize=3,
                    label=measure,
                )
            names = [f"{setting:g}" for setting in PARAMETERS[parameter]]
            panel.set_xticks(range(len(names)), names)
            panel.set(xlabel=LABELS[parameter], title=dataset, ylim=(0.5, 1.02))
    axes[0, 0].legend(frameon=False, fontsize="small")
    _save(figure, path)


def draw_paths(found: dict[str, dict[str, list[float]]], path: Path) -> None:
    """Draw the objective against steps, a panel for each set."""
    figure, axes = _figure(1, len(found))
    for panel, (dataset, of_measure) in zip(axes[0], found.items(), strict=True):
        for place, (measure, objective) in enumerate(of_measure.items()):
            panel.plot(range(len(objective)), objective, f"C{place}-", label=measure)
        panel.set(xlabel="steps", ylabel="objective", title=dataset, yscale="log")
    axes[0, 0].legend(frameon=False, fontsize="small")
    _save(figure, path)
