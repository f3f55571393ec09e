"""What every loss promises: derivatives, convexity, duality and weights."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from handful.losses import SmoothLoss, known_losses
from handful.losses.sums import quadratic_dual

every_loss = pytest.mark.parametrize(
    "loss", [cls() for cls in known_losses().values()], ids=list(known_losses())
)
every_shape = pytest.mark.parametrize(
    "shape", [(7, 1), (6, 3)], ids=["one output", "three outputs"]
)


def draw(loss, shape, seed=0):
    """Targets, predictions and weights, one of the weights zero."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(shape)
    if loss.task == "classification":
        y = np.sign(y)
        y[:2] = [[1.0], [-1.0]]  # both classes in every output
    z = 2.0 * rng.standard_normal(shape)
    weight = rng.uniform(0.2, 3.0, (shape[0], 1))
    weight[-1] = 0.0
    return y, z, weight


def dual_points(loss, shape, count=20):
    """Points of the conjugate's domain: shrunk gradients at other predictions."""
    y, _, weight = draw(loss, shape)
    for seed in range(count):
        rng = np.random.default_rng(seed)
        z = 3.0 * rng.standard_normal(shape)
        yield -rng.uniform(0.1, 1.0) * loss.gradient(y, z, weight)


def differences(function, z, step):
    """Central differences of a function of z, one entry of z at a time."""
    slopes = np.empty_like(z)
    for index in np.ndindex(z.shape):
        move = np.zeros_like(z)
        move[index] = step
        up, down = function(z + move), function(z - move)
        slopes[index] = (up - down if np.isscalar(up) else (up - down)[index]) / (2.0 * step)
    return slopes


@every_loss
@every_shape
def test_gradient_is_the_derivative_of_the_value(loss, shape):
    y, z, weight = draw(loss, shape)
    expected = differences(lambda at: loss.value(y, at, weight), z, 1e-5)
    np.testing.assert_allclose(loss.gradient(y, z, weight), expected, rtol=1e-6, atol=1e-8)


@every_loss
@every_shape
def test_curvature_is_the_derivative_of_the_gradient(loss, shape):
    y, z, weight = draw(loss, shape)
    expected = differences(lambda at: loss.gradient(y, at, weight), z, 1e-6)
    found = loss.curvature(y, z, weight)
    assert found.shape == shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)


@every_loss
@every_shape
def test_value_and_gradient_are_those_of_each_alone(loss, shape):
    y, z, weight = draw(loss, shape)
    value, gradient = loss.value_and_gradient(y, z, weight)
    assert value == loss.value(y, z, weight)
    np.testing.assert_array_equal(gradient, loss.gradient(y, z, weight))


@every_loss
@every_shape
def test_a_point_has_the_value_and_minus_the_gradient_of_its_predictions(loss, shape):
    y, scores, weight = draw(loss, shape)
    intercept = np.linspace(-0.5, 0.7, shape[1])
    point = loss.evaluate(y, scores, intercept, weight)
    value, gradient = loss.value_and_gradient(y, scores + intercept, weight)
    np.testing.assert_allclose(point.value, value, rtol=1e-13)
    np.testing.assert_allclose(point.a, -gradient, rtol=1e-13)
    np.testing.assert_array_equal(point.z, scores + intercept)


