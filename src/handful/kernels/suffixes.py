"""Suffixes in order: what neighbours have in common, and which document each is from.

A text is an array of whole numbers above zero, with a zero after each of its segments. ``suffixes`` are the
places of all other symbols, in the order of what follows there.
"""

import numpy as np

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def common_prefixes(text, suffixes):
    """How many symbols each suffix shares with the one before it in order, at most up to the end of a segment.

    In the order of the text the length falls by one at most from one suffix to the next (Kasai; in the form
    of Kaerkkaeinen, Manzini and Puglisi 2009), also if it ends with the segment: what is shared but for its first
    symbol lies between the two suffixes that begin one symbol later.
    """
    lengths = np.zeros(text.shape[0], dtype=suffixes.dtype)
    n_suffixes = suffixes.shape[0]
    lengths[suffixes[0]] = -1  # none before it
    for i in range(1, n_suffixes):
        lengths[suffixes[i]] = suffixes[i - 1]
    shared = 0
    for place in range(text.shape[0]):
        before = lengths[place]
        if text[place] == 0 or before < 0:
            shared = 0
            lengths[place] = 0
            continue
        while text[place + shared] != 0 and text[place + shared] == text[before + shared]:
            shared += 1
        lengths[place] = shared
        if shared > 0:
            shared -= 1
    in_order = np.empty(n_suffixes, dtype=suffixes.dtype)
    for i in range(n_suffixes):
        in_order[i] = lengths[suffixes[i]]
    return in_order


@njit(cache=True, nogil=True)
def segment_of_block(starts, shift, n_blocks):
    """The segment in which every block of ``2^shift`` places begins."""
    blocks = np.empty(n_blocks, dtype=np.int64)
    segment = 0
    for block in range(n_blocks):
        while starts[segment + 1] <= block << shift:
            segment += 1
        blocks[block] = segment
    return blocks


@njit(cache=True, nogil=True)
def _segment_at(place, starts, shift, blocks):
    """The segment that a place lies in; they begin at ``starts``, the last of which is the end."""
    segment = blocks[place >> shift]
    while starts[segment + 1] <= place:
        segment += 1
    return segment


@njit(cache=True, nogil=True)
def owners_of(suffixes, starts, owners, shift, blocks):
    """The document that each suffix is from."""
    found = np.empty(suffixes.shape[0], dtype=np.int32)
    for i in range(suffixes.shape[0]):
        found[i] = owners[_segment_at(suffixes[i], starts, shift, blocks)]
    return found


@njit(cache=True, nogil=True)
def rests_of(suffixes, starts, shift, blocks):
    """How many symbols there are from each suffix to the end of its segment."""
    found = np.empty(suffixes.shape[0], dtype=suffixes.dtype)
    for i in range(suffixes.shape[0]):
        segment = _segment_at(suffixes[i], starts, shift, blocks)
        found[i] = starts[segment + 1] - 1 - suffixes[i]
    return found
