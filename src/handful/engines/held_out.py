"""C from the data: the whole selection on four fifths of the rows, judged on the other fifth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from handful.engines.folds import N_FOLDS, assign_folds
from handful.engines.last_fit import refit
from handful.engines.machine import Beginning, Machine, Watcher, solve_again
from handful.engines.problem import Problem
from handful.engines.state import State

Array = np.ndarray
#: Tried in this order, as factors of the closed rule.
FACTORS = (1.0, 0.3, 0.1, 0.03, 0.01, 3.0)
LEAST_ROWS = 20
CLEARLY = 0.5  # standard errors of the difference
# About a second each on one core: all folds together take at most a few.
MOST_WORK = 4e9
OVERHEAD = 2e7  # of one fit, in multiplications
PRODUCTS = 60  # of the active columns with a vector
SHARE_OF_OUTPUT = 0.2  # what a further output adds to a search
WORK_OF_CUTS = 10.0  # what a measure takes more than a smooth loss


@dataclass(frozen=True)
class CPath:
    """The values of C that were tried, and how they did on held-out rows.

    Attributes
    ----------
    values : ndarray
        Falling; one alone if nothing was tried.
    mean, spread : ndarray
        Held-out loss of a sample, and the standard error of that over the folds; empty if nothing was
        tried.
    chosen : float
    reason : str
        Why this one was chosen, or why nothing was tried.
    """

    values: Array
    mean: Array
    spread: Array
    chosen: float
    reason: str

    @classmethod
    def fixed(cls, C: float, reason: str) -> CPath:
        """Nothing was tried."""
        return cls(np.array([C]), np.empty(0), np.empty(0), C, reason)

    def __str__(self) -> str:
        lines = [
            f"C {value:<10.4g} held-out loss {mean:.4g} +- {spread:.2g}"
            for value, mean, spread in zip(self.values, self.mean, self.spread, strict=False)
        ]
        return "\n".join([*lines, f"C {self.chosen:.4g}: {self.reason}"])


def choose_C(beginning: Beginning, closed: float, with_refit: bool, watcher: Watcher) -> CPath:
    """Return the C with the lowest held-out error, if it is clearly lower than that of the closed rule.

    Each C is tried on each of five folds: features are selected on the other four, and the model is
    judged on the fold. What counts is wrong labels, the loss of a regression, or the measure. C stays
    with the closed rule unless another is better by half a standard error of the difference.

    Where that would take more than about :data:`MOST_WORK` operations, the closed rule is all there is.
    """
    machine = beginning.machine
    why_not = _why_not(beginning)
    if why_not:
        return CPath.fixed(closed, why_not)
    problem = replace(beginning.problem, space=beginning.problem.space.in_memory())
    folds = assign_folds(problem, beginning.state.target.dual_point(beginning.state.point))
    why_not = _why_not_folds(problem, folds)
    if why_not:
        return CPath.fixed(closed, why_not)
    errors = np.empty((len(FACTORS), N_FOLDS))
    with threadpool_limits(1):  # BLAS would wake its threads for every small product
        for fold in range(N_FOLDS):
            try:
                errors[:, fold] = _errors(machine, problem, folds == fold, with_refit, watcher)
            except ValueError as trouble:
                return CPath.fixed(closed, f"the closed rule: a fold could not be used: {trouble}")
            if watcher.interrupted:
                return CPath.fixed(closed, "the closed rule: interrupted before C was chosen.")
    sizes = np.array([problem.weight[folds == fold].sum() for fold in range(N_FOLDS)])
    return _best(closed, errors, sizes)


def _best(closed: float, errors: Array, sizes: Array) -> CPath:
    """Choose by the errors, summed over the samples of each fold."""
    best = int(errors.sum(axis=1).argmin())  # the first of equals: nearest to the closed rule
    gains = errors[0] - errors[best]
    is_clear = gains.mean() > CLEARLY * gains.std(ddof=1) / np.sqrt(len(gains))
    reason = "the lowest held-out error."
    if not is_clear:
        best, reason = 0, "the closed rule: no other is clearly better on held-out rows."
    order = np.argsort(FACTORS)[::-1]
    per_sample = errors / sizes
    mean = errors.sum(axis=1) / sizes.sum()
    spread = per_sample.std(axis=1, ddof=1) / np.sqrt(len(sizes))
    values = closed * np.array(FACTORS)
    return CPath(values[order], mean[order], spread[order], float(values[best]), reason)


def _errors(
    machine: Machine, problem: Problem, held_out: Array, with_refit: bool, watcher: Watcher
) -> Array:
    """The error of every C on the rows of one fold."""
    rest = problem.without(held_out)
    began = machine.begin(rest)
    closed = began.closed_C()
    y, weight = problem.y[held_out], problem.weight[held_out, None]
    errors = []
    for factor in FACTORS:
        state, cut = began.with_C(factor * closed)
        if len(state.active):
            solve_again(began.plan, state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer features than k will be said of the fit itself
            first = None if len(state.active) else cut
            machine.select(rest, began.plan, state, first, _Quiet(watcher))
        if with_refit:
            refit(state)
        errors.append(problem.loss.error(y, state.point.z[held_out], weight))
    return np.array(errors)


class _Quiet:
    """Stops a fit of a fold when the fit itself is to stop, and says nothing."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    @property
    def interrupted(self) -> bool:
        return self._watcher.interrupted

    def __call__(self, state: State) -> bool:
        return self.interrupted


def _why_not(beginning: Beginning) -> str:
    """Say why no folds are tried, before anything is made; nothing if they are."""
    if not beginning.machine.is_exact:
        return (
            "the closed rule: C is tried on held-out rows for exactly k features by ridge models."
        )
    if beginning.state.penalty.budget == 0:
        return "the closed rule: include leaves nothing to choose."
    work = N_FOLDS * len(FACTORS) * expected_work(beginning)
    if work > MOST_WORK:
        return (
            f"the closed rule: {N_FOLDS * len(FACTORS)} fits to folds would take about {work:.1e} "
            f"operations, more than {MOST_WORK:.0e}."
        )
    return ""


def _why_not_folds(problem: Problem, folds: Array) -> str:
    if (np.bincount(folds[folds >= 0], minlength=N_FOLDS) < LEAST_ROWS / N_FOLDS).any():
        return f"the closed rule: fewer than {LEAST_ROWS} different rows."
    if problem.loss.task == "classification" and problem.y.shape[1] == 1:
        for fold in range(N_FOLDS):
            rest = (folds >= 0) & (folds != fold)
            if len(np.unique(problem.y[rest])) < 2:
                return "the closed rule: a class has rows in one fold only."
    return ""


def expected_work(beginning: Beginning) -> float:
    """About how many multiplications one fit takes, from n, m, k and the outputs alone."""
    problem, schedule = beginning.problem, beginning.machine.schedule(beginning.problem)
    space, n_outputs = problem.space, problem.y.shape[1]
    n_columns = schedule.max_active * space.mean_width
    searches = schedule.max_rounds + schedule.swaps
    in_search = searches * space.search_work * (1.0 + SHARE_OF_OUTPUT * (n_outputs - 1))
    in_solver = space.n_samples * n_columns * (PRODUCTS * n_outputs + n_columns)
    factor = 1.0 if problem.loss.is_smooth else WORK_OF_CUTS
    return factor * (in_search + in_solver + OVERHEAD)
