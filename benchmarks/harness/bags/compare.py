"""Ten-fold cross-validation of every way, by every measure."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

import numpy as np

from handful.metrics import measure_score

from .data import BagSet, folds
from .methods import Method, Setting

MEASURES = ("f1", "prbep", "prec@0.5p", "accuracy")
INNER_FOLDS = 3


@dataclass
class Result:
    """One way on one set: a value for each fold and measure, and what was chosen.

    ``seconds`` are those of single fits, the choice of settings not included.
    """

    dataset: str
    method: str
    status: str = "ok"
    values: dict[str, list[float]] = field(default_factory=dict)
    chosen: dict[str, list[Setting]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def mean(self, measure: str) -> float:
        """Mean over folds; NaN when there are none."""
        return float(np.mean(self.values[measure])) if self.values.get(measure) else np.nan

    def error(self, measure: str) -> float:
        """Its standard error."""
        values = self.values[measure]
        return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return asdict(self)


def run_method(
    data: BagSet, method: Method, measures: tuple[str, ...], n_folds: int, seed: int, limit: float
) -> Result:
    """Run all folds; a way that needs more than ``limit`` seconds keeps the folds it has."""
    result = Result(data.name, method.name)
    for measure in measures:
        result.values[measure], result.chosen[measure] = [], []
    started = time.perf_counter()
    for number, (train, test) in enumerate(folds(data.y, n_folds, seed)):
        try:
            _run_fold(data.some(train), data.some(test), method, measures, seed, result)
        except ImportError as missing:
            result.status = f"not installed ({missing.name})"
            return result
        if time.perf_counter() - started > limit and number + 1 < n_folds:
            result.status = f"{number + 1} folds in {limit:g} s"
            break
    return result


def _run_fold(
    train: BagSet,
    test: BagSet,
    method: Method,
    measures: tuple[str, ...],
    seed: int,
    result: Result,
) -> None:
    held_out: dict[str | None, list[np.ndarray]] = {}
    fitted: dict[tuple[str | None, int], np.ndarray] = {}
    for measure in measures:
        wanted = measure if method.uses_measure else None
        if wanted not in held_out:
            held_out[wanted] = [
                _held_out(train, method, setting, wanted, seed) for setting in method.settings
            ]
        best = _best(train.y, held_out[wanted], measure)
        if (wanted, best) not in fitted:
            started = time.perf_counter()
            scores = method.fit(train.bags, train.y, method.settings[best], wanted)
            result.seconds.append(time.perf_counter() - started)
            fitted[wanted, best] = scores(test.bags)
        result.values[measure].append(measure_score(test.y, fitted[wanted, best], measure))
        result.chosen[measure].append(method.settings[best])


def _held_out(
    train: BagSet, method: Method, setting: Setting, measure: str | None, seed: int
) -> np.ndarray:
    """Scores of the training bags from models that have not seen them."""
    scores = np.empty(len(train.y))
    for inside, outside in folds(train.y, INNER_FOLDS, seed):
        part = train.some(inside)
        scores[outside] = method.fit(part.bags, part.y, setting, measure)(train.bags[outside])
    return scores


def _best(y: np.ndarray, held_out: list[np.ndarray], measure: str) -> int:
    values = [
        (measure_score(y, scores, measure), measure_score(y, scores, "roc_auc"))
        for scores in held_out
    ]
    return max(range(len(values)), key=values.__getitem__)
