"""Checks and messages of dictionaries of atoms for bags."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp

Array = np.ndarray
INITS = ("random", "kmeans")


def check_penalty(name: str, got: Any) -> None:
    """Raise unless the parameter is a finite number of at least zero."""
    is_number = isinstance(got, numbers.Real) and not isinstance(got, bool)
    if not is_number or not 0 <= got < np.inf:
        raise ValueError(f"{name} must be a finite number of at least 0; got {got!r}.")


def check_init(given: Any) -> None:
    """Raise unless init is a word or could be atoms."""
    if isinstance(given, str):
        if given not in INITS:
            known = ", ".join(repr(word) for word in INITS)
            raise ValueError(f"init must be one of {known}, or an array of atoms; got {given!r}.")
        return
    if given is None or np.ndim(given) != 2:
        raise ValueError(
            f"init must be 'random', 'kmeans' or a matrix with a row for each atom; got {given!r}."
        )


def initial_atoms(given: Any, n_atoms: int, n_features: int) -> Array:
    """Return the atoms to start from as they were given, dense."""
    atoms = given.toarray() if sp.issparse(given) else np.asarray(given)
    if atoms.shape != (n_atoms, n_features):
        raise ValueError(
            f"init must have a row for each of the {n_atoms} atoms and a column for each of the "
            f"{n_features} columns of the instances; got shape {atoms.shape}."
        )
    if atoms.dtype.kind not in "biuf" or not np.isfinite(atoms).all():
        raise ValueError("init must hold finite numbers.")
    return atoms.astype(np.float64)


def fewer_atoms(n_different: int, wanted: int) -> str:
    """Return the warning for fewer different instances than atoms asked for."""
    return (
        f"n_atoms={wanted} is more than the {n_different} different instances of the bags; there are "
        f"{n_different} atoms, one for each."
    )
