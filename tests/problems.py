"""Small problems with a known answer, for the tests of estimators."""

import numpy as np

N_SAMPLES, N_FEATURES = 120, 60
#: The features that decide the targets.
TRUE_IDS = np.array([3, 17, 29, 41])


def features(n_samples=N_SAMPLES, n_features=N_FEATURES, seed=0):
    return np.random.default_rng(seed).standard_normal((n_samples, n_features))


def scores(X, n_outputs=1, noise=0.1, seed=1):
    """What the true features say, (n_samples,) or (n_samples, n_outputs)."""
    rng = np.random.default_rng(seed)
    weights = rng.choice([-2.0, -1.5, 1.5, 2.0], (len(TRUE_IDS), n_outputs))
    raw = X[:, TRUE_IDS] @ weights + noise * rng.standard_normal((len(X), n_outputs))
    return raw[:, 0] if n_outputs == 1 else raw


def two_classes(**options):
    X = features(**options)
    return X, (scores(X) > 0).astype(int)


def more_classes(n_classes, **options):
    X = features(**options)
    return X, scores(X, n_classes).argmax(axis=1)


def quantities(**options):
    X = features(**options)
    return X, scores(X)