@every_loss
@every_shape
def test_slopes_along_the_intercept_are_sums_over_samples(loss, shape):
    y, z, weight = draw(loss, shape)
    intercept = np.linspace(-0.5, 0.7, shape[1])
    slope, size, bend = loss.slopes(y, z, intercept, weight)
    gradient = loss.gradient(y, z + intercept, weight)
    np.testing.assert_allclose(slope, gradient.sum(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(size, np.abs(gradient).sum(axis=0), rtol=1e-12)
    expected = loss.curvature(y, z + intercept, weight).sum(axis=0)
    np.testing.assert_allclose(bend, expected, rtol=1e-12)


@every_loss
def test_max_curvature_is_the_largest_there_is(loss):
    grid = np.linspace(-5.0, 5.0, 2001)[:, None]
    bends = loss.curvature(np.ones_like(grid), grid, np.ones_like(grid))
    assert bends.min() >= 0.0
    assert bends.max() == pytest.approx(loss.max_curvature, rel=1e-6)


@every_loss
@every_shape
def test_value_is_convex(loss, shape):
    y, z, weight = draw(loss, shape)
    for seed in range(20):
        other = 3.0 * np.random.default_rng(seed).standard_normal(shape)
        for share in (0.25, 0.5, 0.9):
            between = loss.value(y, share * z + (1 - share) * other, weight)
            above = share * loss.value(y, z, weight) + (1 - share) * loss.value(y, other, weight)
            assert between <= above + 1e-12


@every_loss
@pytest.mark.parametrize("target", [-1.0, 1.0])
@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.7, 0.98])
def test_conjugate_is_the_supremum(loss, target, fraction):
    """One sample: ``conjugate(a) = max over z of -a z - value(z)`` by direct search."""
    y, weight = np.array([[target]]), np.array([[1.7]])
    a = -fraction * loss.gradient(y, np.array([[-4.0 * target]]), weight)

    def negative(z):
        return float(a[0, 0] * z) + loss.value(y, np.array([[z]]), weight)

    found = minimize_scalar(
        negative, bounds=(-60.0, 60.0), method="bounded", options={"xatol": 1e-9}
    )
    assert loss.conjugate(y, a, weight) == pytest.approx(-found.fun, rel=1e-8, abs=1e-10)


@every_loss
@every_shape
def test_fenchel_young(loss, shape):
    y, z, weight = draw(loss, shape)
    value = loss.value(y, z, weight)
    for a in dual_points(loss, shape):
        assert loss.conjugate(y, a, weight) + value >= -(a * z).sum() - 1e-12
    a = -loss.gradient(y, z, weight)
    assert loss.conjugate(y, a, weight) + value == pytest.approx(-(a * z).sum(), rel=1e-10)


@every_loss
@every_shape
def test_balanced_points_sum_to_zero_and_stay_in_the_domain(loss, shape):
    y, _, weight = draw(loss, shape)
    for a in dual_points(loss, shape):
        balanced = loss.balance(y, a, weight)
        np.testing.assert_allclose(balanced.sum(axis=0), 0.0, atol=1e-12 * np.abs(a).sum())
        conjugate = loss.conjugate(y, balanced, weight)
        assert np.isfinite(conjugate)
        # Outside the domain the conjugate is infinite: some far away z would exceed it.
        for index in np.ndindex(shape):
            for far in (-1e3, -30.0, 0.0, 30.0, 1e3):
                z = np.zeros(shape)
                z[index] = far
                assert conjugate >= -(balanced * z).sum() - loss.value(y, z, weight) - 1e-9


@every_loss
@every_shape
def test_a_balanced_point_is_left_as_it_is(loss, shape):
    y, _, weight = draw(loss, shape)
    for a in dual_points(loss, shape, count=5):
        once = loss.balance(y, a, weight)
        np.testing.assert_allclose(loss.balance(y, once, weight), once, rtol=1e-12, atol=1e-13)


@every_loss
@every_shape
@pytest.mark.parametrize("intercept", [False, True])
def test_dual_value_is_below_every_primal_value(loss, shape, intercept):
    """Weak duality of ``1/2 |W|^2 + loss(X W + b)`` for random W, b and dual points."""
    y, _, weight = draw(loss, shape)
    rng = np.random.default_rng(1)
    X = rng.standard_normal((shape[0], 4))
    values = []
    for scale in (0.0, 0.1, 0.3, 1.0):
        for _ in range(20):
            W = scale * rng.standard_normal((4, shape[1]))
            b = scale * rng.standard_normal(shape[1]) if intercept else 0.0
            values.append(0.5 * (W * W).sum() + loss.value(y, X @ W + b, weight))
    for a in dual_points(loss, shape):
        point = loss.balance(y, a, weight) if intercept else a
        penalty = 0.5 * ((X.T @ point) ** 2).sum()
        assert loss.dual_value(y, point, weight, penalty) <= min(values) + 1e-12


