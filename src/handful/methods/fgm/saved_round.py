"""What the arrays of a saved round must be, before compiled code is led by them.

A checkpoint has the key of the data and the parameters, and a stranger who knows these can write one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handful.methods.checkpoint_file import are_ids
from handful.methods.fgm.state import State
from handful.spaces.base import Array
from handful.validation.indices import in_range

__all__ = ["is_sound"]


def is_sound(arrays: Mapping[str, Array], state: State) -> bool:
    """Whether all arrays are there, fit the data and each other, and point nowhere else."""
    try:
        models = [name.removesuffix("ids") for name in arrays if name.endswith("ids")]
        return (
            all(_is_model(_under(arrays, prefix), state) for prefix in models)
            and _are_blocks(arrays["block_sizes"], arrays["blocks"], len(arrays["ids"]))
            and all(_is_float(arrays[f"{prefix}objective"], ()) for prefix in models if prefix)
            and _is_float(arrays["bound"], ())
            and _are_grams(_under(arrays, "grams_"), arrays, state)
        )
    except KeyError:
        return False


def _under(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    names = [name for name in arrays if name.startswith(prefix)]
    return {name.removeprefix(prefix): arrays[name] for name in names}


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
        and _are_warm(_under(arrays, "warm_"), *shape)
    )


def _are_warm(arrays: Mapping[str, Array], n_samples: int, n_outputs: int) -> bool:
    """Whether what a solver wants back are numbers that it can have given; cuts have costs and an output."""
    costs = arrays.get("costs", np.empty(0))
    owner = arrays.get("owner", np.zeros_like(costs))
    fits = all(array.dtype == np.float64 and np.isfinite(array).all() for array in arrays.values())
    return (
        bool(fits)
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
