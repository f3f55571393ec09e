"""Every loop of every solver ends, and says why: hundreds of tiny hard problems under a limit of steps, a thousand for who asks.

Time is not looked at. What a solver asks of the loss, or of linear algebra, is counted, and one that asks for more than
any honest run would need is stopped there. Tolerances go down to what no arithmetic can reach: most loops that do not
end turn on what rounding leaves of a move.
"""

from dataclasses import replace

import hard_problems
import numpy as np
import pytest
from sklearn.datasets import load_iris

from handful import FGMRegressor
from handful.kernels import ksupport
from handful.losses import Squared, known_losses
from handful.losses.of_measure import Multivariate
from handful.measures import resolve_measure
from handful.methods.fgm.solvers import (
    APG,
    Bundle,
    KSupport,
    Newton,
    RidgeBundle,
    SimpleMKL,
    Solution,
    Subproblem,
    Target,
    known_solvers,
)
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.lasso_inf import engine as lasso_path
from handful.methods.lasso_inf import solver as multi_task_inf
from handful.methods.moments import Moments
from handful.methods.reweighted import Options as RowOptions
from handful.methods.reweighted import margin_fits, margins, projected
from handful.methods.reweighted.data import Data, moments
from handful.methods.reweighted.engine import reweight
from handful.methods.reweighted.rfs import RobustFit
from handful.methods.reweighted.state import Reweighting
from handful.methods.reweighted.step import StepError
from handful.spaces.dense import DenseSpace
from handful.status import Status

N_PROBLEMS = 1000
#: Steps that each solver is given: two of mkl train more machines than forty of the others look at the loss.
STEPS = {APG: 12, KSupport: 12, SimpleMKL: 1, Newton: 1, Bundle: 3, RidgeBundle: 3}
PATIENT = 110  # with so many, every now and then, "ksupport" turns to Newton's method
MOST_LOOKS, MOST_SOLVES, MOST_ALPHAS, MOST_SWEEPS = 100_000, 2_000, 100, 20
ENDINGS = {Status.CONVERGED, Status.STALLED, Status.MAX_STEPS}


class Counted:
    """A loss that refuses to be asked without end."""

    def __init__(self, loss):
        self.loss = loss
        self.n_looks = 0

    def __getattr__(self, name):
        asked = getattr(self.loss, name)
        if name in ("value", "gradient", "curvature", "cut"):
            self.n_looks += 1
            assert self.n_looks <= MOST_LOOKS, "the solver does not end"
        return asked


def draw(seed):
    rng, kind = np.random.default_rng(seed), hard_problems.KINDS[seed % len(hard_problems.KINDS)]
    X = hard_problems.columns(rng, kind)
    if rng.random() < 0.3:
        X = X[: int(rng.integers(1, len(X) + 1))]  # one row, or few
    if rng.random() < 0.4:
        X = X[:, :1]  # solved at once, and what is left is rounding
    return rng, kind, X


def subproblem(seed, *, smooth, max_steps):
    """A restricted problem with overlapping blocks, an intercept or none, and C tiny to huge."""
    rng, kind, X = draw(seed)
    if not smooth and len(X) < 2:
        X = np.vstack([X, -X])
    n_rows, n_columns = X.shape
    if smooth:
        loss = known_losses()[str(rng.choice(["squared", "squared_hinge", "logistic"]))]()
    else:
        loss = Multivariate(resolve_measure(str(rng.choice(["f1", "accuracy", "roc_auc"]))))
    shape = (n_rows, 2 if smooth and rng.random() < 0.2 else 1)
    if loss.task == "regression":
        y = rng.standard_normal(shape)
        y = np.round(y) if kind in ("rounded", "explained") else y
    else:
        y = np.where(rng.random(shape) < 0.5, 1.0, -1.0)
        y[:2, 0] = (1.0, -1.0)[: len(y)]
    C, tol = 10.0 ** rng.integers(-8, 10), 10.0 ** -rng.integers(4, 18)
    if n_columns == 1:  # easy, but for its tolerance
        C, tol = 10.0 ** rng.integers(-1, 3), 1e-17
    weight = np.full((n_rows, 1), C)
    if smooth:
        weight *= rng.uniform(0.2, 2.0, weight.shape)
    intercept = bool(rng.random() < 0.6 and (smooth or loss.has_threshold))
    n_always = int(rng.integers(0, min(2, n_columns)))
    free = np.arange(n_always, n_columns)
    n_blocks, width = int(rng.integers(1, 4)), min(2, len(free))
    blocks = [rng.choice(free, width, replace=False) for _ in range(n_blocks)]
    target = Target(Counted(loss), y, weight, intercept)
    return Subproblem(
        X, np.square(X).sum(axis=0), target, Penalty(2, n_always), blocks, tol, max_steps
    )


