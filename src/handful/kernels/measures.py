"""Loops that find the most violated labeling or ranking, once the scores are sorted."""

import numpy as np

from handful.kernels.compiled import njit

PARTS = 64  # in which the scores of negatives are counted
TO_SPARE = 1.0 + 1e-9  # of rounding


@njit(cache=True, nogil=True)
def least_score(n_positive, beta_squared, n_added):
    """A score at which a false positive beside so many others does not pay under F, however many positives are kept.

    What it pays is at most the slope of Delta, ``100 (1 + beta^2) a / (a + b + beta^2 P)^2``, largest for ``a = b + beta^2 P``.
    """
    others = n_added + beta_squared * n_positive
    kept = min(n_positive, others)
    return -50.0 * TO_SPARE * (1.0 + beta_squared) * kept / (kept + others) ** 2


@njit(cache=True, nogil=True)
def near_score(positive, scores, change, t, n_positive, beta_squared, shift):
    """A score, of those so far along a line and shifted, above which are all negatives that may be false positives under F.

    Where most negatives are a little below zero all of them could pay, but not beside each other. So they are counted, in
    parts of what lies between zero and the score at which none pays: the best so many, of which the last might, are enough.
    """
    least = least_score(n_positive, beta_squared, 0.0)
    counts = np.zeros(PARTS, np.int64)
    for i in range(scores.shape[0]):
        score = scores[i] + t * change[i] + shift
        if score > least and not positive[i]:
            part = int(PARTS * (score / least)) if score < 0.0 else 0
            counts[min(part, PARTS - 1)] += 1
    n_above = 0
    for part in range(PARTS):
        n_above += counts[part]
        edge = least * ((part + 1.0) / PARTS)
        if edge <= least_score(n_positive, beta_squared, n_above):
            return edge
    return least


@njit(cache=True, nogil=True)
def negatives_above(positive, scores, change, t, down_to):
    """Scores, so far along a line, and rows of the negatives above a score."""
    n_rows = scores.shape[0]
    near, rows = np.empty(n_rows), np.empty(n_rows, np.int64)
    n_near = 0
    for i in range(n_rows):
        score = scores[i] + t * change[i]
        if score > down_to and not positive[i]:
            near[n_near], rows[n_near] = score, i
            n_near += 1
    return near[:n_near].copy(), rows[:n_near].copy()


@njit(cache=True, nogil=True)
def fbeta_risk(positives, negatives, shift, beta_squared):
    """The most violated labeling of ascending scores that are shifted: how many rows are kept and added, and ``a' z``."""
    n_positive, n_negative = positives.shape[0], negatives.shape[0]
    above, below = np.empty(n_positive), np.empty(n_negative)
    for i in range(n_positive):
        above[i] = positives[i] + shift
    for j in range(n_negative):
        below[j] = negatives[j] + shift
    nothing = np.empty(0)
    kept, added, _ = fbeta_rows(above, below, nothing, nothing, beta_squared, 1.0)
    total = 0.0
    for i in range(n_positive - kept):
        total += 2.0 * above[i]
    for j in range(n_negative - added, n_negative):
        total -= 2.0 * below[j]
    return kept, added, total


@njit(cache=True, nogil=True)
def first_best(scores, lowest, ties):
    """Which are above the lowest score, or among the first so many that have it."""
    best = np.empty(scores.shape[0], np.bool_)
    for i in range(scores.shape[0]):
        best[i] = scores[i] > lowest
        if scores[i] == lowest and ties > 0:
            best[i], ties = True, ties - 1
    return best


@njit(cache=True, nogil=True)
def wrong_labels(positive, scores, lowest_kept, ties_kept, lowest_added, ties_added):
    """``y - y'`` of the labeling that keeps the best positives and adds the best negatives.

    The best are those above the lowest score, and of those that have it the first so many.
    """
    wrong = np.empty(scores.shape[0])
    for i in range(scores.shape[0]):
        score = scores[i]
        if positive[i]:
            is_kept = score > lowest_kept
            if score == lowest_kept and ties_kept > 0:
                is_kept, ties_kept = True, ties_kept - 1
            wrong[i] = 0.0 if is_kept else 2.0
        else:
            is_added = score > lowest_added
            if score == lowest_added and ties_added > 0:
                is_added, ties_added = True, ties_added - 1
            wrong[i] = -2.0 if is_added else 0.0
    return wrong


