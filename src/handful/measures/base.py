"""What a measure must provide.

Conventions
-----------
n samples. A measure never sees the features.

======== ===== =============================================================================
y        (n,)  true labels, -1 or +1
z        (n,)  raw predictions (scores)
labels   (n,)  some labeling y', -1 or +1: one of the 2^n ways to label the samples
a        (n,)  y - y', minus the subgradient of the risk with respect to z
delta    float Delta(y, y'), what the labeling y' costs under the measure
======== ===== =============================================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

Array = np.ndarray


class Measure(ABC):
    """A figure that all samples decide together, and the convex risk that bounds its loss.

    ``R(z) = max over labelings y' of  Delta(y, y') - sum_i (y_i - y'_i) z_i``

    It is never negative (y' = y gives 0), and never below the Delta of the labels that z predicts.
    Subclass it in a file called after :attr:`name`, with :meth:`value` and :meth:`most_violated`,
    and import the class in ``measures/__init__.py``.
    """

    name: ClassVar[str]

    @abstractmethod
    def value(self, y_true: Array, scores: Array) -> float:
        """Return the measure itself, 1 at best; a score above 0 predicts +1."""

    @abstractmethod
    def most_violated(self, y: Array, z: Array) -> tuple[Array, float]:
        """Return (a, delta) of a labeling that attains the maximum in the risk.

        The risk is ``delta - a @ z``.
        """

    def delta(self, y: Array, labels: Array) -> float:
        """Return what a labeling costs; a measure may scale its cost differently."""
        return 100.0 * (1.0 - self.value(y, labels))

    def risk(self, y: Array, z: Array) -> float:
        """Return R(z)."""
        a, delta = self.most_violated(y, z)
        return delta - float(a @ z)
