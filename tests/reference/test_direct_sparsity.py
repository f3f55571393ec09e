"""Direct sparsity and robust feature selection against CVXPY and against the paper's half-steps."""

import cvxpy as cp
import numpy as np
import pytest
from reference import half_steps

from handful import DirectSparsityClassifier, RFSClassifier, RFSRegressor

EXACT = {"max_iter": 5000, "tol": 1e-9}


def wide(seed, n_classes, n_samples=16, n_features=40, n_twins=0):
    """Random labels on random rows; some rows come twice, with another label the second time."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_samples - n_classes)])
    if n_twins:
        X[-n_twins:], y[-n_twins:] = X[:n_twins], (y[:n_twins] + 1) % n_classes
    return X, y


def signs(y):
    classes = np.unique(y)
    return np.where(y[:, None] == (classes if len(classes) > 2 else classes[1:]), 1.0, -1.0)


def row_norms(W, b, penalize_intercept):
    return cp.sum(cp.norm(W, axis=1)) + (cp.norm(b) if penalize_intercept else 0)


def raw(X, n_outputs):
    W, b = cp.Variable((X.shape[1], n_outputs)), cp.Variable((1, n_outputs))
    return W, b, X @ W + np.ones((len(X), 1)) @ b


def projected(X, Y, z):
    """``z = P (Y + E)``, ``Y * E >= 0``, with P the projection on the columns of X and the ones."""
    with_ones = np.column_stack([X, np.ones(len(X))])
    left, values, _ = np.linalg.svd(with_ones, full_matrices=False)
    basis = left[:, values > 1e-10 * values[0]]
    E = cp.Variable(Y.shape)
    return [basis.T @ z == basis.T @ (Y + E), cp.multiply(Y, E) >= 0]


def assert_proved(model, best, rel=1e-3):
    """The bound lies below the optimum, and not far from it."""
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-7)
    assert model.dual_gap_ <= rel * model.objective_


def minimum(cost, limits=()):
    return cp.Problem(cp.Minimize(cost), list(limits)).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_hard_margins_of_p_1_reach_the_optimum(n_classes, penalize_intercept):
    X, y = wide(0, n_classes)
    Y = signs(y)
    W, b, z = raw(X, Y.shape[1])
    best = minimum(row_norms(W, b, penalize_intercept), [cp.multiply(Y, z) >= 1])
    model = DirectSparsityClassifier(p=1, penalize_intercept=penalize_intercept, **EXACT).fit(X, y)
    assert model.feasible_
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert_proved(model, best)
    assert (Y * (X @ model.coef_.T + model.intercept_)).min() >= 1 - 1e-6


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_projected_margins_of_p_1_reach_the_optimum(n_classes, penalize_intercept):
    X, y = wide(2, n_classes, n_twins=3)
    Y = signs(y)
    W, b, z = raw(X, Y.shape[1])
    best = minimum(row_norms(W, b, penalize_intercept), projected(X, Y, z))
    model = DirectSparsityClassifier(p=1, penalize_intercept=penalize_intercept, **EXACT).fit(X, y)
    assert not model.feasible_
    assert model.margin_ == "projected"
    assert model.objective_ == pytest.approx(best, rel=2e-6)


def test_projected_margins_of_more_samples_than_columns_reach_the_optimum():
    """Weakly separable along the first column only: the projection keeps a part of that."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 400)
    X = rng.standard_normal((800, 5))
    X[:, 0] = np.where(y > 0, 1.0, -1.0) * rng.uniform(0, 1, 800) * (rng.uniform(size=800) < 0.3)
    Y = signs(y)
    W, b, z = raw(X, 1)
    best = minimum(row_norms(W, b, True), projected(X, Y, z))
    model = DirectSparsityClassifier(p=1, margin="projected", penalize_intercept=True, **EXACT)
    model.fit(X, y)
    assert model.margin_ == "projected"
    assert best > 0.01
    assert model.objective_ == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize(("n_samples", "n_features"), [(25, 60), (700, 8)])
