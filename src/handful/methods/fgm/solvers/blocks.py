"""Blocks of columns that may overlap: the rounds' cuts, as ``apg`` and ``mkl`` see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray


class Blocks:
    """Rows of all blocks, one after the other.

    Parameters
    ----------
    members : sequence of position arrays
        The columns of each block; a block may be empty.
    n_columns : int

    Attributes
    ----------
    columns : ndarray
        The column of each row.
    owners : ndarray
        The block of each row.
    """

    def __init__(self, members: Sequence[Array], n_columns: int) -> None:
        self.n_columns = n_columns
        self.n_blocks = len(members)
        self.columns = np.concatenate([np.empty(0, dtype=np.int64), *members])
        self.owners = np.repeat(np.arange(self.n_blocks), [len(block) for block in members])

    def __len__(self) -> int:
        return len(self.columns)

    def sum_by_block(self, rows: Array) -> Array:
        """Add up one number per row for each block."""
        return np.bincount(self.owners, weights=rows, minlength=self.n_blocks)

    def sum_by_column(self, rows: Array) -> Array:
        """Add up one number per row for each column."""
        return np.bincount(self.columns, weights=rows, minlength=self.n_columns)
