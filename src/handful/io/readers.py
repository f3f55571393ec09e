"""Read a table of numbers from a file of any known format."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from handful.io.delimited import SEPARATOR_OF
from handful.io.delimited import read as read_delimited
from handful.io.errors import InputError
from handful.io.labels import AS_WRITTEN, LabelRules, split_targets
from handful.io.matrix_market import read_mtx
from handful.io.npz import read_npz
from handful.io.opening import COMPRESSIONS, check_file, ending
from handful.io.parquet import read_parquet
from handful.io.stored import is_store, read_h5ad, read_store
from handful.io.svmlight import read_svmlight
from handful.io.table import Request, Table


class Format(NamedTuple):
    """One kind of file: its reader, its suffixes, and whether it may be compressed whole."""

    read: Callable[[Path, Request], Table]
    suffixes: tuple[str, ...]
    compressible: bool


FORMATS = {
    "svmlight": Format(read_svmlight, (".svm", ".svmlight", ".libsvm", ".txt", ".dat"), True),
    "csv": Format(partial(read_delimited, separator=SEPARATOR_OF["csv"]), (".csv",), True),
    "tsv": Format(partial(read_delimited, separator=SEPARATOR_OF["tsv"]), (".tsv", ".tab"), True),
    "parquet": Format(read_parquet, (".parquet", ".pq"), False),
    "npz": Format(read_npz, (".npz",), False),
    "mtx": Format(read_mtx, (".mtx",), True),
    "h5ad": Format(read_h5ad, (".h5ad",), False),
}

#: What to do with files that are often at hand and not read.
_READ_ELSEWHERE = {
    ".gct": "has genes in rows; make a row for each sample with handful transpose",
    **dict.fromkeys(
        (".xlsx", ".xlsm", ".xls", ".ods"), "is a spreadsheet; save the sheet that is meant as csv"
    ),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z"), "is packed; unpack the table in it"),
    **dict.fromkeys((".rds", ".rda", ".rdata"), "is a file of R; write the table with write.csv"),
}


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    targets: str | Sequence[str] | None = None,
    file_format: str | None = None,
    target_optional: bool = False,
    drop: Sequence[str] = (),
    only: Sequence[str] | None = None,
    header: bool | None = None,
    n_features: int | None = None,
    first_index: int | None = None,
    left_out: Sequence[int] = (),
    labels: LabelRules | None = None,
) -> Table:
    r"""Read features and target from a file.

    Parameters
    ----------
    path : str or path
        The suffix tells the format: svmlight (.svm, .svmlight, .libsvm, .txt, .dat), csv, tsv,
        parquet, npz, mtx; .gz, .bz2 or .xz may follow, except on parquet and npz. A folder is
        a store and h5ad a file of AnnData: these stay on the disk. csv and tsv may have decimal
        commas where no commas are between fields.
    target : str, optional
        csv, tsv, parquet: the name of a column, or its position from 0 (negative: from the
        end). npz: a key, "y" by default. npz and mtx: or a file with one label per line.
        svmlight: none, each row begins with its target.
    targets : str or sequence of str, optional
        Several targets, in place of `target`; as one text they are separated by commas. A name
        with a star stands for all that fit ("label_*"). csv, tsv, parquet: names or positions of columns
        of numbers. npz: keys of vectors or matrices (with `label_names` beside a matrix, its names).
        svmlight: the labels to look for on lines such as "1,3,5 2:0.5"; "*" for all there are.
    file_format : {"svmlight", "csv", "tsv", "parquet", "npz", "mtx"}, optional
        Says the format when the suffix does not.
    target_optional : bool, default=False
        Whether a file without the target is welcome; `y` is then None. The target is sought in the file
        alone: a file of labels beside it may be that of other rows.
    drop : sequence of str, default=()
        Columns to leave out (csv, tsv, parquet).
    only : sequence of str, optional
        Read these columns, in this order, and no others (files with names).
    header : bool, optional
        Whether csv and tsv begin with a line of names; by default this is looked at.
    n_features : int, optional
        The number of columns wanted (svmlight: what is beyond is left out; csv without a
        header: tells which columns they are, and whether the target is there).
    first_index : {0, 1}, optional
        What an svmlight file calls its first column; by default 0 if the index 0 occurs.
    left_out : sequence of int, default=()
        With `n_features`, of csv and tsv without a header: the positions of columns that were dropped when the
        model was fitted. This file may have them too.
    labels : LabelRules, optional
        Which texts stand for no target, and whether rows without one are welcome; by default they are not.

    Returns
    -------
    Table
        `X`, `y`, `feature_names`, `target_name`, `first_index`, `target_names`, `left_out`, `n_beyond`.

    Raises
    ------
    InputError
        One sentence that names the file and, where there is one, the line and the column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("height,weight,kind\n1.5,3,cat\n2.5,4,dog\n")
    >>> table = read_table(file, target="kind")
    >>> table.feature_names, list(table.y)
    (('height', 'weight'), ['cat', 'dog'])
    """
    request = Request(
        target=target,
        targets=split_targets(target, targets),
        target_optional=target_optional,
        drop=tuple(drop),
        only=None if only is None else tuple(only),
        header=header,
        n_features=n_features,
        first_index=first_index,
        left_out=tuple(left_out),
        labels=labels or LabelRules(),
    )
    if file_format is None and is_store(path):
        return read_store(Path(path), request)
    file = check_file(path)
    return FORMATS[find_format(file, file_format)].read(file, request)


def read_column(
    path: Path,
    name: str,
    role: str,
    *,
    file_format: str | None = None,
    header: bool | None = None,
    labels: LabelRules | None = None,
) -> np.ndarray | None:
    """Read one column alone, of numbers or text; `role` is what messages call it."""
    rules = replace(labels or LabelRules(), role=role)
    request = Request(target=name, role=role, only=(), header=header, labels=rules)
    return FORMATS[find_format(path, file_format)].read(path, request).y


def read_ids(
    path: Path, name: str, *, file_format: str | None = None, header: bool | None = None
) -> np.ndarray:
    """Read the column that says whose rows these are; text as it is written."""
    kind = None if file_format is None and is_store(path) else find_format(path, file_format)
    if kind in (None, "svmlight"):
        what = "a store" if kind is None else "an svmlight file"
        raise InputError(f"{path}: {what} has no column of ids; without --id rows are numbered")
    request = Request(target=name, role="id", only=(), header=header, labels=AS_WRITTEN)
    ids = FORMATS[str(kind)].read(path, request).y
    if ids is None:
        raise InputError(f"{path} has no column {name!r}")
    return ids


def find_format(file: Path, name: str | None) -> str:
    """Return the name of the format: that given, or what the suffix tells."""
    if name is not None:
        if name not in FORMATS:
            raise InputError(f"the format {name!r} is unknown; known are {', '.join(FORMATS)}")
        return name
    packed, suffix = file.suffix.lower() in COMPRESSIONS, ending(file)
    for name, known in FORMATS.items():
        if suffix in known.suffixes:
            if packed and not known.compressible:
                raise InputError(f"{file}: {name} files compress themselves; unpack it first")
            return name
    if not os.path.exists(file):  # a store, perhaps, which has any name
        raise InputError(f"{file} does not exist")
    if suffix in _READ_ELSEWHERE:
        raise InputError(f"{file} {_READ_ELSEWHERE[suffix]}")
    known_suffixes = " ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
    raise InputError(
        f"{file}: the suffix {suffix!r} does not tell the format; known are {known_suffixes} "
        "(say which with --format)"
    )
