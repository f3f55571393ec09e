"""A file that saves a fit after each round, so that it can be taken up again to the identical result.

The file is a plain .npz of arrays; reading it runs no code of the file's. It belongs to one
combination of data and parameters and is refused for any other. It stays when the fit is complete:
the same fit again ends at once with the same result.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import time
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from handful.files import atomic_write
from handful.history import History
from handful.spaces.base import Array
from handful.validation import foreign_checkpoint, unreadable_checkpoint
from handful.validation.indices import in_range
from handful.validation.npy import read_arrays
from handful.validation.schema import Field, check_fields, list_of, parse_json, text

# To be raised when rounds are computed in another way: no fit should mix two of them.
FORMAT = "handful checkpoint 2"
#: What the header must be.
SCHEMA = {
    "format": text,
    "key": text,
    "history": text,
    "seconds": Field("a number", lambda value: type(value) in (int, float)),
    "members": list_of(text),
}
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    OSError,
    RuntimeError,  # an encrypted member, an unknown method, JSON nested too deeply
    TypeError,
    ValueError,
)


class CheckpointFile(ABC):
    """A file that always holds the last complete round; it is read when this is made.

    What a round is made of is the method's matter: subclasses say which arrays, and put them back. What they are of
    has a ``history``, and the time when it ``started`` by ``perf_counter``.

    Parameters
    ----------
    path : path
    parameters : mapping
        Everything that decides the result but the data.
    space, y, weight
        The data; a fingerprint of them is stored. The space makes its own.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        parameters: Mapping[str, Any],
        space: Any,
        y: Array,
        weight: Array,
    ) -> None:
        self.path = Path(path)
        self.key = fingerprint([dict(parameters), space.fingerprint(), y, weight])
        self._space = space
        self._saved = self._read() if self.path.exists() else None

    @abstractmethod
    def arrays_of(self, state: Any) -> dict[str, Any]:
        """Return what the round after this one needs to know, but for the history."""

    @abstractmethod
    def fill(self, state: Any, arrays: Mapping[str, Array]) -> None:
        """Put such arrays into a fresh state; KeyError, TypeError or ValueError when they cannot be of this fit.

        A checkpoint has the key of the data and the parameters, and a stranger who knows these can write one: compiled code
        will be led by what is in it.
        """

    def save(self, state: Any) -> None:
        """Write where a fit stands."""
        self._write(self.arrays_of(state), state.history, time.perf_counter() - state.started)

    def restore(self, state: Any) -> bool:
        """Put the saved round into a fresh state; False when there was no file."""
        if self._saved is None:
            return False
        header, arrays = self._saved
        try:
            self.fill(state, arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise unreadable_checkpoint(self.path) from error
        state.history = History.from_json(header["history"])
        state.started = time.perf_counter() - header["seconds"]
        return True

    def _write(self, arrays: Mapping[str, Any], history: History, seconds: float) -> None:
        """Write a round, replacing the file in one move."""
        header = {
            "format": FORMAT,
            "key": self.key,
            "history": history.to_json(),
            "seconds": seconds,
            "members": sorted(arrays),
        }
        packed = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        with atomic_write(self.path) as file:
            np.savez(file, header=packed, **arrays)  # below 2.1 allow_pickle is one more array

    def _read(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Read the file and make sure that it is a checkpoint, and this fit's."""
        try:
            arrays = read_arrays(self.path)
            header = parse_json(bytes(arrays.pop("header")))
            check_fields(header, SCHEMA)
            History.from_json(header["history"])
            # A damaged name would lose an array without any checksum noticing.
            is_ours = header["format"] == FORMAT and header["members"] == sorted(arrays)
        except _BROKEN as error:
            raise unreadable_checkpoint(self.path) from error
        if not is_ours:
            raise unreadable_checkpoint(self.path)
        if header["key"] != self.key:
            raise foreign_checkpoint(self.path)
        return header, arrays


def are_ids(ids: Array, n_features: int) -> bool:
    """Whether these are ids of features: compiled loops go where they say."""
    return ids.dtype == np.int64 and ids.ndim == 1 and in_range(ids, n_features)


def is_float(array: Array, shape: tuple[int, ...]) -> bool:
    """Whether an array is of float64 and of this shape."""
    return array.dtype == np.float64 and array.shape == shape


def finite(arrays: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> Array:
    """Return an array of finite float64 of this shape; ValueError where it is another."""
    array = arrays[name]
    if not (is_float(array, shape) and np.isfinite(array).all()):
        raise ValueError(f"{name} is no array of numbers of the shape {shape}")
    return array


def whole(arrays: Mapping[str, Array], name: str) -> int:
    """Return a whole number that is not negative; ValueError where it is another."""
    array = arrays[name]
    if array.shape != () or array.dtype.kind != "i" or array < 0:
        raise ValueError(f"{name} is no number of anything")
    return int(array)


def starting_with(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays whose names begin so, by the rest of their names."""
    starting = (name for name in arrays if name.startswith(prefix))
    return {name.removeprefix(prefix): arrays[name] for name in starting}


def fingerprint(value: Any) -> str:
    """Return text that is equal for equal values, also in another process.

    Python's own ``repr`` will not do: it shortens arrays and shows where an object lies in memory.
    """
    digest = hashlib.sha256()
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        digest.update(f"mapping {len(value)} ".encode())
        for key in sorted(value, key=repr):
            _feed(digest, [key, value[key]])
    elif isinstance(value, (list, tuple)):
        digest.update(f"list {len(value)} ".encode())
        for item in value:
            _feed(digest, item)
    elif isinstance(value, np.generic):
        _feed(digest, value.item())
    elif value is None or isinstance(value, (bool, int, float, str, bytes)):
        digest.update(f"{type(value).__name__} {value!r} ".encode())
    elif hasattr(value, "__array__"):
        _feed_array(digest, np.asarray(value))
    else:  # a loss, say: what it is and what it holds
        digest.update(f"{type(value).__module__}.{type(value).__qualname__} ".encode())
        _feed(digest, getattr(value, "__dict__", {}))


def _feed_array(digest: Any, array: Array) -> None:
    if array.dtype.kind in "OT":
        _feed(digest, array.tolist())
        return
    digest.update(f"array {array.dtype.str} {array.shape} ".encode())
    digest.update(np.ascontiguousarray(array).tobytes())
