"""The checkpoint of a selection by generating features: the whole state, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.methods.checkpoint_file import CheckpointFile, are_ids, is_float, starting_with
from handful.methods.fgm.solvers.hessians import Grams
from handful.methods.fgm.solvers.saved import is_solution, packed, unpacked
from handful.methods.fgm.state import Kept, State
from handful.spaces.base import Array
from handful.validation.indices import in_range

BEFORE, GRAMS = "before_", "grams_"


class Checkpoint(CheckpointFile):
    """A file that holds the last state."""

    def arrays_of(self, state: State) -> dict[str, Any]:
        arrays: dict[str, Any] = {
            "ids": state.active.ids,
            "bound": np.array(state.bound),
            "block_sizes": np.array([len(block) for block in state.blocks], dtype=np.int64),
            "blocks": np.concatenate([np.empty(0, dtype=np.int64), *state.blocks]),
        }
        arrays |= packed(state.solution)
        if state.grams is not None:
            arrays |= {f"{GRAMS}{name}": part for name, part in vars(state.grams).items()}
        if state.before_swap is not None:
            before = state.before_swap
            arrays |= {f"{BEFORE}{name}": part for name, part in packed(before.solution).items()}
            arrays |= {f"{BEFORE}ids": before.ids, f"{BEFORE}objective": np.array(before.objective)}
        return arrays

    def fill(self, state: State, arrays: Mapping[str, Array]) -> None:
        if not _is_sound(arrays, state):
            raise ValueError("the arrays of a round do not belong together")
        state.active.replace(arrays["ids"])
        state.solution = unpacked(state.target, arrays)
        grams, before = starting_with(GRAMS, arrays), starting_with(BEFORE, arrays)
        if grams:
            state.grams = Grams(**grams)
        if before:
            solution = unpacked(state.target, before)
            state.before_swap = Kept(before["ids"], solution, float(before["objective"]))
        ends = np.cumsum(arrays["block_sizes"])
        state.blocks = np.split(arrays["blocks"], ends[:-1]) if len(ends) else []
        state.bound = float(arrays["bound"])


def _is_sound(arrays: Mapping[str, Array], state: State) -> bool:
    """Whether all arrays are there, fit the data and each other, and point nowhere else."""
    models = [name.removesuffix("ids") for name in arrays if name.endswith("ids")]
    return (
        all(_is_model(starting_with(prefix, arrays), state) for prefix in models)
        and _are_blocks(arrays["block_sizes"], arrays["blocks"], len(arrays["ids"]))
        and all(is_float(arrays[f"{prefix}objective"], ()) for prefix in models if prefix)
        and is_float(arrays["bound"], ())
        and _are_grams(starting_with(GRAMS, arrays), arrays, state)
    )


def _is_model(arrays: Mapping[str, Array], state: State) -> bool:
    """Whether a model has weights for its features, and predictions for the rows."""
    space, ids = state.active.space, arrays["ids"]
    if not are_ids(ids, space.n_features) or len(np.unique(ids)) < len(ids):
        return False
    return is_solution(arrays, int(space.widths(ids).sum()), state.target.y.shape)


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
        and is_float(arrays["grams"], (n_models, n_columns, n_columns))
        and is_float(arrays["sums"], (n_models, n_columns))
        and is_float(arrays["bend"], (len(state.target.y), n_models))
    )
