"""Find many strings in one pass over a text (Aho and Corasick 1975).

Strings and text are whole numbers above zero; a zero in the text belongs to no string. An automaton is the tuple that
:func:`build_automaton` returns. Edges are in a hash table, so that its size is that of the strings whatever the alphabet.
"""

import numpy as np

from handful.kernels.compiled import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _slot(key, keys):
    """Where a key is in the table, or would be."""
    mask = keys.shape[0] - 1
    slot = np.int64((np.uint64(key) * GOLDEN) >> np.uint64(20)) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def build_automaton(strings, starts, n_symbols):
    """Build the automaton of strings that lie end to end; n_symbols is more than the largest symbol.

    Returns keys and targets of edges, targets of edges from the root, the state to fall back to, the string that ends in
    a state (-1 for none), and the next shorter state in which one ends (-1 for none).
    """
    room = strings.shape[0] + 1
    size = 16
    while size < 2 * room:
        size *= 2
    keys = np.full(size, -1, dtype=np.int64)
    targets = np.zeros(size, dtype=np.int64)
    roots = np.zeros(n_symbols, dtype=np.int64)
    ending = np.full(room, -1, dtype=np.int64)
    above, symbol = np.zeros(room, np.int64), np.zeros(room, np.int64)
    depth = np.zeros(room, np.int64)
    n_states = 1
    for number in range(starts.shape[0] - 1):
        state = 0
        for i in range(starts[number], starts[number + 1]):
            slot = _slot(state * n_symbols + strings[i], keys)
            if keys[slot] < 0:
                keys[slot], targets[slot] = state * n_symbols + strings[i], n_states
                above[n_states], symbol[n_states] = state, strings[i]
                depth[n_states] = depth[state] + 1
                if state == 0:
                    roots[strings[i]] = n_states
                n_states += 1
            state = targets[slot]
        ending[state] = number
    fall, shorter = np.zeros(n_states, np.int64), np.full(n_states, -1, dtype=np.int64)
    automaton = (keys, targets, roots, fall, ending[:n_states], shorter)
    for state in np.argsort(depth[:n_states], kind="mergesort")[1:]:
        if above[state] != 0:
            fall[state] = next_state(automaton, fall[above[state]], symbol[state])
        shorter[state] = fall[state] if ending[fall[state]] >= 0 else shorter[fall[state]]
    return automaton


@njit(cache=True, nogil=True)
def next_state(automaton, state, symbol):
    """The longest beginning of a string that ends with this symbol."""
    keys, targets, roots, fall, _, _ = automaton
    n_symbols = roots.shape[0]
    while state != 0:
        slot = _slot(state * n_symbols + symbol, keys)
        if keys[slot] >= 0:
            return targets[slot]
        state = fall[state]
    return roots[symbol]


@njit(cache=True, nogil=True)
def count_matches(automaton, text, starts, owners, n_documents, n_strings):
    """How often each string occurs in each document, as CSR: counts, numbers of strings, indptr.

    Segments of a document are neighbours; ``owners`` are their documents.
    """
    ending, shorter = automaton[4], automaton[5]
    indptr = np.zeros(n_documents + 1, dtype=np.int64)
    indices, data = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int64)
    counts = np.zeros(n_strings, dtype=np.int64)
    found = np.empty(n_strings, dtype=np.int32)
    n_found = end = segment = 0
    for document in range(n_documents):
        while segment < owners.shape[0] and owners[segment] == document:
            state = np.int64(0)
            for i in range(starts[segment], starts[segment + 1]):
                state = next_state(automaton, state, text[i]) if text[i] else np.int64(0)
                match = state if ending[state] >= 0 else shorter[state]
                while match >= 0:
                    number = ending[match]
                    if counts[number] == 0:
                        found[n_found] = number
                        n_found += 1
                    counts[number] += 1
                    match = shorter[match]
            segment += 1
        if end + n_found > indices.shape[0]:
            indices = np.concatenate((indices, np.empty(end + n_found, dtype=np.int32)))
            data = np.concatenate((data, np.empty(end + n_found, dtype=np.int64)))
        for number in np.sort(found[:n_found]):
            indices[end], data[end] = number, counts[number]
            counts[number] = 0
            end += 1
        n_found = 0
        indptr[document + 1] = end
    return data[:end], indices[:end], indptr


@njit(cache=True, nogil=True)
def find_matches(automaton, lengths, text):
    """Where strings of some lengths occur in a text: their numbers and where they begin, in the order of their ends."""
    ending, shorter = automaton[4], automaton[5]
    numbers, places = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    n_found, state = 0, np.int64(0)
    for i in range(text.shape[0]):
        state = next_state(automaton, state, text[i]) if text[i] else np.int64(0)
        match = state if ending[state] >= 0 else shorter[state]
        while match >= 0:
            if n_found == numbers.shape[0]:
                numbers = np.concatenate((numbers, np.empty(n_found, dtype=np.int64)))
                places = np.concatenate((places, np.empty(n_found, dtype=np.int64)))
            numbers[n_found] = ending[match]
            places[n_found] = i + 1 - lengths[ending[match]]
            n_found += 1
            match = shorter[match]
    return numbers[:n_found], places[:n_found]
