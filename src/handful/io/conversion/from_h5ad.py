"""AnnData files, by pieces of rows or columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from handful.io.columns import check_names
from handful.io.conversion.source import COPIES, About, Mark, Piece, Source
from handful.io.errors import InputError
from handful.io.matrix import as_matrix
from handful.io.table import Request
from handful.sources.anndata import AnnotatedFile


class AnnotatedSource(Source):
    """The matrix X; the mark counts rows, or columns of a matrix by columns."""

    def __init__(self, path: Path, request: Request) -> None:
        if request.drop or request.targets is not None:
            raise InputError(f"{path}: of an h5ad file convert takes X whole, and one --target")
        self.file = AnnotatedFile(path, request.target)
        if self.file.feature_names is not None:
            check_names(path, tuple(self.file.feature_names))
        self.is_sparse = self.file.layout != "dense"
        self.order = "columns" if self.file.layout == "csc" else "rows"
        self.n_rows = self.file.shape[0]

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        done, by_column = mark["done"] if mark else 0, self.order == "columns"
        n_lines = self.file.shape[by_column]
        per_line = 12 * max(1, self.file.n_entries // max(1, n_lines))
        at_once = max(1, n_bytes // (COPIES * per_line))
        for start in range(done, n_lines, at_once):
            stop = min(start + at_once, n_lines)
            place = (0, start) if by_column else (start, 0)
            X = as_matrix(self.file.path, self.file.lines(start, stop), *place)
            yield Piece(X, {"done": stop})

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        names = self.file.feature_names
        named = None if names is None else tuple(names)
        return About(self.file.shape[1], 0, named, self.file.target, y=self.file.y)
