"""The settings of a dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Options:
    """The settings, as the estimator's parameters of the same names.

    Attributes
    ----------
    n_atoms : int
        No more than there are different instances, if atoms start at these.
    init : str or ndarray of shape (n_atoms, n_features)
        In the units of the instances as they were given.
    random : RandomState
        Draws the starts.
    """

    n_atoms: int
    C: float
    dictionary_penalty: float
    gamma: float | str
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random: Any
