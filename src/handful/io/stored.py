"""Read stores, and h5ad files, as tables whose matrix stays where it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.columns import check_names, near_names, positions_of
from handful.io.errors import InputError
from handful.io.labels import expand
from handful.io.table import Request, Table
from handful.sources.store.manifest import DATA, DENSE, MANIFEST, UNFINISHED
from handful.sources.store.reader import Store, open_store
from handful.spaces.resolve import resolve_space
from handful.spaces.source import Source
from handful.validation.store import StoreError


def is_store(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a store: whole, spoilt or not yet finished."""
    place = os.fspath(path)
    if os.path.isdir(place):
        return any(os.path.exists(os.path.join(place, name)) for name in (MANIFEST, DATA, DENSE))
    return not os.path.exists(place) and os.path.isdir(place + UNFINISHED)


def read_store(path: Path, request: Request) -> Table:
    """Open a store; the columns that are asked for by name are read, all others are not."""
    if request.drop:
        raise InputError(f"{path}: columns are left out of a store with --exclude, not --drop")
    with _readable():
        store = open_store(path)
    y, name, names = _target(path, store, request)
    X, feature_names = chosen(path, store, request)
    return Table(X, y, feature_names, name, store.about.first_index, names)


def read_h5ad(path: Path, request: Request) -> Table:
    """Open a file of AnnData; the target is a column of ``obs``."""
    if request.drop or request.targets is not None:
        raise InputError(
            f"{path}: an h5ad file takes one --target, and --exclude in place of --drop"
        )
    if request.target is None and not request.target_optional:
        raise InputError(f"{path}: say which column of obs is the target with --target")
    with _readable():
        file = open_store(path)
        if request.target is not None and (
            not request.target_optional or request.target in file.columns_of_obs
        ):
            file = open_store(path, target=request.target)
    X, feature_names = chosen(path, file, request)
    return Table(X, file.y, feature_names, None if file.y is None else request.target)


def chosen(path: Path, X: Source, request: Request) -> tuple[Any, tuple[str, ...] | None]:
    """Return a matrix and its names; with names that are asked for, those columns in memory."""
    names = None if X.feature_names is None else tuple(X.feature_names)
    if request.only is None:
        if names is not None:
            check_names(path, names)
        return X, names
    ids = np.array(positions_of(path, names, request.only), dtype=np.int64)
    return resolve_space(X).columns(ids), request.only


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise InputError(str(error)) from error


def _target(
    path: Path, store: Store, request: Request
) -> tuple[np.ndarray | None, str | None, tuple[str, ...] | None]:
    names = store.about.target_names
    if request.targets is not None:
        return _several(path, store, request)
    wanted = request.target
    if wanted is not None and wanted != store.about.target_name and not request.target_optional:
        held = store.about.target_name or ("several targets" if names else "none")
        raise InputError(f"{path} has no target {wanted!r}; the one it holds is {held}")
    if store.y is None and not request.target_optional:
        raise InputError(f"{path} holds no target; convert the data again with --target")
    if names is None:
        return store.y, store.about.target_name, None
    return store.y, None, tuple(names)


def _several(
    path: Path, store: Store, request: Request
) -> tuple[np.ndarray | None, str | None, tuple[str, ...] | None]:
    known = store.about.target_names or []
    wanted = request.targets or ()
    words = expand(path, wanted, known, "target", optional=request.target_optional)
    if not words:
        return None, None, None
    for word in words:
        if word not in known:
            hint = near_names(word, known, "target") if known else "it holds none"
            raise InputError(f"{path} has no target {word!r}; {hint}")
    y = None if store.y is None else store.y[:, [known.index(word) for word in words]]
    return y, None, tuple(words)
