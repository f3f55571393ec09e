"""One budget for all classes and labels under a measure, against CVXPY with every labeling written down."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from reference.convex import solve, squares_over_shares
from reference.test_measures import MEASURES, risk

from handful import FGMClassifier, SVMPerfClassifier

N_SAMPLES, N_LABELS = 7, 3
SOME = ["accuracy", "f1", "prbep", "roc_auc"]


def draw(n_features, seed):
    """Three labels, each with samples that have it and samples that have not."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N_SAMPLES, n_features))
    Y = X[:, :N_LABELS] + 0.8 * rng.standard_normal((N_SAMPLES, N_LABELS)) > 0.3
    Y[0], Y[1] = True, False
    return X, Y.astype(int)


def total_risk(name, Y, Z, shares, units=(1.0,) * N_LABELS):
    return sum(
        share * risk(name, np.where(labels == 1, 1.0, -1.0), unit * Z[:, c])
        for c, (labels, share, unit) in enumerate(zip(Y.T, shares, units, strict=True))
    )


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("name", "unit"), [*((name, "same") for name in SOME), ("f1", "margin")])
def test_plain_fgm_equals_the_enumerated_problem(name, unit, intercept, average):
    """The bound of every round holds for the k-support problem of all labels, and the last comes close."""
    X, Y = draw(n_features=5, seed=1)
    C, budget = 0.05, 2
    shares = np.ones(N_LABELS) if average == "macro" else Y.sum(axis=0) / Y.sum(axis=0).mean()
    W, d, b = cp.Variable((5, N_LABELS)), cp.Variable(5, nonneg=True), cp.Variable((1, N_LABELS))
    free = intercept and name in ("accuracy", "f1")
    penalty, limits = squares_over_shares([W[j] for j in range(5)], d)
    Z = X @ W + (np.ones((N_SAMPLES, 1)) @ b if free else 0.0)
    units = 50 / Y.sum(axis=0) if unit == "margin" else np.ones(N_LABELS)
    value = 0.5 * penalty + C * total_risk(name, Y, Z, shares, units)
    expected = solve(value, [*limits, d <= 1, cp.sum(d) <= budget])
    model = FGMClassifier(
        loss=MEASURES[name],
        average=average,
        output_units=unit,
        budget=budget,
        C=C,
        fit_intercept=intercept,
        refit=False,
        tol=1e-4,
        max_rounds=40,
    ).fit(X, Y)
    assert expected * (1 - 1e-6) <= model.objective_ <= expected * (1 + 2e-2)
    for record in model.history_:
        assert record.bound <= expected * (1 + 1e-6)
    assert model.history_[-1].bound >= expected * (1 - 2e-2)


def best_of(X, Y, k, name, C):
    """The least objective of any k columns: on given columns the labels are problems of their own."""

    def objective(chosen):
        one = SVMPerfClassifier(MEASURES[name], C=C, tol=1e-6, fit_intercept=True)
        return sum(one.fit(X[:, list(chosen)], labels).objective_ for labels in Y.T)

    return min(objective(chosen) for chosen in itertools.combinations(range(X.shape[1]), k))


def check_certificate(name, seed):
    rng = np.random.default_rng(seed)
    X, Y = draw(n_features=int(rng.integers(3, 6)), seed=seed)
    k, C = int(rng.integers(1, 3)), float(10 ** rng.uniform(-3, 0))
    model = FGMClassifier(k, loss=MEASURES[name], C=C, refit=False).fit(X, Y)
    best = best_of(X, Y, k, name, C)
    assert len(model.support_ids_) == k
    assert model.objective_ >= best * (1 - 1e-5)
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-5), (name, seed)


@pytest.mark.parametrize("name", SOME)
def test_no_choice_of_k_columns_lies_below_the_bound(name):
    for seed in range(4):
        check_certificate(name, seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SOME)
def test_no_choice_of_k_columns_lies_below_the_bound_of_many_problems(name):
    for seed in range(4, 129):
        check_certificate(name, seed)


@pytest.mark.parametrize("name", SOME)
def test_a_label_twice_is_one_label_that_counts_twice(name):
    X, Y = draw(n_features=6, seed=3)
    options = {"loss": MEASURES[name], "C": 0.05, "refit": False}
    one = FGMClassifier(2, **options).fit(X, Y[:, 0])
    both = FGMClassifier(2, **options).fit(X, Y[:, [0, 0]])
    np.testing.assert_array_equal(one.support_ids_, both.support_ids_)
    assert both.objective_ == pytest.approx(2 * one.objective_, rel=1e-9)
    for weights in both.weights_:
        np.testing.assert_allclose(weights, one.weights_[0], rtol=1e-6, atol=1e-9)
