"""A few groups of features decide: the paper's sets for group selection."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike

from handful.datasets.drawing import RandomState, SyntheticData, draw_rows, split_seed
from handful.validation import check_count


def make_grouped_linear(
    n_samples: int = 4096,
    n_groups: int = 2000,
    group_size: int = 10,
    n_informative_groups: int = 100,
    *,
    density: float = 1.0,
    n_test_samples: int = 2000,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    r"""Draw a two-class problem that a few groups of features decide.

    .. math::

        y_i = \operatorname{sign}\left(\sum_{g \in S} \sum_{j \in g} w_j x_{ij}\right), \qquad
        x_{ij} \sim N(0, 1), \quad w_j \sim N(0, 1)

    (the paper's section 7). Groups are neighbouring features, all of one size. The defaults are the
    smaller of the paper's two sets, 4096 x 20,000; ``n_groups=40_000`` is the larger, 4096 x
    400,000, which takes 6.6 GB in float32.

    Parameters
    ----------
    n_samples : int, default=4096
        Training rows.
    n_groups : int, default=2000
        Groups.
    group_size : int, default=10
        Features in each.
    n_informative_groups : int, default=100
        Groups whose features have weights, placed at random.
    density : float in (0, 1], default=1.0
        Share of filled entries. Below 1 the data are CSR and are never made dense.
    n_test_samples : int, default=2000
        Test rows, labelled by the same truth; 0 for none.
    dtype : {float64, float32}, default=float64
        Type of the entries.
    random_state : int, Generator, RandomState or None, default=None
        Seed, or where to draw one; see the package's note on the random stream.

    Returns
    -------
    SyntheticData
        Training rows, test rows, the truth, and the group of every feature.

    Examples
    --------
    >>> from handful import FGMClassifier
    >>> from handful.datasets import make_grouped_linear
    >>> data = make_grouped_linear(400, 100, 5, 3, random_state=0)
    >>> model = FGMClassifier(3, groups=data.groups).fit(data.X_train, data.y_train)
    >>> bool((model.group_support_ == data.true_groups).all())
    True
    """
    check_count("n_groups", n_groups)
    check_count("group_size", group_size)
    check_count("n_informative_groups", n_informative_groups, most=n_groups)
    streams = split_seed(random_state)
    chosen = streams[0].choice(n_groups, n_informative_groups, replace=False)
    true_groups = np.sort(chosen).astype(np.int64)
    true_ids = (true_groups[:, None] * group_size + np.arange(group_size)).ravel()
    true_weights = streams[0].standard_normal(len(true_ids))
    data = draw_rows(
        streams,
        n_samples,
        n_test_samples,
        n_groups * group_size,
        density,
        dtype,
        true_ids,
        true_weights,
    )
    groups = np.repeat(np.arange(n_groups, dtype=np.int64), group_size)
    return replace(data, groups=groups, true_groups=true_groups)
