"""The checkpoint of a selection by generating features: the whole state, to the last bit."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from handful.history import History
from handful.methods.checkpoint_file import CheckpointFile
from handful.methods.fgm.saved_round import is_sound
from handful.methods.fgm.solvers.base import Solution
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.state import Kept, State
from handful.spaces.base import Array
from handful.status import Status
from handful.validation import unreadable_checkpoint

WARM, BEFORE, GRAMS = "warm_", "before_", "grams_"


class Checkpoint(CheckpointFile):
    """A file that holds the last state."""

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
