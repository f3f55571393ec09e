"""Rankings in which columns say nearly the same: one of them is taken, and has the weights of all.

``pytest -s`` prints how many of 20 features that make y are found, as the documentation has it.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from handful import DirectSparsityClassifier, MultiTaskLassoInf, RFSClassifier, RFSRegressor
from handful.sizes import changed_sizes
from handful.status import Status

N_TRUE, N_DIFFERENT = 20, 200
MODELS = {
    "direct": DirectSparsityClassifier,
    "RFS": RFSClassifier,
    "RFS, regression": RFSRegressor,
    "lasso": lambda k, **options: MultiTaskLassoInf(n_features_to_select=k, **options),
}
ROWS = [name for name in MODELS if name != "lasso"]
#: What one copy of each column gives, without noise and with it; more copies may cost two of these.
FOUND = {"direct": (20, 20), "RFS": (18, 16), "RFS, regression": (20, 20), "lasso": (20, 20)}


def draw(n_copies, noise, n_different=N_DIFFERENT, n_true=N_TRUE, n_rows=400, seed=0):
    """Copies of every column, one block after the other; the first n_true make y."""
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n_rows, n_different))
    weights = rng.choice([-1.0, 1.0], n_true)
    y = base[:, :n_true] @ weights + 0.5 * rng.standard_normal(n_rows)
    copies = [base + noise * rng.standard_normal(base.shape) for _ in range(n_copies)]
    return np.hstack(copies), y


def targets(name, y):
    return y > 0 if name in ("direct", "RFS") else y


@pytest.mark.parametrize("n_copies", [1, 2, 5])
@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("name", MODELS)
def test_copies_hide_nothing(name, noise, n_copies):
    X, y = draw(n_copies, noise)
    model = MODELS[name](N_TRUE).fit(X, targets(name, y))
    different = {int(j) % N_DIFFERENT for j in model.support_ids_}
    found = sum(j < N_TRUE for j in different)
    print(f"{name}, {n_copies} copies, noise {noise}: {found} of {N_TRUE}")
    assert len(model.support_ids_) == len(different) == N_TRUE
    assert found >= FOUND[name][noise > 0] - 2 * (FOUND[name][noise > 0] < N_TRUE)


@pytest.mark.parametrize("refit", ["auto", False])
@pytest.mark.parametrize("k", [5, 30])
@pytest.mark.parametrize("name", MODELS)
def test_without_copies_nothing_is_different(name, k, refit):
    X, y = draw(1, 0.0, 40, 6, 80)
    options = {} if name == "lasso" else {"refit": refit}
    model = MODELS[name](k, **options).fit(X, targets(name, y))
    with changed_sizes(copies_correlation=2.0):  # nothing is a copy of anything
        before = MODELS[name](k, **options).fit(X, targets(name, y))
    for attribute in ("support_ids_", "weights_", "intercept_"):
        np.testing.assert_array_equal(getattr(model, attribute), getattr(before, attribute))
    if name != "lasso":
        ranking = np.argsort(-model.scores_, kind="stable")
        np.testing.assert_array_equal(model.support_ids_, np.sort(ranking[:k]))


@pytest.mark.parametrize("penalized", [False, True])
@pytest.mark.parametrize("name", ROWS)
def test_the_one_that_is_taken_carries_the_weights_of_all(name, penalized):
    X, y = draw(1, 0.0, 12, 4, 150)
    X = np.hstack([X, 5.0 - X, X + 1.0])
    y = targets(name, y)
    options = {"refit": False, "penalize_intercept": penalized}
    if name == "direct":
        options["p"] = 1
    everything = MODELS[name](None, **options).fit(X, y)
    assert len(everything.support_ids_) > 12
    model = MODELS[name](12, **options).fit(X, y)
    assert len({int(j) % 12 for j in model.support_ids_}) == 12
    np.testing.assert_allclose(
        (X[:, model.support_ids_] @ model.weights_.T + model.intercept_).ravel(),
        (X[:, everything.support_ids_] @ everything.weights_.T + everything.intercept_).ravel(),
        atol=1e-6,
    )


@pytest.mark.parametrize("name", MODELS)
def test_sparse_columns_are_compared_as_dense_ones(name):
    X, y = draw(3, 0.0, 30, 5, 120)
    X[np.abs(X) < 0.7] = 0.0
    X[:, 30:60] *= -1.0
    y = targets(name, y)
    dense, sparse = (MODELS[name](5).fit(data, y) for data in (X, sp.csr_array(X)))
    assert len({int(j) % 30 for j in dense.support_ids_}) == 5
    assert {int(j) % 30 for j in sparse.support_ids_} == {int(j) % 30 for j in dense.support_ids_}


@pytest.mark.parametrize("name", MODELS)
def test_where_there_are_too_few_different_ones_copies_fill_the_places(name):
    X, y = draw(4, 0.01, 2, 2, 60)
    model = MODELS[name](5).fit(X, targets(name, y))
    assert len(model.support_ids_) == 5
    assert {int(j) % 2 for j in model.support_ids_} == {0, 1}


def test_the_lasso_has_the_optimum_without_exact_copies():
    X, y = draw(3, 0.0, 40, 6, 100)
    model = MultiTaskLassoInf(n_features_to_select=6).fit(X, y)
    assert model.status_ is Status.SELECTED
    alone = MultiTaskLassoInf(model.alpha_).fit(X[:, :40], y)
    assert model.objective_ == pytest.approx(alone.objective_, rel=1e-5)
    assert 0 <= model.dual_gap_ <= 1e-5 * model.objective_


def test_the_ranking_is_followed_as_far_as_needed():
    """More copies of the best column than are looked at: what comes after them is found all the same."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal((60, 3))
    X = np.hstack([np.repeat(base[:, :1], 10, axis=1), base[:, 1:]])
    with changed_sizes(compared_columns=1):
        model = RFSRegressor(3, alpha=0.1).fit(X, base @ [30.0, 1.0, 1.0])
    assert model.scores_[:10].min() > model.scores_[10:].max()
    assert set(model.support_ids_) >= {10, 11}
