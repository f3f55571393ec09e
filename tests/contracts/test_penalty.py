"""The regulariser against its definition: a minimum over d, and its convex conjugate."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.convex import solve, squares_over_shares

from handful.methods.fgm.solvers.apg import shrink_together
from handful.methods.fgm.solvers.penalty import Penalty, full_rows, largest_sum

# Lengths with ties and zeros as often as not, over many orders of magnitude.
length = st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(1e-6, 1e6))


@st.composite
def problems(draw):
    """A penalty and a weight matrix with rows of the drawn lengths."""
    lengths = draw(st.lists(length, min_size=1, max_size=12))
    n_always = draw(st.integers(0, min(3, len(lengths))))
    penalty = Penalty(draw(st.integers(1, 14)), n_always)
    directions = np.random.default_rng(draw(st.integers(0, 99))).standard_normal((len(lengths), 2))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return penalty, np.array(lengths)[:, None] * directions


def shares_of(penalty, weights):
    """The d that attains the value, ``min(1, u / level)``: how strongly each feature is selected."""
    lengths = penalty.lengths(weights)
    free = lengths[penalty.n_always :]
    shares = np.ones(len(lengths))
    shares[penalty.n_always :] = free > 0
    if np.count_nonzero(free) > penalty.budget:
        _, level = full_rows(np.sort(free)[::-1], penalty.budget)
        shares[penalty.n_always :] = np.minimum(1.0, free / level)
    return shares


def assert_matched(penalty, weights, slopes):
    """Check that ``slopes`` is a subgradient at ``weights``: equality in Fenchel-Young's inequality."""
    product = float((weights * slopes).sum())
    total = penalty.value(weights) + penalty.conjugate(slopes)
    size = float(np.linalg.norm(weights) * np.linalg.norm(slopes))
    assert total == pytest.approx(product, rel=1e-9, abs=1e-9 * (total + size))


@settings(max_examples=200, deadline=None)
@given(problems())
def test_shares_are_feasible_and_attain_the_value(problem):
    penalty, weights = problem
    shares = shares_of(penalty, weights)
    lengths = np.linalg.norm(weights, axis=1)
    assert shares.min() >= 0.0
    assert shares.max() <= 1.0
    assert (shares[: penalty.n_always] == 1.0).all()
    assert shares[penalty.n_always :].sum() <= penalty.budget * (1 + 1e-12)
    assert (shares[lengths > 0] > 0).all()
    used = lengths > 0
    attained = 0.5 * float((lengths[used] ** 2 / shares[used]).sum())
    assert attained == pytest.approx(penalty.value(weights), rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(problems())
def test_value_and_conjugate_belong_together(problem):
    penalty, weights = problem
    shares = shares_of(penalty, weights)
    used = shares > 0
    slopes = np.zeros_like(weights)
    slopes[used] = weights[used] / shares[used, None]
    assert_matched(penalty, weights, slopes)


@settings(max_examples=200, deadline=None)
@given(problems(), st.integers(0, 99))
def test_fenchel_young(problem, seed):
    penalty, weights = problem
    slopes = np.random.default_rng(seed).standard_normal(weights.shape)
    product = float((weights * slopes).sum())
    assert penalty.value(weights) + penalty.conjugate(slopes) >= product * (1 - 1e-12) - 1e-12


@settings(max_examples=400, deadline=None)
@given(problems(), st.floats(1e-4, 1e4))
def test_prox_satisfies_its_optimality_condition(problem, tau):
    penalty, point = problem
    weights = penalty.prox(point, tau)
    assert_matched(penalty, weights, tau * (point - weights))


@pytest.mark.parametrize("budget", [1, 3, 5, 8])
@pytest.mark.parametrize("n_always", [0, 2])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_value_and_prox_equal_cvxpy(budget, n_always, n_outputs):
    rng = np.random.default_rng(budget)
    point = rng.standard_normal((8, n_outputs)) * rng.uniform(0.2, 3.0, (8, 1))
    penalty, tau = Penalty(budget, n_always), 1.7

    def minimum_over_d(weights):
        d = cp.Variable(8, nonneg=True)
        squares, limits = squares_over_shares(weights, d)
        return 0.5 * squares, [*limits, d <= 1, cp.sum(d[n_always:]) <= budget]

    assert penalty.value(point) == pytest.approx(solve(*minimum_over_d(point)), rel=1e-6)

    weights = cp.Variable(point.shape)
    value, limits = minimum_over_d(weights)
    solve(value + 0.5 * tau * cp.sum_squares(weights - point), limits)
    np.testing.assert_allclose(penalty.prox(point, tau), weights.value, atol=1e-3)


def test_with_room_for_all_rows_it_is_a_plain_squared_norm():
    weights = np.random.default_rng(0).standard_normal((6, 2))
    for penalty in (Penalty(6), Penalty(9), Penalty(1, n_always=6), Penalty(2, n_always=4)):
        assert penalty.value(weights) == pytest.approx(0.5 * (weights**2).sum())
        np.testing.assert_allclose(penalty.prox(weights, 3.0), weights * 0.75)


def test_budget_one_is_half_the_squared_sum_of_lengths():
    weights = np.random.default_rng(0).standard_normal((6, 2))
    total = np.linalg.norm(weights, axis=1).sum()
    assert Penalty(1).value(weights) == pytest.approx(0.5 * total**2)


def test_no_rows():
    empty = np.empty((0, 2))
    assert Penalty(3).value(empty) == Penalty(3).conjugate(empty) == 0.0
    assert Penalty(3).prox(empty, 1.0).shape == (0, 2)


@settings(max_examples=100, deadline=None)
@given(st.lists(length, max_size=12), st.integers(1, 14))
def test_largest_sum(values, count):
    expected = sum(sorted(values, reverse=True)[:count])
    assert largest_sum(np.array(values), count) == pytest.approx(expected)


@settings(max_examples=400, deadline=None)
@given(st.lists(length, min_size=1, max_size=12), st.floats(1e-4, 1e4))
def test_blocks_shrink_together(lengths, tau):
    """The prox of ``1/2 (sum of lengths)^2``: its conjugate is half the largest square."""
    old = np.array(lengths)
    new = old * shrink_together(old, tau)
    slopes = tau * (old - new)
    total = 0.5 * new.sum() ** 2 + 0.5 * slopes.max() ** 2
    product = float(new @ slopes)
    assert (new >= 0).all()
    assert total == pytest.approx(product, rel=1e-9, abs=1e-12 * (total + new.sum() * slopes.max()))