def test_soft_margins_of_p_1_reach_the_optimum(n_samples, n_features, penalize_intercept):
    X, y = wide(3, 3, n_samples, n_features)
    Y, weight = signs(y), np.random.default_rng(0).uniform(0.2, 2.0, n_samples)
    W, b, z = raw(X, 3)
    slack = cp.square(cp.pos(1 - cp.multiply(Y, z)))
    cost = row_norms(W, b, penalize_intercept) + 0.5 * 0.3 * cp.sum(weight @ slack)
    model = DirectSparsityClassifier(
        p=1, margin="soft", C=0.3, penalize_intercept=penalize_intercept, **EXACT
    ).fit(X, y, sample_weight=weight)
    best = minimum(cost)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert_proved(model, best)


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize(("n_samples", "n_features"), [(20, 40), (700, 8)])
def test_robust_selection_reaches_the_optimum(n_samples, n_features, penalize_intercept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features))
    T = X[:, :3] @ rng.standard_normal((3, 2)) + rng.standard_t(1.5, (n_samples, 2))
    weight = rng.uniform(0.2, 2.0, n_samples)
    W, b, z = raw(X, 2)
    cost = weight @ cp.norm(z - T, axis=1) + 2.0 * row_norms(W, b, penalize_intercept)
    model = RFSRegressor(alpha=2.0, penalize_intercept=penalize_intercept, **EXACT)
    model.fit(X, T, sample_weight=weight)
    best = minimum(cost)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert_proved(model, best, rel=0.1)  # residuals of zero leave it open what their samples prove


def test_robust_classifier_reaches_the_optimum():
    X, y = wide(0, 3, 30, 12)
    Y = signs(y)
    W, b, z = raw(X, 3)
    best = minimum(cp.sum(cp.norm(z - Y, axis=1)) + row_norms(W, b, False))
    model = RFSClassifier(**EXACT).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert_proved(model, best, rel=0.1)


@pytest.mark.parametrize("margin", ["hard", "projected", "soft"])
@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_every_step_descends(p, margin):
    X, y = wide(4, 3, n_twins=2 * (margin == "projected"))
    model = DirectSparsityClassifier(p=p, margin=margin, tol=1e-8).fit(X, y)
    assert model.margin_ == margin
    path = model.objective_path_
    assert len(path) == model.n_iter_ > 2
    assert (np.diff(path) <= 0).all()
    assert model.objective_ == path[-1]
    assert np.isfinite(model.dual_gap_) == (p == 1.0 and margin != "projected")
    if margin == "hard":
        assert (signs(y) * (X @ model.coef_.T + model.intercept_)).min() >= 1 - 1e-6
        norms = np.linalg.norm(model.coef_, axis=0)
        assert (norms**p).sum() == pytest.approx(model.objective_, rel=1e-3)


@pytest.mark.parametrize("p", [0.3, 0.7, 1.0])
def test_the_solution_is_a_fixed_point_of_half_steps(p):
    """From where we end the paper's algorithm cannot lower the objective any more."""
    X, y = wide(5, 3, 10, 16)
    Y = signs(y)
    model = DirectSparsityClassifier(p=p, penalize_intercept=True, max_iter=3000, tol=1e-12)
    model.fit(X, y)
    with_ones = np.column_stack([X, np.ones(len(X))])
    W = np.column_stack([model.coef_, model.intercept_]).T
    steps = half_steps.HalfSteps(with_ones, Y)
    U, E = steps.coordinates(with_ones, W)
    np.testing.assert_allclose(steps.weights(U, E), W, atol=1e-9)
    for _ in range(3):
        U, E = steps.step(U, E, p)
    moved = steps.weights(U, E)
    assert half_steps.size(moved, p) >= half_steps.size(W, p) * (1 - 1e-4)
    np.testing.assert_allclose(moved, W, atol=2e-3 * np.abs(W).max())


def test_half_steps_of_p_1_fall_towards_where_we_end():
    X, y = wide(6, 2, 8, 12)
    Y = signs(y)
    with_ones = np.column_stack([X, np.ones(len(X))])
    steps = half_steps.HalfSteps(with_ones, Y)
    E, U = np.zeros_like(Y), np.zeros((len(steps.order) - len(steps.L), 1))
    path = []
    for _ in range(60):
        U, E = steps.step(U, E, 1.0)
        path.append(half_steps.size(steps.weights(U, E), 1.0))
    model = DirectSparsityClassifier(p=1, penalize_intercept=True, **EXACT).fit(X, y)
    assert (np.diff(path) <= 1e-5 * path[0]).all()
    assert model.objective_ <= path[-1] * (1 + 1e-5)
    assert path[-1] < path[0]
    assert path[-1] == pytest.approx(model.objective_, rel=0.06)  # they crawl
