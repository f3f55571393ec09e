"""The two rows of numbers of every candidate, on the GPU where X is.

They take ``2 n m`` numbers of the type of X there. Where that does not fit, or candidates are groups of
columns, rows are kept in memory instead (candidates.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.kernels.greedy_rls import LEAST_SHARE
from handful.methods.greedy.candidates import ROWS, Entered
from handful.methods.greedy.search import FeatureSets
from handful.methods.greedy.smoother import Smoother
from handful.sources.device.arrays import batches, free_bytes, put, take
from handful.sources.device.matrix import DeviceSpace
from handful.spaces.base import Array, FeatureSpace

SHARE = 0.9  # of the free memory that rows may take
BYTES_TO_MAKE = 40  # a column on its way: itself, two rows and two products
HEIGHT, WIDTH, WARPS = 4, 512, 4


def with_room_for_rows(space: FeatureSpace, groups: FeatureSets) -> DeviceSpace | None:
    """Return the space if the rows of all candidates can be kept where X is, and updated there."""
    if not isinstance(space, DeviceSpace) or len(groups.features) != len(groups):
        return None
    from handful.kernels import greedy_rows  # Triton takes its time, and is there for a GPU only

    free = free_bytes(space.storage.values)
    if free is None or not hasattr(greedy_rows, "advance_rows"):
        return None
    needed = ROWS * space.dtype.itemsize * space.n_samples * space.n_features
    return space if needed <= SHARE * free else None


class CandidatesOnDevice:
    """All columns and the error each would leave; see :class:`~handful.methods.greedy.candidates.Candidates`.

    Parameters
    ----------
    space : DeviceSpace
    smoother : Smoother
        The model so far.
    """

    def __init__(self, space: DeviceSpace, smoother: Smoother) -> None:
        import torch

        self._space = space
        self._smoother = smoother
        self._like = space.storage.values
        kind = getattr(torch, str(space.dtype))
        shape = (space.n_features, space.n_samples)
        self._C, self._P = (
            torch.empty(shape, dtype=kind, device=self._like.device) for _ in range(ROWS)
        )
        self._H, self._Q = (
            torch.empty(space.n_features, dtype=torch.float64, device=self._like.device)
            for _ in range(2)
        )
        self._is_made = False

    def forget(self) -> None:
        """Have all rows made anew when they are next wanted."""
        self._is_made = False

    def rows_of(self, group: int, columns: Array) -> tuple[Array, Array]:
        """Return copies of the rows of one group; ``columns`` are its centred columns, as rows."""
        if not self._is_made:
            return self._smoother.solve(columns), self._smoother.outer(columns)
        return take(self._C[group, None].double()), take(self._P[group, None].double())

    def advance(
        self, entered: Sequence[Entered], is_in: Array, wanted: Array, *, evaluate: bool
    ) -> Array:
        """Bring rows up to date; return the mean error with each wanted group, infinite for others."""
        features = [one for some in entered for one in _singly(some)]
        if not self._is_made:
            self._make()
            features = []
        last = features[-1:] or [None]
        for feature in features[:-1]:
            self._call(feature, wanted, evaluate=False)
        errors = self._call(last[0], wanted, evaluate=evaluate)
        return errors * self._smoother.mean_of(1.0)

    def _make(self) -> None:
        share, weight, U, A = (put(part, self._like) for part in self._smoother.factors())
        for some in batches(self._space.n_features, BYTES_TO_MAKE * self._space.n_samples):
            rows = self._space.rows_of(np.arange(some.start, some.stop))
            rows = rows - (rows @ share)[:, None]
            solved = rows * weight - (rows @ U.T) @ U
            outer = (rows @ A) @ A.T
            self._C[some], self._P[some] = solved, outer
            self._H[some], self._Q[some] = (rows * solved).sum(dim=1), (rows * outer).sum(dim=1)
        self._is_made = True

    def _call(self, feature: Entered | None, wanted: Array, *, evaluate: bool) -> Array:
        import torch

        from handful.kernels.greedy_rows import advance_rows

        smoother = self._smoother
        n_rows, n = self._C.shape
        entering, scalars = np.zeros((3, 1)), np.array([1.0, 0.0, smoother.alpha])
        if feature is not None:
            entering = np.concatenate([feature.columns, feature.u, feature.partners])
            scalars[:2] = feature.pivots[0], feature.q[0]
        model = np.stack([smoother.g, smoother.r, smoother.loo_weight])
        out = torch.full((n_rows,), torch.inf, dtype=torch.float64, device=self._like.device)
        with torch.cuda.device(self._like.device):
            advance_rows[(-(-n_rows // HEIGHT),)](
                *(self._C, self._P, self._H, self._Q, put(wanted.astype(np.int8), self._like)),
                *(put(array, self._like) for array in (entering, scalars, model)),
                *(out, n_rows, n, LEAST_SHARE),
                *(feature is not None, evaluate, HEIGHT, WIDTH),
                num_warps=WARPS,
            )
        return take(out)


def _singly(entered: Entered) -> list[Any]:
    """Cut features that entered together into single ones, in their order."""
    n_columns = len(entered.columns)
    return [Entered(*(part[e : e + 1] for part in entered)) for e in range(n_columns)]
