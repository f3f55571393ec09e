"""Columns that are selected together: groups as the features of a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.spaces.active import ActiveColumns, positions_in
from handful.spaces.base import NO_IDS, Array, Columns, ExplicitSpace, FeatureSpace, ascending
from handful.spaces.columns import scaled
from handful.spaces.groups.membership import Groups


class GroupedSpace(FeatureSpace):
    """Groups of the columns of a matrix: ``score_g = lambda_g^2 |c_g|^2``.

    Ids are those of groups; widths are their sizes.

    Parameters
    ----------
    base : ExplicitSpace
        The matrix.
    groups : Groups

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces import DenseSpace, GroupedSpace, make_groups
    >>> groups = make_groups(["a", "b", "a"], None, n_features=3)
    >>> space = GroupedSpace(DenseSpace(np.eye(3)), groups)
    >>> space.top(np.array([1.0, 2.0, 3.0]), k=2)
    (array([0, 1]), array([10.,  4.]))
    """

    def __init__(self, base: ExplicitSpace, groups: Groups) -> None:
        self.base = base
        self.groups = groups
        self.n_samples = base.n_samples
        self.n_features = len(groups)
        self.dtype = base.dtype
        self.column_unit = base.column_unit
        self.mean_width = float(groups.sizes.mean())
        self.active_kind = ActiveGroups

    @property
    def search_work(self) -> float:
        return self.base.search_work + self.n_features

    def in_memory(self) -> GroupedSpace:
        return GroupedSpace(self.base.in_memory(), self.groups)

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        return self.groups.top(self.base.scores(a), k, ascending(exclude))

    def columns(self, ids: Array) -> Columns:
        factors = np.repeat(self.groups.factors[ids], self.groups.sizes[ids])
        features, copies = np.unique(self.groups.features_of(ids), return_inverse=True)
        return scaled(self.base.columns(features)[:, copies], factors)

    def widths(self, ids: Array) -> Array:
        return self.groups.sizes[ids]

    def names(self, ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
        return self.base.names(self.groups.features_of(ids), feature_names_in)

    def fingerprint(self) -> str:
        groups = self.groups
        structure = (groups.members, groups.starts, groups.stops, groups.factors)
        return f"{self.base.fingerprint()} {self._digest(structure)}"


class ActiveGroups(ActiveColumns):
    """Active groups; a column that several of them share is stored once.

    Each group owns its copy of the weight; the weight of a column is the sum of the copies.
    """

    space: GroupedSpace

    @property
    def matrix(self) -> Columns:
        """The columns of all groups side by side, shared ones repeated but not copied."""
        stored = self._stored.matrix
        if self._is_plain:
            return stored
        copies = (np.arange(len(self._where)), self._where)
        shape = (len(self._where), len(self._stored))
        return LazyProduct(stored, sp.csr_array((self._factors, copies), shape=shape).T.tocsr())

    def model(self, weights: Array) -> tuple[Array, Array]:
        """Return the columns in use, ascending, and their weights: copies added up."""
        total = np.zeros((len(self._stored), weights.shape[1]))
        np.add.at(total, self._where, self._factors[:, None] * weights)
        return self._stored.model(total)

    def _clear(self) -> None:
        self._stored = activate(self.space.base, NO_IDS, self._weight)
        self._where = NO_IDS
        self._factors = np.empty(0)
        self._is_plain = True

    def _append(self, ids: Array) -> Array:
        groups = self.space.groups
        features = groups.features_of(ids)
        _, first = np.unique(features, return_index=True)
        self._stored.add(features[np.sort(first)])
        where = positions_in(self._stored.ids, features)
        factors = np.repeat(groups.factors[ids], groups.sizes[ids])
        self._set(np.append(self._where, where), np.append(self._factors, factors))
        return self._stored.squared_norms[where] * factors**2

    def _retain(self, columns: Array) -> None:
        where = self._where[columns]
        used, where = np.unique(where, return_inverse=True)
        self._stored.keep(used)
        self._set(where, self._factors[columns])

    def _set(self, where: Array, factors: Array) -> None:
        self._where, self._factors = where, factors
        in_order = len(where) == len(self._stored) and (where == np.arange(len(where))).all()
        self._is_plain = bool(in_order and (factors == 1.0).all())


class LazyProduct:
    """``left @ right`` that is never formed, for the products solvers need."""

    __array_ufunc__ = None  # let NumPy leave ``*`` and ``@`` to this class

    def __init__(self, left: Any, right: Any) -> None:
        self.left = left
        self.right = right
        self.shape = (left.shape[0], right.shape[1])

    @property
    def T(self) -> LazyProduct:
        """The transpose."""
        return LazyProduct(self.right.T, self.left.T)

    def __matmul__(self, other: Array) -> Array:
        return np.asarray(self.left @ (self.right @ other))

    def __mul__(self, factors: Array) -> LazyProduct:
        return LazyProduct(self.left, self.right @ sp.diags_array(factors))

    def __getitem__(self, key: tuple[slice, Any]) -> LazyProduct:
        _, columns = key
        return LazyProduct(self.left, self.right[:, columns])


def activate(
    space: FeatureSpace, ids: Array = NO_IDS, sample_weight: Array | None = None
) -> ActiveColumns:
    """Return the active columns of a space, beginning with ids."""
    kind = space.active_kind or ActiveColumns
    return kind(space, ids, sample_weight)
