"""The index of all substrings: their columns, each once, as short lists on a tree.

    text -> sorted suffixes -> what neighbours share -> nodes -> equal columns -> lists

All of it takes time proportional to the text, and is done once; a search is then one sweep over the lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.kernels import substring_sums as sums
from handful.kernels import substring_tree as tree
from handful.kernels import suffixes as kernels
from handful.spaces.strings.suffix_array import sorted_suffixes
from handful.spaces.strings.symbols import Alphabet
from handful.validation.strings import no_substrings

Array = np.ndarray
WEIGHTS = {"presence": sums.PRESENCE, "count": sums.COUNT, "log": sums.LOG}
BLOCK_SHIFT = 6  # where the segments of so many places begin is looked up together
LONGEST = 2**31 - 1  # where nothing limits the length
SEED = 20090  # of the numbers that tell columns apart


@dataclass(frozen=True)
class Limits:
    """Which substrings are features.

    Attributes
    ----------
    min_df, max_df : int
        In how many documents they may occur.
    min_length, max_length : int
        In symbols.
    """

    min_df: int
    max_df: int
    min_length: int
    max_length: int

    def __str__(self) -> str:
        longest = "" if self.max_length == LONGEST else f", max_length={self.max_length}"
        return f"min_df={self.min_df}, max_df={self.max_df}, min_length={self.min_length}{longest}"


@dataclass
class SubstringIndex:
    """The different columns that substrings have, in the order of the strings that they are called by.

    A column is called by the longest string that has it, of several by the first.

    Attributes
    ----------
    text : ndarray
        Symbols of all segments, with zeros between.
    alphabet : Alphabet
    n_documents : int
    weight : int
        What a column has for a document, one of :data:`WEIGHTS`.
    levels : ndarray of int32
        In how many other features of the tree each one lies.
    starts, documents, values : ndarray
        For each feature the documents whose value is not that of the features right below it together, and the
        difference.
    counts : ndarray of int32
        The values before any logarithm.
    frequency : ndarray
        In how many documents each one occurs.
    place, length : ndarray
        Where in the text its longest string begins, and how long it is.
    short_place, short_length : ndarray
        The same for the shortest string that has the column.
    squares : ndarray
        Sums of squares of the columns.
    """

    text: Array
    alphabet: Alphabet
    n_documents: int
    weight: int
    levels: Array
    starts: Array
    documents: Array
    values: Array
    counts: Array
    frequency: Array
    place: Array
    length: Array
    short_place: Array
    short_length: Array
    squares: Array

    def __post_init__(self) -> None:
        self.n_levels = int(self.levels.max(initial=0)) + 1
        self.ends = sums.ends_of_subtrees(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def scores(self, a: Array) -> Array:
        """Return ``sum over outputs of (column' a)^2`` of all features, a of shape (n_documents, n_outputs)."""
        if a.shape[1] == 1:
            return np.square(self._sums(self.values, np.ascontiguousarray(a[:, 0])))
        scores, tree_of = np.empty(len(self)), (self.levels, self.n_levels)
        sums.sweep(self.starts, self.documents, self.values, *tree_of, a, scores)
        return scores

    def _sums(self, values: Array, a: Array) -> Array:
        """Return ``column' a`` of all features, for columns with these values; a of shape (n_documents,)."""
        found = np.empty(len(self), dtype=a.dtype)
        sums.sums_of(self.starts, self.documents, values, self.levels, self.n_levels, a, found)
        return found

    def columns(self, ids: Array) -> tuple[Array, Array, Array]:
        """Return data, indices and indptr of some columns by columns."""
        indptr, indices, data = sums.pick_columns(
            self.starts,
            self.documents,
            self.values,
            self.ends,
            ids,
            self.frequency,
            self.n_documents,
        )
        return data, indices, indptr

    def string(self, feature: int) -> Any:
        """Return the longest string of a feature."""
        return self._string(self.place[feature], self.length[feature])

    def shortest(self, feature: int) -> Any:
        """Return the shortest string of a feature."""
        return self._string(self.short_place[feature], self.short_length[feature])

    def _string(self, place: int, length: int) -> Any:
        return self.alphabet.decode(self.text[place : place + length])

    def find(self, column: Array) -> int | None:
        """Return the feature that has a column of occurrences (or of counts), None if there is none."""
        codes = document_codes(self.n_documents)[:, 0]
        # Modulo 2^64, as which less than nothing counts too.
        hashes = self._sums(self.counts.astype(np.int64).view(np.uint64), codes)
        wanted = (column.astype(np.uint64) * codes).sum(dtype=np.uint64)
        found = np.flatnonzero(hashes == wanted)
        return int(found[0]) if len(found) else None


def document_codes(n_documents: int) -> Array:
    """Return two random numbers for each document, by whose sums columns are told apart.

    That two different columns have the same pair of sums has a chance of 2^-128.
    """
    rng = np.random.default_rng(SEED)
    return rng.integers(0, 2**64, size=(n_documents, 2), dtype=np.uint64)


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
