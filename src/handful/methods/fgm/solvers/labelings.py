"""How the labelings of cuts are kept: as numbers, or in a byte for each sample where it is right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from handful.kernels.labelings import add_signs, pack_signs
from handful.methods.checkpoint_file import finite
from handful.methods.fgm.solvers.base import Array
from handful.spaces.columns import GrowingColumns

ROUNDING = 1e-12


class Labelings:
    """``a_k`` of K cuts as columns of numbers.

    Parameters
    ----------
    warm : mapping
        The cuts of the last problem, see :func:`packed`.
    sizes : ndarray of shape (K,)
        What each of these is multiplied with.
    n_samples : int
    """

    def __init__(self, warm: Mapping[str, Array], sizes: Array, n_samples: int) -> None:
        self._kept = GrowingColumns(np.asfortranarray(sizes * unpacked(warm, n_samples)))

    @property
    def columns(self) -> Array:
        """``a_k`` as columns."""
        return self._kept.columns

    def add(self, columns: Array) -> None:
        """Put cuts behind the others."""
        self._kept.add(columns)

    def keep(self, positions: Array) -> None:
        """Drop all but the cuts at these positions."""
        self._kept.keep(positions)

    def sums(self, first: int = 0) -> Array:
        """The sum of each from some position on."""
        a = self.columns[:, first:]
        sums = np.asarray(a.sum(axis=0))
        sizes = np.array([np.abs(column).sum() for column in a.T])  # of all at once would copy them
        # What rounding leaves of zero must not pass for a side that the intercept could take.
        sums[np.abs(sums) <= ROUNDING * sizes] = 0.0
        return sums

    def mixing(self, weights: Array) -> Callable[[], Array]:
        """What makes ``sum over cuts of weights_k a_k``, (n_samples, n_outputs), whatever has become of the cuts by then."""
        a = self.columns  # no column of it is written again
        return lambda: a @ weights

    def to_start_from(self, kept: Array, sizes: Array) -> dict[str, Array]:
        """Some of the cuts, divided by their sizes, for the next problem."""
        return packed(self.columns[:, kept] / sizes)

    def to_arrays(self) -> dict[str, Array]:
        """All of them, as they are kept."""
        return {"a": self.columns}

    def fill(self, arrays: Mapping[str, Array], shape: tuple[int, int]) -> None:
        """Keep those of such arrays; KeyError or ValueError where they are none."""
        self._kept = GrowingColumns(np.asfortranarray(finite(arrays, "a", shape)))


class SignedLabelings(Labelings):
    """The same where all samples that a cut has wrong are so by one size: their signs are bytes."""

    def __init__(self, warm: Mapping[str, Array], sizes: Array, n_samples: int) -> None:
        if "cut_sizes" not in warm:
            warm = packed(unpacked(warm, n_samples))
        self._kept = GrowingColumns(np.asfortranarray(warm["cuts"]))
        self.sizes = np.asarray(sizes * warm["cut_sizes"])

    @property
    def signs(self) -> Array:
        """-1, 0 and 1 as columns of bytes."""
        return self._kept.columns

    @property
    def columns(self) -> Array:
        return self.signs * self.sizes

    def add(self, columns: Array) -> None:
        signs = np.empty(columns.shape, dtype=np.int8, order="F")
        sizes = np.empty(columns.shape[1])
        pack_signs(columns, signs, sizes)
        self._kept.add(signs)
        self.sizes = np.append(self.sizes, sizes)

    def keep(self, positions: Array) -> None:
        self._kept.keep(positions)
        self.sizes = self.sizes[positions]

    def sums(self, first: int = 0) -> Array:
        return self.sizes[first:] * self.signs[:, first:].sum(axis=0, dtype=np.int64)

    def mixing(self, weights: Array) -> Callable[[], Array]:
        signs, factors = self.signs, weights[:, 0] * self.sizes

        def mix() -> Array:
            mixed = np.zeros((len(signs), 1))
            add_signs(signs, factors, mixed[:, 0])
            return mixed

        return mix

    def to_start_from(self, kept: Array, sizes: Array) -> dict[str, Array]:
        return {"cuts": self.signs[:, kept], "cut_sizes": self.sizes[kept] / sizes}

    def to_arrays(self) -> dict[str, Array]:
        return {"signs": self.signs, "sizes": self.sizes}

    def fill(self, arrays: Mapping[str, Array], shape: tuple[int, int]) -> None:
        signs = arrays["signs"]
        if (
            signs.dtype != np.int8
            or signs.shape != shape
            or not ((signs >= -1) & (signs <= 1)).all()
        ):
            raise ValueError("labelings have samples right, or wrong to one of two sides")
        self._kept = GrowingColumns(np.asfortranarray(signs))
        self.sizes = finite(arrays, "sizes", shape[1:])


def packed(cuts: Array) -> dict[str, Array]:
    """Cuts as they are kept from one problem to the next: a byte for each sample, and a size for each cut.

    That tells all there is where a sample counts once and is labelled right or wrong. A thousand outputs have some
    fifty thousand cuts, and these would not fit into memory as they are. Other cuts stay what they are.
    """
    sizes, signs = np.abs(cuts).max(axis=0, initial=0.0), np.sign(cuts).astype(np.int8)
    if not np.array_equal(signs * sizes, cuts):
        return {"cuts": cuts}
    return {"cuts": signs, "cut_sizes": sizes}


def unpacked(warm: Mapping[str, Array], n_samples: int) -> Array:
    """The cuts that were kept, as columns."""
    cuts = np.asarray(warm.get("cuts", np.empty((n_samples, 0))))
    return cuts * warm["cut_sizes"] if "cut_sizes" in warm else cuts
