"""What is asked of a reader and what it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handful.io.labels import LabelRules


@dataclass(frozen=True)
class Table:
    """A feature matrix with what is known about its columns.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_matrix of shape (n_samples, n_features)
        float32 or float64; sparse when the file is sparse.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets), or None
        The target: integers, floats or text; several targets: integers or floats. None when the
        file has none. Where rows without one are welcome they have None among texts, NaN among numbers.
    feature_names : tuple of str or None
        None when the file has no names.
    target_name : str or None
        The target as it was found: a column name, a position, a key or a file.
    target_names : tuple of str or None
        Of several targets: their names, one for each column of y.
    first_index : int
        What the file calls its first column: 1 for most svmlight files, else 0.
    left_out : tuple of int
        Of a file of columns without names: the positions of those that were dropped.
    n_beyond : int
        How many features of an svmlight file were left out, being beyond those that were asked for.
    """

    X: Any
    y: np.ndarray | None
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    first_index: int = 0
    target_names: tuple[str, ...] | None = None
    left_out: tuple[int, ...] = ()
    n_beyond: int = 0


@dataclass(frozen=True)
class Request:
    """The options of :func:`handful.io.read_table`, on their way to the reader of a format.

    `role` is what messages call the target. `only` may be empty: the target alone is wanted. `labels` says
    what the texts of the target are. `left_out` are positions of the columns that a model, whose
    `n_features` are sought in a file without names, was fitted without.
    """

    target: str | None = None
    role: str = "target"
    targets: tuple[str, ...] | None = None
    target_optional: bool = False
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    header: bool | None = None
    n_features: int | None = None
    first_index: int | None = None
    labels: LabelRules = field(default_factory=LabelRules)
    left_out: tuple[int, ...] = ()
