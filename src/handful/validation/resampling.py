"""Checks of what is drawn, selected and counted many times over."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.validation.indices import checked


def check_inner_share(name: str, got: Any) -> None:
    """Raise unless the parameter is a number above 0 and below 1."""
    is_number = isinstance(got, numbers.Real) and not isinstance(got, bool)
    if not is_number or not 0 < got < 1:
        raise ValueError(f"{name} must be a number above 0 and below 1; got {got!r}.")


def selection_table(selections: Any) -> sp.csr_array:
    """Return selections as a sparse table that holds ones only; at least two of them, of 0 and 1."""
    given = checked(selections, "selections") if sp.issparse(selections) else np.asarray(selections)
    if given.ndim != 2 or given.dtype.kind not in "biuf":
        raise ValueError(
            "selections must be a table of 0 and 1 with a row for each selection and a column for each "
            f"feature; got shape {given.shape} of {given.dtype}."
        )
    if given.shape[0] < 2 or given.shape[1] < 1:
        raise ValueError(
            f"selections must have at least two rows and one column; got shape {given.shape}."
        )
    table = sp.csr_array(given, copy=True)
    table.sum_duplicates()
    table.eliminate_zeros()
    wrong = table.data[table.data != 1]
    if len(wrong):
        raise ValueError(f"selections must hold 0 and 1 only; got {wrong[0]}.")
    return table
