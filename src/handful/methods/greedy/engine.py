"""Greedy regularised least squares: add what lowers the leave-one-out error most, and again.

Algorithm 1 of the paper, with the number of outputs t taken out of the loop by the rank-two update of
``P = A A' X``: O(n m t) once and O(k n m) for k of m features. See kernels/greedy_rls.py for the
update, smoother.py for the errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from handful.kernels import greedy_rls as kernels
from handful.methods.greedy.candidates import Candidates, Entered, Rows, dense_rows
from handful.methods.greedy.device_candidates import CandidatesOnDevice, with_room_for_rows
from handful.methods.greedy.path import Path, Run
from handful.methods.greedy.purchases import FeatureSets, Prices
from handful.methods.greedy.smoother import Smoother
from handful.methods.memory import usable_bytes
from handful.spaces.base import NO_IDS, Array, FeatureSpace
from handful.status import Status
from handful.validation import check_magnitude

# A kept row that differs by more than this share from the same row made anew has drifted: all are
# made anew. So they are when hardly anything is left of the squares they are differences of.
DRIFT = {4: 1e-5, 8: 1e-8}  # by the bytes of a number in the rows
# What is left of a constant column once it is centred.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Problem:
    """What is to be selected from, for what, and within which limits.

    Attributes
    ----------
    space : FeatureSpace
        Of single columns.
    units : FeatureSets
    Y : ndarray of shape (n_samples, n_outputs)
    weight : ndarray of shape (n_samples,)
    fit_intercept : bool
    may_enter : ndarray of bool
        One for each unit.
    include : ndarray of int64
        FeatureSets that enter first, in this order.
    n_units : int
        How many to select.
    prices : Prices
    n_threads : int
    """

    space: FeatureSpace
    units: FeatureSets
    Y: Array
    weight: Array
    fit_intercept: bool
    may_enter: Array
    include: Array
    n_units: int
    prices: Prices = field(default_factory=Prices)
    n_threads: int = 1


class Selection:
    """The units in the model and the rows of all others, for one alpha.

    Parameters
    ----------
    problem : Problem
    alpha : float
    memory : int
        Bytes for the rows.
    first_rows : dict or None
        Shared by the selections of several alphas.
    """

    def __init__(
        self,
        problem: Problem,
        alpha: float,
        memory: int,
        first_rows: dict[int, Rows] | None = None,
    ) -> None:
        self._problem = problem
        self._smoother = Smoother(problem.Y, problem.weight, alpha, problem.fit_intercept)
        self._candidates: Candidates | CandidatesOnDevice
        on_device = with_room_for_rows(problem.space, problem.units)
        if on_device is not None:
            self._candidates = CandidatesOnDevice(on_device, self._smoother)
        else:
            self._candidates = Candidates(
                problem.space, problem.units, self._smoother, problem.n_threads, memory, first_rows
            )
        self._may_enter = problem.may_enter.copy()
        self._entered: list[Entered] = []
        self._is_current = False
        self.features = NO_IDS
        self.is_in = np.zeros(problem.space.n_features, dtype=bool)
        self.cost = 0.0

    @property
    def loo_error(self) -> float:
        """Mean squared leave-one-out error of the model as it is."""
        return self._smoother.loo_error

    def best(self) -> int | None:
        """Return the unit to add next; None when nothing is left or can be paid."""
        problem = self._problem
        prices = problem.prices.now(problem.units, self.is_in)
        payable = self._open() & problem.prices.can_pay(self.cost + prices)
        if not payable.any():
            return None
        errors = self._advance(evaluate=True)
        errors[~payable] = np.inf
        return problem.prices.best(errors, self.loo_error, prices)

    def is_exhausted(self) -> bool:
        """Whether no unit is left, at whatever price."""
        return not self._open().any()

    def add(self, unit: int, *, is_first: bool = False) -> None:
        """Let a unit enter; its rows must be current unless none have been made."""
        problem, smoother = self._problem, self._smoother
        self.cost += float(problem.prices.now(problem.units, self.is_in)[unit])
        if not is_first and not self._is_current:
            self._advance(evaluate=False)
        members = problem.units.members(unit)
        is_new = ~self.is_in[members]
        columns = self._columns(members)
        kept, P = (rows[is_new] for rows in self._candidates.rows_of(unit, columns))
        columns = columns[is_new]
        C = smoother.solve(columns)
        if not is_first and self._have_drifted(kept, C) and self._restart():
            C, P = smoother.solve(columns), smoother.outer(columns)
        pivots, q = kernels.pivots(columns, C, P, smoother.alpha)
        smoother.add(C, P, pivots, q)
        self._entered.append(Entered(columns, C, P, pivots, q))
        self._is_current = False
        self.is_in[members] = True
        self.features = np.append(self.features, members[is_new])
        self._may_enter[unit] = False
        if smoother.has_shrunk(problem.space.dtype.itemsize):
            self._restart()

    def _columns(self, ids: Array) -> Array:
        """Return columns as rows, without their means if there is an intercept."""
        return self._smoother.centred(dense_rows(self._problem.space, ids))

    def _restart(self) -> bool:
        """Have everything computed anew; False when that cannot be done."""
        if not self._smoother.restart(self._columns(self.features)):
            return False
        self._candidates.forget()
        return True

    def _have_drifted(self, kept: Array, fresh: Array) -> bool:
        limit = DRIFT[self._problem.space.dtype.itemsize]
        return bool(np.abs(fresh - kept).max() > limit * np.abs(fresh).max())

    def _open(self) -> Array:
        """FeatureSets that may enter and have a feature to add."""
        return self._may_enter & (self._problem.units.sums((~self.is_in).astype(np.int64)) > 0)

    def _advance(self, *, evaluate: bool) -> Array:
        wanted = self._open()
        errors = self._candidates.advance(self._entered, self.is_in, wanted, evaluate=evaluate)
        self._entered, self._is_current = [], True
        return errors


def select(problem: Problem, path: Path, after_step: Callable[[Path], bool]) -> None:
    """Run the selection for every alpha of the path; what it holds already is taken up.

    ``after_step`` returns True to end it there.
    """
    waiting = [run for run in path.runs if run.status is None]
    memory = usable_bytes()
    first_rows: dict[int, Rows] | None = {} if len(waiting) > 1 else None
    for run in waiting:
        selection = Selection(problem, run.alpha, memory, first_rows)
        if _select(problem, selection, run, path, after_step):
            run.status = run.status or Status.INTERRUPTED
            return


def _select(
    problem: Problem,
    selection: Selection,
    run: Run,
    path: Path,
    after_step: Callable[[Path], bool],
) -> bool:
    """Complete one run; True when ``after_step`` asked to stop."""
    first = problem.include.tolist()
    # The units of include enter before any row is made, and so they do when a run is taken up.
    for number, unit in enumerate(run.units):
        selection.add(unit, is_first=number < len(first))
    while len(run.units) < problem.n_units:
        waiting = first[len(run.units) :]
        chosen = waiting[0] if waiting else selection.best()
        if chosen is None:
            run.status = Status.EXHAUSTED if selection.is_exhausted() else Status.SPENT
            return False
        selection.add(chosen, is_first=bool(waiting))
        run.append(chosen, selection.loo_error, selection.cost, len(selection.features))
        if len(run.units) == problem.n_units:
            run.status = Status.CHOSEN
        path.record(run)
        if after_step(path):
            return True
    return False


def features_with_signal(space: FeatureSpace, weight: Array, fit_intercept: bool) -> Array:
    """Tell which columns are not zero, nor constant beside an intercept."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares, centred_squares = space.centred_squares(weight, centred=fit_intercept)
        is_useful = ~(centred_squares <= ROUNDING * squares) | ~np.isfinite(squares)
    check_magnitude(squares[is_useful])
    return is_useful
