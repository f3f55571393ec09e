"""Turn parameters and fitted attributes into JSON and plain arrays, and back.

Only what is listed here can be written or read: numbers, text, lists, tuples, dictionaries,
arrays of numbers or text, a Status, a History, and the losses, measures and feature spaces of
handful, which are a name and such values. Sets of ids, ranges and the columns of data frames become
arrays. Anything else is refused by name.
"""

from __future__ import annotations

import inspect
import io
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from handful.history import History
from handful.io.errors import InputError
from handful.losses import known_losses
from handful.measures import known_measures
from handful.spaces import FeatureSpace, known_spaces
from handful.spaces.columnwise.base import split_runs
from handful.status import Status
from handful.validation.npy import read_npy
from handful.validation.schema import list_of, parse_json, text

#: What to do with what a model file cannot hold.
OTHERWISE = "keep the model with joblib or pickle"
_NUMERIC_KINDS = "biufU"  # U: text of fixed width, stored by numpy without pickle
_TAGS = (
    *("float", "tuple", "dict", "array", "arrays", "texts"),
    *("status", "history", "loss", "measure", "space"),
)
_NAMED: dict[str, Callable[[], Mapping[str, Any]]] = {
    "loss": known_losses,
    "measure": known_measures,
}


class Encoder:
    """Encode values one by one; arrays collect in `members`."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def encode(self, value: Any, name: str) -> Any:
        """Return what stands for `value` in JSON; `name` is for the message."""
        value = _simplified(value)
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, list):
            if _is_ragged(value):
                return self._encode_ragged(value, name)
            return [self.encode(item, name) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item, name) for item in value]}
        if isinstance(value, dict):
            pairs = [[self.encode(k, name), self.encode(v, name)] for k, v in value.items()]
            return {"dict": pairs}
        if isinstance(value, np.ndarray):
            return self._encode_array(value, name)
        return self._encode_object(value, name)

    def _encode_object(self, value: Any, name: str) -> dict[str, Any]:
        if isinstance(value, Status):
            return {"status": value.name}
        if isinstance(value, History):
            return {"history": value.to_records()}
        kind = type(value)
        for tag, known in _NAMED.items():
            title = getattr(kind, "name", None)
            if title is not None and known().get(title) is kind:
                return {tag: [title, self._encode_parameters(value, name)]}
        if isinstance(value, FeatureSpace):
            if known_spaces().get(kind.__name__) is not kind:
                raise InputError(
                    f"{name} is a {kind.__name__}, which a model file cannot hold as it opens without running code; "
                    f"of the spaces only {', '.join(known_spaces())} can be saved"
                )
            parameters = self._encode_parameters(value, name)
            learnt = {
                key: self._encode_array(array, f"{name}.{key}")
                for key, array in value.state().items()
            }
            return {"space": [kind.__name__, parameters, learnt]}
        raise InputError(
            f"{name} is a {kind.__name__}, which a model file cannot hold; {OTHERWISE}"
        )

    def _encode_parameters(self, value: Any, name: str) -> dict[str, Any]:
        """Return the constructor's arguments, which such an object keeps under their names."""
        # Who has a parameter that is not kept under its own name says so.
        if hasattr(value, "_parameters"):
            given = value._parameters()
        else:
            given = {key: getattr(value, key) for key in inspect.signature(type(value)).parameters}
        return {key: self.encode(item, f"{name}.{key}") for key, item in given.items()}

    def _encode_ragged(self, arrays: list[np.ndarray], name: str) -> dict[str, Any]:
        """Put arrays end to end: a million groups are two members of the file."""
        sizes = np.array([len(array) for array in arrays], dtype=np.int64)
        return {
            "arrays": [
                self._encode_array(np.concatenate(arrays), name),
                self._encode_array(sizes, f"{name}.sizes"),
            ]
        }

    def _encode_array(self, array: np.ndarray, name: str) -> dict[str, str]:
        if array.dtype.kind in _NUMERIC_KINDS:
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
            return {"array": self._add(f"arrays/{name}.npy", buffer.getvalue())}
        if array.ndim == 1 and all(isinstance(item, str) for item in array):
            text = json.dumps(array.tolist()).encode()
            return {"texts": self._add(f"texts/{name}.json", text)}
        raise InputError(
            f"{name} holds {array.dtype} values, which a model file cannot hold; {OTHERWISE}"
        )

    def _add(self, name: str, content: bytes) -> str:
        if name in self.members:
            stem, dot, suffix = name.rpartition(".")
            name = f"{stem}-{len(self.members)}{dot}{suffix}"
        self.members[name] = content
        return name


class Decoder:
    """Decode what :class:`Encoder` wrote; ValueError on anything else."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._left = dict(members)

    def finish(self) -> None:
        """Raise when there are members that nothing has named."""
        if self._left:
            raise ValueError(f"nothing names the member {min(self._left)}")

    def _take(self, name: Any) -> bytes:
        """Return a member, which one value alone may name: else a small file could unfold without end."""
        if not isinstance(name, str) or name not in self._left:
            raise ValueError(f"the member {name!r} is not there, or named twice")
        return self._left.pop(name)

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
                if content not in ("nan", "inf", "-inf"):
                    raise ValueError("a number that is written as text")
                return float(content)
            case "tuple":
                return tuple(self.decode(item) for item in content)
            case "dict":
                return {self.decode(k): self.decode(v) for k, v in content}
            case "texts":
                return self._decode_texts(content)
            case "array":
                return _decode_array(self._take(content))
            case "arrays":
                return split_runs(*(self.decode(part) for part in content))
            case _:
                return self._decode_object(tag, content)

    def _decode_object(self, tag: str, content: Any) -> Any:
        match tag:
            case "status":
                return Status[content]
            case "history":
                return History.from_records(content)
            case "loss" | "measure":
                name, parameters = content
                return _NAMED[tag]()[name](**self.decode_items(parameters))
            case _:
                return self._decode_space(*content)

    def decode_items(self, items: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that pieces of JSON stand for, under the same names."""
        return {key: self.decode(value) for key, value in items.items()}

    def _decode_space(
        self, name: str, parameters: Mapping[str, Any], learnt: Mapping[str, Any]
    ) -> FeatureSpace:
        kind: Any = known_spaces()[name]
        space: FeatureSpace = kind(**self.decode_items(parameters))
        return space.restore(self.decode_items(learnt)) if learnt else space

    def _decode_texts(self, name: str) -> np.ndarray:
        texts = parse_json(self._take(name))
        if not list_of(text).is_right(texts):
            raise ValueError(f"{name} is not a list of text")
        return np.array(texts, dtype=object)


def _decode_array(content: bytes) -> np.ndarray:
    array = read_npy(io.BytesIO(content), len(content))
    if array.dtype.kind not in _NUMERIC_KINDS:
        raise ValueError(f"an array of {array.dtype}")
    return array


def _simplified(value: Any) -> Any:
    """Return numpy's numbers as Python's; ids in sets and columns of data frames as arrays."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, range) or (
        isinstance(value, set | frozenset) and all(isinstance(x, int | np.integer) for x in value)
    ):
        return np.array(sorted(value), dtype=np.int64)
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        return np.asarray(value)
    return value


def _is_ragged(items: list[Any]) -> bool:
    """Whether these are arrays of ids, of any lengths."""
    return bool(items) and all(
        isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype == np.int64 for item in items
    )
