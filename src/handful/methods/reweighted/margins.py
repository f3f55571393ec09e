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
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from handful.spaces.base import Array, dense, row_squares

MAX_NEWTON = 100
MAX_OUTER = 40
#: First weight of violated margins, relative to the mean square of a row, and its growth.
FIRST, STRENGTH, GROWTH, STRONGEST = 1e2, 1e4, 10.0, 1e11
#: Hard margins are solved when those below 1, and those with multipliers, differ from 1 by no more.
EXACT = 1e-11
#: A class is separable when its margin is not below this share of the longest row.
LEAST_MARGIN = 1e-6
#: Margins that are solved so far can be scaled to 1.
CLOSE = 0.99
TINY = 1e-300
#: Added to a matrix that rounding has made indefinite, relative to its largest entry.
JITTER = 1e-12


@dataclass
class Position:
    """A point of one output: its coordinates, intercept and raw predictions."""

    coordinates: Array
    intercept: float
    z: Array


class System(Protocol):
    """The quadratic term and the rows: where the best point of one piece is, and what it costs."""

    def values(self, coordinates: Array) -> Array:
        """Return ``f_i u`` for all rows."""

    def product(self, first: Array, second: Array) -> float:
        """Return the inner product of two points given by coordinates."""

    def slope(self, at: Array, move: Array) -> float:
        """Return how fast the quadratic term rises along a move."""

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, Any]:
        """Minimise ``1/2 |u|^2 + sum over rows of rho/2 (goal - f u - b)^2``, for one goal or several."""

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

    def values(self, coordinates: Array) -> Array:
        if coordinates.ndim > 1:
            return np.asarray(self.kernel @ coordinates)
        used = np.flatnonzero(coordinates)
        return np.asarray(self.kernel[used].T @ coordinates[used])

    def product(self, first: Array, second: Array) -> float:
        return float(first @ self.values(second))

    slope = product

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, Any]:
        inner = self.kernel[np.ix_(rows, rows)]
        inner[np.diag_indices_from(inner)] += 1.0 / rho
        a, intercept = bordered(inner, goal, self.fit_intercept)
        coordinates = np.zeros((len(self.kernel), *goal.shape[1:]))
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

    def values(self, coordinates: Array) -> Array:
        return np.asarray(self.factor @ coordinates)

    def product(self, first: Array, second: Array) -> float:
        return float(first @ second)

    slope = product

    def best(self, rows: Array, rho: Array, goal: Array) -> tuple[Array, Any]:
        part = self.factor[rows]
        if len(rows) < part.shape[1]:
            inner = dense(part @ part.T)
            inner[np.diag_indices_from(inner)] += 1.0 / rho
            a, intercept = bordered(inner, goal, self.fit_intercept)
            return np.asarray(part.T @ a), intercept
        is_dense = isinstance(part, np.ndarray)
        weighted = rho[:, None] * part if is_dense else part.multiply(rho[:, None]).tocsr()
        inner = dense(part.T @ weighted)
        right = np.asarray(weighted.T @ goal)
        inner[np.diag_indices_from(inner)] += 1.0
        if not self.fit_intercept:
            return solve_positive(inner, right), np.zeros(goal.shape[1:])[()]
        total = rho.sum()
        middle, level = np.asarray(weighted.sum(axis=0)) / total, rho @ goal / total
        inner -= total * np.outer(middle, middle)
        u = solve_positive(inner, right - total * np.multiply.outer(middle, level))
        return u, level - middle @ u


def bordered(inner: Array, goal: Array, fit_intercept: bool) -> tuple[Array, Any]:
    """Solve ``inner a + b = goal`` with ``sum a = 0``, or without b, for one goal or several.

    A constant is added to all entries, which changes nothing where ``sum a = 0``: otherwise a level that
    hardly any row can reach, as of columns without their means, has huge a that cancel badly.
    """
    if not fit_intercept:
        return solve_positive(inner, goal), np.zeros(goal.shape[1:])[()]
    inner = inner + inner.diagonal().mean()
    both = solve_positive(inner, np.column_stack([np.ones(len(goal)), goal]))
    ones, free = both[:, 0], both[:, 1:].reshape(goal.shape)
    intercept = free.sum(axis=0) / ones.sum()
    return free - np.multiply.outer(ones, intercept), intercept


def solve_positive(matrix: Array, right: Array) -> Array:
    """Solve with a matrix that is positive definite but for rounding."""
    try:
        factor = cho_factor(matrix, check_finite=False)
    except LinAlgError:
        lift = JITTER * float(matrix.diagonal().max(initial=TINY))
        return np.asarray(np.linalg.solve(matrix + lift * np.eye(len(matrix)), right))
    return np.asarray(cho_solve(factor, right, check_finite=False))


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
class Output:
    """Where one output stands: position, signed multipliers, and whether its margins can hold."""

    at: Position
    a: Array
    is_separable: bool = True


def soft_margin(system: System, y: Array, rho: Array, at: Position) -> Output:
    """Solve ``1/2 |u|^2 + sum_i rho_i/2 max(0, 1 - y_i z_i)^2``."""
    tau = np.ones(len(y))
    at = minimise(system, y, rho, tau, at)
    return Output(at, y * rho * np.maximum(tau - y * at.z, 0.0))


def hard_margin(system: System, y: Array, warm: Output) -> Output:
    """Solve ``1/2 |u|^2`` subject to ``y_i z_i >= 1``.

    The result is scaled so that the least margin is 1. It is not separable when every u that keeps
    the margins would be longer than the rows allow: for multipliers a it has at least the length
    ``sum_i a_i / |sum_i a_i y_i f_i|``.
    """
    unit = 1.0 / max(system.mean_square, TINY)
    strength = (STRENGTH if warm.a.any() else FIRST) * unit
    limit = 1.0 / (LEAST_MARGIN * max(system.longest, TINY))
    at, a = warm.at, np.abs(warm.a)
    before, least = np.inf, -np.inf
    for _ in range(MAX_OUTER):
        rho = np.full(len(y), strength)
        tau = 1.0 + a / rho
        at = minimise(system, y, rho, tau, at)
        a = rho * np.maximum(tau - y * at.z, 0.0)
        square = system.product(at.coordinates, at.coordinates)
        total = float(a.sum())
        if total > limit * np.sqrt(max(square, 0.0)):
            return Output(at, y * a, is_separable=False)
        margins = y * at.z
        least = float(margins.min())
        if max(1.0 - least, float(np.abs(margins[a > 0] - 1.0).max(initial=0.0))) <= EXACT:
            break
        if not 1.0 - least <= 0.1 * before:
            strength = min(GROWTH * strength, STRONGEST * unit)
        before = 1.0 - least
    if not least > CLOSE:
        return Output(at, y * a, is_separable=False)
    exact = Position(at.coordinates / least, at.intercept / least, at.z / least)
    return Output(exact, y * a / least)


def best_multiple(system: System, a: Array) -> tuple[Position, float]:
    """Return where the best multiple of signed multipliers leads, and which it is.

    They were found for other rows; a multiple ``t`` of them is worth ``t sum|a| - t^2/2 |sum a_i f_i|^2``.
    """
    square = system.product(a, a)
    factor = float(np.abs(a).sum()) / square if square > 0 else 0.0
    return Position(factor * a, 0.0, factor * system.values(a)), factor