def least(loss, X, y, weight, intercept):
    """The least ``1/2 |W|^2 + loss(X W + b)``."""
    n_outputs = y.shape[1]

    def value(flat):
        W = flat.reshape(-1, n_outputs)
        z = X @ W[1:] + (W[0] if intercept else 0.0)
        slope = loss.gradient(y, z, weight)
        gradient = np.vstack([slope.sum(axis=0) if intercept else 0.0 * W[0], W[1:] + X.T @ slope])
        return 0.5 * (W[1:] ** 2).sum() + loss.value(y, z, weight), gradient.ravel()

    start = np.zeros((X.shape[1] + 1) * n_outputs)
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(value, start, jac=True, method="L-BFGS-B", options=options).fun


def highest_bound(loss, X, y, weight, intercept):
    """The highest bound from dual points near the solution and far from it, short and long."""
    rng = np.random.default_rng(2)
    found = []
    for size in (0.0, 0.3, 3.0):
        z = size * rng.standard_normal(y.shape)
        for scale in (0.02, 0.3, 1.0):
            a = -scale * loss.gradient(y, z, weight)
            a = loss.balance(y, a, weight) if intercept else a
            found.append(loss.dual_value(y, a, weight, 0.5 * ((X.T @ a) ** 2).sum()))
    return max(found)


@every_loss
@every_shape
@pytest.mark.parametrize("intercept", [False, True])
def test_dual_value_is_below_the_solved_primal(loss, shape, intercept):
    y, _, weight = draw(loss, shape)
    X = np.random.default_rng(1).standard_normal((shape[0], 4))
    for C in (1e-3, 1.0, 1e2):
        optimum = least(loss, X, y, C * weight, intercept)
        assert highest_bound(loss, X, y, C * weight, intercept) <= optimum * (1 + 1e-6) + 1e-12


class PseudoHuber(SmoothLoss):
    """Linear far out, so the dual is bounded; with the closed form of squared losses, which is not."""

    task = "regression"
    max_curvature = 1.0

    def value(self, y, z, weight):
        return float((weight * (np.sqrt(1 + (y - z) ** 2) - 1)).sum())

    def gradient(self, y, z, weight):
        return weight * (z - y) / np.sqrt(1 + (y - z) ** 2)

    def curvature(self, y, z, weight):
        return weight * (1 + (y - z) ** 2) ** -1.5

    def conjugate(self, y, a, weight):
        return float((weight - np.sqrt(np.maximum(weight**2 - a**2, 0)) - y * a).sum())

    def balance(self, y, a, weight):
        return a - weight * (a.sum(axis=0) / weight.sum())

    def dual_value(self, y, a, weight, penalty):
        return quadratic_dual(y, a, weight, penalty)


def test_a_closed_form_that_leaves_the_domain_is_noticed():
    loss = PseudoHuber()
    y, _, weight = draw(loss, (12, 1))
    X = np.random.default_rng(1).standard_normal((12, 4))
    weight = 1e-3 * weight
    assert highest_bound(loss, X, 10 * y, weight, False) > least(loss, X, 10 * y, weight, False)


@every_loss
@every_shape
@pytest.mark.parametrize("penalty", [0.0, 1e-3, 1.0, 1e3])
def test_dual_value_is_the_best_on_the_ray(loss, shape, penalty):
    y, _, weight = draw(loss, shape)
    for a in dual_points(loss, shape):
        found = loss.dual_value(y, a, weight, penalty)
        on_grid = [
            -t * t * penalty - loss.conjugate(y, t * a, weight) for t in np.linspace(0, 1, 201)
        ]
        assert found >= max(on_grid) - 1e-12
        # The general search, for losses that replace it: they may look further than t = 1.
        assert found >= SmoothLoss.dual_value(loss, y, a, weight, penalty) - 1e-9 * (1.0 + found)


