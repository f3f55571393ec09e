"""Read npz files: dense or sparse matrices, with or without the target beside them; arrays are looked at before they are read."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from handful.files import open_regular
from handful.io.columns import check_names, choose_columns, near_names
from handful.io.errors import InputError, NoRoomError, check_room
from handful.io.labels import check_labels, expand, read_labels, target_matrix
from handful.io.opening import reading
from handful.io.table import Request, Table, as_matrix
from handful.validation.npy import read_npy_header, read_npy_numbers

Array = np.ndarray


class Member:
    """One array, read from its beginning to its end; nothing is unpickled."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        entry = archive.getinfo(f"{name}.npy")
        self._name, self._place = name, archive.filename or name
        self._file = archive.open(entry)
        self._header = read_npy_header(self._file)
        if self._file.tell() + self._header.n_bytes != entry.file_size:
            raise ValueError(f"{name} has not the size that its header says")
        self.shape, self.by_column, self.dtype = self._header

    def read(self, count: int) -> Array:
        """Return the next numbers."""
        return read_npy_numbers(self._file, self._header, count)

    def skip(self, count: int) -> None:
        """Pass over numbers."""
        self._file.seek(count * self.dtype.itemsize, 1)

    def all(self) -> Array:
        """Return the whole array."""
        check_room(self._place, self._header.n_bytes, f"the array {self._name}")
        size = int(np.prod(self.shape, dtype=object))
        return self.read(size).reshape(self.shape, order="F" if self.by_column else "C")


