"""What is large: the numbers at which another way is taken because of the size of the data.

Most of handful does for large data what it does for small, but some at a time, in threads, or in a cheaper way. Where that begins, and
how much is some, is decided by the numbers here, of which a test has to see both sides: it changes them, and small data
go the way of large (:func:`changed_sizes`). What no test has to change stands beside the code that needs it.

They hold for the whole process and not for one thread: a fit has threads of its own, and those of dask and joblib
work for it too. Who asks for them does so once for a call, and not in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Sizes:
    """The sizes, each with what it decides and why it is what it is."""

    # ------------------------------------------------ how much at a time

    #: Numbers that are made or read together: 32 MB, as float64.
    block_entries: int = 4_000_000
    #: Bytes of data in a block of a store.
    store_block_bytes: int = 4 * 2**20
    #: Bytes that one step of a long computation on a device may take beside the data.
    device_block_bytes: int = 2**28
    #: Instances that all bags are compared with: enough for a matrix product at full speed.
    atoms_at_once: int = 512
    #: Numbers in the residuals of the rows that are worked on together: they stay in a near cache.
    residual_entries: int = 1 << 17
    #: Bytes of similarities between bags and instances that are kept from one round to the next.
    similarity_bytes: int = 2**29
    #: Rows of a float32 tensor that are summed in float32 before sums are added up in float64.
    torch_rows_on_cpu: int = 256
    #: The same on a GPU, whose own product has lanes: each adds up few of them.
    torch_rows_on_gpu: int = 4096

    #: Numbers in the columns among which a round of several outputs chooses: 160 MB.
    pool_entries: int = 20_000_000

    # ------------------------------------------------ pairs of columns

    #: Columns on either side of a tile of pairs of a dense matrix.
    tile_columns: int = 256
    #: Rows for which tiles are multiplied in float32 before they are added up in float64.
    tile_rows: int = 512
    #: Columns of a sparse matrix that a thread scans before it learns what the others found; doubles each time.
    first_scanned: int = 4
    #: Columns of a sparse matrix that are scanned first, to show which of the others are no use.
    sampled_columns: int = 256
    #: They are if so many times as many look worth it.
    many_samples: int = 4
    #: Columns on the short side of a strip of pairs of a dask array.
    strip_columns: int = 256
    #: Columns on either side of one matrix product on a device.
    device_tile_columns: int = 1024
    #: Columns whose tiles share what is made of the rows there.
    device_panel_columns: int = 4096
    #: Rows that are multiplied in float32 at a time there, where products of float64 are slow.
    device_tile_rows: int = 2048

    # ------------------------------------------------ what is worth a thread

    #: Stored entries: below so many a thread costs more than it saves.
    entries_per_thread: int = 200_000
    #: Numbers in rows of candidates to update that are worth the start of a thread.
    greedy_thread_entries: int = 500_000
    #: Numbers in a block of these rows: beside so many the call of a kernel takes no time.
    greedy_least_entries: int = 100_000
    #: Rows of a problem of margins: with fewer it is over before another thread has begun.
    margin_thread_rows: int = 500

    # ------------------------------------------------ up to where things are done all at once, or exactly

    #: Columns whose moments are made at once: X is then not looked at again.
    moments_columns: int = 2_000
    #: Numbers in these columns.
    moments_entries: int = 20_000_000
    #: Columns of a ranking that are looked through for copies; twice as many as are wanted in any case.
    compared_columns: int = 2_000
    #: Numbers in these columns.
    compared_entries: int = 20_000_000
    #: Columns from whose Hessian a feature's worth is taken; beyond, its diagonal must do.
    hessian_columns: int = 600
    #: Columns among which features are dropped one by one; beyond, from a pool of the weakest.
    dropped_singly: int = 600
    #: Multiplications for all fits to folds by which C is chosen: four seconds of one core.
    fold_work: float = 1.5e10
    #: Features and outputs for each step, with which all features are asked for a proof: a small share of the selection.
    proof_columns_per_step: int = 2
    #: Bytes that rows of candidates may take; None is a share of the memory that is free.
    usable_bytes: int | None = None

    # ------------------------------------------------ how much error

    #: Share by which a kept row of float32 may be off the same row made anew; beyond, all are made anew.
    drift_float32: float = 1e-5
    #: The same of float64.
    drift_float64: float = 1e-8
    #: Correlation from which on, whatever its sign, columns of a ranking are copies.
    copies_correlation: float = 0.99

    # ------------------------------------------------ what a file may ask for

    #: Bytes of a line of text: a few kilobytes may unpack into one of any length.
    longest_line: int = 2**26


_in_use = [Sizes()]  # the last one holds


def current_sizes() -> Sizes:
    """Return the sizes that hold now."""
    return _in_use[-1]


def slices(total: int, size: int, first: int = 0) -> Iterator[slice]:
    """Cut so many lines, from the first on, into slices of a size, and what is left."""
    for start in range(first, total, size):
        yield slice(start, min(start + size, total))


def blocks(n_lines: int, width: int) -> Iterator[slice]:
    """Cut lines of so many numbers each into slices that have no more than ``block_entries`` together, or one line."""
    return slices(n_lines, max(1, current_sizes().block_entries // max(1, width)))


@contextmanager
def changed_sizes(**changes: Any) -> Iterator[Sizes]:
    """Let other sizes hold for a while, in all threads of this process; those of other processes do not change.

    Parameters
    ----------
    **changes : int or float
        Fields of :class:`Sizes`.

    Examples
    --------
    >>> from handful.sizes import changed_sizes, current_sizes
    >>> with changed_sizes(block_entries=20):
    ...     current_sizes().block_entries
    20
    >>> current_sizes().block_entries
    4000000
    """
    changed = replace(current_sizes(), **changes)
    _in_use.append(changed)
    try:
        yield changed
    finally:
        # It need not be the last, if threads change them at the same time.
        _in_use.remove(changed)
