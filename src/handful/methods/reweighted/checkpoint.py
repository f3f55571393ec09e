"""The checkpoint of a reweighting: the rows of weights that are left, and what the next step starts from, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.methods.checkpoint_file import CheckpointFile, are_ids, finite, is_float, starting_with
from handful.methods.reweighted.state import Reweighting
from handful.methods.reweighted.step import Proof, Step
from handful.spaces.base import Array
from handful.validation import unreadable_checkpoint

FITTING, PROOF = "fitting_", "proof_"
#: Whether hard margins can be kept, by its number.
FEASIBLE = (None, False, True)


class Checkpoint(CheckpointFile):
    """A file that holds the last step; of a parameter that was chosen from a list before, the scores too."""

    _scores: Array | None = None

    def margins_left(self, order: tuple[str, ...]) -> tuple[tuple[str, ...], bool | None]:
        """Return the margins that are still to be tried, and whether hard ones were found to be feasible."""
        if self._saved is None:
            return order, None
        try:
            arrays = self._saved[1]
            margin, feasible = str(arrays["margin"]), int(arrays["feasible"])
            return order[order.index(margin) :], FEASIBLE[feasible]
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise unreadable_checkpoint(self.path) from error

    def scores(self, shape: tuple[int, int]) -> Array | None:
        """Return how each value of a list did on each fold; None where that is not known yet."""
        if self._saved is None:
            return None
        scores = self._saved[1].get("scores", np.empty(0))
        if not is_float(scores, shape):
            raise unreadable_checkpoint(self.path)
        self._scores = scores
        return scores

    def note_scores(self, scores: Array) -> None:
        """Have them saved with every step."""
        self._scores = scores

    def arrays_of(self, state: Reweighting) -> dict[str, Any]:
        columns, step = state.columns, state.step
        arrays: dict[str, Any] = {
            "ids": columns.ids,
            "has_constant": np.array(columns.constant),
            "weights": step.weights,
            "intercept": step.intercept,
            "loss": np.array(step.loss),
            "norms": state.norms,
            "seen": state.seen,
            "objectives": np.array(state.objectives),
            "margin": np.array(state.more.get("margin_", "")),
            "feasible": np.array(FEASIBLE.index(state.more.get("feasible_"))),
        }
        if self._scores is not None:
            arrays["scores"] = self._scores
        if step.proof is not None:
            arrays |= {
                f"{PROOF}{name}": np.asarray(part) for name, part in vars(step.proof).items()
            }
        of_fitting = state.fitting.to_arrays()
        return arrays | {f"{FITTING}{name}": part for name, part in of_fitting.items()}

    def fill(self, state: Reweighting, arrays: Mapping[str, Array]) -> None:
        columns, ids = state.columns, arrays["ids"]
        Y = state.data.Y
        if not are_ids(ids, self._space.n_features):
            raise ValueError("ids of other columns")
        kept = np.isin(columns.ids, ids)
        if not np.array_equal(columns.ids[kept], ids):
            raise ValueError("ids of columns that were not there")
        constant = np.full(int(columns.constant), bool(arrays["has_constant"]))
        columns.keep(np.concatenate([kept, constant]))
        n_outputs, proof = Y.shape[1], starting_with(PROOF, arrays)
        state.step = Step(
            finite(arrays, "weights", (len(columns), n_outputs)),
            finite(arrays, "intercept", (n_outputs,)),
            float(finite(arrays, "loss", ())),
            _unpacked(proof, Y.shape) if proof else None,
        )
        state.norms = finite(arrays, "norms", (len(columns),))
        state.seen = finite(arrays, "seen", state.seen.shape)
        objectives = arrays["objectives"]
        state.objectives = finite(arrays, "objectives", (objectives.size,)).tolist()
        if not state.objectives or (state.norms < 0).any():
            raise ValueError("a step that no reweighting has")
        state.fitting.fill(starting_with(FITTING, arrays))


def _unpacked(arrays: Mapping[str, Array], shape: tuple[int, ...]) -> Proof:
    """Return what a step proves; multiples may be as large as one likes."""
    multipliers = finite(arrays, "multipliers", shape)
    return Proof(multipliers, *(float(arrays[name]) for name in ("linear", "square", "most")))
