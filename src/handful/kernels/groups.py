"""Groups of features: are they nested, what do they sum to, and which are best."""

import numpy as np

from handful.kernels.compiled import njit
from handful.kernels.top import heap_push, heap_sorted

# Differences of running sums are this far from the sums themselves, relative to the total.
ROUNDING = 1e-10


@njit(cache=True, nogil=True)
def parents(starts, stops, members, largest_first, n_features):
    """Return the smallest group around each group (-1: none), and the smallest around each feature.

    The groups come with the largest first. A group whose members lie in different groups overlaps
    one of them; the first parent is then -2.
    """
    parent = np.full(starts.shape[0], -1, dtype=np.int64)
    deepest = np.full(n_features, -1, dtype=np.int64)
    for group in largest_first:
        around = deepest[members[starts[group]]]
        for i in range(starts[group], stops[group]):
            if deepest[members[i]] != around:
                parent[0] = -2
                return parent, deepest
            deepest[members[i]] = group
        parent[group] = around
    return parent, deepest


@njit(cache=True, nogil=True)
def walk_order(parent):
    """Return the groups parents first (a depth-first walk), and where each one's subtree ends."""
    n_groups = parent.shape[0]
    # Children of g: first_child[g], then their siblings; slot n_groups holds the roots.
    first_child = np.full(n_groups + 1, -1, dtype=np.int64)
    sibling = np.full(n_groups, -1, dtype=np.int64)
    for group in range(n_groups - 1, -1, -1):
        above = parent[group] if parent[group] >= 0 else n_groups
        sibling[group] = first_child[above]
        first_child[above] = group
    order = np.empty(n_groups, dtype=np.int64)
    place = np.empty(n_groups, dtype=np.int64)
    ends = np.empty(n_groups, dtype=np.int64)
    done = 0
    group = first_child[n_groups]
    while group >= 0:
        order[done] = group
        place[group] = done
        done += 1
        if first_child[group] >= 0:
            group = first_child[group]
            continue
        while group >= 0:
            ends[place[group]] = done
            if sibling[group] >= 0:
                group = sibling[group]
                break
            group = parent[group]
    return order, ends


@njit(cache=True, nogil=True)
def largest_below(values, order, ends):
    """Return the largest value in each subtree, in walking order."""
    largest = values[order]
    for place in range(order.shape[0] - 1, -1, -1):
        below = place + 1
        while below < ends[place]:
            largest[place] = max(largest[place], largest[below])
            below = ends[below]
    return largest


@njit(cache=True, nogil=True)
def group_score(scores, members, start, stop, squared_factor):
    """``lambda_g^2 * sum over the group of c_j^2``."""
    total = 0.0
    for i in range(start, stop):
        total += scores[members[i]]
    return squared_factor * total


@njit(cache=True, nogil=True)
def flat_scores(scores, members, starts, stops, squared_factors, out):
    """Score every group."""
    for group in range(starts.shape[0]):
        out[group] = group_score(
            scores, members, starts[group], stops[group], squared_factors[group]
        )


@njit(cache=True, nogil=True)
def tree_top(scores, members, starts, stops, squared_factors, order, ends, ceilings, k, passed):
    """Find the k best groups of a forest, skipping what cannot be among them (Proposition 2).

    A group inside another has no larger sum, so ``ceiling * sum`` of the outer one bounds all
    scores below it. Sums of the bounds come from running sums, those of the answers are exact.
    ``passed`` marks the groups to pass over. Also returns how many groups were scored.
    """
    running = np.zeros(members.shape[0] + 1)
    for i in range(members.shape[0]):
        running[i + 1] = running[i] + scores[members[i]]
    slack = ROUNDING * running[-1]
    heap_scores = np.zeros(k)
    heap_ids = np.full(k, np.iinfo(np.int64).max, dtype=np.int64)
    place, n_scored = 0, 0
    while k > 0 and place < order.shape[0]:
        group = order[place]
        most = ceilings[place] * (running[stops[group]] - running[starts[group]] + slack)
        if most < heap_scores[0]:
            place = ends[place]
            continue
        if not passed[group]:
            n_scored += 1
            score = group_score(
                scores, members, starts[group], stops[group], squared_factors[group]
            )
            heap_push(heap_scores, heap_ids, score, group)
        place += 1
    ids, best = heap_sorted(heap_scores, heap_ids)
    return ids, best, n_scored
