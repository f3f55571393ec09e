"""The set of ``handful demo``."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from handful.datasets.drawing import RandomState, SyntheticData, draw_ids, draw_rows, split_seed


def make_demo(
    n_samples: int = 1000,
    n_features: int = 5000,
    n_informative: int = 10,
    *,
    n_test_samples: int = 1000,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = 0,
) -> SyntheticData:
    """Draw a set as that of ``handful demo``, which has 3000 rows: thousands of named genes, ten of which decide.

    Entries are N(0, 1); the informative weights have size U(0.5, 1.5) and either sign.

    Parameters
    ----------
    n_samples : int, default=1000
        Training rows.
    n_features : int, default=5000
        Columns, named ``gene_0000``, ``gene_0001`` and so on.
    n_informative : int, default=10
        Columns with a weight, placed at random.
    n_test_samples, dtype, random_state
        As in :func:`make_sparse_linear`; the seed is fixed, so that the demo always shows the same.

    Returns
    -------
    SyntheticData
        Training rows, test rows, the truth, and feature names.

    Examples
    --------
    >>> from handful.datasets import make_demo
    >>> data = make_demo()
    >>> data.X_train.shape, data.feature_names[7]
    ((1000, 5000), 'gene_0007')
    """
    streams = split_seed(random_state)
    true_ids = draw_ids(n_features, n_informative, streams[0])
    sizes = streams[0].uniform(0.5, 1.5, n_informative)
    true_weights = sizes * streams[0].choice([-1.0, 1.0], n_informative)
    digits = max(4, len(str(n_features - 1)))
    names = tuple(f"gene_{j:0{digits}d}" for j in range(n_features))
    return draw_rows(
        streams, n_samples, n_test_samples, n_features, 1.0, dtype, true_ids, true_weights, names
    )
