"""Columns with near-copies: whether a method takes one of each kind.

50 columns, each three times: equal, or with noise added. Four of the 50 decide. With k = 4 a method that takes
two copies of one signal misses another.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from itertools import product

import numpy as np

from harness.problem import Problem

from .judge import judge
from .method import Data, Method
from .methods import FGM, GREEDY, METHODS

N_COLUMNS, N_COPIES, N_SIGNALS, K = 50, 3, 4, 4
N_TRAIN, N_TEST, REPEATS = 400, 2000, 10
NOISES = (0.0, 0.1, 0.3)
NOISE_OF_Y = 0.5


def make(noise: float, is_numbers: bool, seed: int) -> Problem:
    """Draw training and test rows; columns 3j, 3j + 1 and 3j + 2 are copies, the first four kinds decide."""
    rng = np.random.default_rng(seed)
    n = N_TRAIN + N_TEST
    kinds = rng.standard_normal((n, N_COLUMNS))
    X = np.repeat(kinds, N_COPIES, axis=1)
    X += noise * rng.standard_normal(X.shape)
    z = kinds[:, :N_SIGNALS] @ np.array([1.0, -0.9, 0.8, -0.7])
    z += NOISE_OF_Y * rng.standard_normal(n)
    y = z if is_numbers else (z > 0).astype(np.int64)
    parts = X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:]
    return Problem(f"copies, {noise:g}", *parts)


COMPARED = (FGM, "RFE, step .1", "forward selection", GREEDY, "l1 SVM, lasso", "abess")


@dataclass(frozen=True)
class Copies:
    """One method in one cell: mean score, and how many of the four signals it has at least once."""

    method: str
    is_numbers: bool
    noise: float
    score: float
    signals: float


def measure(method: Method, noise: float, is_numbers: bool, repeats: int = REPEATS) -> Copies:
    """Select on some draws and judge as everywhere."""
    scores, signals = [], []
    for seed in range(repeats):
        problem = make(noise, is_numbers, seed)
        data = Data(problem.X, problem.y, is_numbers, (K,))
        ids = method.select(data, method.prepare(data), K).ids
        scores.append(judge(problem, ids, is_numbers))
        signals.append(len({int(i) // N_COPIES for i in ids} & set(range(N_SIGNALS))))
    return Copies(method.name, is_numbers, noise, float(np.mean(scores)), float(np.mean(signals)))


def copies(names: Collection[str], repeats: int = REPEATS) -> list[Copies]:
    """All methods of these names that are compared, in all six cells."""
    wanted = [METHODS[name] for name in COMPARED if name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = product(wanted, (True, False), NOISES)
        return [measure(method, noise, kind, repeats) for method, kind, noise in cells]


def copies_rows(found: list[Copies]) -> list[list[str]]:
    """One line for each method, one column for each cell: score and signals found."""
    cells = list(dict.fromkeys((one.is_numbers, one.noise) for one in found))
    names = {True: "R2", False: "accuracy"}
    rows = [["method", *(f"{names[kind]}, noise {noise:g}" for kind, noise in cells)]]
    for method in dict.fromkeys(one.method for one in found):
        own = {(one.is_numbers, one.noise): one for one in found if one.method == method}
        texts = (f"{own[cell].score:.3f} ({own[cell].signals:.1f})" for cell in cells)
        rows.append([method, *texts])
    return rows
