"""Where the atoms of a dictionary start: at instances drawn at random, or at the centres of clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.cluster import KMeans

from handful.spaces.base import Array, dense

# Clusters of more instances than this are those of so many, drawn at random.
MOST_CLUSTERED = 20_000


def draw_starts(
    instances: Any, rows: Array, n_atoms: int, kind: str, n_starts: int, random: Any
) -> Iterator[Array]:
    """Yield dictionaries of ``n_atoms`` to start from.

    Parameters
    ----------
    instances : ndarray or CSR array
    rows : ndarray of int64
        The different ones among them, at least ``n_atoms``.
    n_atoms : int
    kind : "random" or "kmeans"
    n_starts : int
    random : RandomState
    """
    for _ in range(n_starts):
        if kind == "random":
            atoms = instances[random.choice(rows, n_atoms, replace=False)]
            yield dense(atoms)
            continue
        some = rows
        if len(rows) > max(MOST_CLUSTERED, n_atoms):
            some = random.choice(rows, max(MOST_CLUSTERED, n_atoms), replace=False)
        clusters = KMeans(n_atoms, n_init=1, random_state=random.randint(2**31 - 1))
        yield clusters.fit(instances[some]).cluster_centers_
