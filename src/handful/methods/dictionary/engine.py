"""Performance-optimal dictionaries: atoms and a classifier on them, learned for one objective.

The paper (Algorithm 3) fits the classifier to the dictionary, moves the atoms by a fixed length along
the gradient, and repeats; its own figure shows the objective rising. Here V(D), the objective with the best
classifier on D (objective.py), is minimised itself: directions are those of L-BFGS, and a step
is shortened until V falls by a share of what the slope promised, so that it never rises. A trial costs one
pass over the instances, O(instances * columns * atoms), and a classifier on bags by atoms.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from handful.methods.dictionary.curvature import Curvature
from handful.methods.dictionary.objective import FINAL_TOL, Fitted, JointObjective
from handful.methods.dictionary.state import DictionaryState, Run
from handful.methods.fgm.solvers import Target
from handful.methods.problem import Monitor, Problem, Selected
from handful.spaces.bags.standardizing import StandardDistances, median_gamma
from handful.spaces.base import Array, dense
from handful.status import Status

FIRST_MOVE, LONGEST_MOVE = 0.5, 1.0  # of any atom in a step, in units of 1 / sqrt(gamma)
SHARE_OF_SLOPE = 1e-4  # Armijo's
SHORTER, MAX_TRIALS = 0.3, 12
# Clusters of more instances than this are those of so many, drawn at random.
MOST_CLUSTERED = 20_000
PATIENCE = 5  # steps over which the fall of the objective is judged


@dataclass(frozen=True)
class Options:
    """The settings, as the estimator's parameters of the same names.

    Attributes
    ----------
    n_atoms : int
        No more than there are different instances, if atoms start at these.
    init : str or ndarray of shape (n_atoms, n_features)
        In the units of the instances as they were given.
    random : RandomState
        Draws the starts.
    checkpoint : Checkpoint or None
        What was saved of this fit.
    """

    n_atoms: int
    C: float
    dictionary_penalty: float
    gamma: float | str
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random: Any
    checkpoint: Any = None


def fit(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Learn a dictionary for each output against the rest, on :class:`StandardDistances`."""
    space = problem.space
    rows = space.different
    is_given = options.gamma != "scale"
    gamma = float(options.gamma) if is_given else median_gamma(space.bags, rows)
    center = np.asarray(space.bags.instances[rows].mean(axis=0), dtype=np.float64).ravel()
    objectives = [
        JointObjective(space, Target.of(one, options.C), gamma, options.dictionary_penalty, center)
        for one in problem.of_outputs()
    ]
    state = DictionaryState(objectives, space.scale, gamma)
    if options.checkpoint is not None:
        options.checkpoint.restore(state)
    n_finished = len(state.finished)
    for number, objective in enumerate(objectives):
        starts = _starts(space, options)
        if number < n_finished:
            deque(starts, maxlen=0)  # drawn as before, for the next draws to be the same
            continue
        # After an interrupt the other outputs get a classifier on where they start.
        max_iter = 0 if monitor.interrupted else options.max_iter
        learn_dictionary(objective, starts, max_iter, options.tol, state, monitor)
        state.finish()
    unfinished = [part.status for part in state.finished if part.status is not Status.FLAT]
    status = unfinished[0] if unfinished else Status.FLAT
    return replace(state.selected(), status=Status.INTERRUPTED if monitor.interrupted else status)


def _starts(space: StandardDistances, options: Options) -> Iterator[Array]:
    """Yield dictionaries to start from, in standardised columns: those given, instances, or centres of clusters."""
    instances, rows, n_atoms = space.bags.instances, space.different, options.n_atoms
    random = options.random
    if not isinstance(options.init, str):
        yield options.init / space.scale
        return
    for _ in range(options.n_init):
        if options.init == "random":
            yield dense(instances[random.choice(rows, n_atoms, replace=False)])
            continue
        some = rows
        if len(rows) > max(MOST_CLUSTERED, n_atoms):
            some = random.choice(rows, max(MOST_CLUSTERED, n_atoms), replace=False)
        clusters = KMeans(n_atoms, n_init=1, random_state=random.randint(2**31 - 1))
        yield clusters.fit(instances[some]).cluster_centers_


def learn_dictionary(
    objective: JointObjective,
    starts: Iterable[Array],
    max_iter: int,
    tol: float,
    state: DictionaryState,
    monitor: Monitor,
) -> None:
    """Descend from every start, or from where the state is already; the one that got lowest is left."""
    for number, atoms in enumerate(starts, 1):
        if number < state.start:
            continue
        if number > state.start:
            fitted = objective.fit(np.asarray(atoms, dtype=np.float64))
            state.begin(Run(fitted, [fitted.objective], objective.target))
        stopped = _descend(objective, max_iter, tol, state, monitor)
        state.runs = [state.best]
        if stopped:
            break
    best = state.best
    best.fitted = objective.fit(best.fitted.atoms, best.fitted, FINAL_TOL)
    best.path[-1] = min(best.path[-1], best.fitted.objective)


def _descend(
    objective: JointObjective,
    max_iter: int,
    tol: float,
    state: DictionaryState,
    monitor: Monitor,
) -> bool:
    """Move the atoms of the start in hand downhill; true when told to stop."""
    run, curvature = state.runs[-1], state.curvature
    gradient = objective.gradient(run.fitted)
    run.status = Status.MAX_MOVES
    while not _has_settled(run.path, tol):
        if len(run.path) > max_iter:
            return False
        found = _search(objective, run.fitted, gradient, curvature)
        if found is None:
            break
        slope = objective.gradient(found)
        curvature.learn(found.atoms - run.fitted.atoms, slope - gradient)
        run.fitted, gradient = found, slope
        run.path.append(found.objective)
        state.record()
        if monitor(state):
            return True
    run.status = Status.FLAT
    return False


def _search(
    objective: JointObjective, now: Fitted, gradient: Array, curvature: Curvature
) -> Fitted | None:
    """Return a dictionary with a lower objective; None if neither direction has one."""
    steepest = not curvature.pairs
    while True:
        move = -gradient if steepest else curvature.direction(gradient)
        slope = float(np.vdot(gradient, move))
        longest = float(np.sqrt(np.einsum("kj,kj->k", move, move).max()))
        if slope < 0.0 and longest > 0.0:
            most = (FIRST_MOVE if steepest else LONGEST_MOVE) / (np.sqrt(objective.gamma) * longest)
            step = most if steepest else min(1.0, most)
            for _ in range(MAX_TRIALS):
                trial = objective.fit(now.atoms + step * move, now)
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
