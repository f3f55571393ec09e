"""Save a selection after each round and take it up again to the identical result.

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
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from handful.files import atomic_write
from handful.history import History
from handful.methods.fgm.saved_round import are_ids, is_sound
from handful.methods.fgm.solvers.base import Solution
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.state import Kept, State
from handful.spaces.base import Array, FeatureSpace
from handful.status import Status
from handful.validation import foreign_checkpoint, unreadable_checkpoint
from handful.validation.archives import read_arrays
from handful.validation.schema import Field, check_fields, list_of, parse_json, text

# To be raised when rounds are computed in another way: no fit should mix two of them.
FORMAT = "handful checkpoint 2"
WARM, BEFORE, GRAMS = "warm_", "before_", "grams_"
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


class CheckpointFile:
    """A file that always holds the last complete round; it is read when this is made.

    What a round is made of is the engine's matter: subclasses say which arrays.

    Parameters
    ----------
    path : path
    parameters : mapping
        Everything that decides the result but the data.
    space, y, weight
        The data; a fingerprint of them is stored.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        parameters: Mapping[str, Any],
        space: FeatureSpace,
        y: Array,
        weight: Array,
    ) -> None:
        self.path = Path(path)
        self.key = fingerprint([dict(parameters), space.fingerprint(), y, weight])
        self._n_features = space.n_features
        self._saved = self._read() if self.path.exists() else None

    def write(self, arrays: Mapping[str, Any], history: History, seconds: float) -> None:
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
            np.savez(file, allow_pickle=False, header=packed, **arrays)

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

    def check_ids(self, ids: Array) -> None:
        """Raise unless these are ids of the space: compiled loops go where they say."""
        if not are_ids(ids, self._n_features):
            raise unreadable_checkpoint(self.path)


class Checkpoint(CheckpointFile):
    """The checkpoint of a selection by generating features."""

    def save(self, state: State) -> None:
        """Write the state."""
        arrays: dict[str, Any] = {
            "ids": state.active.ids,
            "bound": np.array(state.bound),
            "block_sizes": np.array([len(block) for block in state.blocks], dtype=np.int64),
            "blocks": np.concatenate([np.empty(0, dtype=np.int64), *state.blocks]),
        }
        arrays |= _packed(state.solution)
        if state.grams is not None:
            arrays |= {f"{GRAMS}{name}": part for name, part in vars(state.grams).items()}
        if state.before_swap is not None:
            before = state.before_swap
            arrays |= {f"{BEFORE}{name}": part for name, part in _packed(before.solution).items()}
            arrays |= {f"{BEFORE}ids": before.ids, f"{BEFORE}objective": np.array(before.objective)}
        self.write(arrays, state.history, time.perf_counter() - state.started)

    def restore(self, state: State) -> bool:
        """Put the saved round into a fresh state; False when there was no file."""
        if self._saved is None:
            return False
        header, arrays = self._saved
        if not is_sound(arrays, state):
            raise unreadable_checkpoint(self.path)
        state.active.replace(arrays["ids"])
        state.solution = _unpacked(state, arrays)
        grams, before = _members(arrays, GRAMS), _members(arrays, BEFORE)
        if grams:
            state.grams = Grams(**grams)
        if before:
            solution = _unpacked(state, before)
            state.before_swap = Kept(before["ids"], solution, float(before["objective"]))
        ends = np.cumsum(arrays["block_sizes"])
        state.blocks = np.split(arrays["blocks"], ends[:-1]) if len(ends) else []
        state.bound = float(arrays["bound"])
        state.history = History.from_json(header["history"])
        state.started = time.perf_counter() - header["seconds"]
        return True


def _members(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin so, by the rest of their names."""
    starting = (name for name in arrays if name.startswith(prefix))
    return {name.removeprefix(prefix): arrays[name] for name in starting}


def _packed(solution: Solution) -> dict[str, Array]:
    arrays = {
        "weights": solution.weights,
        "scores": solution.point.scores,
        "intercept": solution.point.intercept,
        "a": solution.point.a,
        "cost": np.array(solution.point.cost),
    }
    return arrays | {f"{WARM}{name}": np.asarray(value) for name, value in solution.warm.items()}


def _unpacked(state: State, arrays: Mapping[str, Array]) -> Solution:
    """The solution as saved, not optimised again: the next round must start from the same bits."""
    point = state.target.evaluate(arrays["scores"], arrays["intercept"])
    # Under a measure a is a mixture of cuts, which the predictions alone do not give.
    point = replace(point, a=arrays["a"], cost=float(arrays["cost"]))
    warm = {
        name: value[()] if value.ndim == 0 else value
        for name, value in _members(arrays, WARM).items()
    }
    return Solution(arrays["weights"], point, point.value, -np.inf, 0, Status.MAX_ROUNDS, warm)


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
