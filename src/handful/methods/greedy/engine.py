"""Greedy regularised least squares: add what lowers the leave-one-out error most, and again.

Algorithm 1 of the paper, with the number of outputs t taken out of the loop by the rank-two update of
``P = A A' X``: O(n m t) once and O(k n m) for k of m features. See kernels/greedy_rls.py for the
update, smoother.py for the errors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.kernels import greedy_rls as kernels
from handful.methods.greedy.bound import best_proof
from handful.methods.greedy.candidates import Candidates, Entered, Rows
from handful.methods.greedy.device_candidates import CandidatesOnDevice, with_room_for_rows
from handful.methods.greedy.models import State
from handful.methods.greedy.path import Path, Run
from handful.methods.greedy.search import Options, Search
from handful.methods.greedy.smoother import Smoother
from handful.methods.memory import usable_bytes
from handful.methods.problem import Monitor, Problem, Selected
from handful.sizes import current_sizes
from handful.spaces.base import NO_IDS, Array, dense_rows
from handful.status import Status


def fit(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Select for every alpha, and give the best of the models."""
    search = Search.of(problem, options)
    path = Path([Run(alpha) for alpha in options.alphas.tolist()])
    if options.checkpoint is not None:
        options.checkpoint.restore(path)
    state = State(search, path, options.output_grid)
    select(state, monitor)
    selected = state.selected()
    more = selected.more
    alphas = np.full(problem.y.shape[1], more["alpha_"])
    alphas = more.get("output_alphas_", alphas)
    proof = best_proof(search, selected.ids, selected.weights, alphas)
    return replace(
        selected,
        bound=proof.bound(alphas),
        status=Status.INTERRUPTED if monitor.interrupted else selected.status,
        more={**more, "path_": more["path_"] | proof.to_plain()},
    )


def select(state: State, monitor: Monitor) -> None:
    """Run the selection for every alpha of the path; what it holds already is taken up."""
    waiting = [run for run in state.path.runs if run.status is None]
    memory = usable_bytes()
    first_rows: dict[int, Rows] | None = {} if len(waiting) > 1 else None
    for run in waiting:
        selection = Selection(state.search, run.alpha, memory, first_rows)
        if _complete(run, selection, state, monitor):
            run.status = run.status or Status.INTERRUPTED
            return


def _complete(run: Run, selection: Selection, state: State, monitor: Monitor) -> bool:
    """Add groups until there are enough; True when the monitor asked to stop."""
    n_groups, first = state.search.n_groups, state.search.problem.include.tolist()
    # The groups of include enter before any row is made, and so they do when a run is taken up.
    for number, group in enumerate(run.groups):
        selection.add(group, is_first=number < len(first))
    while len(run.groups) < n_groups:
        waiting = first[len(run.groups) :]
        chosen = waiting[0] if waiting else selection.best()
        if chosen is None:
            run.status = Status.EXHAUSTED if selection.is_exhausted() else Status.SPENT
            return False
        selection.add(chosen, is_first=bool(waiting))
        run.append(chosen, selection.loo_error, selection.cost, len(selection.features))
        if len(run.groups) == n_groups:
            run.status = Status.CHOSEN
        state.path.record(run)
        if monitor(state):
            return True
    return False


class Selection:
    """The groups in the model and the rows of all others, for one alpha.

    Parameters
    ----------
    search : Search
    alpha : float
    memory : int
        Bytes for the rows.
    first_rows : dict or None
        Shared by the selections of several alphas.
    """

    def __init__(
        self,
        search: Search,
        alpha: float,
        memory: int,
        first_rows: dict[int, Rows] | None = None,
    ) -> None:
        problem = search.problem
        self._space = problem.space
        self._search = search
        self._smoother = Smoother(problem.y, problem.weight, alpha, problem.fit_intercept)
        self._candidates: Candidates | CandidatesOnDevice
        on_device = with_room_for_rows(problem.space, search.groups)
        if on_device is not None:
            self._candidates = CandidatesOnDevice(on_device, self._smoother)
        else:
            self._candidates = Candidates(
                problem.space, search.groups, self._smoother, search.n_threads, memory, first_rows
            )
        self._may_enter = search.may_enter.copy()
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
        """Return the group to add next; None when nothing is left or can be paid."""
        search = self._search
        prices = search.prices.now(search.groups, self.is_in)
        payable = self._open() & search.prices.can_pay(self.cost + prices)
        if not payable.any():
            return None
        errors = self._advance(evaluate=True)
        errors[~payable] = np.inf
        return search.prices.best(errors, self.loo_error, prices)

    def is_exhausted(self) -> bool:
        """Whether no group is left, at whatever price."""
        return not self._open().any()

    def add(self, group: int, *, is_first: bool = False) -> None:
        """Let a group enter; its rows must be current unless none have been made."""
        search, smoother = self._search, self._smoother
        self.cost += float(search.prices.now(search.groups, self.is_in)[group])
        if not is_first and not self._is_current:
            self._advance(evaluate=False)
        members = search.groups.members(group)
        is_new = ~self.is_in[members]
        columns = self._columns(members)
        kept, P = (rows[is_new] for rows in self._candidates.rows_of(group, columns))
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
        self._may_enter[group] = False
        if smoother.has_shrunk(self._space.dtype.itemsize):
            self._restart()

    def _columns(self, ids: Array) -> Array:
        """Return columns as rows, without their means if there is an intercept."""
        return self._smoother.centred(dense_rows(self._space, ids))

    def _restart(self) -> bool:
        """Have everything computed anew; False when that cannot be done."""
        if not self._smoother.restart(self._columns(self.features)):
            return False
        self._candidates.forget()
        return True

    def _have_drifted(self, kept: Array, fresh: Array) -> bool:
        """Whether a kept row has gathered so much rounding that all are to be made anew.

        So they are when hardly anything is left of the squares they are differences of (``has_shrunk``).
        """
        sizes = current_sizes()
        limit = sizes.drift_float32 if self._space.dtype.itemsize == 4 else sizes.drift_float64
        return bool(np.abs(fresh - kept).max() > limit * np.abs(fresh).max())

    def _open(self) -> Array:
        """FeatureSets that may enter and have a feature to add."""
        return self._may_enter & (self._search.groups.sums((~self.is_in).astype(np.int64)) > 0)

    def _advance(self, *, evaluate: bool) -> Array:
        wanted = self._open()
        errors = self._candidates.advance(self._entered, self.is_in, wanted, evaluate=evaluate)
        self._entered, self._is_current = [], True
        return errors
