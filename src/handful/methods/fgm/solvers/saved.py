"""A solution as plain arrays, as checkpoints hold it: what the next solution starts from, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from handful.methods.checkpoint_file import is_float, starting_with
from handful.methods.fgm.solvers.base import Array, Solution, Target
from handful.status import Status

WARM = "warm_"


def packed(solution: Solution) -> dict[str, Array]:
    """Return the model, the loss there and what the solver wants back."""
    arrays = {
        "weights": solution.weights,
        "scores": solution.point.scores,
        "intercept": solution.point.intercept,
        "a": solution.point.a,
        "cost": np.array(solution.point.cost),
    }
    return arrays | {f"{WARM}{name}": np.asarray(value) for name, value in solution.warm.items()}


def unpacked(target: Target, arrays: Mapping[str, Array]) -> Solution:
    """Return the solution as saved, not optimised again: the next round must start from the same bits."""
    point = target.evaluate(arrays["scores"], arrays["intercept"])
    # Under a measure a is a mixture of cuts, which the predictions alone do not give.
    point = replace(point, a=arrays["a"], cost=float(arrays["cost"]))
    warm = {
        name: value[()] if value.ndim == 0 else value
        for name, value in starting_with(WARM, arrays).items()
    }
    return Solution(arrays["weights"], point, point.value, -np.inf, 0, Status.MAX_ROUNDS, warm)


def is_solution(arrays: Mapping[str, Array], n_columns: int, shape: tuple[int, ...]) -> bool:
    """Whether arrays are a solution on so many columns; ``shape`` is that of the targets."""
    return (
        is_float(arrays["weights"], (n_columns, shape[1]))
        and is_float(arrays["intercept"], shape[1:])
        and all(is_float(arrays[name], shape) for name in ("scores", "a"))
        and is_float(arrays["cost"], ())
        and _are_warm(starting_with(WARM, arrays), *shape)
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
        and is_float(arrays.get("tau", np.ones(())), ())
        and bool(arrays.get("tau", np.ones(())) > 0)
        and arrays.get("mu", costs).ndim == 1
        and arrays.get("variables", np.empty((0, n_outputs))).shape[1:] == (n_outputs,)
    )
