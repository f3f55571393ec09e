"""Objective and certificate of plain FGM against CVXPY, for every combination of options."""

import functools
import itertools

import numpy as np
import pytest
from reference.convex import optimum

from handful import FGMClassifier, FGMRegressor
from handful.losses import known_losses
from handful.methods.fgm.solvers import known_solvers
from handful.status import Status

BUDGET, C = 3, 0.5
CASES = [
    (loss, n_classes, intercept, weighted, constrained)
    for loss, cls in known_losses().items()
    for n_classes, intercept, weighted, constrained in itertools.product(
        (2, 3) if cls.task == "classification" else (1,), *3 * [(False, True)]
    )
]
every_case = pytest.mark.parametrize(
    ("loss", "n_classes", "intercept", "weighted", "constrained"), CASES
)
every_solver = pytest.mark.parametrize("solver", known_solvers())


@functools.cache
def draw(n_classes):
    """Few samples, correlated features, targets that four of them explain in part."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((30, 10)) + 0.5 * rng.standard_normal((30, 1)) + 0.3
    signal = X[:, :4] @ rng.standard_normal((4, max(n_classes, 1)))
    noisy = signal + 0.7 * rng.standard_normal(signal.shape)
    y = noisy[:, 0] if n_classes == 1 else noisy.argmax(axis=1)
    weight = rng.uniform(0.0, 2.0, 30)
    weight[7] = 0.0
    return X, y, weight


def make(loss, n_classes, intercept, weighted, constrained, **options):
    """An unfitted model, its data, and what CVXPY needs to know."""
    X, y, weight = draw(n_classes)
    options |= {"include": [8], "exclude": [0, 5]} if constrained else {}
    estimator = FGMRegressor if n_classes == 1 else FGMClassifier
    model = estimator(
        budget=BUDGET, C=C, loss=loss, fit_intercept=intercept, refit=False, **options
    )
    return model, X, y, weight if weighted else None


@functools.cache
def best(loss, n_classes, intercept, weighted, constrained):
    """CVXPY's optimum of a case."""
    model, X, y, weight = make(loss, n_classes, intercept, weighted, constrained)
    classes = {1: None, 2: [1], 3: [0, 1, 2]}[n_classes]
    targets = y[:, None] if classes is None else np.where(y[:, None] == classes, 1.0, -1.0)
    weight = C * (np.ones(len(y)) if weight is None else weight)
    return optimum(
        X,
        targets,
        weight,
        loss,
        BUDGET,
        intercept=intercept,
        include=model.include or (),
        exclude=model.exclude or (),
    )


@every_case
@every_solver
def test_objective_equals_cvxpy(solver, loss, n_classes, intercept, weighted, constrained):
    case = (loss, n_classes, intercept, weighted, constrained)
    model, X, y, weight = make(*case, solver=solver, tol=1e-6, max_rounds=200)
    model.fit(X, y, sample_weight=weight)
    expected = best(*case)
    assert model.objective_ == pytest.approx(expected, rel=1e-5)
    assert model.status_ in (Status.CONVERGED, Status.STALLED)
    if model.status_ is Status.CONVERGED:
        assert model.dual_gap_ <= model.tol * model.objective_
    assert model.objective_ - model.dual_gap_ <= expected * (1 + 1e-6)
    if solver == "ksupport":
        assert model.status_ is Status.CONVERGED


@every_case
@every_solver
@pytest.mark.parametrize("max_rounds", [1, 2, 3])
def test_certificate_holds_at_early_stops(
    solver, max_rounds, loss, n_classes, intercept, weighted, constrained
):
    case = (loss, n_classes, intercept, weighted, constrained)
    model, X, y, weight = make(*case, solver=solver, tol=1e-4, max_rounds=max_rounds)
    model.fit(X, y, sample_weight=weight)
    expected = best(*case)
    assert model.n_iter_ <= max_rounds
    assert model.objective_ >= expected * (1 - 1e-6)
    assert model.objective_ - model.dual_gap_ <= expected * (1 + 1e-6)
    assert model.dual_gap_ > 0
    for record in model.history_:
        assert record.bound <= expected * (1 + 1e-6)
        assert record.objective >= expected * (1 - 1e-6)


@every_case
def test_objective_is_that_of_the_returned_weights(
    loss, n_classes, intercept, weighted, constrained
):
    """A model that was stopped early still has the objective it says it has."""
    case = (loss, n_classes, intercept, weighted, constrained)
    for solver in known_solvers():
        model, X, y, weight = make(*case, solver=solver, max_rounds=2)
        model.fit(X, y, sample_weight=weight)
        coef = np.atleast_2d(model.coef_).T
        z = X @ coef + model.intercept_
        weight = C * (np.ones(len(y)) if weight is None else weight)[:, None]
        targets = y[:, None]
        if n_classes > 1:
            targets = np.where(y[:, None] == ([1] if n_classes == 2 else [0, 1, 2]), 1.0, -1.0)
        value = known_losses()[loss]().value(targets, z, weight)
        kept = np.zeros(10, dtype=bool)
        kept[model.include or []] = True
        penalty = 0.5 * (coef[kept] ** 2).sum() + half_squared_ksupport(coef[~kept], BUDGET)
        assert model.objective_ == pytest.approx(penalty + value, rel=1e-8)


def half_squared_ksupport(rows, k):
    """Half the squared k-support norm of the row lengths (Argyriou et al. 2012, Proposition 2.1)."""
    lengths = np.sort(np.linalg.norm(rows, axis=1))[::-1]
    above = np.concatenate([[np.inf], lengths])
    for r in range(k):
        level = lengths[k - r - 1 :].sum() / (r + 1)
        if above[k - r - 1] > level >= above[k - r]:
            return 0.5 * ((lengths[: k - r - 1] ** 2).sum() + (r + 1) * level**2)
    return 0.5 * (lengths[:k] ** 2).sum()
