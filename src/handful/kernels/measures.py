"""Loops that find the most violated labeling or ranking, once the scores are sorted."""

from __future__ import annotations

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def fbeta_counts(positives, negatives, beta_squared):
    """How many positives to keep and negatives to add, both from the best-scoring on down.

    Scores are ascending. With a kept and b added the value in the risk's maximum is
    100 (1 - (1 + beta^2) a / (a + b + beta^2 P)) - 2 (scores missed) + 2 (scores added), concave in b
    for a > 0. One more b pays more under a + 1 than under a just when b - 1 + beta^2 P >= a, so that the
    best b as a function of a rises and then falls (for beta >= 1 it only rises): a pointer that moves
    both ways makes O(P + N) steps in all.

    Among labelings with the same value the one with fewest wrong labels of the positives is taken,
    then of the negatives.
    """
    n_positive, n_negative = positives.shape[0], negatives.shape[0]
    base = beta_squared * n_positive
    missed, added = 0.0, 0.0
    best, best_kept, best_added = -np.inf, 0, 0
    b = 0
    for kept in range(n_positive, 0, -1):
        size = (1.0 + beta_squared) * kept
        while b < n_negative:
            one_more = 100.0 * (size / (kept + b + base)) / (kept + b + 1.0 + base)
            if one_more + 2.0 * negatives[n_negative - 1 - b] <= 0.0:
                break
            added += negatives[n_negative - 1 - b]
            b += 1
        while b > 0:
            last = 100.0 * (size / (kept + b - 1.0 + base)) / (kept + b + base)
            if last + 2.0 * negatives[n_negative - b] > 0.0:
                break
            added -= negatives[n_negative - b]
            b -= 1
        value = 100.0 * (1.0 - size / (kept + b + base)) - 2.0 * missed + 2.0 * added
        if value > best:
            best, best_kept, best_added = value, kept, b
        missed += positives[n_positive - kept]
    # None kept: the measure is 0 whatever is added.
    b, added = 0, 0.0
    while b < n_negative and negatives[n_negative - 1 - b] > 0.0:
        added += negatives[n_negative - 1 - b]
        b += 1
    if 100.0 - 2.0 * missed + 2.0 * added > best:
        best_kept, best_added = 0, b
    return best_kept, best_added


@njit(cache=True, nogil=True)
def close_pairs(positives, negatives, positive_weight, negative_weight):
    """For each sample, the weight of those on the other side that it leads by less than 1.

    Scores are ascending, weights go with them. The result is in the order of the scores.
    """
    n_positive, n_negative = positives.shape[0], negatives.shape[0]
    of_positive = np.empty(n_positive)
    of_negative = np.empty(n_negative)
    # A negative is close to all positives below some score, and that score rises with its own.
    i, weight = 0, 0.0
    for j in range(n_negative):
        while i < n_positive and positives[i] - negatives[j] < 1.0:
            weight += positive_weight[i]
            i += 1
        of_negative[j] = weight
    j, weight = n_negative - 1, 0.0
    for i in range(n_positive - 1, -1, -1):
        while j >= 0 and positives[i] - negatives[j] < 1.0:
            weight += negative_weight[j]
            j -= 1
        of_positive[i] = weight
    return of_positive, of_negative


@njit(cache=True, nogil=True)
def precision_places(positives, negatives):
    """For each negative, how many positives the most violated ranking puts before it.

    Scores are descending, and so is the ranking within either class. Putting the j-th negative
    before the i-th positive (both from 1) when the j - 1 better negatives are there already is worth,
    in units of 100 / (P N),

        N i / ((i + j - 1) (i + j)) - (p_i - n_j),

    which falls as j grows. So each negative chooses for itself (Yue et al. 2007), and a worse one
    never goes before a better one: the choice of the middle negative bounds those on both sides,
    which makes O(P log N + N) steps of all. Of equally good places the last is taken.
    """
    n_positive, n_negative = positives.shape[0], negatives.shape[0]
    places = np.empty(n_negative, dtype=np.int64)
    todo = np.empty((130, 4), dtype=np.int64)  # twice the halvings of 2^64 negatives
    todo[0] = (0, n_negative, 0, n_positive)
    n_todo = 1
    while n_todo > 0:
        n_todo -= 1
        begin, end, least, most = todo[n_todo]
        if least == most:
            places[begin:end] = least
            continue
        if begin == end:
            continue
        middle = (begin + end) // 2
        worth, best, place = 0.0, 0.0, most
        for i in range(most - 1, least - 1, -1):
            rank = np.float64(i + middle + 1)
            loss = n_negative * ((i + 1) / rank) / (rank + 1.0)
            worth += loss - (positives[i] - negatives[middle])
            if worth > best:
                best, place = worth, i
        places[middle] = place
        todo[n_todo] = (begin, middle, least, place)
        todo[n_todo + 1] = (middle + 1, end, place, most)
        n_todo += 2
    return places


@njit(cache=True, nogil=True)
def shared_blame(positives, negatives, extra_positives, extra_negatives, price):
    """How many avoidable errors the most violated list has.

    Positives are ascending, negatives descending. With c avoidable errors the worst c + extra
    positives are missed and the best c + extra negatives are in the list, the extra ones whatever
    the order is. All of them share the blame: the value is
    ``price c - 2 (c / missed (scores missed) - c / added (scores added))``. Of equal values the one with
    fewest errors is taken.
    """
    missed, added = 0.0, 0.0
    for i in range(extra_positives):
        missed += positives[i]
    for j in range(extra_negatives):
        added += negatives[j]
    best, best_errors = 0.0, 0
    most = min(positives.shape[0] - extra_positives, negatives.shape[0] - extra_negatives)
    for c in range(1, most + 1):
        missed += positives[c + extra_positives - 1]
        added += negatives[c + extra_negatives - 1]
        value = price * c - 2.0 * (
            missed * (c / (c + extra_positives)) - added * (c / (c + extra_negatives))
        )
        if value > best:
            best, best_errors = value, c
    return best_errors
