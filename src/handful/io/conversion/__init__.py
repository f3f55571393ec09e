"""From a file of any size to a store, in bounded memory.

A file comes by rows and a store is by columns. Each piece of rows that fits in memory is written as a run,
sorted by column; then each group of columns that fits is put together from all runs
(``sources/store/runs.py``) and appended to the store (``sources/store/writer.py``). What is finished is in a
journal (``sources/store/workplace.py``), so that a conversion that was killed goes on. ``from_*.py`` read the
formats.
"""

from collections.abc import Callable
from pathlib import Path

from handful.io.conversion.convert import Conversion, convert
from handful.io.conversion.from_arrays import AnnotatedSource, NpzSource
from handful.io.conversion.from_lines import MatrixMarketSource, SvmlightSource
from handful.io.conversion.from_tables import DelimitedSource, ParquetSource
from handful.io.conversion.source import Source
from handful.io.opening import check_file
from handful.io.readers import find_format
from handful.io.table import Request

__all__ = ["Conversion", "convert", "open_source"]

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
