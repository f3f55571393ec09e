"""The checkpoint of a selection by generating features: the whole state, to the last bit."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from handful.history import History
from handful.methods.checkpoint_file import CheckpointFile, are_ids
from handful.methods.fgm.solvers.base import Solution
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.state import Kept, State
from handful.spaces.base import Array
from handful.status import Status
from handful.validation import unreadable_checkpoint
from handful.validation.indices import in_range

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
        if not _is_sound(arrays, state):
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


def _is_sound(arrays: Mapping[str, Array], state: State) -> bool:
    """Whether all arrays are there, fit the data and each other, and point nowhere else.

    Compiled code will be led by them. A checkpoint has the key of the data and the parameters, and a stranger who
    knows these can write one.
    """
    try:
        models = [name.removesuffix("ids") for name in arrays if name.endswith("ids")]
        return (
            all(_is_model(_members(arrays, prefix), state) for prefix in models)
            and _are_blocks(arrays["block_sizes"], arrays["blocks"], len(arrays["ids"]))
            and all(_is_float(arrays[f"{prefix}objective"], ()) for prefix in models if prefix)
            and _is_float(arrays["bound"], ())
            and _are_grams(_members(arrays, GRAMS), arrays, state)
        )
    except KeyError:
        return False


def _is_float(array: Array, shape: tuple[int, ...]) -> bool:
    return array.dtype == np.float64 and array.shape == shape


def _is_model(arrays: Mapping[str, Array], state: State) -> bool:
    """Whether a model has weights for its features, and predictions for the rows."""
    space, ids, shape = state.active.space, arrays["ids"], state.target.y.shape
    if not are_ids(ids, space.n_features) or len(np.unique(ids)) < len(ids):
        return False
    n_columns = int(space.widths(ids).sum())
    return (
        _is_float(arrays["weights"], (n_columns, shape[1]))
        and _is_float(arrays["intercept"], shape[1:])
        and all(_is_float(arrays[name], shape) for name in ("scores", "a"))
        and _is_float(arrays["cost"], ())
        and _are_warm(_members(arrays, WARM), *shape)
    )


def _are_warm(arrays: Mapping[str, Array], n_samples: int, n_outputs: int) -> bool:
    """Whether what a solver wants back are numbers that it can have given; cuts have costs and an output."""
    costs = arrays.get("costs", np.empty(0))
    owner = arrays.get("owner", np.zeros_like(costs))
    signs = {"cuts"} if "cut_sizes" in arrays else set()
    fits = all(
        array.dtype == (np.int8 if name in signs else np.float64) and np.isfinite(array).all()
        for name, array in arrays.items()
    )
    return (
        bool(fits)
        and arrays.get("cut_sizes", costs).shape == costs.shape
        and costs.ndim == 1
        and owner.shape == costs.shape
        and bool(np.isin(owner, np.arange(n_outputs)).all())
        and arrays.get("cuts", np.empty((n_samples, 0))).shape == (n_samples, len(costs))
        and _is_float(arrays.get("tau", np.ones(())), ())
        and bool(arrays.get("tau", np.ones(())) > 0)
        and arrays.get("mu", costs).ndim == 1
    )


def _are_blocks(sizes: Array, blocks: Array, n_active: int) -> bool:
    return (
        sizes.dtype == blocks.dtype == np.int64
        and sizes.ndim == blocks.ndim == 1
        and sizes.min(initial=0) >= 0
        and int(sizes.sum(dtype=object)) == len(blocks)
        and in_range(blocks, n_active)
    )


def _are_grams(arrays: Mapping[str, Array], round_: Mapping[str, Array], state: State) -> bool:
    """Whether Gram matrices are of the active columns; there may be none."""
    if not arrays:
        return True
    n_models, n_columns = arrays["sums"].shape if arrays["sums"].ndim == 2 else (0, 0)
    return (
        arrays.keys() == {"grams", "sums", "bend"}
        and 0 < n_columns <= len(round_["weights"])  # columns that came since have none yet
        and _is_float(arrays["grams"], (n_models, n_columns, n_columns))
        and _is_float(arrays["sums"], (n_models, n_columns))
        and _is_float(arrays["bend"], (len(state.target.y), n_models))
    )
