"""The checkpoint of dictionaries: those that are done, and where the one in hand stands, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.methods.checkpoint_file import CheckpointFile, finite, starting_with
from handful.methods.dictionary.objective import JointObjective
from handful.methods.dictionary.state import DictionaryState, Run
from handful.methods.fgm.solvers.saved import is_solution, packed, unpacked
from handful.spaces.base import Array
from handful.status import Status


class Checkpoint(CheckpointFile):
    """A file that holds the last step. Starts are drawn again: what drew them has the same seed."""

    def arrays_of(self, state: DictionaryState) -> dict[str, Any]:
        steps, changes, along = (
            zip(*state.curvature.pairs, strict=True) if state.curvature.pairs else ((), (), ())
        )
        shape = (-1, *state.runs[-1].fitted.atoms.shape)
        arrays: dict[str, Any] = {
            "n_finished": np.array(len(state.finished)),
            "start": np.array(state.start),
            "steps": np.reshape(steps, shape),
            "changes": np.reshape(changes, shape),
            "along": np.array(along),
        }
        for number, run in enumerate([*state.finished, *state.runs]):
            arrays |= {f"run{number}_{name}": part for name, part in _packed(run).items()}
        return arrays

    def fill(self, state: DictionaryState, arrays: Mapping[str, Array]) -> None:
        n_finished, start = int(arrays["n_finished"]), int(arrays["start"])
        if not (0 <= n_finished < len(state.objectives) and start > 0):
            raise ValueError("an output or a start that is not there")
        in_hand = state.objectives[n_finished]
        state.finished = [
            _unpacked(objective, starting_with(f"run{number}_", arrays))
            for number, objective in enumerate(state.objectives[:n_finished])
        ]
        # The start in hand is last; before it is the best of those before, if there were any.
        state.runs = [
            _unpacked(in_hand, starting_with(f"run{number}_", arrays))
            for number in range(n_finished, n_finished + min(start, 2))
        ]
        state.start = start
        along = arrays["along"]
        shape = (along.size, *state.runs[-1].fitted.atoms.shape)
        state.curvature.pairs = list(
            zip(
                finite(arrays, "steps", shape),
                finite(arrays, "changes", shape),
                finite(arrays, "along", shape[:1]).tolist(),
                strict=True,
            )
        )


def _packed(run: Run) -> dict[str, Array]:
    return packed(run.fitted.solution) | {
        "atoms": run.fitted.atoms,
        "objective": np.array(run.fitted.objective),
        "path": np.array(run.path),
        "status": np.array(run.status.name),
    }


def _unpacked(objective: JointObjective, arrays: Mapping[str, Array]) -> Run:
    target, bags = objective.target, objective.distances.bags
    n_atoms = len(arrays["weights"])
    atoms = finite(arrays, "atoms", (n_atoms, bags.n_features))
    path = finite(arrays, "path", (arrays["path"].size,))
    if not (n_atoms and len(path) and is_solution(arrays, n_atoms, target.y.shape)):
        raise ValueError("a classifier on other similarities")
    value = float(finite(arrays, "objective", ()))
    fitted = objective.taken_up(atoms, unpacked(target, arrays), value)
    return Run(fitted, path.tolist(), target, Status[str(arrays["status"])])