@njit(cache=True, nogil=True)
def fbeta_rows(positives, negatives, positive_weight, negative_weight, beta_squared, copy):
    """How many positives to keep and negatives to add, both from the best-scoring on down.

    Scores are ascending; weights go with them and are above zero, or are empty where each row counts once.
    Returned are how many rows are kept and added, and how much of the next negative's weight is added
    beside them. ``copy`` is the least weight that can be labelled by itself: 1 where a weight is a number
    of copies of its row, 0 where a row can be divided anywhere.

    With the weights a kept, b added and P in all, the value in the risk's maximum is
    100 (1 - (1 + beta^2) a / (a + b + beta^2 P)) - 2 (scores missed) + 2 (scores added), convex in a while
    one row is divided: positives are missed as whole rows. For a > 0 it is concave in b. What one more b gains
    rises with a up to about b + beta^2 P and then falls, so that it is worth adding for the a of an interval, and
    within that a further one. So the best b as a function of a rises and then falls (for beta >= 1 it only
    rises): a pointer that moves both ways makes O(rows) steps in all.

    Among labelings with the same value the one with fewest wrong labels of the positives is taken,
    then of the negatives.
    """
    n_positive, n_negative = positives.shape[0], negatives.shape[0]
    weight_kept, weight_added = _from_best(positive_weight), _from_best(negative_weight)
    base = beta_squared * _total(weight_kept, n_positive)
    missed, added = 0.0, 0.0
    best, best_kept, best_added, best_part = -np.inf, 0, 0, 0.0
    rows = 0
    for n_kept in range(n_positive, 0, -1):
        kept = _total(weight_kept, n_kept)
        size = (1.0 + beta_squared) * kept
        while rows < n_negative:
            b, score = _total(weight_added, rows + 1), negatives[n_negative - 1 - rows]
            if not _is_worth_adding(size, kept + (b - copy) + base, kept + b + base, score):
                break
            added += _weight(negative_weight, n_negative - 1 - rows) * score
            rows += 1
        while rows > 0:
            b, score = _total(weight_added, rows), negatives[n_negative - rows]
            if _is_worth_adding(size, kept + (b - copy) + base, kept + b + base, score):
                break
            added -= _weight(negative_weight, n_negative - rows) * score
            rows -= 1
        b, part, part_score = _total(weight_added, rows), 0.0, 0.0
        if rows < n_negative and _weight(negative_weight, n_negative - 1 - rows) > copy:
            score, weight = negatives[n_negative - 1 - rows], negative_weight[n_negative - 1 - rows]
            part = _part_worth_adding(size, kept + b, base, score, weight, copy)
            part_score = part * score
        value = 100.0 * (1.0 - size / (kept + (b + part) + base))
        value = value - 2.0 * missed + 2.0 * (added + part_score)
        if value > best:
            best, best_kept, best_added, best_part = value, n_kept, rows, part
        missed += _weight(positive_weight, n_positive - n_kept) * positives[n_positive - n_kept]
    # None kept: the measure is 0 whatever is added.
    rows, added = 0, 0.0
    while rows < n_negative and negatives[n_negative - 1 - rows] > 0.0:
        added += _weight(negative_weight, n_negative - 1 - rows) * negatives[n_negative - 1 - rows]
        rows += 1
    if 100.0 - 2.0 * missed + 2.0 * added > best:
        best_kept, best_added, best_part = 0, rows, 0.0
    return best_kept, best_added, best_part


@njit(cache=True, nogil=True)
def _weight(weight, row):
    """Of a row; 1 where there are no weights."""
    return weight[row] if weight.shape[0] > 0 else 1.0


@njit(cache=True, nogil=True)
def _from_best(weight):
    """Sums of the weights of the best so many rows, none if there are no weights.

    They are not kept up to date by adding and subtracting: a large weight that is taken out again would leave
    its rounding behind.
    """
    n_rows = weight.shape[0]
    sums = np.zeros(n_rows + 1 if n_rows > 0 else 0)
    for i in range(n_rows):
        sums[i + 1] = sums[i] + weight[n_rows - 1 - i]
    return sums


@njit(cache=True, nogil=True)
def _total(sums, n_rows):
    """The weight of the best so many rows."""
    return sums[n_rows] if sums.shape[0] > 0 else np.float64(n_rows)


@njit(cache=True, nogil=True)
def _is_worth_adding(size, before, after, score):
    """Whether the last copy of a negative raises the value, as it takes a + b + beta^2 P so much further.

    Where it takes it nowhere, a row can be divided, and this is the slope.
    """
    return 100.0 * (size / before) / after + 2.0 * score > 0.0


@njit(cache=True, nogil=True)
def _part_worth_adding(size, begin, base, score, weight, copy):
    """How much to add of a negative that is not worth adding as a whole: its gain falls all the way.

    ``begin`` is what is kept and added already. The gain vanishes where t = a + b + beta^2 P has
    ``t (t - copy) = 50 (1 + beta^2) a / -score``.
    """
    if score >= 0.0:
        return 0.0
    end = 0.5 * copy + np.sqrt(0.25 * copy * copy + 50.0 * (size / -score))
    part = min(max(end - begin - base, 0.0), weight)
    if copy == 0.0:
        return part
    # The formula may be one off; what decides is the gain of a copy.
    part = min(np.floor(part), weight - 1.0)
    while part > 0.0 and not _is_worth_adding(
        size, begin + (part - 1.0) + base, begin + part + base, score
    ):
        part -= 1.0
    while part + 1.0 < weight and _is_worth_adding(
        size, begin + part + base, begin + (part + 1.0) + base, score
    ):
        part += 1.0
    return part


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
            for j in range(begin, end):
                places[j] = least
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
