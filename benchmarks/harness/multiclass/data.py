"""The ten sets, how their columns are prepared, and the random splits of the paper's protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from harness.data import Source
from harness.problem import Problem

Array = NDArray[Any]
TEST_SHARE = 0.4
LEAST_EXPRESSION = 10.0  # scanner readings below this are noise
QUICK_ROWS = 400


@dataclass(frozen=True)
class Plan:
    """Where a set lies, and how its raw numbers become features."""

    file: str
    factor: float = 1.0
    is_expression: bool = False  # scanner readings, of which the logarithm is taken


SETS = {
    "isolet": Plan("isolet_full_x1e4", factor=1e-4),
    "semeion": Plan("semeion"),
    "lung": Plan("lung_bhattacharjee1543", is_expression=True),
    "yeoh": Plan("yeoh_2526", is_expression=True),
    "SRBCT": Plan("SRBCT"),
    "UMIST": Plan("UMIST"),
    "warpAR10P": Plan("warpAR10P"),
    "ORL": Plan("ORL"),
    "COIL20": Plan("COIL20"),
    "colon": Plan("colon_alon_raw", is_expression=True),
}


@dataclass(frozen=True)
class Samples:
    """All rows of a set; y counts the classes from 0."""

    name: str
    X: Array
    y: Array


def load(name: str, source: Source) -> Samples:
    """Read a set; of a quick one some rows of each class."""
    plan = SETS[name]
    with np.load(source.file(f"multiclass/{plan.file}.npz")) as stored:
        X, y = stored["X"].astype(np.float64), stored["y"]
    X *= plan.factor
    if plan.is_expression:
        X = np.log(np.maximum(X, LEAST_EXPRESSION))
    y = np.unique(y, return_inverse=True)[1]
    if source.quick and len(y) > QUICK_ROWS:
        draw = StratifiedShuffleSplit(1, train_size=QUICK_ROWS, random_state=source.seed)
        rows = np.sort(next(draw.split(X, y))[0])
        X, y = X[rows], y[rows]
    return Samples(name, X, y)


def splits(data: Samples, source: Source, count: int) -> Iterator[Problem]:
    """Yield random splits, 60 % of each class to train; columns scaled on the training rows.

    The paper scales all rows together and does not say whether its splits heed the classes: here
    they do, so that a class of six samples is in both parts.
    """
    draw = StratifiedShuffleSplit(count, test_size=TEST_SHARE, random_state=source.seed)
    for train, test in draw.split(data.X, data.y):
        scaler = StandardScaler().fit(data.X[train])
        parts = scaler.transform(data.X[train]), scaler.transform(data.X[test])
        yield Problem(data.name, parts[0], data.y[train], parts[1], data.y[test])
