"""A figure that was chosen for being high, beside figures that were not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from handful.model_selection.k_path import KPath, standard_error
from handful.validation.plural import plural

if TYPE_CHECKING:
    from handful.model_selection.nested import NestedScore

Array = np.ndarray


@dataclass(frozen=True)
class Honesty:
    """The score of the chosen k in three ways.

    Attributes
    ----------
    k : int
        The chosen one.
    same_folds : float
        Mean score on the folds that chose k: optimistic, since the largest of several figures is partly luck.
    same_folds_error : float
        Its standard error.
    other_folds : float
        Each fold scored at the k that the rule chooses from all other folds. NaN with one fold.
    other_folds_error : float
    nested : NestedScore or None
        The whole choice inside outer folds.
    """

    k: int
    same_folds: float
    same_folds_error: float
    other_folds: float
    other_folds_error: float
    nested: NestedScore | None = None

    @classmethod
    def of(cls, path: KPath, place: int, honest: Array) -> Honesty:
        """Compare the mean at the chosen place with the honest scores of the folds."""
        error = float(standard_error(honest[:, None])[0])
        k, mean = int(path.k[place]), float(path.mean[place])
        return cls(k, mean, float(path.standard_error[place]), float(honest.mean()), error)

    def with_nested(self, nested: NestedScore) -> Honesty:
        """Return the same with what nesting gives."""
        return replace(self, nested=nested)

    def __str__(self) -> str:
        lines = [
            f"{self.same_folds:.4f} +- {self.same_folds_error:.4f} with {plural(self.k, 'feature')}, on the folds that "
            "chose the number: optimistic"
        ]
        if np.isfinite(self.other_folds):
            lines.append(
                f"{self.other_folds:.4f} +- {self.other_folds_error:.4f} when each fold is scored at the number "
                "that the other folds choose"
            )
        if self.nested is not None:
            lines.append(str(self.nested))
        else:
            lines.append("not nested: nested_score repeats the whole choice inside outer folds")
        return "\n".join(lines)
