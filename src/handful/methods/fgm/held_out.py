"""C from the data: the whole selection on four fifths of the rows, judged on the other fifth.

For several numbers of features at once each has a C of its own, from the same folds and models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from handful.methods.fgm.beginning import Beginning, begin
from handful.methods.fgm.folds import N_FOLDS, deal_out, number_rows
from handful.methods.fgm.plan import Options
from handful.methods.fgm.state import State
from handful.methods.problem import Monitor, Problem
from handful.sizes import current_sizes
from handful.threads import limited_threads

Array = np.ndarray
STEP = 3.0
LEAST_ROWS = 20
# Where there is no time for all: one fold of a thousand rows told nothing clearly, two do.
FEWEST_FOLDS, LEAST_HELD_OUT = 2, 500

# What one fit takes, in multiplications of a search (.28 ns): nonnegative least squares on the seconds of 219 choices of C, from
# 43 x 2,000 to 8,000 x 200, of 1 to 40 outputs. Half of the estimates are within a third, nine in ten within 1.8 times.
OVERHEAD = 3.3e7
PER_COLUMN = 5.7e4  # of the active ones, for each output
PRODUCTS = 38  # of the active columns with a vector, for each output
GRAM = 0.45  # a multiplication inside a product of matrices
SHARE_OF_OUTPUT = 0.45  # what a further output adds to a search


@dataclass(frozen=True)
class Grid:
    """The values of C to try, and on how many folds.

    Attributes
    ----------
    factors : tuple of float
        Of the closed rule, in the order in which they are tried; the first is the closed rule itself.
    most : int
        How many are tried at most, with those beyond an end that is best so far.
    margin : float
        By how many standard errors another than the closed rule must be better, if the loss does not want more.
    goes_down : bool
        Whether values below all factors are tried too.
    n_folds : int
        How many of the folds are left out, each in turn.
    work : float
        Of a fit, beside one with the closed rule.
    least_left_out : int
        How many different rows these folds must have.
    """

    factors: tuple[float, ...]
    most: int
    margin: float = 0.0
    goes_down: bool = True
    n_folds: int = N_FOLDS
    work: float = 1.0
    least_left_out: int = 0

    @property
    def n_fits(self) -> float:
        """How many fits there are at most, in those of the closed rule."""
        return self.n_folds * self.most * self.work

    def next_factor(self, errors: Mapping[float, Array]) -> float | None:
        """What to try next: the usual factors, then some beyond an end that is best so far."""
        for factor in self.factors:
            if factor not in errors:
                return factor
        best = min(errors, key=lambda factor: float(errors[factor].sum()))
        if len(errors) >= self.most:
            return None
        if best == max(errors):
            return best * STEP
        return best / STEP if best == min(errors) and self.goes_down else None


WIDE = Grid((1.0, 0.3, 0.1, 0.03, 3.0), 8)
#: Upwards alone. With rows in plenty the closed rule is still too small where labels have hardly any noise and features are many.
#: The larger C, the longer a fit takes.
UPWARDS = Grid((1.0, 3.0), 5, margin=2.0, goes_down=False, work=1.5, least_left_out=LEAST_HELD_OUT)


def affordable(work: float, n_rows: int, *, may_be_larger: bool = True) -> Grid | None:
    """What may be tried where one fit takes so many operations: all, larger values on some folds, or nothing.

    Two folds of many rows say as much as five of few. ``may_be_larger`` is what the loss says of larger values.
    """
    most = current_sizes().fold_work
    if WIDE.n_fits * work <= most:
        return WIDE
    if not may_be_larger:
        return None
    n_folds = min(N_FOLDS, int(N_FOLDS * most / (UPWARDS.n_fits * work)))
    are_enough = n_folds >= FEWEST_FOLDS and n_folds * n_rows >= N_FOLDS * UPWARDS.least_left_out
    return replace(UPWARDS, n_folds=n_folds) if are_enough else None


#: Gives the models, one for each number of features, that fits with so many times the closed C end with.
ModelsOf = Callable[[Beginning, float, Monitor], Iterable[State]]


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


def settle_C(
    beginning: Beginning, ks: Sequence[int | None], models_of: ModelsOf, monitor: Monitor
) -> list[CPath]:
    """Return C as given, by the closed rule, or from held-out rows, for each number of features."""
    C = beginning.options.C
    if C not in ("auto", "fast"):
        return [CPath.fixed(float(C), "given.") for _ in ks]
    closed = beginning.closed_Cs(ks)
    if C == "fast":
        return [CPath.fixed(one, "the closed rule, as C='fast' says.") for one in closed]
    return choose_C(beginning, closed, models_of, monitor)


def choose_C(
    beginning: Beginning, closed: Sequence[float], models_of: ModelsOf, monitor: Monitor
) -> list[CPath]:
    """Return the C with the lowest held-out error, if it is clearly lower than that of the closed rule.

    Each C is tried on each of five folds: features are selected on the other four, and the model is
    judged on the fold. What counts is the log loss of classes, in the unit of predictions in which it is
    least, or the squared error of quantities. Where the best is at an end of what was tried, a few more
    are tried beyond. C stays with the closed rule unless another is better by as many standard errors of
    the difference as the loss's ``held_out_margin`` says.

    Where that would take more than about ``Sizes.fold_work`` operations, only larger values are tried, if the loss may want them,
    one after the other while they get better, on as many folds as there is time for if these have rows enough, and it takes
    two standard errors; otherwise the closed rule is all there is.

    Parameters
    ----------
    beginning : Beginning
        Of the largest number of features.
    closed : sequence of float
        C by the closed rule, for each number of features.
    models_of : callable
        Makes as many models.
    monitor : Monitor
    """
    paths, why_not = None, _why_not(beginning)
    if not why_not:
        problem = beginning.problem
        work = expected_work(beginning.options, problem)
        n_rows = int(np.count_nonzero(problem.weight))
        grid = affordable(work, n_rows, may_be_larger=problem.loss.may_shrink_less)
        if grid is None:
            why_not = (
                f"all fits to folds could take {WIDE.n_fits * work:.2g} operations, more than "
                f"{current_sizes().fold_work:.2g}, and some of them would not do."
            )
        else:
            paths, why_not = _try_factors(grid, beginning, closed, models_of, monitor)
    return paths or [CPath.fixed(C, f"the closed rule: {why_not}") for C in closed]


def _try_factors(
    grid: Grid, beginning: Beginning, closed: Sequence[float], models_of: ModelsOf, monitor: Monitor
) -> tuple[list[CPath] | None, str]:
    """Return what was found on the folds, or why nothing was."""
    problem = replace(beginning.problem, space=beginning.problem.space.in_memory())
    numbers = number_rows(problem, beginning.state.target.dual_point(beginning.state.point))
    folds = deal_out(numbers)
    left_out = [folds == fold for fold in range(grid.n_folds)]
    is_left_out = np.logical_or.reduce(left_out)
    why_not = _why_not_folds(problem, folds, numbers.max() + 1)
    if not why_not and len(np.unique(numbers[is_left_out])) < grid.least_left_out:
        why_not = (
            f"folds that there is time for have fewer than {grid.least_left_out} different rows."
        )
    if why_not:
        return None, why_not
    parts = left_out if grid.n_folds == N_FOLDS else _parts(numbers, is_left_out)
    trial = _Trial(beginning.options, problem, left_out, parts, models_of, len(closed), monitor)
    errors: dict[float, Array] = {}
    try:
        with limited_threads(1):  # BLAS would wake its threads for every small product
            while (factor := grid.next_factor(errors)) is not None:
                errors[factor] = trial.errors(factor)
    except ValueError as trouble:
        return None, f"a fold could not be used: {trouble}"
    if monitor.interrupted:
        return None, "interrupted before C was chosen."
    own = [
        {factor: each[number] for factor, each in errors.items()} for number in range(len(closed))
    ]
    margin = max(problem.loss.held_out_margin, grid.margin)
    return [_best(C, each, trial.sizes, margin) for C, each in zip(closed, own, strict=True)], ""


def _best(closed: float, errors: Mapping[float, Array], sizes: Array, margin: float) -> CPath:
    """Choose by the errors, summed over the samples of each fold: the best of several is partly luck."""
    best = min(errors, key=lambda factor: float(errors[factor].sum()))
    gains = errors[1.0] - errors[best]
    is_clear = gains.mean() > margin * gains.std(ddof=1) / np.sqrt(len(gains))
    reason = "the lowest held-out error."
    if not is_clear:
        best, reason = 1.0, "the closed rule: no other is clearly better on held-out rows."
    falling = sorted(errors, reverse=True)
    table = np.array([errors[factor] for factor in falling])
    mean = table.sum(axis=1) / sizes.sum()
    spread = (table / sizes).std(axis=1, ddof=1) / np.sqrt(len(sizes))
    return CPath(closed * np.array(falling), mean, spread, float(closed * best), reason)


def _parts(numbers: Array, is_left_out: Array) -> list[Array]:
    """Five parts of what one fold or a few have left out, each with its share of all kinds of rows."""
    parts = np.where(is_left_out, numbers // N_FOLDS % N_FOLDS, -1)
    return [parts == part for part in range(N_FOLDS)]


class _Trial:
    """The folds, each with its own beginning, on which any C can be tried; ``parts`` are the rows that are judged together."""

    def __init__(
        self,
        options: Options,
        problem: Problem,
        left_out: Sequence[Array],
        parts: Sequence[Array],
        models_of: ModelsOf,
        n_models: int,
        monitor: Monitor,
    ) -> None:
        self._problem = problem
        self._n_models = n_models
        self._models_of = models_of
        self._monitor = Quiet(monitor)
        self._left_out, self._parts = left_out, parts
        self._began = [begin(problem.without(rows), options) for rows in left_out]
        self.sizes = np.array([problem.weight[rows].sum() for rows in parts])

    def errors(self, factor: float) -> Array:
        """The error of each part with so many times the C of the closed rule on the rest.

        One row for each number of features, a column for each part.
        """
        problem = self._problem
        unseen = np.zeros((self._n_models, *problem.y.shape))
        for began, rows in zip(self._began, self._left_out, strict=True):
            if self._monitor.interrupted:
                return np.full((self._n_models, len(self._parts)), np.inf)
            for z, state in zip(unseen, self._models_of(began, factor, self._monitor), strict=True):
                z[rows] = state.point.z[rows]
        judged = np.logical_or.reduce(self._parts)
        y, weight = problem.y[judged], problem.weight[judged, None]
        parts = [part[judged] for part in self._parts]
        return np.array([problem.loss.held_out_errors(y, z[judged], weight, parts) for z in unseen])


class Quiet:
    """Stops a fit of a fold when the fit itself is to stop, and says nothing."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    @property
    def interrupted(self) -> bool:
        return self._monitor.interrupted

    def __call__(self, state: State) -> bool:
        return self.interrupted

    def tell(self, news: object) -> None:
        pass


