"""The steps of direct sparsity: hard, soft and projected margins of rows that are reweighted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from handful.methods.checkpoint_file import are_ids, finite
from handful.methods.reweighted.data import RemainingColumns
from handful.methods.reweighted.margins import (
    FIRST,
    TINY,
    FactorSystem,
    KernelSystem,
    Output,
    Position,
    System,
    best_multiple,
    hard_margin,
    soft_margin,
)
from handful.methods.reweighted.projected import Fit, ProjectedSystem, RowGram, projected_margin
from handful.methods.reweighted.step import Proof, Step, StepError, balanced
from handful.sizes import current_sizes
from handful.spaces.base import NO_IDS, Array, dense
from handful.spaces.columnwise.base import split_runs
from handful.threads import map_apart

#: Directions of the columns below this share of the longest do not count.
RANK_TOLERANCE = 1e-10
#: Predictions of targets of -1 and +1 that differ by less are constant.
CONSTANT = 1e-6
#: Products of rows of the projection are kept from one reweighting to the next if they are no more.
KEPT_NUMBERS = 2**26
Result = TypeVar("Result")


def make_system(columns: RemainingColumns, s: Array, fit_intercept: bool) -> System:
    """Return the rows whose columns are scaled by the roots of s, in their smaller form."""
    if columns.is_wide:
        return KernelSystem(columns.kernel(s), fit_intercept)
    return FactorSystem(columns.factor(s), fit_intercept)


def weights_of(columns: RemainingColumns, s: Array, coordinates: Array) -> Array:
    """Return the weights of columns at a point of :func:`make_system`."""
    if columns.is_wide:
        return s[:, None] * columns.dots(coordinates)
    return np.sqrt(s)[:, None] * coordinates


class InseparableError(StepError):
    """No weights keep all margins."""


class ConstantOutputError(StepError):
    """An output is constant: nothing is left of its margins after projection, and weights of zero keep what is."""


class MarginFit:
    """K support vector machines a step: ``y_ik (x_i W_k + b_k) >= 1``, or squared slacks.

    Parameters
    ----------
    columns : RemainingColumns
        With the constant among them if the intercept is penalised.
    Y : ndarray of shape (n_samples, n_outputs)
        -1 and +1.
    p : float
    slack_weights : ndarray of shape (n_samples,), optional
        Weights of half the squared slacks, ``C`` times those of samples; hard margins without.
    """

    def __init__(
        self, columns: RemainingColumns, Y: Array, p: float, slack_weights: Array | None = None
    ) -> None:
        self.columns = columns
        self.Y = Y
        self.p = p
        self.slack_weights = slack_weights
        self.fit_intercept = not columns.constant
        self.a = np.zeros(Y.shape)

    def solve(self, s: Array, last: Step | None) -> Step:
        columns, Y, slack_weights = self.columns, self.Y, self.slack_weights
        system = make_system(columns, s, self.fit_intercept)
        starts = list(self._starts(system, s, last))

        def margins(k: int) -> Output:
            at, a = starts[k]
            if slack_weights is not None:
                return soft_margin(system, Y[:, k], slack_weights / self.p, at)
            found = hard_margin(system, Y[:, k], Output(at, a))
            if not found.is_separable:
                raise InseparableError
            return found

        outputs = for_each_output(margins, Y.shape[1], len(Y))
        self.a = np.column_stack([found.a for found in outputs])
        coordinates = np.column_stack([found.at.coordinates for found in outputs])
        weights = weights_of(columns, s, coordinates)
        intercept = np.array([found.at.intercept for found in outputs])
        z = columns.predict(weights)
        proof = self._proof() if self.p == 1.0 else None
        if slack_weights is None:
            return replace(self._with_exact_margins(weights, z), proof=proof)
        slack = np.maximum(1.0 - Y * (z + intercept), 0.0)
        loss = 0.5 * float(slack_weights @ np.square(slack).sum(axis=1))
        return Step(weights, intercept, loss, proof)

    def to_arrays(self) -> dict[str, Array]:
        return {"a": self.a}

    def fill(self, arrays: Mapping[str, Array]) -> None:
        self.a = finite(arrays, "a", self.Y.shape)

    def _proof(self) -> Proof:
        """Multipliers a are worth ``sum a``, less ``a^2 / 2`` over the weights of slacks."""
        a = balanced(self.a) if self.fit_intercept else self.a
        square = 0.0
        if self.slack_weights is not None:
            square = float((np.square(a).sum(axis=1) / self.slack_weights).sum())
        return Proof(a, float(np.abs(a).sum()), square)

    def _starts(
        self, system: System, s: Array, last: Step | None
    ) -> Iterator[tuple[Position, Array]]:
        """Where each output begins: at ridge regression, or as near the last step as can be."""
        Y = self.Y
        if last is None:
            rho = np.full(len(Y), FIRST / max(system.mean_square, TINY))
            if self.slack_weights is not None:
                rho = self.slack_weights / self.p
            coordinates, intercept = system.best(np.arange(len(Y)), rho, Y)
            z = system.values(coordinates) + intercept
            for k in range(Y.shape[1]):
                yield Position(coordinates[:, k], float(intercept[k]), z[:, k]), self.a[:, k]
        elif self.columns.is_wide:
            for k in range(Y.shape[1]):
                at, factor = best_multiple(system, self.a[:, k])
                at.z += last.intercept[k]
                at.intercept = float(last.intercept[k])
                yield at, factor * self.a[:, k]
        else:
            z = self.columns.predict(last.weights) + last.intercept
            coordinates = last.weights / np.sqrt(s)[:, None]
            for k in range(Y.shape[1]):
                at = Position(coordinates[:, k], float(last.intercept[k]), z[:, k])
                square = float(coordinates[:, k] @ coordinates[:, k])
                total = float(np.abs(self.a[:, k]).sum())
                yield at, self.a[:, k] * (square / total if total > 0 else 0.0)

    def _with_exact_margins(self, weights: Array, z: Array) -> Step:
        """Move the intercept between the classes and scale: then the least margin is 1."""
        if self.fit_intercept:
            low = np.where(self.Y > 0, z, np.inf).min(axis=0)
            high = np.where(self.Y < 0, z, -np.inf).max(axis=0)
            margin, intercept = 0.5 * (low - high), -0.5 * (low + high)
        else:
            margin, intercept = (self.Y * z).min(axis=0), np.zeros(z.shape[1])
        if not (margin > 0).all():
            raise InseparableError
        # Of a class whose samples weigh nothing there is no other side: any margin will do, without features.
        is_one_sided = np.isinf(margin)
        intercept = np.divide(intercept, margin, out=self.Y[0].copy(), where=~is_one_sided)
        return Step(weights / margin, intercept)


class ProjectedFit:
    """Constraints that need not hold: ``X W + b = P (Y + E)``, ``Y * E >= 0``.

    P projects on the columns of X and the intercept, in least squares with weights of samples. The
    basis of these columns is dense, (n_samples, rank), even where X is sparse.

    Parameters
    ----------
    columns, Y
        As for :class:`MarginFit`.
    weight : ndarray of shape (n_samples,)
        Weights of the least squares.
    n_constant : int
        How many outputs may have weights of zero. Where classes overlap in every direction, zero is
        the best there is.
    """

    def __init__(
        self, columns: RemainingColumns, Y: Array, weight: Array, n_constant: int = 0
    ) -> None:
        self.columns = columns
        self.Y = Y
        self.n_constant = n_constant
        self.root = np.sqrt(weight / weight.mean())[:, None]
        self.fit_intercept = not columns.constant
        self._first_ids = columns.ids
        self.basis = self._basis(np.ones(len(columns)))
        self._mixed: Array | None = None
        if not columns.is_wide:
            self._mixed = columns.dots(self.root * self.basis)
        rank = self.basis.shape[1]
        self._grams: list[RowGram] = []
        if Y.shape[1] * rank**2 <= KEPT_NUMBERS:
            self._grams = [RowGram(self.basis) for _ in range(Y.shape[1])]
        self.outputs = [Fit(np.zeros(rank), np.zeros(len(Y))) for _ in range(Y.shape[1])]

    def _basis(self, s: Array) -> Array:
        """Return an orthonormal basis of the weighted columns, at right angles to a free intercept."""
        if self.columns.is_wide:
            kernel = self.root * self.columns.kernel(s) * self.root.T
            kernel = self._beside_intercept(self._beside_intercept(kernel).T)
            values, vectors = np.linalg.eigh(kernel)
            return np.asarray(vectors[:, values > RANK_TOLERANCE * values.max(initial=0.0)])
        rows = self.root * dense(self.columns.factor(s))
        vectors, values, _ = np.linalg.svd(self._beside_intercept(rows), full_matrices=False)
        return np.asarray(vectors[:, values > np.sqrt(RANK_TOLERANCE) * values.max(initial=0.0)])

    def _beside_intercept(self, rows: Array) -> Array:
        if not self.fit_intercept:
            return rows
        return rows - self.root * ((self.root.T @ rows) / float(np.vdot(self.root, self.root)))

    def solve(self, s: Array, last: Step | None) -> Step:
        columns, basis = self.columns, self.basis
        if self._mixed is None:
            rooted = self.root * basis
            mixed, curvature = None, rooted.T @ columns.kernel(s) @ rooted
        else:
            mixed = self._mixed[self._remaining_places()]
            curvature = mixed.T @ (s[:, None] * mixed)

        def margins(k: int) -> Fit:
            gram = self._grams[k] if self._grams else RowGram(basis)
            system = ProjectedSystem(basis, curvature, gram)  # it holds the output's linear term
            worth = None if last is None else 0.5 * float(np.square(last.weights[:, k]) @ (1.0 / s))
            found = projected_margin(system, self.Y[:, k], self.root[:, 0], self.outputs[k], worth)
            if found.is_zero and last is None and self.n_constant == 0:
                raise ConstantOutputError
            return found

        self.outputs = for_each_output(margins, len(self.outputs), len(basis))
        v = np.column_stack([found.v for found in self.outputs])
        pushed = np.column_stack([found.multipliers for found in self.outputs])
        dots = columns.dots(self.root * (basis @ v)) if mixed is None else mixed @ v
        weights = s[:, None] * dots
        z = columns.predict(weights)
        if last is None and np.count_nonzero(np.ptp(z, axis=0) < CONSTANT) > self.n_constant:
            raise ConstantOutputError
        if not self.fit_intercept:
            return Step(weights, np.zeros(v.shape[1]))
        goals = self.Y + self.Y * pushed / self.root
        short = np.square(self.root) * (goals - z)
        return Step(weights, short.sum(axis=0) / np.square(self.root).sum())

    def to_arrays(self) -> dict[str, Array]:
        outputs, changes = self.outputs, [gram.changes for gram in self._grams]
        sizes = [len(changed) for of_output in changes for changed in of_output]
        return {
            "v": np.stack([found.v for found in outputs]),
            "multipliers": np.stack([found.multipliers for found in outputs]),
            "strengths": np.array([found.strength for found in outputs]),
            "changes": np.concatenate([NO_IDS, *itertools.chain(*changes)]),
            "change_sizes": np.array(sizes, dtype=np.int64),
            "change_counts": np.array([len(of_output) for of_output in changes], dtype=np.int64),
        }

    def fill(self, arrays: Mapping[str, Array]) -> None:
        (n_rows, rank), n_outputs = self.basis.shape, len(self.outputs)
        v, multipliers, strengths = (
            finite(arrays, name, shape)
            for name, shape in (
                ("v", (n_outputs, rank)),
                ("multipliers", (n_outputs, n_rows)),
                ("strengths", (n_outputs,)),
            )
        )
        self.outputs = [
            Fit(*parts) for parts in zip(v, multipliers, strengths.tolist(), strict=True)
        ]
        if not are_ids(arrays["changes"], n_rows):
            raise ValueError("changes of other rows")
        changes = split_runs(arrays["changes"], arrays["change_sizes"])
        for gram, count in zip(self._grams, arrays["change_counts"].tolist(), strict=True):
            gram.follow(changes[:count])
            changes = changes[count:]

    def _remaining_places(self) -> Array:
        """Return where the remaining columns were among the first."""
        where = np.searchsorted(self._first_ids, self.columns.ids)
        last = np.full(int(self.columns.constant), len(self._first_ids))
        return np.concatenate([where, last])


def for_each_output(solve: Callable[[int], Result], n_outputs: int, n_rows: int) -> list[Result]:
    """Return what ``solve`` gives for each output, as many at a time as BLAS has threads."""
    if n_outputs == 1:
        return [solve(0)]
    is_large = n_rows >= current_sizes().margin_thread_rows
    return map_apart(solve, range(n_outputs), None if is_large else 1)
