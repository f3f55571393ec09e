"""Turn parameters and fitted attributes into JSON and plain arrays, and back.

Only what is listed here can be written or read: numbers, text, lists, tuples, dictionaries,
arrays of numbers or text, a Status and a History. Anything else is refused by name.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.history import History
from handful.io.errors import InputError
from handful.status import Status

__all__ = ["Decoder", "Encoder"]

_NUMERIC_KINDS = "biufU"  # U: text of fixed width, stored by numpy without pickle
_TAGS = ("float", "tuple", "dict", "array", "texts", "status", "history")


class Encoder:
    """Encode values one by one; arrays collect in `members`."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def encode(self, value: Any, name: str) -> Any:
        """Return what stands for `value` in JSON; `name` is for the message."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, list):
            return [self.encode(item, name) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item, name) for item in value]}
        if isinstance(value, dict):
            pairs = [[self.encode(k, name), self.encode(v, name)] for k, v in value.items()]
            return {"dict": pairs}
        if isinstance(value, Status):
            return {"status": value.name}
        if isinstance(value, History):
            return {"history": value.to_records()}
        if isinstance(value, np.ndarray):
            return self._encode_array(value, name)
        raise InputError(f"{name} is a {type(value).__name__}, which a model file cannot hold")

    def _encode_array(self, array: np.ndarray, name: str) -> dict[str, str]:
        if array.dtype.kind in _NUMERIC_KINDS:
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
            return {"array": self._add(f"arrays/{name}.npy", buffer.getvalue())}
        if array.ndim == 1 and all(isinstance(item, str) for item in array):
            text = json.dumps(array.tolist()).encode()
            return {"texts": self._add(f"texts/{name}.json", text)}
        raise InputError(f"{name} holds {array.dtype} values, which a model file cannot hold")

    def _add(self, name: str, content: bytes) -> str:
        if name in self.members:
            stem, dot, suffix = name.rpartition(".")
            name = f"{stem}-{len(self.members)}{dot}{suffix}"
        self.members[name] = content
        return name


class Decoder:
    """Decode what :class:`Encoder` wrote; ValueError on anything else."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self.members = members

    def decode(self, value: Any) -> Any:
        """Return the value that a piece of JSON stands for."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not (isinstance(value, dict) and len(value) == 1 and next(iter(value)) in _TAGS):
            raise ValueError("a value of an unknown kind")
        ((tag, content),) = value.items()
        match tag:
            case "float":
                return float(content)
            case "tuple":
                return tuple(self.decode(item) for item in content)
            case "dict":
                return {self.decode(k): self.decode(v) for k, v in content}
            case "status":
                return Status[content]
            case "history":
                return History.from_json(json.dumps(content))
            case "texts":
                return self._decode_texts(content)
            case _:
                return _decode_array(self.members[content])

    def _decode_texts(self, name: str) -> np.ndarray:
        texts = json.loads(self.members[name])
        if not (isinstance(texts, list) and all(isinstance(item, str) for item in texts)):
            raise ValueError(f"{name} is not a list of text")
        array = np.empty(len(texts), dtype=object)
        array[:] = texts
        return array


def _decode_array(content: bytes) -> np.ndarray:
    buffer = io.BytesIO(content)
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise ValueError("an array of an unknown version")
    shape, _, dtype = np.lib.format.read_array_header_1_0(buffer)
    if dtype.kind not in _NUMERIC_KINDS:
        raise ValueError(f"an array of {dtype}")
    # numpy allocates what the header says before it reads; so look first.
    if math.prod(shape) * dtype.itemsize != len(content) - buffer.tell():
        raise ValueError("an array whose size is not what its header says")
    buffer.seek(0)
    array: np.ndarray = np.lib.format.read_array(buffer, allow_pickle=False)
    return array
