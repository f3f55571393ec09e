"""Sums over the documents that substrings occur in, for all substrings in one sweep.

The columns of a tree of substrings are kept as a short list: each node has the documents whose value is another there than
what its children have together, and the difference. What lies below a node are its neighbours in preorder, so that a
sweep from the last node to the first needs one sum for each level.
"""

import numpy as np

from handful.kernels.compiled import njit

FEW = 1024  # counts whose logarithms are looked up
PRESENCE, COUNT, LOG = 0, 1, 2


@njit(cache=True, nogil=True)
def count_differences(place, leaf_node, meeting, n_nodes):
    """Where the list of each node begins if it has all its leaves, and the meetings of leaves."""
    starts = np.zeros(n_nodes + 1, dtype=np.int64)
    for leaf in range(leaf_node.shape[0]):
        if leaf_node[leaf] >= 0 and place[leaf_node[leaf]] >= 0:
            starts[place[leaf_node[leaf]] + 1] += 1
        if meeting[leaf] >= 0 and place[meeting[leaf]] >= 0:
            starts[place[meeting[leaf]] + 1] += 1
    for node in range(n_nodes):
        starts[node + 1] += starts[node]
    return starts


@njit(cache=True, nogil=True)
def list_differences(place, leaf_node, meeting, owner, starts, documents):
    """Fill in the documents: of a meeting as ``-1 - document``."""
    ends = starts[:-1].copy()
    for leaf in range(leaf_node.shape[0]):
        if leaf_node[leaf] >= 0 and place[leaf_node[leaf]] >= 0:
            node = place[leaf_node[leaf]]
            documents[ends[node]] = owner[leaf]
            ends[node] += 1
        if meeting[leaf] >= 0 and place[meeting[leaf]] >= 0:
            node = place[meeting[leaf]]
            documents[ends[node]] = -1 - owner[leaf]
            ends[node] += 1


@njit(cache=True, nogil=True)
def add_up(starts, documents, n_documents, weight, values):
    """Have every document once in the list of a node, in place, with its leaves; for presence less its meetings."""
    sums = np.zeros(n_documents, dtype=np.int64)
    seen = np.full(n_documents, -1, dtype=np.int64)
    found = np.empty(n_documents, dtype=np.int64)
    end, begin = 0, 0
    for node in range(starts.shape[0] - 1):
        n_found = 0
        for i in range(begin, starts[node + 1]):
            is_meeting = documents[i] < 0
            document = -1 - documents[i] if is_meeting else documents[i]
            if seen[document] != node:
                seen[document] = node
                sums[document] = 0
                found[n_found] = document
                n_found += 1
            if not is_meeting:
                sums[document] += 1
            elif weight == PRESENCE:
                sums[document] -= 1
        begin = starts[node + 1]
        starts[node] = end
        for i in range(n_found):
            if sums[found[i]] != 0 or weight != PRESENCE:
                documents[end] = found[i]
                values[end] = sums[found[i]]
                end += 1
    starts[-1] = end
    return end


@njit(cache=True, nogil=True)
def differences_of(weight, starts, documents, counts, ends, n_documents):
    """What each document has at a node for its count, less what it has at the children; and the same for squares.

    ``counts`` are of leaves right below the node; wherever a document has several branches it is in the list. For each
    document the nodes that do not lie in another one yet are a chain.
    """
    values, squares = np.empty(documents.shape[0]), np.empty(documents.shape[0])
    few = np.log1p(np.arange(FEW))
    head = np.full(n_documents, -1, dtype=np.int64)
    behind = np.empty(documents.shape[0], dtype=np.int64)
    node_of = np.empty(documents.shape[0], dtype=np.int64)
    totals = np.empty(documents.shape[0], dtype=np.int64)
    own = np.empty(documents.shape[0])
    for node in range(starts.shape[0] - 2, -1, -1):
        for i in range(starts[node], starts[node + 1]):
            document = documents[i]
            total, parts, square_parts = np.int64(counts[i]), 0.0, 0.0
            other = head[document]
            while other >= 0 and node_of[other] < ends[node]:
                total += totals[other]
                parts += own[other]
                square_parts += own[other] * own[other]
                other = behind[other]
            value = float(total)
            if weight == LOG:
                value = few[total] if total < FEW else np.log1p(value)
            head[document], behind[i], node_of[i], totals[i] = i, other, node, total
            own[i] = value
            values[i], squares[i] = value - parts, value * value - square_parts
    return values, squares


@njit(cache=True, nogil=True)
def ends_of_subtrees(levels):
    """The first node behind those that lie in each one."""
    n_nodes = levels.shape[0]
    ends = np.empty(n_nodes, dtype=np.int64)
    for node in range(n_nodes - 1, -1, -1):
        end = node + 1
        while end < n_nodes and levels[end] > levels[node]:
            end = ends[end]
        ends[node] = end
    return ends


@njit(cache=True, nogil=True)
def sums_of(starts, documents, values, levels, n_levels, a, sums):
    """For each node ``sum over documents of value a``, in the type of a."""
    below = np.zeros(n_levels + 2, dtype=a.dtype)
    zero = below[0]
    for node in range(levels.shape[0] - 1, -1, -1):
        total = zero
        for i in range(starts[node], starts[node + 1]):
            total += values[i] * a[documents[i]]
        level = levels[node]
        total += below[level + 1]
        below[level + 1] = zero
        below[level] += total
        sums[node] = total


@njit(cache=True, nogil=True)
def sweep(starts, documents, values, levels, n_levels, a, squares):
    """Scores of all nodes, added up over outputs, with a of shape (n_documents, n_outputs)."""
    n_outputs = a.shape[1]
    below = np.zeros((n_levels + 2, n_outputs))
    for node in range(levels.shape[0] - 1, -1, -1):
        level = levels[node]
        total = below[level + 1]
        for i in range(starts[node], starts[node + 1]):
            value, document = values[i], documents[i]
            for k in range(n_outputs):
                total[k] += value * a[document, k]
        score = 0.0
        for k in range(n_outputs):
            score += total[k] * total[k]
            below[level, k] += total[k]
            total[k] = 0.0
        squares[node] = score


@njit(cache=True, nogil=True)
def pick_columns(starts, documents, values, ends, ids, frequency, n_documents):
    """The columns of some nodes as CSC: each is the sum of the lists below its node."""
    indptr = np.zeros(ids.shape[0] + 1, dtype=np.int64)
    for i in range(ids.shape[0]):
        indptr[i + 1] = indptr[i] + frequency[ids[i]]
    indices = np.empty(indptr[-1], dtype=np.int32)
    data = np.empty(indptr[-1])
    sums = np.zeros(n_documents)
    seen = np.full(n_documents, -1, dtype=np.int64)
    for i in range(ids.shape[0]):
        place = indptr[i]
        for j in range(starts[ids[i]], starts[ends[ids[i]]]):
            document = documents[j]
            if seen[document] != i:
                seen[document] = i
                sums[document] = 0.0
                indices[place] = document
                place += 1
            sums[document] += values[j]
        rows = np.sort(indices[indptr[i] : indptr[i + 1]])
        for j in range(rows.shape[0]):
            indices[indptr[i] + j] = rows[j]
            data[indptr[i] + j] = sums[rows[j]]
    return indptr, indices, data
