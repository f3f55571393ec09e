"""From a file of any size to a store, in bounded memory.

A file comes by rows and a store is by columns. Each piece of rows that fits in memory is written as a run,
sorted by column; then each group of columns that fits is put together from all runs
(``sources/store/runs.py``) and appended to the store (``sources/store/writer.py``). What is finished is in a
journal (``sources/store/journal.py``), so that a conversion that was killed goes on. ``from_*.py`` read the
formats.
"""

from handful.io.conversion.convert import Conversion, convert

__all__ = ["Conversion", "convert"]
