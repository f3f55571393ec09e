"""The kernel that picks the k best scores, against sorting all of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.kernels.top import top_k

# Few distinct values, so that ties are the rule.
scores = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 7.0, 1e-300, 1e300]), max_size=60)
distinct_scores = st.lists(st.floats(0.0, 1e6), max_size=60)


def by_sorting(values, k, exclude):
    """Ids and scores, best first, the lower id first among equals, positive scores only."""
    wanted = [j for j in range(len(values)) if values[j] > 0 and j not in exclude]
    ids = sorted(wanted, key=lambda j: (-values[j], j))[:k]
    return ids, [values[j] for j in ids]


@settings(max_examples=400, deadline=None)
@given(st.one_of(scores, distinct_scores), st.integers(0, 70), st.sets(st.integers(0, 70)))
def test_top_k_equals_sorting(values, k, exclude):
    skip = np.array(sorted(exclude), dtype=np.int64)
    ids, best = top_k(np.array(values, dtype=np.float64), k, skip)
    expected_ids, expected_scores = by_sorting(values, k, exclude)
    assert ids.dtype == np.int64
    assert ids.tolist() == expected_ids
    assert best.tolist() == expected_scores


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3000))
def test_top_k_of_many(seed, k):
    values = np.random.default_rng(seed).integers(0, 500, 5000).astype(np.float64)
    ids, best = top_k(values, k, np.empty(0, dtype=np.int64))
    expected = np.argsort(-values, kind="stable")[:k]
    expected = expected[values[expected] > 0]
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_array_equal(best, values[expected])