@every_loss
def test_dual_value_of_nothing_is_zero(loss):
    y, z, weight = draw(loss, (7, 1))
    assert loss.dual_value(y, 0.0 * z, weight, 0.0) == 0.0


@every_loss
@every_shape
def test_a_row_of_weight_zero_is_not_there(loss, shape):
    y, z, weight = draw(loss, shape)
    rest = slice(0, shape[0] - 1)
    assert loss.value(y, z, weight) == pytest.approx(loss.value(y[rest], z[rest], weight[rest]))
    for method in (loss.gradient, loss.curvature):
        whole = method(y, z, weight)
        np.testing.assert_array_equal(whole[-1], 0.0)
        np.testing.assert_allclose(whole[rest], method(y[rest], z[rest], weight[rest]))
    for a in dual_points(loss, shape, count=5):
        part = (y[rest], a[rest], weight[rest])
        assert loss.conjugate(y, a, weight) == pytest.approx(loss.conjugate(*part))
        assert loss.dual_value(y, a, weight, 0.5) == pytest.approx(loss.dual_value(*part, 0.5))
        balanced = loss.balance(y, a, weight)
        np.testing.assert_allclose(balanced[rest], loss.balance(*part), atol=1e-14)
        np.testing.assert_array_equal(balanced[-1], 0.0)


@every_loss
@every_shape
def test_weights_are_factors(loss, shape):
    y, z, weight = draw(loss, shape)
    assert loss.value(y, z, 3.0 * weight) == pytest.approx(3.0 * loss.value(y, z, weight))
    for method in (loss.gradient, loss.curvature):
        np.testing.assert_allclose(method(y, z, 3.0 * weight), 3.0 * method(y, z, weight))
    for a in dual_points(loss, shape, count=5):
        tripled = loss.conjugate(y, 3.0 * a, 3.0 * weight)
        assert tripled == pytest.approx(3.0 * loss.conjugate(y, a, weight))


@every_loss
def test_outputs_are_independent_problems(loss):
    y, z, weight = draw(loss, (6, 3))
    columns = [slice(k, k + 1) for k in range(3)]
    total = sum(loss.value(y[:, k], z[:, k], weight) for k in columns)
    assert loss.value(y, z, weight) == pytest.approx(total)
    gradient = np.hstack([loss.gradient(y[:, k], z[:, k], weight) for k in columns])
    np.testing.assert_allclose(loss.gradient(y, z, weight), gradient)


@every_loss
def test_arguments_are_not_written_to(loss):
    y, z, weight = draw(loss, (6, 3))
    a = -loss.gradient(y, z, weight)
    for array in (y, z, weight, a):
        array.flags.writeable = False
    loss.value(y, z, weight)
    loss.gradient(y, z, weight)
    loss.curvature(y, z, weight)
    loss.conjugate(y, a, weight)
    loss.balance(y, a, weight)
    loss.dual_value(y, a, weight, 1.0)


@every_loss
@pytest.mark.parametrize("size", [1e2, 1e4])
def test_far_away_predictions_stay_finite(loss, size):
    y, z, weight = draw(loss, (6, 3))
    far = size * z
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert np.isfinite(loss.value(y, far, weight))
        gradient = loss.gradient(y, far, weight)
        assert np.isfinite(gradient).all()
        assert np.isfinite(loss.curvature(y, far, weight)).all()
        assert np.isfinite(loss.conjugate(y, -gradient, weight))
        assert np.isfinite(loss.dual_value(y, -gradient, weight, 1.0))


def test_known_losses_by_task():
    assert set(known_losses()) >= {"squared_hinge", "logistic", "squared"}
    for task in ("classification", "regression"):
        assert all(cls.task == task for cls in known_losses(task).values())
