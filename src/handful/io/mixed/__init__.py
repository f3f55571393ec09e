"""Tables of numbers, true and false, and text, with missing values: read, and turned into numbers."""

from handful.io.mixed.cells import has_cells
from handful.io.mixed.encoding import MISSING_RULES, EncodedColumn, Encoding, encoding_of, notes_of
from handful.io.mixed.new_rows import read_new_rows
from handful.io.mixed.reading import MixedTable, read_mixed_table

__all__ = [
    "MISSING_RULES",
    "EncodedColumn",
    "Encoding",
    "MixedTable",
    "encoding_of",
    "has_cells",
    "notes_of",
    "read_mixed_table",
    "read_new_rows",
]
