"""Real bags, and how they are split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from handful import Bags
from harness.data import Source

DATASETS = ("musk1", "elephant", "musk2")


@dataclass(frozen=True)
class BagSet:
    """Bags with labels -1 and +1."""

    name: str
    bags: Bags
    y: np.ndarray

    def some(self, positions: np.ndarray) -> BagSet:
        """Return these bags alone."""
        return BagSet(self.name, self.bags[positions], self.y[positions])


def load(name: str, source: Source) -> BagSet:
    """Read one of the sets."""
    with np.load(source.file(f"mil/{name}.npz")) as data:
        bags, y = Bags(data["X"].astype(np.float64), data["bag"]), data["bag_y"].astype(np.int64)
    return BagSet(name, bags, y)


def folds(y: np.ndarray, n_folds: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test bags; classes have the same share in all."""
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    yield from splitter.split(np.zeros(len(y)), y)
