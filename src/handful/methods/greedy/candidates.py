"""The two rows of numbers that every candidate column has, kept where memory allows.

A group's rows are c = G x and p = A A' x, n numbers each (see kernels/greedy_rls.py), of the type of X. Kept
rows are updated when a feature enters: O(n) for each. Where 2 n numbers for each column do not fit in
memory, the groups that are left over have their rows made anew in every step, a block at a time:
O(n (k + t)) for each with k features in the model and t outputs, in 32 bytes times samples times the
columns of one block for each thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from handful.kernels import greedy_rls as kernels
from handful.methods.greedy.search import FeatureSets
from handful.methods.greedy.smoother import Smoother
from handful.sizes import current_sizes
from handful.sources.blocks import cut_by_entries
from handful.spaces.base import Array, FeatureSpace, dense_rows
from handful.threads import limited_threads, map_in_threads

BLOCK_ENTRIES = 500_000  # numbers of a row array that one call of a kernel works on
LEAST_BLOCKS = 16  # enough for threads to share
ROWS = 2  # of each candidate
BYTES_TO_MAKE = 32  # the column, two rows and one on the way, float64
# Of the usable memory, what blocks that are made anew may take.
BLOCK_SHARE = 0.1


class Entered(NamedTuple):
    """Features that have entered the model and not yet the kept rows of candidates."""

    columns: Array
    u: Array
    partners: Array
    pivots: Array
    q: Array

    @classmethod
    def none(cls, n_samples: int) -> Entered:
        """Return no features."""
        empty = np.empty((0, n_samples))
        return cls(empty, empty, empty, np.empty(0), np.empty(0))


class Rows(NamedTuple):
    """The rows of one block of groups and their small products."""

    C: Array
    P: Array
    H: Array
    Q: Array

    def copy(self) -> Rows:
        """Return rows of their own."""
        return Rows(*(part.copy() for part in self))


@dataclass
class Block:
    """Neighbouring groups.

    Attributes
    ----------
    groups : slice
    features : ndarray
        Of all its groups, one after the other.
    starts, places : ndarray
        Where the columns and the small matrices of each group begin.
    is_kept : bool
    rows : Rows or None
    """

    groups: slice
    features: Array
    starts: Array
    places: Array
    is_kept: bool
    rows: Rows | None = None


class Candidates:
    """All groups and the error each would leave.

    Parameters
    ----------
    space : FeatureSpace
        Of single columns.
    groups : FeatureSets
    smoother : Smoother
        The model so far.
    n_threads : int
    memory : int
        Bytes that kept rows may take.
    first_rows : dict or None
        Where to keep rows as they are before any feature has entered, and to find them again: they are
        the same for every alpha. Without effect where there is no memory for both.
    """

    def __init__(
        self,
        space: FeatureSpace,
        groups: FeatureSets,
        smoother: Smoother,
        n_threads: int,
        memory: int,
        first_rows: dict[int, Rows] | None = None,
    ) -> None:
        self._space = space
        self._smoother = smoother
        self._n_threads = n_threads
        self._nothing = Entered.none(space.n_samples)
        self._dtype = space.dtype
        per_entry = ROWS * self._dtype.itemsize
        self._blocks = make_blocks(groups, space.n_samples, memory, per_entry, n_threads)
        has_room = 2 * per_entry * space.n_samples * len(groups.features) <= memory
        self._first_rows = first_rows if has_room else None
        self._n_groups = len(groups)

    def forget(self) -> None:
        """Have all rows made anew when they are next wanted."""
        for block in self._blocks:
            block.rows = None

    def rows_of(self, group: int, columns: Array) -> tuple[Array, Array]:
        """Return copies of the rows of one group; ``columns`` are its centred columns, as rows."""
        for block in self._blocks:
            if block.rows is not None and block.groups.start <= group < block.groups.stop:
                first, stop = block.starts[group - block.groups.start :][:2]
                C, P = block.rows.C[first:stop], block.rows.P[first:stop]
                return C.astype(np.float64), P.astype(np.float64)
        return self._smoother.solve(columns), self._smoother.outer(columns)

    def advance(
        self, entered: Sequence[Entered], is_in: Array, wanted: Array, *, evaluate: bool
    ) -> Array:
        """Bring rows up to date; return the mean error with each wanted group, infinite for others."""
        errors = np.full(self._n_groups, np.inf)
        blocks = [
            block
            for block in self._blocks
            if wanted[block.groups].any() and (evaluate or block.is_kept)
        ]
        is_made = [block.rows is None for block in blocks]
        if any(is_made):
            self._smoother.outer(np.empty((0, self._space.n_samples)))  # once, not in every thread

        def work(block: Block) -> None:
            out = errors[block.groups] if evaluate else errors[:0]
            self._advance_block(block, entered, ~is_in[block.features], wanted[block.groups], out)

        # BLAS in each of our threads must not start its own.
        limits: Any = limited_threads(1) if any(is_made) else contextlib.nullcontext()
        entries = self._space.n_samples * sum(len(block.features) for block in blocks)
        worth_a_thread = current_sizes().greedy_thread_entries
        n_wanted = self._n_threads if any(is_made) else entries // worth_a_thread
        with limits:
            map_in_threads(work, blocks, min(self._n_threads, n_wanted))
        return errors

    def _advance_block(
        self, block: Block, entered: Sequence[Entered], is_open: Array, wanted: Array, out: Array
    ) -> None:
        rows, new = block.rows, entered
        if rows is None:
            rows, new = self._make_or_find(block), []
        for one in new[:-1]:
            self._call(block, rows, one, is_open, wanted, out[:0])
        last = new[-1] if new else self._nothing
        self._call(block, rows, last, is_open, wanted, out)
        if block.is_kept:
            block.rows = rows
        out *= self._smoother.mean_of(1.0)

    def _call(
        self, block: Block, rows: Rows, new: Entered, is_open: Array, wanted: Array, out: Array
    ) -> None:
        smoother = self._smoother
        model = (smoother.alpha, smoother.g, smoother.r, smoother.loo_weight)
        if len(block.features) == len(wanted):  # one column each: no small matrices to invert
            kernels.advance_columns(*rows, wanted, *new, *model, out)
        else:
            places = (block.starts, block.places)
            kernels.advance_groups(*rows, *places, is_open, wanted, *new, *model, out)

    def _make_or_find(self, block: Block) -> Rows:
        if self._first_rows is None or self._smoother.has_features:
            return self._make(block)
        if block.groups.start not in self._first_rows:
            self._first_rows[block.groups.start] = self._make(block)
        return self._first_rows[block.groups.start].copy()

    def _make(self, block: Block) -> Rows:
        columns = self._smoother.centred(dense_rows(self._space, block.features))
        C, P = self._smoother.solve(columns), self._smoother.outer(columns)
        sizes = np.diff(block.starts)
        H, Q = np.empty(int(sizes @ sizes)), np.empty(int(sizes @ sizes))
        kernels.group_products(columns, C, P, block.starts, block.places, H, Q)
        return Rows(C.astype(self._dtype, copy=False), P.astype(self._dtype, copy=False), H, Q)


def make_blocks(
    groups: FeatureSets, n_samples: int, memory: int, bytes_per_entry: int, n_threads: int
) -> list[Block]:
    """Cut the groups into blocks, and say which of them are kept in memory."""
    fits = bytes_per_entry * n_samples * len(groups.features) <= memory
    spare = 0 if fits else int(BLOCK_SHARE * memory)
    entries = BLOCK_ENTRIES
    if not fits:
        entries = min(entries, spare // (BYTES_TO_MAKE * n_threads))
    least = current_sizes().greedy_least_entries
    enough = max(-(-len(groups.features) // LEAST_BLOCKS), least // n_samples)
    width = max(1, min(entries // n_samples, enough))
    blocks = []
    left = memory - spare
    for first, stop in cut_by_entries(groups.starts, 0, width):
        starts = groups.starts[first : stop + 1] - groups.starts[first]
        sizes = np.diff(starts)
        needed = bytes_per_entry * n_samples * int(starts[-1]) + 16 * int(sizes @ sizes)
        is_kept = needed <= left
        left -= needed if is_kept else 0
        features = groups.features[groups.starts[first] : groups.starts[stop]]
        places = np.cumsum(sizes**2) - sizes**2
        blocks.append(Block(slice(first, stop), features, starts, places, is_kept))
    return blocks
