"""GCT files, as GenePattern, GSEA and GTEx write them: a tsv of genes in rows below two lines of their own."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from handful.io.errors import InputError
from handful.io.layout import Layout, split
from handful.io.opening import bounded_lines, open_bytes, reading

_FIRST_LINE = re.compile(r"#1\.[23]\s*")
_LINES_ABOVE = 3  # the version, the sizes, the names


@dataclass(frozen=True)
class Gct:
    """How such a file is written, and how many columns behind the first describe genes."""

    layout: Layout
    n_descriptions: int

    def without_descriptions(
        self, rows: Iterator[list[str]]
    ) -> tuple[tuple[str, ...], Iterator[list[str]]]:
        """Return the names and the rows without these columns."""
        first = 1 + self.n_descriptions
        names = self.layout.names or ()
        return (names[0], *names[first:]), ([row[0], *row[first:]] for row in rows)


def look_for_gct(path: Path) -> Gct | None:
    """Return how a file is written if its first line says that it is a GCT; what it says about samples is left out."""
    with reading(path), open_bytes(path) as file:
        if not _FIRST_LINE.fullmatch(file.readline(16).decode("utf-8-sig", "replace")):
            return None
    with reading(path), io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig") as text:
        lines = bounded_lines(path, text)
        _, sizes, header = next(lines), next(lines, "").split(), next(lines, "")
    names = tuple(name.strip() for name in split(header.rstrip("\r\n"), "\t"))
    if len(sizes) not in (2, 4) or not all(map(str.isdigit, sizes)):
        raise InputError(
            f"{path}, line 2: a GCT has the numbers of rows and samples here, found {' '.join(sizes)!r}"
        )
    n_samples, *more = map(int, sizes[1:])
    n_descriptions, n_rows_about = more or (1, 0)
    if len(names) != 1 + n_descriptions + n_samples:
        raise InputError(
            f"{path}, line 3: expected {1 + n_descriptions + n_samples} names, by the sizes in line 2, found {len(names)}"
        )
    first_line = _LINES_ABOVE + n_rows_about + 1
    return Gct(Layout("\t", names, len(names), first_line), n_descriptions)
