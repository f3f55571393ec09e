"""The checkpoint of an estimator's fit: which parameters it belongs to."""

from __future__ import annotations

from typing import Any, TypeVar

from handful.methods.checkpoint_file import CheckpointFile
from handful.methods.problem import Problem

Kind = TypeVar("Kind", bound=CheckpointFile)
#: Parameters that say how to run, not what to compute.
RUN_PARAMETERS = ("certify", "checkpoint", "verbose", "n_jobs", "warm_start")


def open_checkpoint(
    kind: type[Kind], estimator: Any, problem: Problem, n_keep: int | None
) -> Kind | None:
    """Return the file that ``checkpoint`` names, if it names one.

    ``n_keep`` is how many features are wanted: a share and the number it means are the same fit.
    """
    if estimator.checkpoint is None:
        return None
    given = estimator.get_params(deep=False)
    parameters = {name: value for name, value in given.items() if name not in RUN_PARAMETERS}
    parameters["n_features_to_select"] = n_keep
    return kind(estimator.checkpoint, parameters, problem.space, problem.y, problem.weight)
