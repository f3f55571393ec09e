"""``handful transpose``: a table whose rows are genes becomes one whose rows are samples."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from handful.cli.console import progress, say
from handful.cli.options import Data, Format, refuse
from handful.cli.outputs import check_output_files
from handful.files import atomic_write

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


def command(
    data: Data,
    destination: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The csv or tsv to write.")
    ],
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--samples",
            metavar="FILE",
            help="A csv or tsv with a row for each sample: its name as in the first line of DATA, and what is known about "
            "it, such as the diagnosis, in other columns.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that describes rows and is no sample; may be repeated.",
        ),
    ] = None,
    file_format: Format = None,
) -> None:
    """Turn a csv, tsv or GCT with genes in rows and samples in columns, for the other commands.

    The first line names the samples, the first column the genes.

    Example: handful transpose counts.tsv.gz --samples patients.csv -o train.csv

    Then: handful select train.csv --target diagnosis --drop sample -k 50
    """
    separator = _SEPARATORS.get(destination.suffix.lower())
    if separator is None:
        raise refuse("output", f"the name of {destination} must end in .csv or .tsv")
    check_output_files({"--output": destination}, data, sheet)
    from handful.io.turned import turn_table
    from handful.validation.plural import plural

    with progress(f"reading {data}"):
        table = turn_table(data, sheet, drop or (), file_format)
    for note in table.notes:
        say(note)
    with progress(f"writing {destination}"), atomic_write(destination, text=True) as file:
        table.write(file, separator)
    key = shlex.quote(table.names[0])
    say(
        f"wrote {destination}: {plural(len(table.samples), 'row')}, {plural(len(table.names), 'column')}; {key} says whose "
        f"row it is and is no feature: select with --drop {key}, predict with --id {key}"
    )
