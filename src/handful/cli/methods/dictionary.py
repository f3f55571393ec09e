"""``--method dictionary``: labels on bags, atoms learned together with the classifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from handful.cli.methods import shared
from handful.cli.methods.base import Method

if TYPE_CHECKING:
    from handful.estimators._features import Selection


@dataclass(frozen=True, kw_only=True)
class _Options(shared.Options):
    gamma: shared.Gamma = None
    scale: shared.Scale = None
    loss: shared.Loss = None
    C: shared.LossWeight = None
    tol: shared.Tolerance = None
    checkpoint: shared.Checkpoint = None


class Dictionary(Method):
    """Nothing is selected, atoms are learned: its report is of these."""

    name = "dictionary"
    use = "labels on bags of rows (--bags): k atoms that need not be rows"
    classifier = "DictionaryMILClassifier"
    options = _Options
    takes_bags = True
    count = "n_atoms"
    counted = "atoms"
    fixed: ClassVar[dict[str, Any]] = {"random_state": 0}  # the same command, the same model

    def describe(self, selection: Selection) -> dict[str, Any]:
        """Return everything for machines, the atoms in the units of the data among it."""
        import numpy as np

        estimator = selection.estimator
        named = zip(selection.features, estimator.dictionary_, strict=True)
        return {
            "estimator": type(estimator).__name__,
            "n_features_in": estimator.n_features_in_,
            "classes": estimator.classes_,
            "atoms": [
                {"name": atom.name, "weights": atom.weights, "values": values}
                for atom, values in named
            ],
            "intercept": np.atleast_1d(estimator.intercept_),
            "gamma": estimator.gamma_,
            "objective": estimator.objective_,
            "objective_path": estimator.objective_path_,
            "status": estimator.status_.name,
            "message": str(estimator.status_),
            "rounds": estimator.history_.to_records(),
        }

    def course(self, selection: Selection) -> Iterator[Any]:
        """Say how far the objective fell."""
        estimator = selection.estimator
        first, last = estimator.objective_path_[0], estimator.objective_
        fell = f"objective {first:.6g} at the start, {last:.6g} after {estimator.n_iter_} steps"
        yield f"{fell}; gamma {estimator.gamma_:.4g}"
