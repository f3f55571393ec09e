"""Files in and out: tables of data, and models that open without pickle."""

from handful.io.bags import BagTable, read_bags
from handful.io.errors import InputError
from handful.io.mixed import MixedTable, read_mixed_table
from handful.io.model_file import ModelFile, load_model, read_model_file, save_model
from handful.io.readers import FORMATS, read_table
from handful.io.strings import read_strings
from handful.io.table import Table

__all__ = [
    "FORMATS",
    "BagTable",
    "InputError",
    "MixedTable",
    "ModelFile",
    "Table",
    "load_model",
    "read_bags",
    "read_mixed_table",
    "read_model_file",
    "read_strings",
    "read_table",
    "save_model",
]
