"""Find the penalty that leaves a wanted number of features, along a path of falling alphas."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.history import History
from handful.methods.lasso_inf.solver import RowSolution, at_zero, solve
from handful.methods.moments import Moments
from handful.methods.near_copies import Copies
from handful.methods.problem import Monitor, Problem, Selected
from handful.spaces.base import Array
from handful.status import Status
from handful.validation import check_magnitude, no_signal

#: From one alpha of the path to the next, until there are too many features.
STEP = 0.7
#: The path ends at this share of the least alpha without features.
LEAST_SHARE = 1e-6
#: How close, relatively, two alphas are when the search between them ends: with the wanted number at the
#: larger, and when none between them has it.
FOUND, JUMPED = 1e-3, 1e-6


@dataclass(frozen=True)
class Options:
    """The settings, as the estimator's parameters of the same names; ``n_keep`` is how many features.

    ``checkpoint`` is what was saved of this fit, or None.
    """

    n_keep: int | None
    alpha: float = 1.0
    tol: float = 1e-6
    max_iter: int = 10_000
    checkpoint: Any = None


@dataclass
class Path:
    """Solutions one after the other, each started from the last.

    Attributes
    ----------
    moments : Moments
    tol, max_sweeps
        Of each solution.
    after_round : callable
        Called with this path after every solution; returns True to stop there.
    last : RowSolution
        Where the path stands.
    solutions : list of RowSolution
        All so far.
    history : History
        A round for each solution.
    saved : deque of RowSolution
        What a checkpoint has of them. The path goes the same way again, and takes these in place of solving.
    """

    moments: Moments
    tol: float
    max_sweeps: int
    after_round: Callable[[Path], bool]
    last: RowSolution = field(init=False)
    solutions: list[RowSolution] = field(default_factory=list)
    history: History = field(default_factory=History)
    saved: deque[RowSolution] = field(default_factory=deque)
    stopped: bool = False
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.last = at_zero(self.moments)

    def selected(self) -> Selected:
        """What the method gives if it ends here."""
        last = self.last
        positions = self.moments.add(last.ids)
        return Selected(
            ids=last.ids,
            weights=np.ascontiguousarray(last.weights.T),
            intercept=self.moments.intercept(positions, last.weights),
            objective=last.objective,
            bound=last.bound,
            history=History(self.history),
            status=Status.INTERRUPTED,
            more={"alpha_": last.alpha, "n_sweeps_": sum(one.n_sweeps for one in self.solutions)},
        )

    def go_to(self, alpha: float, phase: str, **options: Any) -> RowSolution:
        """Solve at another alpha and write it down; what is saved has been."""
        if self.saved:
            self.last = self.saved.popleft()
            self.solutions.append(self.last)
            return self.last
        options = {"tol": self.tol, "max_sweeps": self.max_sweeps, **options}
        self.last = solve(self.moments, alpha, self.last, **options)
        last = self.last
        self.solutions.append(last)
        self.history.record(phase, len(last.ids), last.objective, self.started, last.bound)
        self.stopped = self.after_round(self)
        return self.last


def fit(problem: Problem, options: Options, monitor: Monitor) -> Selected:
    """Solve at one alpha, or find the alpha that leaves exactly k features."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        moments = Moments(
            problem.space,
            problem.y,
            problem.weight,
            centred=problem.fit_intercept,
            exclude=problem.exclude,
        )
        path = Path(moments, options.tol, options.max_iter, monitor)
        if path.last.alpha != 0:
            check_magnitude(np.square([path.last.alpha]))
        if options.checkpoint is not None:
            options.checkpoint.restore(path)
    if options.n_keep is None:
        status = path.go_to(options.alpha, "solve").status
    elif path.last.alpha == 0:
        raise no_signal()
    else:
        status = select(path, options.n_keep)
    return replace(path.selected(), status=Status.INTERRUPTED if monitor.interrupted else status)


def select(path: Path, k: int) -> Status:
    """Find the smallest alpha with exactly k features; the path ends there.

    From the least alpha without features downwards in steps, until there are more than k; then by
    bisection between the last two. Where the number jumps over k, the k strongest of the larger
    selection are kept and fitted again. Copies count once: the strongest stands for them, and the others
    are left out at the end.
    """
    below = path.last  # at most k features, at the smallest alpha known
    least = LEAST_SHARE * below.alpha
    above: RowSolution | None = None
    found: RowSolution | None = None
    while not path.stopped:
        if above is None:
            has_all = len(below.ids) == path.moments.space.n_features
            if has_all or below.alpha <= least:
                break  # nothing is left to add, or the path has ended
            solution = path.go_to(max(STEP * below.alpha, least), "path")
        else:
            enough = JUMPED if found is None else FOUND
            if below.alpha <= (1 + enough) * above.alpha:
                break
            solution = path.go_to(float(np.sqrt(below.alpha * above.alpha)), "bisect")
        n_different = _count(path, solution, k)
        if n_different > k:
            above = solution
        else:
            below = solution
            found = below if n_different == k else found
    if found is None and above is not None:
        return _cut(path, above, k)
    path.last = below if found is None else found
    status = Status.EXHAUSTED if found is None else Status.SELECTED
    if path.last.status is not Status.CONVERGED:
        status = path.last.status
    if len(path.last.ids) > k:  # some are copies
        _cut(path, path.last, k)
        gap = path.last.objective - path.last.bound
        if status is Status.SELECTED and gap > path.tol * path.last.objective:
            return Status.CUT
    return status


def _copies(path: Path, solution: RowSolution) -> tuple[Array, Copies]:
    """Return the order of features by their largest weights, and which are copies of one before."""
    order = np.argsort(-solution.heights, kind="stable")
    at = path.moments.add(solution.ids[order])
    gram = path.moments.gram[np.ix_(at, at)]
    return order, Copies.among([gram], np.sqrt(np.diagonal(gram)))


def _count(path: Path, solution: RowSolution, k: int) -> int:
    """Return how many features are different; copies among fewer than k make no difference."""
    n_features = len(solution.ids)
    return n_features if n_features < k else _copies(path, solution)[1].n_different


def _cut(path: Path, above: RowSolution, k: int) -> Status:
    """Keep the k strongest features, fitted again unless that would leave one without weight."""
    order, copies = _copies(path, above)
    weights = above.weights[order]
    best = copies.best(np.abs(copies.together(weights)).max(axis=1, initial=0.0), k)
    ids = above.ids[order][best]
    kept = np.argsort(ids)
    weights = copies.unless(best).together(weights)[best]
    cut = replace(above, ids=ids[kept], weights=weights[kept])
    path.last = cut
    path.go_to(above.alpha, "cut", only=cut.ids)
    if len(path.last.ids) < k:
        path.last = cut
        path.go_to(above.alpha, "cut", only=cut.ids, max_sweeps=0)
    path.last = replace(path.last, bound=max(path.last.bound, above.bound))
    return Status.CUT
