"""Instances that were chosen: what makes their similarities from other bags, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.bags.container import with_factors
from handful.validation import bags as checks
from handful.validation.indices import checked

Array = np.ndarray


@dataclass(frozen=True)
class ChosenInstances:
    """A few of the training instances, and how similarities to them were made.

    Attributes
    ----------
    ids : ndarray of int64, all different
        Their numbers among the different training instances.
    instances : ndarray or CSR array
        One row for each, as it was given.
    factors : ndarray of shape (n_columns,)
        What columns are multiplied by.
    gamma : float
    n_instances : int
        How many different training instances there were.
    bag_ids : ndarray
        The bag of each.
    rows : ndarray of int64
        Where in that bag each one is.
    """

    ids: Array
    instances: Any
    factors: Array
    gamma: float
    n_instances: int
    bag_ids: Array
    rows: Array

    @property
    def places(self) -> list[tuple[Any, int]]:
        """The bag of each, as it is called in the data, and its row in that bag."""
        return list(zip(self.bag_ids.tolist(), self.rows.tolist(), strict=True))

    def scaled(self) -> Any:
        """Return the instances with columns multiplied by the factors, as distances are taken."""
        return with_factors(self.instances, self.factors)

    def some(self, ids: Array) -> ChosenInstances:
        """Return a few of the chosen ones; ValueError for others."""
        order = np.argsort(self.ids)
        found = order[np.searchsorted(self.ids, ids, sorter=order).clip(max=len(order) - 1)]
        missing = self.ids[found] != ids  # of no ids nothing is missing
        if missing.any():
            raise checks.not_chosen(int(np.asarray(ids)[np.argmax(missing)]))
        of_each = ("ids", "instances", "bag_ids", "rows")
        return replace(self, **{name: getattr(self, name)[found] for name in of_each})

    def pack(self) -> dict[str, Array]:
        """Return plain arrays."""
        arrays = {
            "ids": self.ids,
            "factors": self.factors,
            "gamma": np.array([self.gamma]),
            "n_instances": np.array([self.n_instances], dtype=np.int64),
            "bag_ids": np.array(self.bag_ids),
            "rows": self.rows,
        }
        if not sp.issparse(self.instances):
            return arrays | {"instances": np.array(self.instances)}
        parts = ("data", "indices", "indptr")
        return arrays | {part: getattr(self.instances, part) for part in parts}

    @classmethod
    def unpack(cls, arrays: Mapping[str, Array]) -> ChosenInstances:
        """Return what was packed; ValueError or KeyError when the arrays do not fit together."""
        ids, factors, rows = arrays["ids"], arrays["factors"], arrays["rows"]
        (gamma,), (n_instances,) = arrays["gamma"].tolist(), arrays["n_instances"].tolist()
        if "instances" in arrays:
            instances: Any = arrays["instances"]
        else:
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            instances = sp.csr_array(parts, shape=(len(ids), len(factors)))
            checked(instances)
        bag_ids = arrays["bag_ids"]
        fits = (
            ids.dtype == rows.dtype == np.int64
            and ids.shape == rows.shape == bag_ids.shape == (len(ids),)
            and instances.shape == (len(ids), len(factors))
            and instances.dtype in (np.float32, np.float64)
            and factors.shape == (len(factors),)
            and factors.dtype == np.float64
        )
        if not fits or len(ids) == 0 or not isinstance(n_instances, int):
            raise ValueError("arrays of chosen instances that do not belong together")
        if len(np.unique(ids)) < len(ids) or not 0 <= ids.min() <= ids.max() < n_instances:
            raise ValueError("the ids of chosen instances are not numbers of their own")
        values = instances.data if sp.issparse(instances) else instances
        if not (np.isfinite(values).all() and np.isfinite(factors).all() and gamma > 0):
            raise ValueError("numbers of chosen instances that nothing can be computed with")
        return cls(ids, instances, factors, gamma, n_instances, bag_ids, rows)
