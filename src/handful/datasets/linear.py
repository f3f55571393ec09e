"""A few weighted features, or groups of them, decide: the paper's sets X1, X2 and X3, and those for group selection."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from handful.datasets.drawing import RandomState, SyntheticData, draw_ids, draw_rows, split_seed
from handful.validation import check_choice, check_count

Weighting: TypeAlias = Literal["I", "II", "III"]

_EXPONENTS = {"I": 1.0, "II": 0.3, "III": 3.0}


def make_sparse_linear(
    n_samples: int,
    n_features: int,
    n_informative: int = 400,
    *,
    weighting: Weighting = "I",
    density: float = 1.0,
    n_test_samples: int = 4096,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    r"""Draw a two-class problem that a few weighted features decide.

    .. math::

        y_i = \operatorname{sign}\left(\sum_{j \in S} w_j x_{ij}\right), \qquad
        x_{ij} \sim N(0, 1), \quad w_j = u_j^{q}, \quad u_j \sim U(0, 1),

    with :math:`q` = 1, 0.3 or 3 for weighting I, II or III: the weights fall evenly, hardly, or
    steeply. With `density` below 1 each entry is filled with that probability, independently,
    and is zero otherwise. A row without an informative entry has :math:`x_i^\top w = 0` and gets
    the label -1, as scikit-learn's linear classifiers decide at zero; at density 0.005 with 400
    informative features these are 13 % of the rows.

    Parameters
    ----------
    n_samples : int
        Training rows.
    n_features : int
        Columns.
    n_informative : int, default=400
        Columns with a weight, placed at random.
    weighting : {"I", "II", "III"}, default="I"
        How unequal the weights are.
    density : float in (0, 1], default=1.0
        Share of filled entries. Below 1 the data are CSR and are never made dense.
    n_test_samples : int, default=4096
        Test rows, labelled by the same truth; 0 for none.
    dtype : {float64, float32}, default=float64
        Type of the entries.
    random_state : int, Generator, RandomState or None, default=None
        Seed, or where to draw one; see the module's note on the random stream.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth.

    Examples
    --------
    >>> from handful.datasets import make_sparse_linear
    >>> data = make_sparse_linear(50, 1000, n_informative=5, n_test_samples=20, random_state=0)
    >>> data.X_train.shape, data.X_test.shape, data.true_ids.shape
    ((50, 1000), (20, 1000), (5,))
    >>> scores = data.X_train[:, data.true_ids] @ data.true_weights
    >>> bool(((scores > 0) == (data.y_train > 0)).all())
    True
    """
    check_choice("weighting", weighting, tuple(_EXPONENTS))
    streams = split_seed(random_state)
    true_ids = draw_ids(n_features, n_informative, streams[0])
    true_weights = streams[0].random(n_informative) ** _EXPONENTS[weighting]
    return draw_rows(
        streams, n_samples, n_test_samples, n_features, density, dtype, true_ids, true_weights
    )


def make_x1(
    weighting: Weighting = "I",
    *,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    """Draw the paper's X1: 4096 x 4096, dense, 400 informative features, 4096 test rows.

    Parameters
    ----------
    weighting, dtype, random_state
        As in :func:`make_sparse_linear`.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth; 128 MB each of both matrices in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.datasets import make_x1
    >>> make_x1("III", dtype=np.float32, random_state=0).X_train.shape
    (4096, 4096)
    """
    return make_sparse_linear(
        4096, 4096, weighting=weighting, dtype=dtype, random_state=random_state
    )


def make_x2(
    weighting: Weighting = "I",
    *,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    """Draw the paper's X2: 4096 x 65536, dense, 400 informative features, 4096 test rows.

    Parameters
    ----------
    weighting, dtype, random_state
        As in :func:`make_sparse_linear`; the paper studies weighting "I" only.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth; 2 GB each of both matrices in float64.

    Examples
    --------
    >>> from handful.datasets import make_x2
    >>> data = make_x2(random_state=0)  # doctest: +SKIP
    """
    return make_sparse_linear(
        4096, 65536, weighting=weighting, dtype=dtype, random_state=random_state
    )


def make_x3(
    density: float = 1.0,
    weighting: Weighting = "I",
    *,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = None,
) -> SyntheticData:
    """Draw the paper's X3: 8192 x 100000, 400 informative features, 4096 test rows.

    Parameters
    ----------
    density : float in (0, 1], default=1.0
        Share of filled entries; the paper studies 0.005, 0.01, 0.05, 0.1, 0.5 and 1. The data are
        CSR below 1 and dense at 1 (6.6 GB for the training rows, half of it with float32).
    weighting, dtype, random_state
        As in :func:`make_sparse_linear`; the paper studies weighting "I" only.

    Returns
    -------
    SyntheticData
        Training rows, test rows, and the truth.

    Examples
    --------
    >>> from handful.datasets import make_x3
    >>> data = make_x3(density=0.005, random_state=0)
    >>> data.X_train.shape, data.X_train.format
    ((8192, 100000), 'csr')
    """
    return make_sparse_linear(
        8192, 100_000, weighting=weighting, density=density, dtype=dtype, random_state=random_state
    )


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