def nothing(problem):
    point = problem.target.at_zero
    weights = np.zeros((problem.penalty.n_always, problem.n_outputs))
    return Solution(weights, point, point.value, -np.inf, 0, Status.MAX_STEPS)


def test_every_solver_is_here():
    assert {*known_solvers().values(), Newton, Bundle, RidgeBundle} == STEPS.keys()


@pytest.mark.parametrize("solver", STEPS, ids=lambda solver: solver.__name__)
def test_solvers_of_restricted_problems_end(solver, fewer):
    endings = set()
    for seed in range(fewer(N_PROBLEMS)):
        problem = subproblem(seed, smooth="curvature" in solver.requires, max_steps=STEPS[solver])
        if solver is KSupport and seed % 50 == 0:
            problem = replace(problem, max_steps=PATIENT)
        at_zero = nothing(problem)
        solution = solver().solve(problem, at_zero)
        assert solution.status in ENDINGS, seed
        endings.add(solution.status)
        assert np.isfinite(solution.weights).all(), seed
        assert np.isfinite(solution.objective), seed
        assert not solution.bound > solution.objective * (1 + 1e-6), seed
        if solver is not Bundle:  # which does not know where it started
            assert solution.objective <= at_zero.objective * (1 + 1e-5), seed
    assert len(endings) > 1


class CountedSquared(Squared):
    """Squared error under the same limit."""

    n_looks = 0

    def value(self, y, z, weight):
        self.n_looks += 1
        assert self.n_looks <= MOST_LOOKS // 10, "the solver does not end"
        return super().value(y, z, weight)


@pytest.mark.parametrize("solver", known_solvers())
def test_a_move_of_nothing_is_no_reason_for_a_shorter_one(solver):
    """One column explains what it can at once; rounding says that the loss bends more than any tau allows."""
    X, y = load_iris(return_X_y=True)
    model = FGMRegressor(1, solver=solver, loss=CountedSquared(), fit_intercept=False)
    assert model.fit(X - X.mean(), y).status_ is Status.SELECTED


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_curvature_that_is_no_number_ends(monkeypatch, bad):
    calls, prox = [], ksupport._prox

    def counted(*args):
        calls.append(1)
        assert len(calls) <= MOST_LOOKS, "the kernel does not end"
        prox(*args)

    monkeypatch.setattr(ksupport, "_prox", counted)  # a kernel is seen only from within
    owners, start = np.arange(2), np.zeros((2, 1))
    with np.errstate(all="ignore"):
        ksupport.minimize_quadratic.py_func(
            *(np.full((1, 2, 2), bad), np.ones((2, 1)), start, owners, 2, 0, 1, 1.0, 1e-9, 50)
        )


