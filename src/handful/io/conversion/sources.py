"""Which source reads a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from handful.io.compression import check_file
from handful.io.conversion.from_delimited import DelimitedSource
from handful.io.conversion.from_h5ad import AnnotatedSource
from handful.io.conversion.from_matrix_market import MatrixMarketSource
from handful.io.conversion.from_npz import NpzSource
from handful.io.conversion.from_parquet import ParquetSource
from handful.io.conversion.from_svmlight import SvmlightSource
from handful.io.conversion.source import Source
from handful.io.readers import find_format
from handful.io.table import Request

SOURCES: dict[str, Callable[[Path, Request], Source]] = {
    "svmlight": SvmlightSource,
    "csv": lambda path, request: DelimitedSource(path, request, None),
    "tsv": lambda path, request: DelimitedSource(path, request, "\t"),
    "parquet": ParquetSource,
    "npz": NpzSource,
    "mtx": MatrixMarketSource,
    "h5ad": AnnotatedSource,
}


def open_source(path: Path, request: Request, file_format: str | None = None) -> Source:
    """Open a file to be read piece by piece; the suffix tells the format, unless it is given."""
    return SOURCES[find_format(check_file(path), file_format)](path, request)
