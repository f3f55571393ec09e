"""Ids of pairs: every id stands for one feature, in the documented order, up to the largest."""

import numpy as np
import pytest

from handful.spaces.pairs.search import ALONE, PairNumbering


@pytest.mark.parametrize("n_columns", [1, 2, 3, 7])
@pytest.mark.parametrize("apart", [0, 1])
@pytest.mark.parametrize("linear", [False, True])
def test_ids_count_linear_features_then_the_upper_triangle_by_rows(n_columns, apart, linear):
    numbering = PairNumbering(n_columns, apart, n_columns if linear else 0)
    features = [(i, ALONE) for i in range(n_columns)] if linear else []
    features += [(i, j) for i in range(n_columns) for j in range(i + apart, n_columns)]
    assert numbering.n_features == len(features)
    left, right = numbering.decode(np.arange(len(features)))
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == features
    paired = right != ALONE
    np.testing.assert_array_equal(
        numbering.encode(left[paired], right[paired]), np.flatnonzero(paired)
    )


@pytest.mark.parametrize("n_columns", [2**32 - 1, 2**31 + 5, 1_604_981, 94_906_267])
@pytest.mark.parametrize("apart", [0, 1])
def test_numbers_are_exact_up_to_the_largest_id(n_columns, apart):
    numbering = PairNumbering(n_columns, apart, 0)
    assert numbering.n_features <= 2**63 - 1
    rng = np.random.default_rng(0)
    left = np.concatenate(
        [
            rng.integers(0, n_columns - apart, 1000),
            np.arange(100),
            n_columns - apart - 1 - np.arange(100),
        ]
    )
    for right in (
        left + apart,
        np.full_like(left, n_columns - 1),
        rng.integers(left + apart, n_columns),
    ):
        ids = numbering.encode(left, right)
        # Whole numbers of any size: where row i starts, and how far into it j is.
        rows = n_columns - apart
        expected = [
            i * rows - i * (i - 1) // 2 + j - i - apart
            for i, j in zip(left.tolist(), right.tolist(), strict=True)
        ]
        assert ids.tolist() == expected
        for found, wanted in zip(numbering.decode(ids), (left, right), strict=True):
            np.testing.assert_array_equal(found, wanted)
    last = np.array([numbering.n_features - 1])
    assert [int(part[0]) for part in numbering.decode(last)] == [
        n_columns - 1 - apart,
        n_columns - 1,
    ]
