"""How the index of all substrings is made.

    text -> sorted suffixes -> what neighbours share -> nodes -> equal columns -> lists

All of it takes time proportional to the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from handful.kernels import substring_sums as sums
from handful.kernels import substring_tree as tree
from handful.kernels import suffixes as kernels
from handful.spaces.strings.index import WEIGHTS, Limits, SubstringIndex, document_codes
from handful.spaces.strings.symbols import Alphabet
from handful.validation.strings import no_substrings, sorting_is_missing

Array = np.ndarray
BLOCK_SHIFT = 6  # where the segments of so many places begin is looked up together


def sorted_suffixes(text: Array) -> Array:
    """Return where the suffixes of a text begin, in their order: int32, or int64 for long ones.

    libdivsufsort sorts bytes. Larger symbols are written with several bytes each, the first of which counts most; then of
    all suffixes those that begin with a symbol are in the right order.
    """
    try:
        from pydivsufsort import divsufsort
    except ImportError as error:
        raise sorting_is_missing() from error
    width = -(-int(text.max(initial=1)).bit_length() // 8)
    if width == 1:
        return np.asarray(divsufsort(text.astype(np.uint8, copy=False)))
    highest_first = text.astype(np.dtype(">u4")).view(np.uint8).reshape(-1, 4)[:, 4 - width :]
    suffixes = np.asarray(divsufsort(np.ascontiguousarray(highest_first).ravel()))
    suffixes = suffixes[suffixes % width == 0]
    suffixes //= width
    return suffixes


def build_index(
    segments: Sequence[Any],
    owners: Array,
    n_documents: int,
    alphabet: Alphabet,
    limits: Limits,
    weight: str,
    tell: Callable[[str], None] = lambda news: None,
    sort: Callable[[Array], Array] = sorted_suffixes,
) -> SubstringIndex:
    """Return the index of the substrings of segments; ``owners`` are the documents that these are from."""
    text, starts = alphabet.encode(segments)
    n_symbols = len(text) - len(segments)
    if n_symbols == 0:
        raise no_substrings(n_documents, limits, are_empty=True)
    tell(f"sorting the suffixes of {n_symbols} symbols")
    suffixes = sort(text)[len(segments) :]  # the zeros come first
    tell("comparing neighbours")
    nodes = _Nodes(text, starts, owners, suffixes, n_documents, leaves=limits.min_df == 1)
    del suffixes
    tell(f"choosing among {nodes.count} nodes")
    nodes.choose(limits)
    tell(f"merging equal columns of {len(nodes.frequency)}")
    if not len(nodes.frequency):
        raise no_substrings(n_documents, limits, are_empty=False)
    kind = WEIGHTS[weight]
    nodes.merge(kind)
    tell(f"listing the documents of {len(nodes.frequency)} different columns")
    index = nodes.listed(kind, alphabet)
    tell(f"{len(index)} features, {len(index.documents)} entries")
    return index


class _Nodes:
    """The nodes of the suffix tree while there are fewer and fewer of them."""

    def __init__(
        self,
        text: Array,
        starts: Array,
        owners: Array,
        suffixes: Array,
        n_documents: int,
        *,
        leaves: bool,
    ) -> None:
        dtype, n_suffixes = suffixes.dtype, len(suffixes)
        self.text, self.n_documents, self.suffixes = text, n_documents, suffixes
        blocks = kernels.segment_of_block(starts, BLOCK_SHIFT, (len(text) >> BLOCK_SHIFT) + 1)
        self.owner = kernels.owners_of(suffixes, starts, owners, BLOCK_SHIFT, blocks)
        rests = np.empty(0, dtype=dtype)
        if leaves:
            rests = kernels.rests_of(suffixes, starts, BLOCK_SHIFT, blocks)
        # Where a leaf meets the last one of its document takes the place of what it shares with the one before.
        self.meeting = kernels.common_prefixes(text, suffixes)
        self.leaf_node = np.empty(n_suffixes, dtype=dtype)
        room = 2 * n_suffixes if leaves else n_suffixes  # memory is taken where it is written to
        depth, left, right, frequency = (np.empty(room, dtype=dtype) for _ in range(4))
        self.count = tree.find_nodes(
            self.meeting,
            self.owner,
            rests,
            n_documents,
            depth,
            left,
            right,
            frequency,
            self.leaf_node,
        )
        self.depth, self.left = depth[: self.count], left[: self.count]
        self.right, self.frequency = right[: self.count], frequency[: self.count]

    def choose(self, limits: Limits) -> None:
        """Keep the nodes within limits, in preorder."""
        dtype = self.depth.dtype
        order = tree.in_preorder(self.left, len(self.owner))
        self.at = np.empty(self.count, dtype=dtype)
        chosen, shortest = np.empty(self.count, dtype=dtype), np.empty(self.count, dtype=dtype)
        limit = (limits.min_df, limits.max_df, limits.min_length, limits.max_length)
        count = tree.choose_nodes(
            order,
            self.depth,
            self.left,
            self.right,
            self.frequency,
            limit,
            self.at,
            chosen,
            shortest,
        )
        del order
        chosen = chosen[:count]
        self.short_length = shortest[:count].copy()
        self.length = np.minimum(self.depth[chosen], limits.max_length).astype(dtype)
        self.frequency = self.frequency[chosen]
        left, right = self.left[chosen], self.right[chosen]
        del self.depth, self.left, self.right
        self.place = self.suffixes[left]
        del self.suffixes
        self.levels = tree.levels_of(left, right)

    def merge(self, weight: int) -> None:
        """Keep one node of those with equal columns."""
        n_levels = int(self.levels.max()) + 1
        codes = document_codes(self.n_documents)
        counts = weight != sums.PRESENCE
        hashes = tree.column_hashes(
            self.at, self.leaf_node, self.meeting, self.owner, codes, counts, self.levels, n_levels
        )
        is_kept = np.empty(len(hashes), dtype=bool)
        briefest = np.empty(len(hashes), dtype=self.length.dtype)
        tree.merge_equals(hashes, self.length, self.short_length, is_kept, briefest)
        del hashes
        briefest = briefest[is_kept]
        nearest = np.empty(len(is_kept), dtype=self.length.dtype)
        self.levels = tree.levels_among(self.levels, is_kept, n_levels, nearest)
        self.at = tree.through(self.at, nearest)
        self.short_place, self.short_length = self.place[briefest], self.short_length[briefest]
        self.place, self.length = self.place[is_kept], self.length[is_kept]
        self.frequency = self.frequency[is_kept]

    def listed(self, weight: int, alphabet: Alphabet) -> SubstringIndex:
        """Return the index: the documents of each node in lists."""
        n_nodes, kinds = len(self.frequency), (self.at, self.leaf_node, self.meeting)
        starts = sums.count_differences(*kinds, n_nodes)
        documents = np.empty(starts[-1], dtype=np.int32)
        sums.list_differences(*kinds, self.owner, starts, documents)
        del self.leaf_node, self.meeting, self.owner, kinds, self.at
        values = np.empty(len(documents), dtype=np.int32)
        count = sums.add_up(starts, documents, self.n_documents, weight, values)
        documents, values = documents[:count].copy(), values[:count].copy()
        squares = self.frequency.astype(np.float64)
        index = SubstringIndex(
            self.text, alphabet, self.n_documents, weight, self.levels, starts, documents, values, values,
            self.frequency, self.place, self.length, self.short_place, self.short_length, squares,
        )  # fmt: skip
        if weight != sums.PRESENCE:
            _weigh(index)
        return index


def _weigh(index: SubstringIndex) -> None:
    """Make squares of columns, and logarithms, of counts."""
    lists = (index.starts, index.documents, index.counts, index.ends, index.n_documents)
    values, squares = sums.differences_of(index.weight, *lists)
    index.squares = index._sums(squares, np.ones(index.n_documents))
    if index.weight == sums.LOG:
        index.values = values
