"""Performance-optimal dictionaries: atoms and a classifier on them, learned for one objective.

The paper (Algorithm 3) fits the classifier to the dictionary, moves the atoms by a fixed length along
the gradient, and repeats; its own figure shows the objective rising. Here V(D), the objective with the best
classifier on D (dictionary_problem.py), is minimised itself: directions are those of L-BFGS, and a step
is shortened until V falls by a share of what the slope promised, so that it never rises. A trial costs one
pass over the instances, O(instances * columns * atoms), and a classifier on bags by atoms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from handful.history import History, Round
from handful.methods.dictionary.lbfgs import Curvature
from handful.methods.dictionary.objective import FINAL_TOL, DictionaryProblem, Fitted
from handful.status import Status

Array = np.ndarray

FIRST_MOVE, LONGEST_MOVE = 0.5, 1.0  # of any atom in a step, in units of 1 / sqrt(gamma)
SHARE_OF_SLOPE = 1e-4  # Armijo's
SHORTER, MAX_TRIALS = 0.3, 12
PATIENCE = 5  # steps over which the fall of the objective is judged


@dataclass
class Descent:
    """Where one start of a dictionary has got to."""

    fitted: Fitted
    path: list[float]
    status: Status = Status.MAX_STEPS


@dataclass
class DictionaryState:
    """The best start so far, and last the one in hand."""

    descents: list[Descent] = field(default_factory=list)
    history: History = field(default_factory=History)
    started: float = field(default_factory=time.perf_counter)

    @property
    def best(self) -> Descent:
        """The start with the lowest objective."""
        return min(self.descents, key=_objective)

    def record(self, phase: str) -> None:
        """Write down the step that has just ended."""
        fitted = self.descents[-1].fitted
        seconds, number = time.perf_counter() - self.started, len(self.history) + 1
        self.history.append(
            Round(number, phase, len(fitted.atoms), fitted.objective, -np.inf, seconds)
        )


AfterStep = Callable[[DictionaryState], bool]


def learn_dictionary(
    problem: DictionaryProblem,
    starts: Iterable[Array],
    max_iter: int,
    tol: float,
    state: DictionaryState,
    after_step: AfterStep,
) -> Descent:
    """Descend from every start and return the one that got lowest.

    ``after_step`` returns True to end there with the best so far.
    """
    state.descents = []
    for number, atoms in enumerate(starts, 1):
        fitted = problem.fit(np.asarray(atoms, dtype=np.float64))
        state.descents.append(Descent(fitted, [fitted.objective]))
        stopped = _descend(problem, max_iter, tol, state, f"start {number}", after_step)
        state.descents = [state.best]
        if stopped:
            break
    best = state.best
    best.fitted = problem.fit(best.fitted.atoms, best.fitted, FINAL_TOL)
    best.path[-1] = min(best.path[-1], best.fitted.objective)
    return best


def _descend(
    problem: DictionaryProblem,
    max_iter: int,
    tol: float,
    state: DictionaryState,
    phase: str,
    after_step: AfterStep,
) -> bool:
    """Move the atoms of the start in hand downhill; true when told to stop."""
    descent, curvature = state.descents[-1], Curvature()
    gradient = problem.gradient(descent.fitted)
    descent.status = Status.MAX_MOVES
    for _ in range(max_iter):
        found = _search(problem, descent.fitted, gradient, curvature)
        if found is None:
            descent.status = Status.FLAT
            break
        slope = problem.gradient(found)
        curvature.learn(found.atoms - descent.fitted.atoms, slope - gradient)
        descent.fitted, gradient = found, slope
        descent.path.append(found.objective)
        state.record(phase)
        if after_step(state):
            return True
        if _has_settled(descent.path, tol):
            descent.status = Status.FLAT
            break
    return False


def _search(
    problem: DictionaryProblem, now: Fitted, gradient: Array, curvature: Curvature
) -> Fitted | None:
    """Return a dictionary with a lower objective; None if neither direction has one."""
    steepest = not curvature.pairs
    while True:
        move = -gradient if steepest else curvature.direction(gradient)
        slope = float(np.vdot(gradient, move))
        longest = float(np.sqrt(np.einsum("kj,kj->k", move, move).max()))
        if slope < 0.0 and longest > 0.0:
            most = (FIRST_MOVE if steepest else LONGEST_MOVE) / (np.sqrt(problem.gamma) * longest)
            step = most if steepest else min(1.0, most)
            for _ in range(MAX_TRIALS):
                trial = problem.fit(now.atoms + step * move, now)
                if trial.objective < now.objective + SHARE_OF_SLOPE * step * slope:
                    return trial
                step *= SHORTER
        if steepest:
            return None
        curvature.pairs.clear()
        steepest = True


def _has_settled(path: list[float], tol: float) -> bool:
    """Whether the last steps together lowered the objective by less than a share of it."""
    return len(path) > PATIENCE and path[-1 - PATIENCE] - path[-1] <= tol * abs(path[-1])


def _objective(descent: Descent) -> float:
    return descent.fitted.objective
