"""Order numbers digit by digit: the time depends on how many there are, not on their ties.

Finite float64 numbers are in the order of their bits, once the sign bit of the positive ones and all
bits of the negative ones are turned over. Digits have 11 bits, so that there are six.
"""

import numpy as np

from handful.kernels.compiled import njit

N_DIGITS = 6
DIGIT_BITS = 11
N_BUCKETS = 1 << DIGIT_BITS
SIGN = np.uint64(1 << 63)
LAST_DIGIT = np.uint64(N_BUCKETS - 1)


@njit(cache=True, nogil=True)
def _keys(values):
    """Whole numbers in the order of the values; the two zeros are the same."""
    keys = (values + 0.0).view(np.uint64)
    for i in range(keys.shape[0]):
        keys[i] = ~keys[i] if keys[i] & SIGN else keys[i] | SIGN
    return keys


@njit(cache=True, nogil=True)
def _digit(key, place):
    return np.int64((key >> np.uint64(DIGIT_BITS * place)) & LAST_DIGIT)


@njit(cache=True, nogil=True)
def stable_order(values):
    """Positions of the values in ascending order; the first comes first among equals."""
    n_values = values.shape[0]
    keys = _keys(values)
    starts = np.zeros((N_DIGITS, N_BUCKETS), dtype=np.int64)
    for i in range(n_values):
        for place in range(N_DIGITS):
            starts[place, _digit(keys[i], place)] += 1
    order = np.arange(n_values)
    next_keys, next_order = np.empty_like(keys), np.empty_like(order)
    for place in range(N_DIGITS):
        start, all_in_one = 0, False
        for bucket in range(N_BUCKETS):
            count = starts[place, bucket]
            all_in_one = all_in_one or count == n_values
            starts[place, bucket] = start
            start += count
        if all_in_one:
            continue
        for i in range(n_values):
            bucket = _digit(keys[i], place)
            to = starts[place, bucket]
            starts[place, bucket] = to + 1
            next_keys[to] = keys[i]
            next_order[to] = order[i]
        keys, next_keys = next_keys, keys
        order, next_order = next_order, order
    return order


@njit(cache=True, nogil=True)
def kth_largest(values, k):
    """The k-th largest value, k from 1 to as many as there are."""
    keys = _keys(values)
    n_left, above = keys.shape[0], k - 1
    counts = np.empty(N_BUCKETS, dtype=np.int64)
    for place in range(N_DIGITS - 1, -1, -1):
        counts[:] = 0
        for i in range(n_left):
            counts[_digit(keys[i], place)] += 1
        bucket = N_BUCKETS - 1
        while counts[bucket] <= above:
            above -= counts[bucket]
            bucket -= 1
        n_kept = 0
        for i in range(n_left):
            if _digit(keys[i], place) == bucket:
                keys[n_kept] = keys[i]
                n_kept += 1
        n_left = n_kept
    keys[0] = keys[0] ^ SIGN if keys[0] & SIGN else ~keys[0]
    return keys.view(np.float64)[0]
