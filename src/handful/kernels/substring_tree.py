"""The suffix tree of many documents, as far as its nodes occur in enough of them.

A node is an interval of the sorted suffixes: those that begin with one string. All substrings that end inside the edge
above a node occur at the same places, so that nodes are all the different columns there can be.
"""

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def find_nodes(shared, owner, rests, n_documents, depth, left, right, frequency, leaf_node):
    """Fill in the nodes in the order in which they are opened; return how many there are.

    The frequency of a node is the number of its leaves, less one for every two leaves in order of the same
    document that meet there (Hui 1992): the number of different documents. Of nodes with the same left end
    the deeper is opened first.

    Parameters
    ----------
    shared : ndarray
        What each suffix has in common with the one before. Where the leaf meets the last one of its document
        is left in it: the node, or -1 if that is the root or there is none.
    owner : ndarray of int32
    rests : ndarray
        Lengths of the suffixes: if given, leaves are nodes too.
    depth, left, right, frequency, leaf_node : ndarray
        To be filled in, with room for every suffix (and as many again if leaves are nodes).
        ``leaf_node`` is the deepest node above each leaf, -1 for the root.
    """
    n_suffixes = shared.shape[0]
    room = np.int64(shared.max()) + 2
    path, path_left = np.empty(room, np.int64), np.empty(room, np.int64)
    path_depth, path_count = np.empty(room, np.int64), np.empty(room, np.int64)
    path[0], path_left[0], path_depth[0], path_count[0] = -1, 0, 0, 0
    last = np.full(n_documents, -1, dtype=np.int64)
    last[owner[0]] = 0
    shared[0] = -1
    top, n_nodes = 0, 0
    for leaf in range(n_suffixes):
        common = np.int64(shared[leaf + 1]) if leaf + 1 < n_suffixes else np.int64(0)
        alone = -1
        if rests.shape[0] and rests[leaf] > max(common, path_depth[top]):
            alone = n_nodes
            depth[alone], left[alone], right[alone], frequency[alone] = rests[leaf], leaf, leaf, 1
            n_nodes += 1
        if common > path_depth[top]:
            top += 1
            path[top], path_left[top], path_depth[top], path_count[top] = n_nodes, leaf, common, 0
            depth[n_nodes], left[n_nodes] = common, leaf
            n_nodes += 1
        leaf_node[leaf] = path[top] if alone < 0 else alone
        path_count[top] += 1
        while path_depth[top] > common:
            node, first, count = path[top], path_left[top], path_count[top]
            right[node], frequency[node] = leaf, count
            top -= 1
            if path_depth[top] < common:
                top += 1
                path[top], path_left[top], path_depth[top] = n_nodes, first, common
                path_count[top] = count
                depth[n_nodes], left[n_nodes] = common, first
                n_nodes += 1
            else:
                path_count[top] += count
        if leaf + 1 < n_suffixes:
            before = last[owner[leaf + 1]]
            last[owner[leaf + 1]] = leaf + 1
            shared[leaf + 1] = -1
            if before >= 0:
                low, high = 0, top  # the deepest on the path that begins at or before the last leaf
                while low < high:
                    middle = (low + high + 1) // 2
                    if path_left[middle] <= before:
                        low = middle
                    else:
                        high = middle - 1
                path_count[low] -= 1
                shared[leaf + 1] = path[low]
    return n_nodes


@njit(cache=True, nogil=True)
def in_preorder(left, n_suffixes):
    """Nodes in the order of their strings: by their left end, and of those with the same the last opened first."""
    ends = np.zeros(n_suffixes + 1, dtype=left.dtype)
    for node in range(left.shape[0]):
        ends[left[node] + 1] += 1
    for i in range(n_suffixes):
        ends[i + 1] += ends[i]
    order = np.empty(left.shape[0], dtype=left.dtype)
    for node in range(left.shape[0] - 1, -1, -1):
        order[ends[left[node]]] = node
        ends[left[node]] += 1
    return order


@njit(cache=True, nogil=True)
def _with_room(path, top):
    """A path that has a place ``top``: itself, or one of twice the length."""
    if top < path.shape[0]:
        return path
    longer = np.empty(2 * top, dtype=np.int64)
    for i in range(top):
        longer[i] = path[i]
    return longer


