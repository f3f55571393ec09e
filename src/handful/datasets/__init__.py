r"""Data made here, whose truly informative features are known.

All sets follow one recipe (Tan, Tsang and Wang, "Towards ultrahigh dimensional feature
selection for big data", section 6.2.1): entries :math:`x_{ij} \sim N(0, 1)`, a weight vector
:math:`w` with few non-zeros, labels :math:`y_i = \operatorname{sign}(x_i^\top w)`.

The random stream: `random_state` seeds a ``numpy.random.SeedSequence`` that is split into five
children, one PCG64 generator each - the truth, where the training rows are filled, the training
values, and the same two for the test rows. Training data therefore do not depend on the number of
test rows, ``float32`` data are the ``float64`` data rounded, and all weightings of one seed share
their rows and informative features. Equal seeds give equal data under one version of NumPy.
"""

from handful.datasets.bags import BagData, make_bags
from handful.datasets.drawing import RandomState, SyntheticData
from handful.datasets.linear import (
    Weighting,
    make_demo,
    make_grouped_linear,
    make_sparse_linear,
    make_x1,
    make_x2,
    make_x3,
)

__all__ = [
    "BagData",
    "RandomState",
    "SyntheticData",
    "Weighting",
    "make_bags",
    "make_demo",
    "make_grouped_linear",
    "make_sparse_linear",
    "make_x1",
    "make_x2",
    "make_x3",
]
