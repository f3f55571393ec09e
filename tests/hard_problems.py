"""Tiny problems of the kinds that rounding makes hard, drawn at random: for contracts that must hold on all."""

import numpy as np

KINDS = (
    "plain",
    "wide",
    "collinear",
    "rounded",
    "centred",
    "constant column",
    "far from zero",
    "explained",
    "long and short",
)


def columns(rng, kind):
    """A small matrix of one kind."""
    n_rows, n_columns = int(rng.integers(8, 24)), int(rng.integers(3, 6))
    if kind == "wide":
        n_rows, n_columns = int(rng.integers(4, 7)), 7
    X = rng.standard_normal((n_rows, n_columns))
    if kind == "collinear":
        X[:, 1] = -2.0 * X[:, 0]
        X[:, 2] = X[:, 0] + 1e-9 * X[:, 2]
    if kind == "rounded":
        X = np.round(X)
    if kind == "centred":
        X = np.round(3.0 + X, 1)
        X -= X.mean()
    if kind == "constant column":
        X[:, 0] = 10.0
    if kind == "far from zero":
        X += 30.0
    if kind == "long and short":
        X *= 10.0 ** rng.integers(-3, 4, n_columns)
    return X


def numbers(rng, X, kind, n_outputs=1):
    """Targets for regression: what some columns say, and noise of any size."""
    noise = 0.0 if kind == "explained" else 10.0 ** rng.integers(-2, 2)
    said = (X - X.mean(axis=0)) @ (rng.standard_normal((X.shape[1], n_outputs)) / (X.std() or 1.0))
    Y = said + noise * rng.standard_normal(said.shape)
    Y = np.round(Y) if kind == "rounded" else Y
    return Y[:, 0] if n_outputs == 1 else Y


def labels(rng, X, kind, n_classes=2):
    """Classes, each of which is there; as good as random but for those that the columns explain."""
    if kind == "explained":
        scores = numbers(rng, X, kind)
        y = np.searchsorted(np.quantile(scores, np.arange(1, n_classes) / n_classes), scores)
    else:
        y = rng.integers(0, n_classes, len(X))
    y[:n_classes] = np.arange(n_classes)
    return y


def weights(rng, n_rows):
    """Weights of samples: none, or uneven ones with a zero at the end."""
    if rng.random() < 0.5:
        return np.ones(n_rows)
    weight = rng.uniform(0.2, 3.0, n_rows)
    weight[-1] = 0.0
    return weight