def _why_not(beginning: Beginning) -> str:
    """Say why no folds are tried, before anything is made; nothing if they are."""
    if not beginning.options.is_exact:
        return "C is tried on held-out rows for exactly k features by ridge models."
    if beginning.state.penalty.budget == 0:
        return "include leaves nothing to choose."
    return ""


def _why_not_folds(problem: Problem, folds: Array, n_different: int) -> str:
    if n_different < LEAST_ROWS:
        return f"fewer than {LEAST_ROWS} different rows."
    if problem.loss.task == "classification" and problem.y.shape[1] == 1:
        for fold in range(N_FOLDS):
            rest = (folds >= 0) & (folds != fold)
            if len(np.unique(problem.y[rest])) < 2:
                return "a class has rows in one fold only."
    return ""


def expected_work(options: Options, problem: Problem) -> float:
    """About how many multiplications one fit takes, from n, m, k and the outputs alone."""
    schedule = options.schedule(problem)
    space, n_outputs = problem.space, problem.y.shape[1]
    n_columns = schedule.max_active * space.mean_width
    searches = schedule.max_rounds + schedule.swaps
    in_search = searches * space.search_work * (1.0 + SHARE_OF_OUTPUT * (n_outputs - 1))
    in_solver = space.n_samples * n_columns * (PRODUCTS * n_outputs + GRAM * n_columns)
    in_steps = OVERHEAD + PER_COLUMN * n_columns * n_outputs
    return problem.loss.work * (in_search + in_solver + in_steps)
