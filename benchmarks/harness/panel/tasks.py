"""The tasks of the panel, their random splits, and which half of the panel each belongs to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from harness.data import CLASSES, Loader, Source, stored
from harness.problem import Problem, scaled

from . import sources
from .sources import with_pairs

COUNTS = (5, 10, 20, 50, 100)
COLUMNS_FOR_100 = 300
SPLITS, SPLITS_OF_LARGE = 10, 5
QUICK_SPLITS, QUICK_TRAIN = 2, 300
MOST_TRAIN, MOST_TEST = 2000, 4000
SMALL_SET = 150  # below this many rows, and for numbers, more of them train
SHARE, SHARE_OF_SMALL = 0.6, 0.7


TUNED, UNSEEN = "tuned", "unseen"
HALVES = (TUNED, UNSEEN)


def half_of(name: str) -> str:
    """Say by the parity of SHA-256 whether defaults may be tuned on a task of this name.

    >>> half_of("colon"), half_of("madelon")
    ('tuned', 'unseen')
    """
    return HALVES[hashlib.sha256(name.encode()).digest()[-1] % 2]


@dataclass(frozen=True)
class Task:
    """One task; ``is_large`` has half the splits, ``pairs`` are written down after the rows are drawn."""

    name: str
    load: Loader
    is_numbers: bool = False
    is_large: bool = False
    pairs: bool = False
    most_train: int = MOST_TRAIN

    @property
    def half(self) -> str:
        """Which half of the panel it is in, by a hash of its name."""
        return half_of(self.name)

    @property
    def splits(self) -> int:
        """How many random splits it has."""
        return SPLITS_OF_LARGE if self.is_large else SPLITS


def _classes(name: str, **about: Any) -> Task:
    """Classes stored under this name, or those of the benchmark of many classes."""
    return Task(name, CLASSES.get(name) or stored("multiclass", name), **about)


_EVERY = (
    # Cheap ones first: a run in parts has something to show early.
    Task("riboflavin", sources.quantities("riboflavin"), is_numbers=True),
    Task("concrete, pairs", sources.quantities("concrete"), is_numbers=True, pairs=True),
    _classes("colon"),
    _classes("SRBCT"),
    _classes("ALLAML"),
    _classes("Prostate_GE"),
    _classes("lung"),
    _classes("yeoh"),
    Task("communities", sources.quantities("communities"), is_numbers=True),
    _classes("warpAR10P"),
    _classes("warpPIE10P"),
    Task("PCMAC", sources.word_counts("PCMAC")),
    Task("RELATHE", sources.word_counts("RELATHE")),
    Task("BASEHOCK", sources.word_counts("BASEHOCK")),
    Task("atheism or christian", sources.newsgroup_pair("alt.atheism", "soc.religion.christian")),
    Task("space or medicine", sources.newsgroup_pair("sci.space", "sci.med")),
    Task(
        "autos or motorcycles",
        sources.newsgroup_pair("rec.autos", "rec.motorcycles"),
    ),
    Task("sms spam", sources.messages),
    Task("a9a", sources.built("a9a"), is_large=True),
    _classes("semeion"),
    _classes("madelon"),
    _classes("ORL"),
    _classes("UMIST"),
    *(
        Task(f"Reuters {topic}", sources.built(f"reuters-{topic}"), is_large=True)
        for topic in ("corn", "crude", "acq", "earn")
    ),
    Task("MNIST 3 or 8", sources.mnist_3v8, is_large=True),
    _classes("COIL20"),
    Task("promoters", sources.promoters, is_large=True),
    Task("newsgroups, even or odd", sources.newsgroup_words, is_large=True),
    Task("MNIST", sources.mnist_ten, is_large=True),
    _classes("isolet", is_large=True),
    Task("news20", sources.built("news20"), is_large=True),
    Task(
        "MNIST 3 or 8, pairs", sources.mnist_small_3v8, is_large=True, pairs=True, most_train=1000
    ),
)
TASKS = {task.name: task for task in _EVERY}


def counts_of(n_columns: int) -> list[int]:
    """Which k are asked of a task: fewer than its columns, and 100 only of many."""
    return [k for k in COUNTS if k < n_columns and (k < 100 or n_columns >= COLUMNS_FOR_100)]


def sizes(task: Task, n_rows: int, quick: bool) -> tuple[int, int]:
    """How many rows train and how many are tested on."""
    share = SHARE_OF_SMALL if task.is_numbers or n_rows < SMALL_SET else SHARE
    train = min(int(share * n_rows), QUICK_TRAIN if quick else task.most_train)
    return train, min(n_rows - int(share * n_rows), MOST_TEST)


def splits(task: Task, source: Source) -> Iterator[Problem]:
    """Yield the random splits, classes in proportion, columns prepared on the training rows."""
    X, y = task.load(source)
    train, test = sizes(task, len(y), source.quick)
    draw_type = ShuffleSplit if task.is_numbers else StratifiedShuffleSplit
    draw = draw_type(task.splits, train_size=train, test_size=test, random_state=source.seed)
    for parts in draw.split(np.zeros(len(y)), y):
        chosen, held_out = (np.sort(rows) for rows in parts)
        yield _prepared(task, X[chosen], y[chosen], X[held_out], y[held_out])


def _prepared(task: Task, X: Any, y: Any, X_test: Any, y_test: Any) -> Problem:
    """Write pairs down and scale columns by the training rows.

    Dense columns get mean 0 and deviation 1. Sparse ones stay as they are if their rows have length 1
    (tf-idf) or their values are 0 and 1; other counts are divided by their deviation.
    """
    if task.pairs:
        X, X_test = with_pairs(X), with_pairs(X_test)
    if not sp.issparse(X):
        return Problem(task.name, *scaled(X, X_test, y, y_test))
    if X.max() > 1:
        scaler = StandardScaler(with_mean=False).fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    return Problem(task.name, X, y, X_test, y_test)
