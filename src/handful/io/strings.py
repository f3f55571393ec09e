"""Read strings and their labels: a column of a table, sequences of a FASTA file, or the lines of a text."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from handful.io.decimals import with_decimal
from handful.io.delimited import SEPARATOR_OF, fields, find_columns
from handful.io.errors import InputError
from handful.io.labels import LabelRules, labels_of_rows, read_labels
from handful.io.opening import bounded_lines, check_file, open_bytes, reading
from handful.io.parquet import columns_of, opened, read_target
from handful.io.readers import find_format
from handful.io.table import Request, Table
from handful.spaces.strings.documents import Documents

FASTA, LINES = "fasta", "lines"
_FASTA_SUFFIXES = (".fa", ".fasta", ".fna", ".faa", ".ffn")
_BETWEEN = re.compile(r"[\s|]+")


def holds_strings(path: str | os.PathLike[str], file_format: str | None) -> bool:
    """Whether a file has nothing but strings: FASTA, or lines if it is said so."""
    if file_format is not None:
        return file_format in (FASTA, LINES)
    suffixes = [suffix.lower() for suffix in Path(path).suffixes[-2:]]
    return any(suffix in _FASTA_SUFFIXES for suffix in suffixes)


def read_strings(
    path: str | os.PathLike[str],
    column: str | None = None,
    target: str | None = None,
    *,
    file_format: str | None = None,
    target_optional: bool = False,
    header: bool | None = None,
    labels: LabelRules | None = None,
) -> Table:
    r"""Read one string and one label for each row; X is :class:`~handful.spaces.strings.documents.Documents`.

    Parameters
    ----------
    path : str or path
        csv, tsv or parquet; FASTA (.fa, .fasta, .fna, .faa, .ffn); or any text file as "lines".
    column : str, optional
        csv, tsv, parquet: the column that holds the strings, by its name or position.
    target : str, optional
        csv, tsv, parquet: the column of labels. FASTA: the field of the header, as ``name=value`` or by its position among
        what blanks and bars separate; the last one by default. Lines: a file with one label per line; by default each line
        begins with its label and a tab.
    file_format : str, optional
        Says the format when the suffix does not; "lines" has no suffix.
    target_optional : bool, default=False
        Whether a file without labels is welcome; `y` is then None. Labels are sought in the file alone.
    header : bool, optional
        Whether csv and tsv begin with a line of names; by default this is looked at.
    labels : LabelRules, optional
        As of :func:`handful.io.read_table`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two.fa"
    >>> _ = file.write_text(">first promoter\nACGT\nACG\n>second other\nTTT\n")
    >>> table = read_strings(file)
    >>> table.X.texts, list(table.y)
    (['ACGTACG', 'TTT'], ['promoter', 'other'])
    """
    file, rules = check_file(path), labels or LabelRules()
    is_alone = holds_strings(file, file_format)
    if not is_alone and column is None:
        raise InputError(f"{path}: say which column holds the strings")
    with reading(file):
        if not is_alone:
            request = Request(
                target=target,
                target_optional=target_optional,
                only=(),
                header=header,
                labels=rules,
            )
            kind = find_format(file, file_format)
            return _read_column(file, kind, str(column), request)
        if file_format == LINES:
            return _read_lines(file, target, target_optional, rules)
        return _read_fasta(file, target, target_optional)


def _read_column(file: Path, kind: str, column: str, request: Request) -> Table:
    wanted = Request(target=column, role="string", only=(), header=request.header)
    if kind == "parquet":
        return _read_parquet(file, wanted, request)
    if kind not in ("csv", "tsv"):
        raise InputError(
            f"{file}: columns of strings are read from csv, tsv and parquet; a file with a string on each line "
            "with --format lines"
        )
    separator = SEPARATOR_OF[kind]
    layout, columns = find_columns(file, request, separator)
    place = find_columns(file, wanted, separator)[1].target
    texts, labels = [], []
    for row in fields(file, layout):
        texts.append(row[place or 0])
        labels.append("" if columns.target is None else row[columns.target])
    read = with_decimal(layout.decimal, float)
    y = None if columns.target is None else _labels(file, labels, request.labels, read)
    return Table(Documents(texts), y, None, columns.target_name)


def _read_parquet(file: Path, wanted: Request, request: Request) -> Table:
    with opened(file) as stream:
        name = columns_of(stream, file, wanted).target_name
        target = columns_of(stream, file, request).target_name
        texts = stream.read(columns=[name]).column(name).to_pylist()
        y = None if target is None else read_target(stream, file, target, request.labels)
    for row, text in enumerate(texts, start=1):
        if not isinstance(text, str | bytes):
            what = "missing" if text is None else f"{text!r}, which is no string"
            raise InputError(f"{file}, row {row}: {name!r} is {what}")
    return Table(Documents(texts), y, None, target)


def _read_lines(file: Path, target: str | None, target_optional: bool, rules: LabelRules) -> Table:
    lines = [line.rstrip("\r\n") for line in _text_lines(file)]
    if target is not None and target_optional:  # a file of labels, and of other lines than these
        return Table(Documents(lines), None)
    if target is not None:
        return Table(Documents(lines), read_labels(target, len(lines), file, rules), None, target)
    parts = [line.partition("\t") for line in lines]
    without = next((number for number, part in enumerate(parts, 1) if not part[1]), None)
    if without is not None and target_optional:
        return Table(Documents(lines), None)
    if without is not None:
        raise InputError(
            f"{file}, line {without}: there is no label and tab before the text; name a file of labels with --target"
        )
    y = _labels(file, [label for label, _, _ in parts], rules)
    return Table(Documents([text for _, _, text in parts]), y)


def _read_fasta(file: Path, target: str | None, target_optional: bool) -> Table:
    headers: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(_text_lines(file), start=1):
        text = line.strip()
        if text.startswith(">"):
            headers.append(text[1:])
            parts.append([])
        elif text and not text.startswith(";"):
            if not parts:
                raise InputError(f"{file}, line {number}: a FASTA file begins with >, a header")
            parts[-1].append(text)
    if not parts:
        raise InputError(f"{file} holds no sequences")
    found = [_label(header, target) for header in headers]
    missing = next((row for row, label in enumerate(found, 1) if label is None), None)
    documents = Documents(["".join(part) for part in parts])
    if missing is not None and target_optional:
        return Table(documents, None)
    if missing is not None:
        what = "a label behind its name" if target is None else f"the label {target!r}"
        raise InputError(
            f"{file}, sequence {missing}: the header {headers[missing - 1]!r} lacks {what}"
        )
    y = _labels(file, map(str, found), LabelRules(no_value=frozenset()))
    return Table(documents, y, None, target)


def _label(header: str, target: str | None) -> str | None:
    """Return the label in a header, None if it has none."""
    found = [field for field in _BETWEEN.split(header) if field]
    if target is None:
        return found[-1] if len(found) > 1 else None
    for field in found:
        name, sign, value = field.partition("=")
        if sign and name == target:
            return value
    if target.lstrip("-").isdecimal() and -len(found) <= int(target) < len(found):
        return found[int(target)]
    return None


def _labels(
    file: Path,
    texts: Iterable[str],
    rules: LabelRules,
    read: Callable[[str], float] = float,
) -> np.ndarray:
    return labels_of_rows(texts, rules, lambda row: f"{file}, row {row}", read)


def _text_lines(file: Path) -> Iterator[str]:
    with io.TextIOWrapper(open_bytes(file), encoding="utf-8-sig", newline="\n") as stream:
        yield from bounded_lines(file, stream)
