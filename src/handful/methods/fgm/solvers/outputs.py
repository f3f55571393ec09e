"""Many outputs, some at a time: what does not touch each other is worked on in threads, and stays in the cache."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

import numpy as np

from handful.threads import map_apart

Result = TypeVar("Result")
MOST_AT_ONCE = 32  # whose predictions of some ten thousand rows stay in the cache


def map_blocks(work: Callable[[slice], Result], n_outputs: int) -> list[Result]:
    """Return what the work gives for each block of outputs, as many at a time as linear algebra has threads."""
    n_blocks = -(-n_outputs // MOST_AT_ONCE)
    ends = np.linspace(0, n_outputs, n_blocks + 1).astype(int).tolist()
    return map_apart(work, [slice(*ab) for ab in pairwise(ends)])
