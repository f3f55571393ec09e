"""Linear classifiers by margins: one quadratic problem for each output, warm-started.

``min over u, b of  1/2 |u|^2 + sum_i rho_i/2 max(0, tau_i - y_i (f_i u + b))^2``

is piecewise quadratic. Newton's method goes from piece to piece, with an exact line search in
between, and ends at the solution to rounding after finitely many steps. With ``tau = 1`` it is the
soft-margin SVM of squared slacks. Hard margins are the limit of a few such problems in which each
sample's multiplier moves its target, ``tau_i = 1 + a_i / rho`` (the method of multipliers).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

Array = np.ndarray
MAX_NEWTON = 100
MAX_OUTER = 40
#: First weight of violated margins, relative to the mean square of a row, and its growth.
FIRST, STRENGTH, GROWTH, STRONGEST = 1e2, 1e4, 10.0, 1e11
#: Hard margins are solved when primal and dual value agree so far.
GAP = 1e-9
#: A class is separable when its margin is not below this share of the longest row.
LEAST_MARGIN = 1e-6
TINY = 1e-300


@dataclass
class Position:
    """A point of one output: its coordinates, intercept and raw predictions."""

    coordinates: Array
    intercept: float
    z: Array


class System(Protocol):
    """The quadratic term and the rows: where the best point of one piece is, and what it costs."""

    def start(self, a: Array) -> Array:
        """Return the coordinates that belong to signed multipliers."""

    def values(self, coordinates: Array) -> Array:
        """Return ``f_i u`` for all rows."""

    def product(self, first: Array, second: Array) -> float:
        """Return the inner product of two points given by coordinates."""

    def slope(self, at: Array, move: Array) -> float:
        """Return how fast the quadratic term rises along a move."""

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, float]:
        """Minimise ``1/2 |u|^2 + sum over rows of rho/2 (goal - f u - b)^2``."""

    mean_square: float
    longest: float
    has_linear_term: bool


class KernelSystem:
    """Rows known by their inner products only: coordinates are multipliers, one per row.

    Parameters
    ----------
    kernel : ndarray of shape (n_rows, n_rows)
    fit_intercept : bool
    """

    has_linear_term = False

    def __init__(self, kernel: Array, fit_intercept: bool) -> None:
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        squares = np.maximum(kernel.diagonal(), 0.0)
        self.mean_square, self.longest = float(squares.mean()), float(np.sqrt(squares.max()))

    def start(self, a: Array) -> Array:
        return a

    def values(self, coordinates: Array) -> Array:
        used = np.flatnonzero(coordinates)
        return np.asarray(self.kernel[used].T @ coordinates[used])

    def product(self, first: Array, second: Array) -> float:
        return float(first @ self.values(second))

    slope = product

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, float]:
        inner = self.kernel[np.ix_(rows, rows)]
        inner[np.diag_indices_from(inner)] += 1.0 / rho
        a, intercept = bordered(inner, goal, self.fit_intercept)
        coordinates = np.zeros(len(self.kernel))
        coordinates[rows] = a
        return coordinates, intercept


class FactorSystem:
    """Rows in full: coordinates are the weights of the columns.

    Parameters
    ----------
    factor : ndarray or CSR matrix of shape (n_rows, n_columns)
    fit_intercept : bool
    """

    has_linear_term = False

    def __init__(self, factor: Any, fit_intercept: bool) -> None:
        self.factor = factor
        self.fit_intercept = fit_intercept
        squares = row_squares(factor)
        self.mean_square, self.longest = float(squares.mean()), float(np.sqrt(squares.max()))

    def start(self, a: Array) -> Array:
        return np.asarray(self.factor.T @ a)

    def values(self, coordinates: Array) -> Array:
        return np.asarray(self.factor @ coordinates)

    def product(self, first: Array, second: Array) -> float:
        return float(first @ second)

    slope = product

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, float]:
        part = self.factor[rows]
        if len(rows) < part.shape[1]:
            inner = dense(part @ part.T)
            inner[np.diag_indices_from(inner)] += 1.0 / rho
            a, intercept = bordered(inner, goal, self.fit_intercept)
            return np.asarray(part.T @ a), intercept
        total = rho.sum()
        middle = np.asarray(rho @ part) / total if self.fit_intercept else np.zeros(part.shape[1])
        level = float(rho @ goal / total) if self.fit_intercept else 0.0
        inner = dense(part.T @ scaled_rows(part, rho)) - total * np.outer(middle, middle)
        inner[np.diag_indices_from(inner)] += 1.0
        right = part.T @ (rho * goal) - total * level * middle
        u = cho_solve(cho_factor(inner, check_finite=False), right, check_finite=False)
        return u, level - float(middle @ u)


def bordered(inner: Array, goal: Array, fit_intercept: bool) -> tuple[Array, float]:
    """Solve ``inner a + b = goal`` with ``sum a = 0``, or without b."""
    factor = cho_factor(inner, check_finite=False)
    if not fit_intercept:
        return cho_solve(factor, goal, check_finite=False), 0.0
    both = cho_solve(factor, np.column_stack([goal, np.ones(len(goal))]), check_finite=False)
    intercept = both[:, 0].sum() / both[:, 1].sum()
    return both[:, 0] - intercept * both[:, 1], float(intercept)


def minimise(system: System, y: Array, rho: Array, tau: Array, at: Position) -> Position:
    """Find the least point of one output from a warm start."""
    rows = _reaching(y, tau, at.z)
    for _ in range(MAX_NEWTON):
        if not len(rows) and not system.has_linear_term:
            return at
        coordinates, intercept = system.best(rows, rho[rows], tau[rows] * y[rows])
        found = Position(coordinates, intercept, system.values(coordinates) + intercept)
        found_rows = _reaching(y, tau, found.z)
        if np.array_equal(rows, found_rows):
            return found
        move = coordinates - at.coordinates
        slope = system.slope(at.coordinates, move)
        curve = system.product(move, move)
        step = least_step(tau - y * at.z, y * (found.z - at.z), rho, slope, curve)
        if step >= 1.0 - 1e-12:
            at = found
        else:
            at = Position(
                at.coordinates + step * move,
                at.intercept + step * (intercept - at.intercept),
                at.z + step * (found.z - at.z),
            )
            found_rows = _reaching(y, tau, at.z)
        if step < 1e-14 or (step >= 1.0 - 1e-12 and np.array_equal(rows, found_rows)):
            return at
        rows = found_rows
    return at


def _reaching(y: Array, tau: Array, z: Array) -> Array:
    """Rows whose target is not reached."""
    return np.flatnonzero(tau - y * z > 0)


def least_step(short: Array, gain: Array, rho: Array, slope: float, curve: float) -> float:
    """Minimise ``slope t + curve/2 t^2 + sum rho/2 max(0, short - t gain)^2`` over t in [0, 1].

    The derivative rises and is linear between the t at which a row reaches its target.
    """
    moving = gain != 0.0
    short, gain, rho = short[moving], gain[moving], rho[moving]
    turns = short / gain
    inside = np.where(gain > 0, turns > 0, turns <= 0)  # counts just after t = 0
    slope -= float(np.sum((rho * gain * short)[inside]))
    curve += float(np.sum((rho * gain * gain)[inside]))
    order = np.flatnonzero((turns > 0) & (turns < 1))
    order = order[np.argsort(turns[order])]
    sign = np.where(gain[order] > 0, -1.0, 1.0)
    slopes = slope + np.concatenate([[0.0], np.cumsum(-sign * (rho * gain * short)[order])])
    curves = curve + np.concatenate([[0.0], np.cumsum(sign * (rho * gain * gain)[order])])
    ends = np.append(turns[order], 1.0)
    rising = np.flatnonzero(slopes + curves * ends >= 0)
    if not len(rising):
        return 1.0
    piece = rising[0]
    start = ends[piece - 1] if piece else 0.0
    root = -slopes[piece] / curves[piece] if curves[piece] > 0 else start
    return float(min(max(root, start), ends[piece]))


@dataclass
class Multipliers:
    """What one output hands on to the next problem: signed multipliers, intercept, and its margins."""

    a: Array
    intercept: float
    z: Array
    is_separable: bool = True


def soft_margin(system: System, y: Array, rho: Array, warm: Multipliers) -> Multipliers:
    """Solve ``1/2 |u|^2 + sum_i rho_i/2 max(0, 1 - y_i z_i)^2``."""
    tau = np.ones(len(y))
    found = minimise(system, y, rho, tau, _position(system, warm))
    return Multipliers(y * rho * np.maximum(tau - y * found.z, 0.0), found.intercept, found.z)


def hard_margin(system: System, y: Array, warm: Multipliers) -> Multipliers:
    """Solve ``1/2 |u|^2`` subject to ``y_i z_i >= 1``.

    The result is scaled so that the least margin is 1. It is not separable when every u that keeps
    the margins would be longer than the rows allow: for multipliers a it has at least the length
    ``sum_i a_i / |sum_i a_i y_i f_i|``.
    """
    strength = (STRENGTH if warm.a.any() else FIRST) / max(system.mean_square, TINY)
    limit = 1.0 / (LEAST_MARGIN * max(system.longest, TINY))
    a = np.abs(warm.a)
    at = _position(system, warm)
    square = system.product(at.coordinates, at.coordinates)
    if square > 0:  # the best multiple of multipliers that were found for other rows
        factor = float(a.sum()) / square
        a, coordinates = factor * a, factor * at.coordinates
        at = Position(coordinates, at.intercept, factor * (at.z - at.intercept) + at.intercept)
    before = np.inf
    for _ in range(MAX_OUTER):
        rho = np.full(len(y), strength)
        tau = 1.0 + a / rho
        at = minimise(system, y, rho, tau, at)
        a = rho * np.maximum(tau - y * at.z, 0.0)
        square = system.product(at.coordinates, at.coordinates)
        total = float(a.sum())
        if total > limit * np.sqrt(max(square, 0.0)):
            return Multipliers(y * a, at.intercept, at.z, is_separable=False)
        least = float((y * at.z).min())
        if least > 0.5 and square / least**2 <= (2 * total - square) * (1 + GAP) + TINY:
            return Multipliers(y * a / least, at.intercept / least, at.z / least)
        if not 1.0 - least <= 0.1 * before:
            strength = min(GROWTH * strength, STRONGEST / max(system.mean_square, TINY))
        before = 1.0 - least
    if least > 0.99:
        return Multipliers(y * a / least, at.intercept / least, at.z / least)
    return Multipliers(y * a, at.intercept, at.z, is_separable=False)


def _position(system: System, warm: Multipliers) -> Position:
    coordinates = system.start(warm.a)
    return Position(coordinates, warm.intercept, system.values(coordinates) + warm.intercept)


def row_squares(rows: Any) -> Array:
    """Return the squared length of each row."""
    if isinstance(rows, np.ndarray):
        return np.einsum("ij,ij->i", rows, rows)
    return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()


def scaled_rows(rows: Any, factors: Array) -> Any:
    """Multiply each row by a number."""
    return (
        factors[:, None] * rows
        if isinstance(rows, np.ndarray)
        else rows.multiply(factors[:, None]).tocsr()
    )


def dense(matrix: Any) -> Array:
    """Return a small matrix as an ndarray."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
