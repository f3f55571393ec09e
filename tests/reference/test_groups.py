"""The group problem against CVXPY: each group owns a copy of its weights, at most B groups in full."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from reference.convex import loss_term, solve, squares_over_shares

from handful import FGMClassifier, FGMRegressor
from handful.losses import known_losses
from handful.methods.fgm.solvers import known_solvers

BUDGET, C = 2, 0.5
STRUCTURES = {
    "disjoint": [[0, 1], [2, 3, 4], [5], [6, 7, 8, 9]],
    "overlapping": [[0, 1, 2], [2, 3], [3, 4, 5], [6, 7, 8, 9], [1, 9]],
    "tree": [[0, 1, 2, 3, 4], [0, 1], [2, 3], [5, 6, 7, 8, 9], [5, 6, 7], [5]],
}


def draw(task):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 10)) * (rng.random((30, 10)) < 0.8) + 0.2
    noisy = X[:, :4] @ rng.standard_normal(4) + 0.5 * rng.standard_normal(30)
    return X, noisy if task == "regression" else np.sign(noisy - np.median(noisy))


def optimum(X, y, loss, groups, factors, weight, intercept):
    """``min 1/2 sum_g |w_g|^2 / d_g + C loss`` over ``0 <= d <= 1, sum d <= B``."""
    blocks = [cp.Variable(len(group)) for group in groups]
    shares = cp.Variable(len(groups), nonneg=True)
    b = cp.Variable() if intercept else 0.0
    z = b + sum(
        factor * X[:, group] @ block
        for group, factor, block in zip(groups, factors, blocks, strict=True)
    )
    penalty, limits = squares_over_shares(blocks, shares)
    cost = loss_term(loss, y[:, None], cp.reshape(z, (len(y), 1), order="F"), weight[:, None])
    value = 0.5 * penalty + C * cost
    return solve(value, [*limits, shares <= 1, cp.sum(shares) <= BUDGET])


OPTIMA = {}


def best(structure, loss, variant, X, y, factors, weight, intercept):
    """CVXPY's optimum of a case, found once for all solvers."""
    case = (structure, loss, variant)
    if case not in OPTIMA:
        OPTIMA[case] = optimum(X, y, loss, STRUCTURES[structure], factors, weight, intercept)
    return OPTIMA[case]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", known_losses())
@pytest.mark.parametrize("solver", known_solvers())
@pytest.mark.parametrize("variant", ["plain", "weighted", "size, no intercept"])
def test_objective_equals_cvxpy(structure, loss, solver, variant):
    groups = STRUCTURES[structure]
    task = known_losses()[loss].task
    X, y = draw(task)
    weight, weights, intercept = np.ones(30), None, True
    factors = np.ones(len(groups))
    if variant == "weighted":
        weight = np.random.default_rng(0).integers(0, 3, 30).astype(float)
        weights = factors = np.linspace(0.5, 2.0, len(groups))
    elif variant != "plain":
        weights, intercept = "size", False
        factors = 1 / np.sqrt([len(group) for group in groups])
    expected = best(structure, loss, variant, X, y, factors, weight, intercept)
    estimator = FGMRegressor if task == "regression" else FGMClassifier
    model = estimator(
        budget=BUDGET,
        C=C,
        loss=loss,
        groups=groups,
        group_weights=weights,
        fit_intercept=intercept,
        solver=solver,
        refit=False,
        tol=1e-6,
        max_rounds=300,
    )
    for data in (X, sp.csr_array(X)):
        model.fit(data, y, sample_weight=weight)
        assert model.objective_ == pytest.approx(expected, rel=2e-5)
        assert model.objective_ - model.dual_gap_ <= expected * (1 + 1e-6)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_certificate_covers_the_best_groups(structure):
    """Exactly k groups: no choice of k groups has an objective below the bound."""
    groups = STRUCTURES[structure]
    X, y = draw("classification")
    model = FGMClassifier(BUDGET, C=C, groups=groups, refit=False, tol=1e-6).fit(X, y)
    assert len(model.group_support_) == BUDGET
    best = min(
        optimum(
            X, y, "squared_hinge", [groups[g] for g in chosen], [1.0] * BUDGET, np.ones(30), True
        )
        for chosen in itertools.combinations(range(len(groups)), BUDGET)
    )
    assert model.objective_ >= best * (1 - 1e-6)
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-6)
