"""Save a selection after each round and take it up again to the identical result.

The file is a plain .npz of arrays; reading it runs no code of the file's. It belongs to one
combination of data and parameters and is refused for any other.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from pathlib import Path

import numpy as np

from handful.engines.state import State
from handful.files import atomic_write
from handful.history import History
from handful.solvers.base import Solution, Target
from handful.spaces.active import ActiveColumns
from handful.spaces.base import Array, FeatureSpace
from handful.status import Status
from handful.validation import foreign_checkpoint, unreadable_checkpoint

VERSION = 1
PROBES = 64


class Checkpoint:
    """A file that always holds the last complete round.

    Parameters
    ----------
    path : path
    parameters : str
        Everything that decides the result but the data, as text.
    space, target
        The data; a fingerprint of them is stored.
    """

    def __init__(
        self, path: str | os.PathLike[str], parameters: str, space: FeatureSpace, target: Target
    ) -> None:
        self.path = Path(path)
        self.key = _digest(parameters, space, target)
        self.probe = _probe(space)

    def save(self, state: State) -> None:
        """Write the state, replacing the file in one move."""
        solution = state.solution
        arrays = {
            "ids": state.active.ids,
            "weights": solution.weights,
            "scores": solution.point.scores,
            "intercept": solution.point.intercept,
            "bound": np.array(state.bound),
            "block_sizes": np.array([len(block) for block in state.blocks], dtype=np.int64),
            "blocks": np.concatenate([np.empty(0, dtype=np.int64), *state.blocks]),
            "probe": self.probe,
        }
        arrays |= {f"warm_{name}": np.asarray(value) for name, value in solution.warm.items()}
        header = {
            "version": VERSION,
            "key": self.key,
            "history": state.history.to_json(),
            "seconds": time.perf_counter() - state.started,
        }
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        with atomic_write(self.path) as file:
            np.savez(file, allow_pickle=False, **arrays)

    def restore(self, space: FeatureSpace, state: State) -> bool:
        """Put the saved round into a fresh state; False when there is no file yet."""
        if not self.path.exists():
            return False
        header, arrays = self._read()
        if header.get("version") != VERSION or header.get("key") != self.key:
            raise foreign_checkpoint(self.path)
        if not np.allclose(arrays["probe"], self.probe, rtol=1e-6):
            raise foreign_checkpoint(self.path)
        state.active = ActiveColumns(space, arrays["ids"])
        # Evaluated as saved, not optimised again: the next round must start from the same bits.
        point = state.target.evaluate(arrays["scores"], arrays["intercept"])
        warm = {
            name.removeprefix("warm_"): value[()] if value.ndim == 0 else value
            for name, value in arrays.items()
            if name.startswith("warm_")
        }
        weights = arrays["weights"]
        state.solution = Solution(weights, point, point.value, -np.inf, 0, Status.MAX_ROUNDS, warm)
        ends = np.cumsum(arrays["block_sizes"])[:-1]
        state.blocks = np.split(arrays["blocks"], ends) if len(arrays["block_sizes"]) else []
        state.bound = float(arrays["bound"])
        state.history = History.from_json(header["history"])
        state.started = time.perf_counter() - header["seconds"]
        return True

    def remove(self) -> None:
        """Forget the saved round: the fit has ended."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> tuple[dict[str, object] | dict[str, str], dict[str, Array]]:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                arrays = dict(file)
            header = json.loads(bytes(arrays.pop("header")))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise unreadable_checkpoint(self.path) from error
        return header, arrays


def _digest(parameters: str, space: FeatureSpace, target: Target) -> str:
    digest = hashlib.sha256(parameters.encode())
    digest.update(f"{space.n_samples} {space.n_features} {space.dtype}".encode())
    for array in (target.y, target.weight):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _probe(space: FeatureSpace) -> Array:
    """Scores of a fixed random vector: they change when the features do, whatever the space is."""
    direction = np.random.default_rng(0).standard_normal(space.n_samples)
    return space.top(direction, PROBES)[1]
