"""Margins after projection: what is left of constraints that contradict each other.

``X W = P (Y + E)``, ``Y * E >= 0``, with P the projection on the columns of X. With an orthonormal
basis Q of these, ``W = S X'Q v`` minimises ``1/2 sum_i |W_i|^2 / s_i`` where v solves, for each output,

``min over v of  1/2 v'H v - y'Q v  subject to  y_i (Q v)_i >= 0,   H = Q'X S X'Q.``

The multipliers of a sample, ``y * Qv``, must lie among the columns of X: those of a contradiction do
not, so it has no say. The multipliers lambda of this problem give ``E = y * lambda``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.methods.reweighted.margins import Array, Position, minimise, solve_positive

MAX_OUTER = 60
#: Weight of violated signs relative to the mean curvature, and its growth.
STRENGTH, GROWTH, STRONGEST = 1e2, 10.0, 1e9
#: How far from the optimum a solution may be, as a share of its value: at the first reweighting, and
#: where a later one gains next to nothing.
FIRST_GAP, LEAST_GAP = 1e-3, 1e-9
#: A later reweighting is solved when what is left is this share of what was gained.
SHARE_LEFT = 0.1
#: Nothing is left of the margins of an output whose value has fallen to this share.
NEGLIGIBLE = 1e-13


class RowGram:
    """``Q_r'Q_r`` of some rows r of an orthonormal basis, kept while rows come and go.

    Newton's method asks for nearly the same rows again and again, and so does the next reweighting: what
    it takes is then the rows that differ.
    """

    def __init__(self, basis: Array) -> None:
        n_rows, rank = basis.shape
        self._basis = basis
        self._gram = np.zeros((rank, rank))
        self._is_in = np.zeros(n_rows, dtype=bool)
        self._n_changed = 0
        #: which rows came or went, each time since the matrix was last made afresh
        self.changes: list[Array] = []

    def follow(self, changes: Sequence[Array]) -> None:
        """Go the same way again, to the same matrix to the last bit; this one has seen no rows."""
        is_in = self._is_in.copy()
        for changed in changes:
            is_in[changed] ^= True
            self.of(np.flatnonzero(is_in))

    def of(self, rows: Array) -> Array:
        """Return the matrix of these rows, to be read only."""
        basis, n_rows = self._basis, len(self._basis)
        is_in = np.zeros(n_rows, dtype=bool)
        is_in[rows] = True
        changed = np.flatnonzero(is_in != self._is_in)
        afresh = min(len(rows), n_rows - len(rows))
        self._n_changed += len(changed)
        if len(changed) < afresh and self._n_changed < n_rows:  # else rounding would pile up
            signed = np.where(is_in[changed], 1.0, -1.0)[:, None] * basis[changed]
            self._gram += signed.T @ basis[changed]
            self.changes += [changed] * bool(len(changed))
        else:
            if 2 * len(rows) > n_rows:  # Q'Q = I: the fewer rows are enough
                self._gram = np.eye(len(self._gram)) - _square(basis[~is_in])
            else:
                self._gram = _square(basis[rows])
            self._n_changed = 0
            self.changes = [np.flatnonzero(is_in)]
        self._is_in = is_in
        return self._gram


def _square(rows: Array) -> Array:
    return np.asarray(rows.T @ rows)


class ProjectedSystem:
    """Quadratic term H and linear term q, with the rows of an orthonormal basis.

    Parameters
    ----------
    basis : ndarray of shape (n_rows, rank)
        Q, with ``Q'Q = I``.
    curvature : ndarray of shape (rank, rank)
        H.
    gram : RowGram
        Of the basis; it may have seen an earlier H.
    """

    has_linear_term = True

    def __init__(self, basis: Array, curvature: Array, gram: RowGram) -> None:
        self.basis = basis
        self.curvature = curvature
        self.linear = np.zeros(len(curvature))
        self.gram = gram
        self.longest = 1.0
        self.mean_square = float(np.trace(curvature)) / max(1, len(curvature))

    def values(self, coordinates: Array) -> Array:
        return np.asarray(self.basis @ coordinates)

    def slope(self, at: Array, move: Array) -> float:
        return float((self.curvature @ at - self.linear) @ move)

    def product(self, first: Array, second: Array) -> float:
        return float(first @ self.curvature @ second)

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, float]:
        weight = float(rho[0]) if len(rho) else 0.0
        inner = self.curvature + weight * self.gram.of(rows)
        right = self.linear + self.basis[rows].T @ (rho * goal)
        inner[np.diag_indices_from(inner)] += 1e-13 * (self.mean_square + weight)
        return solve_positive(inner, right), 0.0


@dataclass
class Fit:
    """One output: coordinates v, the multipliers of its signs, and how strongly these were held."""

    v: Array
    multipliers: Array
    strength: float = STRENGTH

    @property
    def is_zero(self) -> bool:
        """Whether nothing is left of the margins."""
        return not self.v.any()


def projected_margin(
    system: ProjectedSystem, y: Array, root: Array, warm: Fit, worth: float | None
) -> Fit:
    """Solve for one output from a warm start, by the method of multipliers.

    The weights of every point on the way keep the projected margins, whatever its multipliers: only their
    size, ``1/2 v'Hv``, is not yet the least. So a reweighting that lowers it a lot need not be solved
    closely: what the next one has to do is little changed.

    Parameters
    ----------
    system : ProjectedSystem
    y, root : ndarray of shape (n_rows,)
        Targets, and the roots of weights of samples, by which the rows of the basis are scaled too.
    warm : Fit
    worth : float or None
        What the weights of the last reweighting amount to in this one; None at the first.
    """
    if worth == 0.0:
        return warm
    system.linear = system.basis.T @ (root * y)
    negligible = NEGLIGIBLE * (_of_least_squares(system) if worth is None else worth)
    unit = max(system.mean_square, 1e-300)
    strength = warm.strength * unit
    at, pushed = Position(warm.v, 0.0, system.values(warm.v)), warm.multipliers
    before = np.inf
    for _ in range(MAX_OUTER):
        rho = np.full(len(y), strength)
        tau = pushed / rho
        at = minimise(system, y, rho, tau, at)
        pushed = rho * np.maximum(tau - y * at.z, 0.0)
        value = 0.5 * system.product(at.coordinates, at.coordinates)
        if value <= negligible:
            return Fit(np.zeros_like(at.coordinates), pushed, warm.strength)
        # Linear and quadratic term of an optimum balance: what is left is pushed' |z| = 0.
        gap = float(pushed @ np.abs(at.z))
        allowed = FIRST_GAP * value
        if worth is not None:
            allowed = max(LEAST_GAP * value, SHARE_LEFT * (worth - value))
        if gap <= allowed:
            break
        wrong = float(np.maximum(-y * at.z, 0.0).max(initial=0.0))
        if wrong > 0.1 * before:
            strength = min(GROWTH * strength, STRONGEST * unit)
        before = wrong
    return Fit(at.coordinates, pushed, strength / unit)


def _of_least_squares(system: ProjectedSystem) -> float:
    """Return the value of ``E = 0``, which keeps the projected margins too."""
    plain, _ = system.best(np.arange(0), np.empty(0), np.empty(0))
    return 0.5 * float(system.linear @ plain)
