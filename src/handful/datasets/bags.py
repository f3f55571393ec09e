"""Bags whose label one of their instances decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from handful.datasets.drawing import RandomState, split_seed
from handful.spaces.bags import Bags
from handful.validation import check_count, check_positive, float_dtype

CONCEPT_LENGTH = 1.5  # of concepts, in standard deviations of other instances


@dataclass(frozen=True)
class BagData:
    """Bags with labels and the truth behind them.

    Attributes
    ----------
    bags, test_bags : Bags
        ``test_bags`` is None when none were asked for.
    y, test_y : ndarray of {-1, 1}
        One label for each bag.
    witnesses, test_witnesses : ndarray of bool
        For each instance, whether it was drawn near a concept: positive bags have one such.
    concepts : ndarray of shape (n_concepts, n_features)
        What makes a bag positive.
    """

    bags: Bags
    y: np.ndarray
    witnesses: np.ndarray
    test_bags: Bags | None
    test_y: np.ndarray | None
    test_witnesses: np.ndarray | None
    concepts: np.ndarray


def make_bags(
    n_bags: int = 200,
    mean_size: int = 8,
    n_features: int = 10,
    n_concepts: int = 2,
    *,
    spread: float = 0.3,
    n_test_bags: int = 100,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> BagData:
    r"""Draw bags that are positive when an instance lies near one of a few concepts.

    .. math::

        x \sim N(0, I), \qquad \text{in a positive bag one instance is} \quad
        x \sim N(c_k, \text{spread}^2 I), \quad c_k \sim N(0, 1.5^2 I)

    Every second bag is positive. Sizes are uniform between 1 and ``2 mean_size - 1``.
    ``make_bags(8800, 40, 13)`` has about 350,000 instances, the size of the spoken digits in
    the literature on dictionaries of instances.

    Parameters
    ----------
    n_bags : int, default=200
        Training bags.
    mean_size : int, default=8
        Instances in a bag on average.
    n_features : int, default=10
        Columns of an instance.
    n_concepts : int, default=2
        Concepts; each positive bag has an instance near one of them.
    spread : float, default=0.3
        How far instances lie from their concept.
    n_test_bags : int, default=100
        Test bags, drawn alike; 0 for none.
    dtype : {float64, float32}, default=float64
        Type of the numbers.
    random_state : int, Generator, RandomState or None, default=None
        Seed, or where to draw one; see the package's note on the random stream.

    Returns
    -------
    BagData

    Examples
    --------
    >>> from handful.datasets import make_bags
    >>> data = make_bags(n_bags=50, random_state=0)
    >>> len(data.bags), data.bags.n_features, int(data.witnesses.sum())
    (50, 10, 25)
    """
    counts = {
        "n_bags": n_bags,
        "mean_size": mean_size,
        "n_features": n_features,
        "n_concepts": n_concepts,
    }
    for name, value in counts.items():
        check_count(name, value)
    check_count("n_test_bags", n_test_bags, least=0)
    check_positive("spread", spread)
    kind = float_dtype("dtype", dtype)
    streams = split_seed(random_state)
    concepts = CONCEPT_LENGTH * streams[0].standard_normal((n_concepts, n_features))
    train = _draw(streams[1], streams[2], n_bags, mean_size, concepts, spread, kind)
    test: tuple[Any, Any, Any] = (None, None, None)
    if n_test_bags:
        test = _draw(streams[3], streams[4], n_test_bags, mean_size, concepts, spread, kind)
    return BagData(*train, *test, concepts)


def _draw(
    places: np.random.Generator,
    values: np.random.Generator,
    n_bags: int,
    mean_size: int,
    concepts: np.ndarray,
    spread: float,
    dtype: np.dtype[Any],
) -> tuple[Bags, np.ndarray, np.ndarray]:
    """Return bags, labels, and which instances are near a concept."""
    sizes = places.integers(1, 2 * mean_size, n_bags)
    y = np.where(np.arange(n_bags) % 2 == 0, 1, -1)
    starts = np.cumsum(sizes) - sizes
    rows = (starts + places.integers(0, sizes))[y > 0]
    instances = values.standard_normal((int(sizes.sum()), concepts.shape[1]))
    instances[rows] *= spread
    instances[rows] += concepts[places.integers(0, len(concepts), len(rows))]
    witnesses = np.zeros(len(instances), dtype=bool)
    witnesses[rows] = True
    return Bags.of_sizes(instances.astype(dtype, copy=False), sizes), y, witnesses
