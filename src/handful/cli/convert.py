"""``handful convert``: a file of any size becomes a store that is read from the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handful.cli.console import Interrupted, print_json, progress, say
from handful.cli.options import Data, Drop, Format, Header, Json, Target, Targets, refuse

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def command(
    data: Data,
    store: Annotated[
        Path | None,
        typer.Argument(metavar="STORE", help="The folder to write.", show_default=False),
    ] = None,
    target: Target = None,
    targets: Targets = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="float32 or float64. [default: as DATA has it]", show_default=False
        ),
    ] = None,
    sparse: Annotated[
        bool, typer.Option("--sparse", help="Keep only what is not zero of a dense file.")
    ] = False,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="How much the data at hand may take, such as 500M.")
    ] = "1G",
    drop: Drop = None,
    header: Header = None,
    file_format: Format = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing: compare the checksums of the store DATA."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write DATA as a store: a folder that select, path and predict read without loading it.

    The target goes with it. Run the same command again after an interruption: it goes on where it stopped.

    Example: handful convert clicks.svm.gz clicks.store --dtype float32

    Then: handful select clicks.store -k 50

    To verify: handful convert clicks.store --check
    """
    if check:
        _check(data, store, as_json)
        return
    if store is None:
        raise typer.BadParameter("say where to write the store", param_hint="STORE")
    from handful import validation
    from handful.io.conversion import Conversion, convert, open_source
    from handful.io.labels import split_targets
    from handful.io.table import Request

    if dtype is not None:
        dtype = validation.float_dtype("--dtype", dtype).name
    request = Request(
        target=target,
        targets=split_targets(target, targets),
        target_optional=target is None and targets is None,
        drop=tuple(drop or ()),
        header=header,
    )
    job = Conversion(data, store, request, dtype, sparse, parse_size(memory))
    try:
        with progress(f"converting {data}") as show:
            convert(job, open_source(data, request, file_format), show)
    except KeyboardInterrupt:
        raise Interrupted(
            "interrupted; run the same command again, which goes on where it stopped"
        ) from None
    _report(store, as_json)


def _check(data: Path, store: Path | None, as_json: bool) -> None:
    from handful.sources.store.reader import open_store

    if store is not None:
        raise typer.BadParameter("--check takes one store and writes none", param_hint="STORE")
    with progress(f"checking {data}"):
        open_store(data, verify=True)
    if as_json:
        print_json({"store": str(data), "sound": True})
    else:
        say(f"{data} is complete, and all checksums fit")


def _report(path: Path, as_json: bool) -> None:
    from handful.sources.store.reader import open_store

    store = open_store(path)
    n_rows, n_columns = store.shape
    if as_json:
        print_json(
            {
                "store": str(path),
                "n_rows": n_rows,
                "n_features": n_columns,
                "storage": store.about.storage,
                "dtype": store.dtype.name,
                "n_entries": store.about.n_entries,
                "bytes": sum(store.about.files.values()),
                "has_target": store.y is not None,
            }
        )
        return
    from handful.validation.plural import plural

    target = "no target" if store.y is None else "with the target"
    size = sum(store.about.files.values()) / 1e6
    say(
        f"wrote {path}: {plural(n_rows, 'row')}, {plural(n_columns, 'feature')}, {store.about.storage} {store.dtype}, "
        f"{target}, {size:.1f} MB"
    )


def parse_size(text: str) -> int:
    """Read a number of bytes such as 500M or 2G."""
    number, unit = text.strip().upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in _UNITS:
        number, unit = number[:-1], _UNITS[number[-1]]
    try:
        size = int(float(number) * unit)
    except (ValueError, OverflowError):
        size = 0
    if size < 1:
        raise refuse("memory", f"{text!r} is not a size such as 500M or 2G")
    return size