class Arrays(Mapping[str, Array]):
    """All arrays of a file by name, each read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._names = [name.removesuffix(".npy") for name in archive.namelist()]

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        return Member(self.archive, name).all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@contextmanager
def open_npz(path: Path) -> Iterator[Arrays]:
    """Open a file of arrays; turn what goes wrong into one sentence."""
    try:
        with reading(path), open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield Arrays(archive)
    except (InputError, NoRoomError):
        raise
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise InputError(f"{path} is not a usable npz file ({error})") from error


def read_key(path: Path, key: str) -> np.ndarray | None:
    """Read one array; None when the file has no such key."""
    with open_npz(path) as archive:
        return archive.get(key)


def read_npz(path: Path, request: Request) -> Table:
    """Read one file in any of three layouts; nothing in it is unpickled.

    - ``X`` dense, or the parts ``X_data, X_indices, X_indptr, X_shape`` of a CSR matrix,
      with the target under ``y`` and, if there are names, ``feature_names``;
    - what ``scipy.sparse.save_npz`` writes.

    The target is a key of the file ("y" by default) or a file with one label per line; several targets
    are keys of vectors or matrices, whose columns ``label_names`` may name.
    """
    with open_npz(path) as archive:
        X = _matrix(path, archive)
        names = names_of(path, archive, X.shape[1])
        y, target, several = target_of(path, archive, X.shape[0], request)
    if request.drop or request.only is not None:
        X, names = _take(path, X, names, request)
    elif names is not None:
        check_names(path, names)
    return Table(X, y, names, target, target_names=several)


def _matrix(path: Path, archive: Mapping[str, np.ndarray]) -> Any:
    if "X" in archive:
        X = archive["X"]
        if X.ndim != 2:
            raise InputError(f"{path}: X has the shape {X.shape}, expected two dimensions")
        return as_matrix(path, X)
    if "X_indptr" in archive:
        parts = (archive["X_data"], archive["X_indices"], archive["X_indptr"])
        return as_matrix(
            path, sparse.csr_matrix(_wide_enough(parts), shape=tuple(archive["X_shape"]))
        )
    if "format" in archive:
        return as_matrix(path, _saved_matrix(archive))
    keys = ", ".join(archive)
    raise InputError(
        f"{path} has the keys {keys}; expected X and y, or the parts of a sparse matrix "
        "(X_data, X_indices, X_indptr, X_shape), or what scipy.sparse.save_npz writes"
    )


def _saved_matrix(archive: Mapping[str, np.ndarray]) -> Any:
    """Put together what ``scipy.sparse.save_npz`` took apart."""
    layout = str(archive["format"].astype(str))
    shape = tuple(archive["shape"].tolist())
    if layout in ("csr", "csc", "bsr"):
        parts = _wide_enough(tuple(archive[name] for name in ("data", "indices", "indptr")))
        return getattr(sparse, f"{layout}_array")(parts, shape=shape)
    if layout == "coo":
        places = archive["coords"] if "coords" in archive else (archive["row"], archive["col"])
        return sparse.coo_array((archive["data"], tuple(places)), shape=shape)
    if layout == "dia":
        return sparse.dia_array((archive["data"], archive["offsets"]), shape=shape)
    raise ValueError(f"a matrix of the format {layout[:20]!r} is not known")


def _wide_enough(parts: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    data, indices, indptr = parts
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise ValueError("indices and indptr of X are not whole numbers")
    most = np.iinfo(np.int32).max
    is_small = len(data) <= most and np.can_cast(indices.dtype, np.int32)
    index_type = np.int32 if is_small else np.int64
    return data, indices.astype(index_type), indptr.astype(np.int64)


def names_of(
    path: Path, archive: Mapping[str, np.ndarray], n_features: int
) -> tuple[str, ...] | None:
    """Return the names of the columns, if the file has them."""
    if "feature_names" not in archive:
        return None
    names = archive["feature_names"]
    if names.shape != (n_features,):
        raise InputError(f"{path}: {names.size} feature_names for {n_features} columns")
    return tuple(str(name) for name in names)


def target_of(
    path: Path, archive: Mapping[str, np.ndarray], n_rows: int, request: Request
) -> tuple[np.ndarray | None, str | None, tuple[str, ...] | None]:
    """Return the target or targets, and the name of the one or the names of the several."""
    if request.targets is not None:
        return _several_targets(path, archive, n_rows, request)
    key = "y" if request.target is None else request.target
    if key in archive:
        y, gaps = archive[key], request.labels.may_be_missing
        if y.shape != (n_rows,):
            raise InputError(f"{path}: {key} has the shape {y.shape}, expected ({n_rows},)")
        return check_labels(path, key, y, may_be_missing=gaps), key, None
    if request.target_optional:
        return None, None, None
    if request.target is not None and os.path.isfile(request.target):
        labels = read_labels(request.target, n_rows, path, request.labels)
        return labels, request.target, None
    hint = near_names(key, list(archive), "key")
    raise InputError(
        f"{path} has no {request.role} {key!r}, nor is there a file of this name; {hint}"
    )


def _several_targets(
    path: Path, archive: Mapping[str, np.ndarray], n_rows: int, request: Request
) -> tuple[np.ndarray | None, None, tuple[str, ...] | None]:
    vectors, matrices = _possible_targets(archive, n_rows)
    known = [*matrices, *vectors]
    wanted = request.targets or ()
    names: list[str] = []
    for word in expand(path, wanted, known, "key or label", optional=request.target_optional):
        if word in known:
            names += matrices.get(word, [word])
        elif word in archive:
            shape = archive[word].shape
            raise InputError(
                f"{path}: {word} has the shape {shape}, expected {n_rows} rows of targets"
            )
        else:
            raise InputError(f"{path} has no target {word!r}; {near_names(word, known, 'key')}")
    if not names:
        return None, None, None
    names = list(dict.fromkeys(names))
    gaps = request.labels.may_be_missing
    columns = [vectors[name] for name in names]
    return target_matrix(path, names, columns, may_be_missing=gaps), None, tuple(names)


def _possible_targets(
    archive: Mapping[str, np.ndarray], n_rows: int
) -> tuple[dict[str, np.ndarray], dict[str, list[str]]]:
    """Return what has a number for each row, by name, and the names in each matrix of them."""
    vectors: dict[str, np.ndarray] = {}
    matrices: dict[str, list[str]] = {}
    titles = [str(title) for title in archive.get("label_names", ())]
    for key in archive:
        if key.split("_")[0] == "X" or key.endswith("_names"):
            continue
        values = archive[key]
        if values.shape == (n_rows,):
            vectors[key] = values
        elif values.ndim == 2 and len(values) == n_rows:
            is_named = len(set(titles)) == len(titles) == values.shape[1]
            own = (
                titles
                if is_named and not {*titles} & {*archive, *vectors}
                else [f"{key}{j}" for j in range(values.shape[1])]
            )
            matrices[key] = own
            vectors.update(zip(own, values.T, strict=True))
    return vectors, matrices


def _take(
    path: Path, X: Any, names: tuple[str, ...] | None, request: Request
) -> tuple[Any, tuple[str, ...] | None]:
    columns = choose_columns(
        path, names, X.shape[1], replace(request, target=None, targets=None, target_optional=True)
    )
    return X[:, list(columns.features)], columns.feature_names
