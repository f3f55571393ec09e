"""The parameter ``scale``: what is made one of every column, as asked for or as X wants it."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from handful import validation
from handful.spaces.base import Array, Unit, input_names
from handful.spaces.resolve import is_sparse
from handful.spaces.units import different_units
from handful.validation.spaces import columns_in_units
from handful.validation.warning import warn_user


class UnitsMixin:
    """``scale`` is a unit, "raw", or None, which looks at X; ``scaling_`` tells what was done."""

    scale: Any

    def _check_scale(self) -> None:
        validation.check_choice("scale", self.scale, [None, "raw", *get_args(Unit)])

    def unit_for(self, X: Any, weight: Array) -> Unit | None:
        """Return what to make one of every column: as asked for, or as columns in different units want it.

        Where a parameter is told in the units of X these stay as they are, and so do columns of a sparse matrix, of which those that
        few rows have would count as much as frequent ones.
        """
        if self.scale is not None:
            return None if self.scale == "raw" else self.scale
        if not self._has_free_units or is_sparse(X):
            return None
        found = different_units(X, np.flatnonzero(weight))
        # Numbers too large to be squared are refused as such.
        return "std" if found is not None and found.widest < np.sqrt(validation.LARGEST) else None

    @property
    def _has_free_units(self) -> bool:
        """Whether nothing that the user has said is about the units of X."""
        return True

    def _mention_units(self, X: Any, weight: Array, chosen: Array) -> None:
        """Warn where columns are compared as they are, unasked, and have different units."""
        if self.scale is not None or (self._has_free_units and not is_sparse(X)):
            return
        found = different_units(X, np.flatnonzero(weight), chosen)
        if found is not None:
            names = input_names(
                np.array([found.wide, found.narrow]), getattr(self, "feature_names_in_", None)
            )
            warn_user(columns_in_units(names, (found.widest, found.narrowest)))
