"""Problems and comparisons that the tests of equivalence share."""

import numpy as np
import pytest

from handful import FGMClassifier, FGMRegressor
from handful.losses import known_losses

N_SAMPLES, N_FEATURES, K = 80, 30, 4

#: One setting of each kind: the paper's machine to convergence, and exactly k features.
MODES = {
    "plain": {"budget": 3, "C": 0.5, "refit": False, "tol": 1e-6, "max_rounds": 100},
    "exactly k": {"n_features_to_select": K, "C": 0.5},
}
every_case = pytest.mark.parametrize(
    ("loss", "n_classes"),
    [
        (loss, n_classes)
        for loss, cls in known_losses().items()
        for n_classes in ((2, 3) if cls.task == "classification" else (1,))
    ],
)
every_mode = pytest.mark.parametrize("mode", MODES)


def draw(n_classes, seed=0):
    """A matrix with many zeros and columns of different lengths; four of them make the targets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES)) + 0.4
    X[rng.random(X.shape) < 0.5] = 0.0
    signal = X[:, [3, 7, 12, 25]] @ rng.choice([-2.0, 2.0], (4, max(n_classes, 1)))
    noisy = signal + rng.standard_normal(signal.shape)
    if n_classes == 1:
        return X, noisy[:, 0]
    return X, (noisy[:, 0] > np.median(noisy[:, 0])).astype(
        int
    ) if n_classes == 2 else noisy.argmax(1)


def fit(X, y, mode, loss, sample_weight=None, **options):
    """A model in one of the modes, fitted."""
    regression = known_losses()[loss].task == "regression"
    estimator = FGMRegressor if regression else FGMClassifier
    model = estimator(loss=loss, **({"C": "fast"} | MODES[mode] | options))
    return model.fit(X, y, sample_weight=sample_weight)


def coefficients(model):
    """Weights of all features, one row for each output."""
    return np.atleast_2d(model.coef_)


def assert_same_model(model, expected, *, tolerance=1e-6, columns=None):
    """Check objective, certificate, features and weights; ``columns`` maps ids of the model back.

    The objective of a plain model is known to ``tol``, its weights to the root of that.
    """
    assert model.objective_ == pytest.approx(expected.objective_, rel=2 * tolerance)
    close = np.sqrt(tolerance)
    found = coefficients(model)
    if columns is not None:
        found = found[:, columns]
    reference = coefficients(expected)
    size = np.abs(reference).max()
    np.testing.assert_allclose(found, reference, atol=close * size)
    np.testing.assert_allclose(
        np.atleast_1d(model.intercept_), np.atleast_1d(expected.intercept_), atol=10 * close
    )
    if expected.n_features_to_select is not None:
        assert (
            len(model.support_ids_) == len(expected.support_ids_) == expected.n_features_to_select
        )
        used = [np.flatnonzero(rows.any(axis=0)) for rows in (found, reference)]
        np.testing.assert_array_equal(*used)