def rows_of(seed):
    """One of the four problems of vanishing rows."""
    rng, kind, X = draw(seed)
    X = X if len(X) > 2 else np.vstack([X, -X, 0.5 * X])
    space, weight = DenseSpace(X), np.ones(len(X))
    means, deviations = moments(space, weight)
    constant = bool(rng.random() < 0.4)
    Y = np.where(rng.random((len(X), 2)) < 0.5, 1.0, -1.0)
    Y[:2] = [[1.0, -1.0], [-1.0, 1.0]]
    p = float(rng.choice([0.5, 1.0]))
    C = 10.0 ** rng.integers(-3, 4)
    is_robust = seed % 4 == 0
    Y = hard_problems.numbers(rng, X, kind, 2) if is_robust else Y
    data = Data(space, Y, weight, means, deviations, np.ones(X.shape[1]))
    columns = data.columns(constant=constant)
    p, alpha = (1.0, C) if is_robust else (p, 1.0)
    options = RowOptions(None, p=p, alpha=alpha, max_iter=4, tol=1e-17)
    slacks = C * weight if seed % 4 == 2 else None
    if is_robust:
        fitting = RobustFit(columns, Y, C, weight)
    elif seed % 4 == 1:
        fitting = margin_fits.ProjectedFit(columns, Y, weight)
    else:
        fitting = margin_fits.MarginFit(columns, Y, p, slacks)
    return Reweighting.start(data, options, fitting)


def test_vanishing_rows_end(monkeypatch, fewer):
    solves, solve_positive = [], margins.solve_positive

    def counted(*args):
        solves.append(1)
        assert len(solves) <= MOST_SOLVES, "the solver does not end"
        return solve_positive(*args)

    for module in (margins, projected):  # a step that does not end tells nobody
        monkeypatch.setattr(module, "solve_positive", counted)
    endings = set()
    for seed in range(fewer(N_PROBLEMS)):
        solves.clear()
        state = rows_of(seed)
        try:
            status = reweight(state, lambda state: False)
        except StepError:
            endings.add("inseparable")
            continue
        endings.add(status)
        assert np.isfinite(state.objectives).all(), seed
        assert (np.diff(state.objectives) <= 0).all(), seed
    assert endings == {"inseparable", Status.SETTLED, Status.MAX_ITER}


def lasso_of(seed, after_round=lambda path: False):
    rng, kind, X = draw(seed)
    Y = rng.standard_normal((len(X), 2))
    Y = Y if len(X) == 1 else hard_problems.numbers(rng, X, kind, 2)
    known = Moments(DenseSpace(X), Y, np.ones(len(X)), centred=bool(rng.random() < 0.6))
    return rng, lasso_path.Path(known, 10.0 ** -rng.integers(4, 18), MOST_SWEEPS, after_round)


def test_sweeps_of_the_lasso_end(fewer):
    endings = set()
    for seed in range(fewer(N_PROBLEMS)):
        rng, path = lasso_of(seed)
        alpha = path.last.alpha * 10.0 ** -rng.uniform(0, 4)
        endings.add(path.go_to(alpha, "solve").status)
        assert np.isfinite(path.last.objective), seed
        assert path.last.n_sweeps <= MOST_SWEEPS, seed
    assert endings == {Status.CONVERGED, Status.MAX_STEPS}


def test_sweeps_that_bring_nothing_more_are_not_called_too_few():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    Y = X @ rng.standard_normal((4, 2))
    known = Moments(DenseSpace(X), Y, np.ones(30), centred=True)
    start = multi_task_inf.at_zero(known)
    for only, status in ((None, Status.CONVERGED), (np.array([1]), Status.STALLED)):
        found = multi_task_inf.solve(
            known, 0.1 * start.alpha, start, tol=1e-6, max_sweeps=1000, only=only
        )
        assert found.status is status


def test_paths_of_the_lasso_end():
    endings, n_alphas = set(), []

    def after_round(path):
        n_alphas.append(1)
        assert len(n_alphas) <= MOST_ALPHAS, "the path does not end"
        return False

    for seed in range(N_PROBLEMS // 10):
        n_alphas.clear()
        rng, path = lasso_of(seed, after_round)
        endings.add(lasso_path.select(path, int(rng.integers(1, 3))))
    assert endings >= {Status.SELECTED, Status.EXHAUSTED, Status.MAX_STEPS}
