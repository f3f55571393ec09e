"""The checkpoint of a path of alphas: the solutions so far, from which the path follows, to the last bit."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.methods.checkpoint_file import CheckpointFile, are_ids, finite
from handful.methods.lasso_inf.engine import Path
from handful.methods.lasso_inf.solver import RowSolution
from handful.spaces.base import Array
from handful.spaces.columnwise.base import split_runs
from handful.status import Status

#: What is told of each solution by a number.
NUMBERS = ("alpha", "objective", "bound")


class Checkpoint(CheckpointFile):
    """A file that holds all solutions, and which columns became known together."""

    def arrays_of(self, state: Path) -> dict[str, Any]:
        solutions, moments = state.solutions, state.moments
        return {
            "known": moments.ids,
            "additions": np.array(moments.additions, dtype=np.int64),
            "ids": np.concatenate([one.ids for one in solutions]),
            "sizes": np.array([len(one.ids) for one in solutions], dtype=np.int64),
            "weights": np.vstack([one.weights for one in solutions]),
            "sweeps": np.array([one.n_sweeps for one in solutions], dtype=np.int64),
            "status": np.array([one.status.name for one in solutions]),
            **{name: np.array([getattr(one, name) for one in solutions]) for name in NUMBERS},
        }

    def fill(self, state: Path, arrays: Mapping[str, Array]) -> None:
        known, ids, sizes = arrays["known"], arrays["ids"], arrays["sizes"]
        n_features = self._space.n_features
        if not (are_ids(known, n_features) and are_ids(ids, n_features)):
            raise ValueError("ids of other columns")
        if len(np.unique(known)) < len(known) or not np.isin(ids, known).all():
            raise ValueError("columns that are known twice, or not at all")
        parts = [
            split_runs(ids, sizes),
            np.split(
                finite(arrays, "weights", (len(ids), state.moments.n_outputs)),
                np.cumsum(sizes)[:-1],
            ),
            *(finite(arrays, name, sizes.shape).tolist() for name in NUMBERS[1:]),
            arrays["sweeps"].tolist(),
            [Status[name] for name in arrays["status"].tolist()],
        ]
        alphas = finite(arrays, "alpha", sizes.shape).tolist()
        state.saved = deque(RowSolution(*each) for each in zip(alphas, *parts, strict=True))
        for together in split_runs(known, arrays["additions"]):
            state.moments.add(together)
