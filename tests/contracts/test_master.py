"""The small problem over cuts: its two solvers, from a few cuts and blocks to many."""

import numpy as np
import pytest

from handful.kernels.simplex_qp import simplex_qp
from handful.methods.fgm.solvers.master import root_of, solve_master
from handful.methods.fgm.solvers.plain_cuts import solve_plain_master

with_and_without_intercept = pytest.mark.parametrize("intercept", [False, True])


def draw(n_cuts, n_columns, intercept, seed=0, scale=0.1):
    """Products of cuts with columns, costs and sums; some cuts are the same, some depend on others."""
    rng = np.random.default_rng(seed)
    dots = scale * (rng.standard_normal((n_columns, n_cuts)) + rng.standard_normal((n_columns, 1)))
    dots[:, 1], dots[:, 2] = dots[:, 0], 0.5 * (dots[:, 0] + dots[:, -1])
    costs = rng.uniform(0.5, 1.0, n_cuts)
    sums = rng.standard_normal(n_cuts) if intercept else None
    return dots, costs, sums


def gap_of(master, dots, costs, sums, blocks):
    """Objective of the model less that of the dual, relative, both from scratch."""
    alpha = master.alpha
    image = dots @ alpha
    weights = image.copy()
    penalty = conjugate = 0.5 * image @ image
    if blocks:
        norms = np.array([np.linalg.norm(image[block]) for block in blocks])
        for block, length, norm in zip(blocks, master.lengths, norms, strict=True):
            weights[block] *= length / norm
        penalty, conjugate = 0.5 * master.lengths.sum() ** 2, 0.5 * norms.max() ** 2
    slack = costs - weights @ dots
    if sums is not None:
        slack = slack - master.intercept * sums
    assert alpha.min() >= 0
    assert alpha.sum() <= 1 + 1e-9
    assert sums is None or abs(sums @ alpha) <= 1e-8
    primal, dual = penalty + max(0.0, slack.max()), costs @ alpha - conjugate
    return (primal - dual) / max(primal, 1e-3 * costs.max())


@pytest.mark.parametrize(
    ("n_blocks", "n_cuts", "intercept"),
    [(3, 20, False), (3, 20, True), (3, 200, True), (50, 20, False), (50, 500, True)],
)
def test_cones_are_as_good_with_many_blocks_and_cuts_as_with_few(n_blocks, n_cuts, intercept):
    dots, costs, sums = draw(n_cuts, 5 * n_blocks, intercept)
    blocks = [np.arange(5 * t, 5 * t + 5) for t in range(n_blocks)]
    roots = [root_of(dots[block]) for block in blocks]
    master = solve_master(np.zeros((n_cuts, n_cuts)), costs, sums, roots)
    assert abs(gap_of(master, dots, costs, sums, blocks)) <= 1e-5


@with_and_without_intercept
@pytest.mark.parametrize("n_cuts", [4, 20, 100, 500])
@pytest.mark.parametrize("n_columns", [2, 30, 1000])
def test_plain_square_is_as_good_with_many_cuts_as_with_few(n_cuts, n_columns, intercept):
    for scale in (1e-3, 0.1, 1.0):
        dots, costs, sums = draw(n_cuts, n_columns, intercept, scale=scale)
        master = solve_plain_master(dots.T @ dots, costs, sums, np.zeros(n_cuts), 1e-6)
        assert abs(gap_of(master, dots, costs, sums, [])) <= 1e-6


@with_and_without_intercept
def test_both_solvers_agree(intercept):
    for seed in range(5):
        dots, costs, sums = draw(60, 20, intercept, seed)
        gram = dots.T @ dots
        one = solve_plain_master(gram, costs, sums, np.zeros(60), 1e-6)
        other = solve_master(gram, costs, sums, [])
        np.testing.assert_allclose(dots @ one.alpha, dots @ other.alpha, atol=1e-5)
        assert one.intercept == pytest.approx(other.intercept, abs=1e-4)


@with_and_without_intercept
def test_new_cuts_start_from_the_shares_of_the_old(intercept):
    """As a bundle does: the same answer as from nothing, and the start may be somewhat infeasible."""
    dots, costs, sums = draw(200, 40, intercept)
    start = np.zeros(0)
    for n_cuts in range(10, 201, 10):
        part = slice(n_cuts)
        own_sums = None if sums is None else sums[part]
        start = np.append(start, np.zeros(n_cuts - len(start)))
        gram = dots[:, part].T @ dots[:, part]
        kept = start.copy()
        warm = solve_plain_master(gram, costs[part], own_sums, start, 1e-6)
        cold = solve_plain_master(gram, costs[part], own_sums, np.zeros(n_cuts), 1e-6)
        np.testing.assert_array_equal(start, kept)
        np.testing.assert_allclose(
            dots[:, part] @ warm.alpha, dots[:, part] @ cold.alpha, atol=1e-7
        )
        start = warm.alpha * 1.001


def test_the_active_set_seldom_needs_help():
    """Clarabel is there for what rounding spoils; it must not be what does the work."""
    gaps = []
    for seed in range(10):
        for intercept in (False, True):
            dots, costs, sums = draw(150, 60, intercept, seed)
            balance = np.zeros(150) if sums is None else sums / np.abs(sums).max()
            gaps.append(simplex_qp(dots.T @ dots, costs, balance, np.zeros(150), 1e-15, 550)[1])
    assert np.mean(np.array(gaps) <= 1e-6) >= 0.9, gaps


@with_and_without_intercept
def test_cuts_that_depend_on_one_another_are_no_start(intercept):
    """An interior-point method leaves no share zero; of 200 cuts on 20 columns each had to leave by itself."""
    for seed in range(5):
        dots, costs, sums = draw(200, 20, intercept, seed, scale=1.0)
        gram = dots.T @ dots
        balance = np.zeros(200) if sums is None else sums / np.abs(sums).max()
        alpha = solve_master(gram, costs, sums, []).alpha
        assert (alpha > 0).sum() > 100
        assert simplex_qp(gram, costs, balance, alpha, 1e-15, 60)[1] <= 1e-9
