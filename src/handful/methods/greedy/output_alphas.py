"""An alpha for each output and each length of a path: of a grid, the one with its least leave-one-out error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from handful.methods.greedy.output_errors import OutputErrors
from handful.methods.greedy.path import Path, Run
from handful.methods.greedy.search import Search
from handful.spaces.base import NO_IDS, Array, dense_rows

#: Errors that differ by less than this share are equal; the larger alpha is then taken.
TIE = 1e-9
#: So are errors below this share of the squares of an output: those of a constant are rounding.
NEGLIGIBLE = 1e-28

#: Places in the grid, one for each output, by the alpha of a run and the columns in its model.
PlacesByRun = dict[tuple[float, int], Array]


@dataclass(frozen=True)
class OutputAlphas:
    """The alphas that outputs have in the best run of every length.

    Attributes
    ----------
    grid : ndarray
    places : ndarray of shape (n_lengths, n_outputs)
        In the grid.
    """

    grid: Array
    places: Array

    @classmethod
    def choose(cls, path: Path, search: Search, grid: Array, found: PlacesByRun) -> OutputAlphas:
        """Find them all; what was found before is not computed again, and what is new is added to it."""
        best = [path.best(n) for n in range(1, len(path.errors) + 1)]
        for alpha in dict.fromkeys(run.alpha for run in best):
            own = [run for run in best if run.alpha == alpha]
            sizes = sorted({run.n_features[-1] for run in own})
            wanted = [size for size in sizes if (alpha, size) not in found]
            if wanted:
                longest = max(own, key=lambda run: len(run.groups))
                places = _places(_errors_of(longest, search), grid, np.array(wanted))
                found |= {(alpha, size): row for size, row in zip(wanted, places, strict=True)}
        return cls(grid, np.array([found[run.alpha, run.n_features[-1]] for run in best]))

    @property
    def last(self) -> Array:
        """Those of the longest model."""
        return self.grid[self.places[-1]]

    def up_to(self, n_lengths: int) -> OutputAlphas:
        """Return those of shorter models only."""
        return OutputAlphas(self.grid, self.places[:n_lengths])

    def to_plain(self) -> dict[str, Array]:
        """Return the parts by name."""
        return {"output_grid": self.grid, "output_places": self.places}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Array], shape: tuple[int, int]) -> OutputAlphas | None:
        """Undo :meth:`to_plain`; None where no part is there, ValueError where they do not fit."""
        if "output_places" not in plain:
            return None
        grid, places = plain["output_grid"], plain["output_places"]
        fits = grid.ndim == 1 and (grid > 0).all() and places.dtype.kind == "u"
        if not fits or places.shape != shape or places.max() >= len(grid):
            raise ValueError("the alphas of outputs in path_ are of another path")
        return cls(grid, places)


def _errors_of(run: Run, search: Search) -> OutputErrors:
    problem = search.problem
    members = np.concatenate([NO_IDS, *(search.groups.members(group) for group in run.groups)])
    _, places = np.unique(members, return_index=True)
    rows = dense_rows(problem.space, members[np.sort(places)])
    return OutputErrors(rows, problem.y, problem.weight, problem.fit_intercept, search.n_threads)


def _places(errors: OutputErrors, grid: Array, sizes: Array) -> Array:
    """Return the place of the best alpha in the grid for each length and output."""
    negligible = NEGLIGIBLE * errors.squares
    shape = (len(sizes), len(negligible))
    least, places = np.full(shape, np.inf), np.zeros(shape, dtype=np.uint16)
    for place in np.argsort(-grid, kind="stable"):
        sums = errors.sums(float(grid[place]), sizes)
        is_less = (sums < (1.0 - TIE) * least) & (least > negligible)
        least[is_less], places[is_less] = sums[is_less], place
    return places
