"""The small problem over the cuts of a bundle, in its dual form, by Clarabel.

The primal is ``min over w, b of  Omega(w) + max over cuts k of (cost_k - a_k' (X w + b))`` with
``Omega(w) = 1/2 |w_0|^2 + 1/2 (sum over t of |w_t|)^2``  (paper eq. 16). Its dual has one weight per cut. With
the Gram matrix ``G = A_0' A_0`` of ``A = X' [a_1 ... a_K]`` and any ``R_t`` with ``R_t' R_t = A_t' A_t``, it is

``min over alpha >= 0, sum alpha <= 1 of  1/2 alpha' G alpha + 1/2 theta^2 - cost' alpha``
subject to ``|R_t alpha| <= theta`` for all blocks t, and ``(sum of a_k)' alpha = 0`` when b is free.
Cuts of several outputs have a limit and a balance for each output.

Neither samples nor columns appear in it: K cuts and T blocks are all it sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

Array = np.ndarray
TOLERANCE = 1e-9
TINY = 1e-300


@dataclass(frozen=True)
class MasterSolution:
    """Weights of the cuts, the intercept of each output, and the length ``|w_t|`` of each block."""

    alpha: Array
    intercept: Array
    lengths: Array


def solve_master(
    gram: Array,
    costs: Array,
    sums: Array | None,
    roots: Sequence[Array],
    owner: Array | None = None,
) -> MasterSolution:
    """Solve for K cuts.

    Parameters
    ----------
    gram : ndarray of shape (K, K)
        G, of the columns with the plain squared penalty.
    costs : ndarray of shape (K,)
    sums : ndarray of shape (K,) or None
        ``1' a_k`` when there is a free intercept; where all are zero it may be anything, and is 0.
    roots : sequence of arrays with K columns
        ``R_t``, one for each block.
    owner : ndarray of shape (K,), optional
        The output of each cut, from 0 on; all are of one if not given.
    """
    n_cuts = len(costs)
    owners = np.zeros(1, dtype=np.int64) if owner is None else np.unique(owner)
    belongs = np.ones((1, n_cuts), dtype=bool) if owner is None else owners[:, None] == owner
    # An output none of whose cuts speaks of the intercept has none.
    balances = belongs[:0] if sums is None else belongs * sums
    free = np.flatnonzero(balances.any(axis=1))
    # The solver likes numbers near one: costs are divided by the largest, products likewise.
    unit = max(float(np.abs(costs).max()), TINY)
    root_unit = float(np.sqrt(unit))
    width = n_cuts + (1 if roots else 0)
    quadratic = np.zeros((width, width))
    quadratic[:n_cuts, :n_cuts] = gram / unit
    quadratic[n_cuts:, n_cuts:] = 1.0
    linear = np.zeros(width)
    linear[:n_cuts] = -costs / unit
    rows, ends, cones = _limits(belongs, width)
    largest_sums = np.maximum(np.abs(balances[free]).max(axis=1, initial=0.0), TINY)
    if len(free):
        balance = np.zeros((len(free), width))
        balance[:, :n_cuts] = balances[free] / largest_sums[:, None]
        rows, ends = [balance, *rows], [np.zeros(len(free)), *ends]
        cones = [clarabel.ZeroConeT(len(free)), *cones]
    for root in roots:
        cone = np.zeros((len(root) + 1, width))
        cone[0, -1] = -1.0
        cone[1:, :n_cuts] = -root / root_unit
        rows.append(cone)
        ends.append(np.zeros(len(cone)))
        cones.append(clarabel.SecondOrderConeT(len(cone)))
    x, multipliers = _clarabel(quadratic, linear, np.vstack(rows), np.concatenate(ends), cones)
    alpha = np.maximum(x[:n_cuts], 0.0)
    for own in belongs:
        alpha[own] /= max(1.0, float(alpha[own].sum()))
    intercept = np.zeros(int(owners.max()) + 1)
    intercept[owners[free]] = multipliers[: len(free)] * unit / largest_sums
    # The multiplier of a cone is minus the block's weights.
    place = len(free) + n_cuts + len(belongs)
    lengths = np.empty(len(roots))
    for t, root in enumerate(roots):
        lengths[t] = root_unit * np.linalg.norm(multipliers[place + 1 : place + 1 + len(root)])
        place += len(root) + 1
    return MasterSolution(alpha, intercept, lengths)


def root_of(dots: Array) -> Array:
    """Return R with ``R' R = dots' dots``, and no more rows than dots has columns."""
    return dots if len(dots) <= dots.shape[1] else np.asarray(np.linalg.qr(dots, mode="r"))


def _limits(belongs: Array, width: int) -> tuple[list[Array], list[Array], list[Any]]:
    """``alpha >= 0``, and ``sum alpha <= 1`` over the cuts of each output."""
    n_outputs, n_cuts = belongs.shape
    limits = np.zeros((n_cuts + n_outputs, width))
    limits[:n_cuts, :n_cuts] = -np.eye(n_cuts)
    limits[n_cuts:, :n_cuts] = belongs
    ends = np.append(np.zeros(n_cuts), np.ones(n_outputs))
    return [limits], [ends], [clarabel.NonnegativeConeT(len(limits))]


def _clarabel(P: Array, q: Array, A: Array, b: Array, cones: list[Any]) -> tuple[Array, Array]:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    upper = sp.csc_matrix(np.triu(P))
    answer = clarabel.DefaultSolver(upper, q, sp.csc_matrix(A), b, cones, settings).solve()
    return np.asarray(answer.x), np.asarray(answer.z)
