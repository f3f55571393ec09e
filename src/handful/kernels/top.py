"""The k largest of many scores in one pass."""

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def _sift_down(heap_scores, heap_ids, start, size):
    """Restore the heap below start: the worst entry (low score, then high id) is on top."""
    score = heap_scores[start]
    key = heap_ids[start]
    hole = start
    child = 2 * hole + 1
    while child < size:
        right = child + 1
        if right < size and (
            heap_scores[right] < heap_scores[child]
            or (heap_scores[right] == heap_scores[child] and heap_ids[right] > heap_ids[child])
        ):
            child = right
        if heap_scores[child] < score or (heap_scores[child] == score and heap_ids[child] > key):
            heap_scores[hole] = heap_scores[child]
            heap_ids[hole] = heap_ids[child]
            hole = child
            child = 2 * hole + 1
        else:
            break
    heap_scores[hole] = score
    heap_ids[hole] = key


@njit(cache=True, nogil=True)
def top_k(scores, k, exclude):
    """Ids and values of the k largest positive scores, best first; the lower id wins a tie.

    ``exclude`` holds ids to pass over, ascending. Fewer than k come back when fewer are positive.
    """
    heap_scores = np.zeros(k)
    heap_ids = np.full(k, np.iinfo(np.int64).max, dtype=np.int64)
    if k == 0:
        return heap_ids, heap_scores
    skip = 0
    n_skip = exclude.shape[0]
    threshold = 0.0
    for j in range(scores.shape[0]):
        if scores[j] > threshold:
            while skip < n_skip and exclude[skip] < j:
                skip += 1
            if skip < n_skip and exclude[skip] == j:
                continue
            heap_push(heap_scores, heap_ids, scores[j], j)
            threshold = heap_scores[0]
    return heap_sorted(heap_scores, heap_ids)


@njit(cache=True, nogil=True)
def heap_push(heap_scores, heap_ids, score, key):
    """Put a score in place of the worst one, if it is better; the lower id wins a tie."""
    if score > heap_scores[0] or (score == heap_scores[0] and key < heap_ids[0]):
        heap_scores[0] = score
        heap_ids[0] = key
        _sift_down(heap_scores, heap_ids, 0, heap_scores.shape[0])


@njit(cache=True, nogil=True)
def heap_sorted(heap_scores, heap_ids):
    """Sort the heap in place, best first, and return what is positive."""
    k = heap_scores.shape[0]
    # Repeatedly move the worst to the end: what remains is sorted, best first.
    for size in range(k - 1, 0, -1):
        worst_score = heap_scores[0]
        worst_id = heap_ids[0]
        heap_scores[0] = heap_scores[size]
        heap_ids[0] = heap_ids[size]
        heap_scores[size] = worst_score
        heap_ids[size] = worst_id
        _sift_down(heap_scores, heap_ids, 0, size)
    found = 0
    while found < k and heap_scores[found] > 0.0:
        found += 1
    return heap_ids[:found], heap_scores[:found]
