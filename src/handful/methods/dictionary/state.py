"""Where the learning of dictionaries stands between two steps, and what it gives if it ends there."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from handful.history import History
from handful.methods.dictionary.curvature import Curvature
from handful.methods.dictionary.objective import Fitted, JointObjective
from handful.methods.fgm.solvers import Target
from handful.methods.problem import Selected
from handful.spaces.base import NO_IDS, Array
from handful.status import Status


@dataclass
class Run:
    """The learning of a dictionary from one start: where it has got to."""

    fitted: Fitted
    path: list[float]
    target: Target
    status: Status = Status.MAX_STEPS

    @property
    def objective(self) -> float:
        """The joint one."""
        return self.fitted.objective

    @property
    def intercept(self) -> float:
        """The intercept, or for a measure of rankings the threshold that takes its place."""
        return float(self.target.with_threshold(self.fitted.solution.point).intercept[0])


@dataclass
class DictionaryState:
    """The outputs that are done, and of the one in hand the best start so far, and last the start in hand.

    Attributes
    ----------
    objectives : list of JointObjective
        One for each output.
    scale : ndarray of shape (n_features,)
        What columns were divided by.
    gamma : float
    finished, runs : list of Run
    start : int
        Number of the start in hand; 0 if the output in hand has none yet.
    curvature : Curvature
        What the steps from there told.
    history : History
    """

    objectives: list[JointObjective]
    scale: Array
    gamma: float
    finished: list[Run] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    start: int = 0
    curvature: Curvature = field(default_factory=Curvature)
    history: History = field(default_factory=History)
    started: float = field(default_factory=time.perf_counter)

    @property
    def best(self) -> Run:
        """The run with the lowest objective."""
        return min(self.runs, key=lambda run: run.objective)

    def begin(self, run: Run) -> None:
        """Go on to the next start."""
        self.start += 1
        self.runs.append(run)
        self.curvature = Curvature()

    def finish(self) -> None:
        """Go on to the next output."""
        self.finished.append(self.best)
        self.runs, self.start = [], 0

    def record(self) -> None:
        """Write down the step that has just ended."""
        fitted = self.runs[-1].fitted
        self.history.record(
            f"start {self.start}", len(fitted.atoms), fitted.objective, self.started
        )

    def selected(self) -> Selected:
        """What the method gives if it ends here; outputs to come say no."""
        parts = [*self.finished, *([self.best] if self.runs else [])]
        atoms = [part.fitted.atoms for part in parts]
        n_outputs = len(self.objectives)
        weights = np.zeros((n_outputs, sum(map(len, atoms))))
        intercept = np.full(n_outputs, -1.0)
        place = 0
        for output, part in enumerate(parts):
            found = part.fitted.solution.weights[:, 0]
            weights[output, place : place + len(found)] = found
            intercept[output] = part.intercept
            place += len(found)
        length = max(len(part.path) for part in parts)
        paths = [np.pad(part.path, (0, length - len(part.path)), mode="edge") for part in parts]
        return Selected(
            ids=NO_IDS,
            weights=weights,
            intercept=intercept,
            objective=float(sum(part.objective for part in parts)),
            bound=-np.inf,
            history=History(self.history),
            status=Status.INTERRUPTED,
            more={
                "dictionary_": np.vstack(atoms) * self.scale,
                "gamma_": self.gamma,
                "scale_": self.scale,
                "objective_path_": np.sum(paths, axis=0),
            },
        )
