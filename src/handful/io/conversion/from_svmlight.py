"""Svmlight files, piece by piece of lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from handful.io.columns import refuse_names
from handful.io.conversion.source import COPIES, MORE_MEMORY, About, Mark, Piece, Source
from handful.io.errors import InputError
from handful.io.labels import tidy_labels
from handful.io.lines import line_pieces
from handful.io.svmlight import explain
from handful.io.table import Request


class SvmlightSource(Source):
    """Rows of a file ``label index:value ...``; the mark is a place in it and the indices so far."""

    is_sparse = True

    def __init__(self, path: Path, request: Request) -> None:
        refuse_names(path, request)
        if request.targets is not None:
            raise InputError(
                f"{path}: convert takes one label for each row of an svmlight file; leave --targets out"
            )
        if request.target is not None:
            raise InputError(f"{path}: svmlight rows begin with their target; leave --target out")
        self.path = path

    def pieces(self, mark: Mark | None, n_bytes: int) -> Iterator[Piece]:
        mark = mark or {"offset": 0, "lowest": None, "highest": 0}
        lowest, highest = mark["lowest"], mark["highest"]
        at_once = max(1, n_bytes // COPIES)
        for lines, offset in line_pieces(self.path, mark["offset"], at_once, MORE_MEMORY):
            try:
                # zero_based=True: the indices as they stand in the file, shifted at the end.
                X, y = load_svmlight_file(io.BytesIO(lines), zero_based=True)
            except (ValueError, OverflowError) as error:
                raise self._bad(str(error)) from error
            if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
                raise self._bad("it holds values that are not finite")
            if X.nnz:
                least = int(X.indices.min())
                lowest = least if lowest is None else min(lowest, least)
                highest = max(highest, int(X.indices.max()))
            yield Piece(X, {"offset": offset, "lowest": lowest, "highest": highest}, y)

    def about(self, mark: Mark | None, y: np.ndarray | None) -> About:
        lowest, highest = (mark["lowest"], mark["highest"]) if mark else (None, 0)
        base = int(lowest != 0)
        n_features = max(highest - base + 1, 0)
        return About(n_features, base, y=None if y is None else tidy_labels(y), first_index=base)

    def _bad(self, reason: str) -> InputError:
        return InputError(explain(self.path, None, None, False) or f"{self.path}: {reason}")