@njit(cache=True, nogil=True)
def choose_nodes(order, depth, left, right, frequency, limits, place, chosen, shortest):
    """Find the nodes within limits; return how many.

    Parameters
    ----------
    order : ndarray
        The nodes in preorder.
    limits : (least, most frequency, least, most length)
    place : ndarray
        For each node, to be filled in: the position of the nearest chosen node among itself and those above it, -1 if
        there is none.
    chosen, shortest : ndarray
        The chosen nodes in preorder, and the length of the shortest string that occurs where they do.
    """
    least, most, shortest_allowed, longest_allowed = limits
    path = np.empty(16, dtype=np.int64)
    top, n_chosen = -1, 0
    for i in range(order.shape[0]):
        node = order[i]
        while top >= 0 and right[path[top]] < left[node]:
            top -= 1
        above = np.int64(depth[path[top]]) if top >= 0 else np.int64(0)
        place[node] = place[path[top]] if top >= 0 else -1
        begin = max(above + 1, shortest_allowed)
        if (
            least <= frequency[node] <= most
            and begin <= longest_allowed
            and depth[node] >= shortest_allowed
        ):
            place[node] = n_chosen
            chosen[n_chosen], shortest[n_chosen] = node, begin
            n_chosen += 1
        top += 1
        path = _with_room(path, top)
        path[top] = node
    return n_chosen


@njit(cache=True, nogil=True)
def levels_of(left, right):
    """How many others each of some nodes lies in; the nodes are in preorder."""
    levels = np.empty(left.shape[0], dtype=np.int32)
    path = np.empty(16, dtype=np.int64)
    top = -1
    for node in range(left.shape[0]):
        while top >= 0 and right[path[top]] < left[node]:
            top -= 1
        top += 1
        levels[node] = top
        path = _with_room(path, top)
        path[top] = node
    return levels


@njit(cache=True, nogil=True)
def column_hashes(place, leaf_node, meeting, owner, codes, counts, levels, n_levels):
    """For each node ``sum over its documents of codes``, or over its leaves if ``counts``, modulo 2^64.

    ``codes`` has a few random numbers for each document.
    """
    n_nodes, n_codes = levels.shape[0], codes.shape[1]
    sums = np.zeros((n_nodes, n_codes), dtype=np.uint64)
    for leaf in range(owner.shape[0]):
        document = owner[leaf]
        if leaf_node[leaf] >= 0 and place[leaf_node[leaf]] >= 0:
            node = place[leaf_node[leaf]]
            for c in range(n_codes):
                sums[node, c] += codes[document, c]
        if not counts and meeting[leaf] >= 0 and place[meeting[leaf]] >= 0:
            node = place[meeting[leaf]]
            for c in range(n_codes):
                sums[node, c] -= codes[document, c]
    below = np.zeros((n_levels + 2, n_codes), dtype=np.uint64)
    for node in range(n_nodes - 1, -1, -1):
        level = levels[node]
        for c in range(n_codes):
            sums[node, c] += below[level + 1, c]
            below[level + 1, c] = 0
            below[level, c] += sums[node, c]
    return sums


@njit(cache=True, nogil=True)
def merge_equals(hashes, lengths, shortest, stands, briefest):
    """Fill in, for each node, whether it stands for all with its hashes, and if so which has the shortest string.

    The first of those with the longest string stands for them. ``briefest`` has the type of nodes.
    """
    n_nodes = hashes.shape[0]
    size = 16
    while 2 * size < 3 * n_nodes:
        size *= 2
    table = np.full(size, -1, dtype=briefest.dtype)  # one node of each hash: the first
    longest = np.empty(n_nodes, dtype=briefest.dtype)  # for those
    for node in range(n_nodes):
        slot = np.int64(hashes[node, 0] & np.uint64(size - 1))
        while table[slot] >= 0 and not (
            hashes[table[slot], 0] == hashes[node, 0] and hashes[table[slot], 1] == hashes[node, 1]
        ):
            slot = np.int64((slot + 1) & (size - 1))
        stands[node] = False
        if table[slot] < 0:
            table[slot] = longest[node] = briefest[node] = node
            continue
        first = table[slot]
        if lengths[node] > lengths[longest[first]]:
            longest[first] = node
        if shortest[node] < shortest[briefest[first]]:
            briefest[first] = node
    for first in table:
        if first >= 0:
            stands[longest[first]] = True
            briefest[longest[first]] = briefest[first]


@njit(cache=True, nogil=True)
def levels_among(levels, is_kept, n_levels, nearest):
    """How many of the kept nodes each of them lies in.

    ``nearest`` gets the number, among those kept, of the nearest one among each node and those above it; -1 if there is none.
    """
    found = np.empty(is_kept.sum(), dtype=np.int32)
    above = np.zeros(n_levels + 1, dtype=np.int32)  # kept nodes on the path, up to each level
    path = np.full(n_levels + 1, -1, dtype=np.int64)  # and the last of them
    n_kept = 0
    for node in range(levels.shape[0]):
        level = levels[node]
        above[level + 1], path[level + 1] = above[level], path[level]
        if is_kept[node]:
            found[n_kept] = above[level]
            above[level + 1] += 1
            path[level + 1] = n_kept
            n_kept += 1
        nearest[node] = path[level + 1]
    return found


@njit(cache=True, nogil=True)
def through(place, nearest):
    """Where each node is found once nodes are merged; in place."""
    for node in range(place.shape[0]):
        if place[node] >= 0:
            place[node] = nearest[place[node]]
    return place
