"""What the bundle solvers of a measure's risk promise: bounds, the best model, old cuts dropped and reused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from handful.losses.of_measure import Multivariate
from handful.measures import resolve_measure
from handful.methods.fgm.solvers import Bundle, RidgeBundle, Subproblem, Target
from handful.methods.fgm.solvers.base import Solution
from handful.methods.fgm.solvers.bundle import bundle, go_on
from handful.methods.fgm.solvers.cuts import BlockCuts
from handful.methods.fgm.solvers.labelings import unpacked
from handful.methods.fgm.solvers.master import MasterSolution
from handful.methods.fgm.solvers.penalty import Penalty
from handful.methods.fgm.solvers.plain_cuts import ColumnCuts, PlainCuts
from handful.status import Status

N_SAMPLES, N_COLUMNS = 300, 12
BLOCKS = [np.arange(0, 5), np.arange(4, 9), np.arange(8, 12)]  # neighbours share a column
SOLVERS = {"blocks": Bundle, "ridge": RidgeBundle, "held ridge": RidgeBundle}

every_solver = pytest.mark.parametrize("solver", SOLVERS)
every_measure = pytest.mark.parametrize("name", ["accuracy", "f1", "rec@2p", "prbep", "roc_auc"])


def make_problem(name, C=0.3, tol=1e-4, max_steps=10_000):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, N_COLUMNS))
    signal = X[:, :4] @ [1.0, -1.0, 0.7, 0.7] + rng.standard_normal(N_SAMPLES)
    y = np.where(signal > np.quantile(signal, 0.8), 1.0, -1.0)
    loss = Multivariate(resolve_measure(name)).of_samples(y, np.ones(N_SAMPLES))
    target = Target(loss, y[:, None], np.full((N_SAMPLES, 1), C), loss.has_threshold)
    penalty = Penalty(N_COLUMNS)
    return Subproblem(X, (X * X).sum(axis=0), target, penalty, BLOCKS, tol, max_steps)


def nothing(problem):
    point = problem.target.at_zero
    return Solution(np.zeros((0, 1)), point, point.value, -np.inf, 0, Status.MAX_ROUNDS)


def solved(solver, problem, previous=None):
    own = replace(problem, ranks=solver != "held ridge")
    return SOLVERS[solver]().solve(own, previous or nothing(problem))


def narrowed(problem, n_columns, blocks):
    norms = problem.squared_norms[:n_columns]
    return replace(
        problem, columns=problem.columns[:, :n_columns], squared_norms=norms, blocks=blocks
    )


@every_solver
@every_measure
def test_model_and_bound_enclose_the_optimum(solver, name):
    problem = make_problem(name)
    found = solved(solver, problem)
    assert found.status is Status.CONVERGED
    assert 0.0 <= found.objective - found.bound <= problem.tol * found.objective
    z = problem.columns @ found.weights + found.point.intercept
    target = problem.target
    assert found.point.value == pytest.approx(target.evaluate(z, np.zeros(1)).value, rel=1e-9)
    if solver != "blocks":
        penalty = 0.5 * float((found.weights**2).sum())
        assert found.objective == pytest.approx(penalty + found.point.value, rel=1e-9)
    close = solved(solver, replace(problem, tol=1e-7))
    assert found.bound <= close.objective * (1 + 1e-9)
    assert close.bound <= found.objective * (1 + 1e-9)


@every_solver
@every_measure
def test_the_best_model_is_kept_and_the_bound_never_falls(solver, name):
    """A run that is cut short is the beginning of a longer one."""
    problem = make_problem(name)
    runs = [solved(solver, replace(problem, max_steps=steps)) for steps in range(1, 9)]
    objectives, bounds = ([getattr(run, what) for run in runs] for what in ("objective", "bound"))
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
    assert (np.diff(bounds) >= -1e-12 * objectives[0]).all()
    early = [run for run in runs if run.status is Status.MAX_STEPS]
    assert all(run.n_steps == steps for steps, run in enumerate(early, start=1))


def weakly_shrunk(name, n_samples=500, n_columns=50):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_columns))
    signal = X[:, :5].sum(axis=1) + 3.0 * rng.standard_normal(n_samples)
    y = np.where(signal > np.quantile(signal, 0.7), 1.0, -1.0)
    loss = Multivariate(resolve_measure(name)).of_samples(y, np.ones(n_samples))
    target = Target(loss, y[:, None], np.ones((n_samples, 1)), loss.has_threshold)
    norms = (X * X).sum(axis=0)
    return Subproblem(X, norms, target, Penalty(n_columns), [], 1e-3, ranks=False)


@pytest.mark.parametrize("name", ["accuracy", "f1", "prbep"])
def test_steps_held_back_are_fewer(name):
    """Under weak shrinkage the minimum of the cuts is far from the best model for long."""
    problem = weakly_shrunk(name)
    held, line = solved("held ridge", problem), solved("ridge", problem)
    assert held.status is line.status is Status.CONVERGED
    assert held.n_steps < 0.6 * line.n_steps
    assert held.bound <= line.objective * (1 + 1e-9)
    assert line.bound <= held.objective * (1 + 1e-9)


@every_measure
def test_the_proof_is_the_mixture_that_is_returned(name):
    """Also where it was found some steps before the last."""
    for steps in (2, 7, 30, 10_000):
        problem = replace(weakly_shrunk(name), max_steps=steps)
        found = solved("held ridge", problem)
        image = problem.dots(found.point.a)
        own = found.point.cost - 0.5 * float((image * image).sum())
        assert found.bound == pytest.approx(own, rel=1e-9)
        if problem.target.fit_intercept:
            assert abs(found.point.a.sum()) <= 1e-6 * np.abs(found.point.a).sum()


def test_models_on_the_way_get_worse():
    """Otherwise there would be no need to keep the best."""
    problem = make_problem("f1")
    last = []

    class Noting(BlockCuts):
        def scores(self, master):
            scores = super().scores(master)
            value = problem.target.evaluate(scores, np.array([master.intercept])).value
            last.append(self.penalty(master) + value)
            return scores

    found = bundle(Noting(problem, nothing(problem)))
    assert (np.diff(last) > 0).any()
    assert found.objective <= min(last) * (1 + 1e-12)


def test_idle_cuts_are_dropped():
    problem = make_problem("f1", C=3.0, tol=1e-6)
    cuts, added = BlockCuts(problem, nothing(problem)), []
    add = cuts.add

    def counting(points):
        added.append(len(points))
        add(points)

    cuts.add = counting
    found = bundle(cuts)
    assert found.status is Status.CONVERGED
    assert len(cuts) < 0.7 * sum(added)
    assert found.warm["cuts"].shape == (N_SAMPLES, len(found.warm["costs"]))
    assert 0 < len(found.warm["costs"]) < len(cuts)


@pytest.mark.parametrize(("name", "kind"), [("f1", "i"), ("accuracy", "i"), ("roc_auc", "f")])
def test_cuts_are_kept_in_a_byte_for_each_sample(name, kind):
    """Where each sample is right or wrong; nothing is lost, and others stay as they are."""
    problem = make_problem(name, C=3.0)
    cuts = PlainCuts(problem, nothing(problem))
    bundle(cuts)
    kept = cuts.to_start_from()
    assert kept["cuts"].dtype.kind == kind
    used, size = cuts.idle == 0, problem.target.weight.max()
    np.testing.assert_array_equal(unpacked(kept, N_SAMPLES), cuts.a[:, used] / size)


@every_solver
@every_measure
def test_cuts_of_the_last_round_are_where_the_next_begins(solver, name):
    """Columns are added, as a round of the loop does: the old cuts still bound the risk."""
    problem = make_problem(name)
    before = solved(solver, narrowed(problem, 9, BLOCKS[:2]))
    short = replace(problem, max_steps=3)
    assert solved(solver, short, before).bound > 1.1 * solved(solver, short).bound
    warm, cold = solved(solver, problem, before), solved(solver, problem)
    assert warm.objective == pytest.approx(cold.objective, rel=2 * problem.tol)
    assert warm.bound <= cold.objective * (1 + 1e-9)


@every_solver
def test_tiny_weights_under_a_huge_C_are_the_same_problem(solver):
    """What is left of a sum by rounding is judged by its terms, not by C."""
    problem = make_problem("accuracy")
    target, tiny = problem.target, 1e-14
    loss = target.loss.of_samples(target.y[:, 0], np.full(N_SAMPLES, tiny))
    other = replace(target, loss=loss, weight=target.weight / tiny)
    one, same = solved(solver, problem), solved(solver, replace(problem, target=other))
    assert same.status is Status.CONVERGED
    assert same.objective == pytest.approx(one.objective, rel=2 * problem.tol)


@every_solver
def test_cuts_that_say_nothing_of_the_intercept(solver):
    """Balanced labelings alone: their sums are zero but for rounding."""
    problem = make_problem("accuracy")
    y = problem.target.y[:, 0]
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)]
    cuts = np.zeros((N_SAMPLES, 3))
    for k in range(3):
        for side in sides:
            cuts[side[10 * k : 10 * k + 20], k] = 2.0 * y[side[0]]
    start = replace(nothing(problem), warm={"cuts": cuts, "costs": np.full(3, 80.0)})
    first = solved(solver, replace(problem, max_steps=1), start)
    assert first.bound > 0.0
    assert first.objective < 1e3
    found = solved(solver, problem, start)
    assert found.objective == pytest.approx(solved(solver, problem).objective, rel=2e-4)


@every_solver
@every_measure
def test_sparse_columns_give_what_dense_columns_give(solver, name):
    problem = make_problem(name)
    sparse = replace(problem, columns=sp.csc_array(problem.columns))
    one, other = solved(solver, problem), solved(solver, sparse)
    assert one.objective == pytest.approx(other.objective, rel=2 * problem.tol)


def far_from_zero(seed, C=1e9):
    """One column of numbers near 30: products of cuts are huge, and what is wanted is their difference."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(14) + 30.0
    y = np.where(rng.random(14) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    loss = Multivariate(resolve_measure("roc_auc")).of_samples(y, np.ones(14))
    target = Target(loss, y[:, None], np.full((14, 1), C), False)
    X, blocks = x[:, None], [np.arange(1)]
    return Subproblem(X, (X * X).sum(axis=0), target, Penalty(1), blocks, 1e-12, max_steps=3)


@every_solver
def test_huge_products_leave_objective_and_bound_true(solver):
    for seed in range(20):
        problem = far_from_zero(seed)
        found = solved(solver, problem)
        x, y = problem.columns[:, 0], problem.target.y[:, 0]
        # Convex, and linear between the weights at which a pair is one apart.
        kinks = 1.0 / np.subtract.outer(x[y > 0], x[y < 0]).ravel()
        values = [objective_of(problem, w) for w in [0.0, *kinks]]
        assert found.bound <= min(values) * (1 + 1e-9)
        own = objective_of(problem, float(found.weights[0, 0]))
        assert found.objective == pytest.approx(own, rel=1e-9)


def objective_of(problem, weight):
    """Of one column without an intercept."""
    point = problem.target.evaluate(weight * problem.columns, np.zeros(1))
    return 0.5 * weight**2 + point.value


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("name", ["f1", "accuracy"])
def test_cuts_kept_by_their_signs_say_what_cuts_kept_as_numbers_do(name, is_sparse):
    """Products, values at a model and mixtures are the same, also after cuts were forgotten and mixed later."""
    problem = make_problem(name, C=3.0)
    if is_sparse:
        problem = replace(problem, columns=sp.csr_array(problem.columns))
    assert ColumnCuts.suit(problem)
    plain, signed = PlainCuts(problem, nothing(problem)), ColumnCuts(problem, nothing(problem))
    rng = np.random.default_rng(1)
    for scale in (0.0, 1.0, 3.0, 5.0):
        scores = scale * rng.standard_normal((N_SAMPLES, 1))
        for cuts in (plain, signed):
            cuts.add([[problem.target.evaluate(scores, np.full(1, 0.1))]])
    np.testing.assert_array_equal(signed.a, plain.a)
    np.testing.assert_allclose(signed.gram, plain.gram, rtol=1e-10)
    np.testing.assert_allclose(signed.sums, plain.sums, rtol=1e-12)
    weights = rng.standard_normal((N_COLUMNS, 1))
    told = weights, problem.scores(weights)
    np.testing.assert_allclose(signed.values_at(*told), plain.values_at(*told), rtol=1e-10)
    master = MasterSolution(np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(1), np.empty(0))
    np.testing.assert_allclose(signed.scores(master), plain.scores(master), rtol=1e-10)
    wanted, mixing = plain.mixing(master)(), signed.mixing(master)
    signed.idle[:] = 100
    signed.add([[problem.target.at_zero]])
    assert len(signed) == 1
    np.testing.assert_allclose(mixing(), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["rec@2p", "prbep", "roc_auc"])
def test_cuts_of_other_sizes_stay_numbers(name):
    assert not ColumnCuts.suit(make_problem(name))


@pytest.mark.parametrize(
    ("name", "ranks", "tol", "status"),
    [
        ("f1", False, 0.0, "STALLED"),
        ("f1", True, 1e-3, "CONVERGED"),
        ("roc_auc", False, 1e-3, "CONVERGED"),
        ("roc_auc", True, 1e-3, "CONVERGED"),
    ],
)
def test_a_bundle_goes_on_from_its_arrays_to_the_last_bit(name, ranks, tol, status):
    """Held back or not, with cuts kept by their signs or as numbers, also among steps that bring nothing."""
    problem = replace(weakly_shrunk(name), ranks=ranks, tol=tol)

    def begun():
        return RidgeBundle().begin(problem, nothing(problem))

    expected = go_on(begun())
    assert expected.status.name == status
    for last in np.linspace(1, expected.n_steps, 6).astype(int):
        kept = {}

        def keep(state, last=last, kept=kept):
            if state.n_steps == last:
                kept.update(state.to_arrays())
            return state.n_steps == last

        go_on(begun(), keep)
        again = begun()
        again.fill(kept)
        found = go_on(again)
        for what in ("n_steps", "status", "objective", "bound"):
            assert getattr(found, what) == getattr(expected, what)
        assert found.point.cost == expected.point.cost
        np.testing.assert_array_equal(found.weights, expected.weights)
        np.testing.assert_array_equal(found.point.a, expected.point.a)
        assert found.warm.keys() == expected.warm.keys()
        for part, cuts in found.warm.items():
            np.testing.assert_array_equal(cuts, expected.warm[part])
