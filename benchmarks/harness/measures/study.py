"""The parameters of plain FGM under a measure: C and the budget B (the paper's Figure 1)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from handful import FGMClassifier
from handful.metrics import measure_score
from harness.problem import Problem

CS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
BUDGETS = (2, 5, 10, 20)
ROUNDS = 6


@dataclass(frozen=True)
class Point:
    """Test figures of one fit."""

    budget: int
    C: float
    accuracy: float
    f1: float
    n_features: int
    seconds: float


def run_study(problem: Problem, measure: str) -> list[Point]:
    """Fit plain FGM at every C and B."""
    points = []
    for budget in BUDGETS:
        for C in CS:
            model = FGMClassifier(loss=measure, budget=budget, C=C, max_rounds=ROUNDS, refit=False)
            started = time.perf_counter()
            model.fit(problem.X, problem.y)
            seconds = time.perf_counter() - started
            scores = model.decision_function(problem.X_test)
            accuracy, f1 = (measure_score(problem.y_test, scores, m) for m in ("accuracy", "f1"))
            points.append(Point(budget, C, accuracy, f1, len(model.support_ids_), seconds))
    return points


def draw_study(points: list[Point], path: Path, title: str) -> None:
    """Draw accuracy, F1 and the number of features against C, a line for each B."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "handful"  # the same figures make the same file
    mpl.rcParams["svg.fonttype"] = "none"  # text as text: a small file
    figure = Figure(figsize=(9.6, 3.2), layout="constrained")
    panels = (("accuracy", "test accuracy"), ("f1", "test F1"), ("n_features", "features"))
    for axes, (field, label) in zip(figure.subplots(1, 3), panels, strict=True):
        for place, budget in enumerate(dict.fromkeys(point.budget for point in points)):
            own = [point for point in points if point.budget == budget]
            values = [getattr(point, field) for point in own]
            axes.plot(
                [point.C for point in own],
                values,
                f"C{place}o-",
                markersize=3,
                label=f"B = {budget}",
            )
        axes.set(xscale="log", xlabel="C", title=label)
    figure.axes[0].legend(frameon=False)
    figure.suptitle(title, parse_math=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
