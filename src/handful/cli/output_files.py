"""Files that a command writes: in folders that are there, over nothing it reads, each place once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from handful.files import check_apart, check_place

# Formats whose target and ids may be in a file of its own.
_BESIDE = (".npz", ".mtx")


def check_output_files(
    outputs: Mapping[str, Path | None],
    data: Path,
    *others: Path | None,
    target: str | None = None,
    ids: str | None = None,
) -> None:
    """Raise OutputError, before anything is read, when an output cannot or must not be written.

    Parameters
    ----------
    outputs : mapping
        Under the names of their options.
    data, others : Path or None
        What the command reads.
    target, ids : str, optional
        May be names of files that are read too.
    """
    for place in outputs.values():
        if place is not None:
            check_place(place)
    may_be_beside = set(data.suffixes) & set(_BESIDE)
    beside = [
        name
        for name in (target, ids)
        if may_be_beside and name is not None and os.path.isfile(name)
    ]
    check_apart(outputs, [data, *others, *beside])
