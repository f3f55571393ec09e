"""Exactly-k selection against all supports of a tiny problem."""

import functools
import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from handful import FGMClassifier, FGMRegressor
from handful.losses import known_losses
from handful.status import Status

N_FEATURES, K, C = 8, 3, 2.0
FEW, ENOUGH = 30, 60  # samples: with few, even the best support need not be the true one
every_loss = pytest.mark.parametrize("loss", known_losses())
every_seed = pytest.mark.parametrize("seed", range(4))


def draw(loss, seed, noise, n_samples=FEW, n_classes=2):
    """Targets that three features explain up to noise; the classes are the largest of K scores."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, N_FEATURES))
    true = rng.choice(N_FEATURES, K, replace=False)
    n_scores = n_classes if n_classes > 2 else 1
    signal = X[:, true] @ rng.choice([-1.0, 1.0], (K, n_scores)) * 2.0
    y = signal + noise * rng.standard_normal(signal.shape)
    if known_losses()[loss].task == "regression":
        return X, y[:, 0], np.sort(true)
    return X, y.argmax(axis=1) if n_classes > 2 else (y[:, 0] > 0).astype(int), np.sort(true)


def make(loss, **options):
    task = known_losses()[loss].task
    estimator = FGMRegressor if task == "regression" else FGMClassifier
    return estimator(n_features_to_select=K, loss=loss, C=C, **options)


def as_targets(loss, y):
    """What the loss sees: one column, or one for each of more than two classes."""
    if known_losses()[loss].task == "regression":
        return y[:, None]
    classes = np.unique(y)
    return np.where(y[:, None] == (classes[1:] if len(classes) == 2 else classes), 1.0, -1.0)


def ridge_objective(loss, X, targets, support):
    """Minimum of ``1/2 |W|^2 + C loss(X_S W + b)`` by a general-purpose optimiser."""
    loss = known_losses()[loss]()
    columns, weight = X[:, support], np.full((len(X), 1), C)
    shape = (len(support) + 1, targets.shape[1])

    def value_and_gradient(flat):
        W, b = np.split(flat.reshape(shape), [len(support)])
        z = columns @ W + b
        slope = loss.gradient(targets, z, weight)
        gradient = np.vstack([W + columns.T @ slope, slope.sum(axis=0)])
        return 0.5 * (W**2).sum() + loss.value(targets, z, weight), gradient.ravel()

    options = {"maxiter": 500, "ftol": 1e-14, "gtol": 1e-9}
    found = minimize(
        value_and_gradient, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options=options
    )
    return float(found.fun)


@functools.cache
def all_supports(loss, seed, noise, n_samples=FEW, n_classes=2):
    """The ridge objective of every set of K features."""
    X, y, _ = draw(loss, seed, noise, n_samples, n_classes)
    targets = as_targets(loss, y)
    return {
        support: ridge_objective(loss, X, targets, list(support))
        for support in itertools.combinations(range(N_FEATURES), K)
    }


@every_loss
@every_seed
@pytest.mark.parametrize("solver", ["auto", "ksupport"])
@pytest.mark.parametrize("noise", [0.5, 3.0])
def test_certificate_covers_the_best_support(loss, seed, solver, noise):
    X, y, _ = draw(loss, seed, noise)
    supports = all_supports(loss, seed, noise)
    model = make(loss, solver=solver).fit(X, y)
    assert model.status_ is Status.SELECTED
    assert len(model.support_ids_) == K
    own = supports[tuple(model.support_ids_.tolist())]
    assert model.objective_ == pytest.approx(own, rel=1e-5)
    best = min(supports.values())
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-9)
    assert best <= model.objective_ * (1 + 1e-6)


@pytest.mark.parametrize("loss", known_losses("classification"))
@pytest.mark.parametrize("seed", range(2))
def test_certificate_covers_the_best_shared_support_of_three_classes(loss, seed):
    X, y, _ = draw(loss, seed, 1.0, n_classes=3)
    supports = all_supports(loss, seed, 1.0, n_classes=3)
    model = make(loss).fit(X, y)
    assert model.objective_ == pytest.approx(supports[tuple(model.support_ids_.tolist())], rel=1e-5)
    best = min(supports.values())
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-9)
    assert best <= model.objective_ * (1 + 1e-6)


@every_loss
@every_seed
def test_must_keep_and_must_not(loss, seed):
    """The certificate is then about supports with the one and without the others."""
    X, y, true = draw(loss, seed, 1.0)
    include, exclude = [int((true[0] + 1) % N_FEATURES)], [int(true[1])]
    include = [j for j in include if j not in exclude]
    model = make(loss, include=include, exclude=exclude).fit(X, y)
    chosen = set(model.support_ids_.tolist())
    assert set(include) <= chosen
    assert not set(exclude) & chosen
    assert len(chosen) == K
    allowed = {
        support: value
        for support, value in all_supports(loss, seed, 1.0).items()
        if set(include) <= set(support) and not set(exclude) & set(support)
    }
    best = min(allowed.values())
    assert model.objective_ == pytest.approx(allowed[tuple(sorted(chosen))], rel=1e-5)
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-9)
    assert best <= model.objective_ * (1 + 1e-6)


@every_loss
def test_a_strong_signal_is_found(loss):
    for seed in range(25):
        X, y, true = draw(loss, seed, 0.1, ENOUGH)
        np.testing.assert_array_equal(make(loss).fit(X, y).support_ids_, true)


@every_loss
def test_the_best_support_is_found_most_of_the_time(loss):
    """Elimination is a heuristic: on noisy data it may miss, but not often and not by much."""
    n_best, worst = 0, 1.0
    seeds = range(12)
    for seed in seeds:
        X, y, _ = draw(loss, seed, 2.0, ENOUGH)
        best = min(all_supports(loss, seed, 2.0, ENOUGH).values())
        ratio = make(loss).fit(X, y).objective_ / best
        n_best += ratio < 1 + 1e-5
        worst = max(worst, ratio)
    assert n_best >= 0.75 * len(seeds)
    assert worst < 1.3
