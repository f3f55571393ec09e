"""The checkpoint of a fit of all columns: the outputs that are done, and where the one in hand stands, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.methods.checkpoint_file import CheckpointFile, finite, starting_with
from handful.methods.fgm.all_features import Outputs
from handful.methods.fgm.solvers import Solution
from handful.spaces.base import Array
from handful.status import Status

IN_HAND = "in_hand_"


class Checkpoint(CheckpointFile):
    """A file that holds the last step. Of outputs that are done it has the models: predictions are made again."""

    def arrays_of(self, state: Outputs) -> dict[str, Any]:
        done = state.solutions[: state.number]
        n_columns = state.X.shape[1]
        arrays: dict[str, Any] = {
            "weights": np.hstack([np.empty((n_columns, 0)), *(one.weights for one in done)]),
            "intercept": np.array([one.point.intercept[0] for one in done], dtype=np.float64),
            "objective": np.array([one.objective for one in done], dtype=np.float64),
            "bound": np.array([one.bound for one in done], dtype=np.float64),
            "n_steps": np.array([one.n_steps for one in done], dtype=np.int64),
            "status": np.array([one.status.name for one in done], dtype=np.str_),
        }
        of_bundle = state.in_hand.to_arrays()
        return arrays | {f"{IN_HAND}{name}": part for name, part in of_bundle.items()}

    def fill(self, state: Outputs, arrays: Mapping[str, Array]) -> None:
        n_done, n_steps = arrays["objective"].size, arrays["n_steps"]
        if n_done >= len(state.targets) or n_steps.dtype != np.int64 or n_steps.ndim != 1:
            raise ValueError("outputs that are not there, or were not solved")
        weights = finite(arrays, "weights", (state.X.shape[1], n_done))
        numbers = [
            *(finite(arrays, name, (n_done,)).tolist() for name in ("objective", "bound")),
            n_steps.tolist(),
            [Status[name] for name in arrays["status"].tolist()],
        ]
        intercepts = finite(arrays, "intercept", (n_done,))
        for c, of_output in enumerate(zip(*numbers, strict=True)):
            scores = np.asarray(state.X @ weights[:, [c]])
            point = state.targets[c].evaluate(scores, intercepts[[c]])
            state.solutions[c] = Solution(weights[:, [c]], point, *of_output)
        state.begin(n_done)
        state.in_hand.fill(starting_with(IN_HAND, arrays))
        state.solutions[n_done] = state.in_hand.solution
