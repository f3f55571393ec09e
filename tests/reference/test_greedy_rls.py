"""Greedy RLS selects what explicit refitting with explicit leave-one-out selects, in every setting."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference.explicit_rls import greedy, loo_error, ridge

from handful import GreedyRLSClassifier, GreedyRLSRegressor
from handful.methods.greedy import candidates
from handful.sizes import changed_sizes

N, M, T, K = 30, 14, 3, 6
GROUPS = [[0, 3, 5], [1, 2], [4, 6, 7, 8], [9], [10, 11], [12, 13]]
OVERLAPPING = [[0, 3, 5], [3, 4], [0, 1, 2, 3, 5], [5, 6, 7], [7, 8, 9, 10], [11, 12, 13], [12]]


def draw(n_outputs=T, seed=0, n=N, m=M):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, m)) + 0.5 * rng.standard_normal((n, 1)) + 1.0
    W = rng.standard_normal((m, n_outputs)) * (rng.random((m, 1)) < 0.5)
    return X, X @ W + rng.standard_normal((n, n_outputs)) + 2.0


COSTS = np.random.default_rng(5).uniform(0.5, 3.0, M)
GROUP_COSTS = np.random.default_rng(6).uniform(0.5, 3.0, len(OVERLAPPING))
WEIGHTS = {
    "whole": np.random.default_rng(7).integers(0, 4, N).astype(float),
    "fractions": np.random.default_rng(8).uniform(0.1, 0.9, N),
    "mixed": np.random.default_rng(9).choice([0.0, 0.3, 1.0, 2.5], N),
}
# name -> (parameters of the estimator, those of the reference that are called otherwise)
SETTINGS = {
    "plain": ({}, {}),
    "large alpha": ({"alpha": 50.0}, {}),
    "small alpha": ({"alpha": 1e-3}, {}),
    "no intercept": ({"fit_intercept": False}, {}),
    "include": ({"include": [9, 2]}, {}),
    "exclude": ({"exclude": [0, 1, 5]}, {}),
    "costs": ({"feature_costs": COSTS}, {}),
    "costs and limit": ({"feature_costs": COSTS, "max_cost": 4.0}, {}),
    "costs, limit, include": ({"feature_costs": COSTS, "max_cost": 6.0, "include": [7]}, {}),
    "groups": ({"groups": GROUPS, "n_features_to_select": 4}, {"groups": GROUPS}),
    "groups without intercept": (
        {"groups": GROUPS, "n_features_to_select": 4, "fit_intercept": False},
        {"groups": GROUPS},
    ),
    "groups and include": (
        {"groups": GROUPS, "n_features_to_select": 4, "include": [3, 1], "exclude": [0]},
        {"groups": GROUPS},
    ),
    "overlapping groups": (
        {"groups": OVERLAPPING, "n_features_to_select": 5},
        {"groups": OVERLAPPING},
    ),
    "costs of features in groups": (
        {"groups": OVERLAPPING, "feature_costs": COSTS, "max_cost": 15.0},
        {"groups": OVERLAPPING},
    ),
    "costs of groups": (
        {"groups": OVERLAPPING, "group_costs": GROUP_COSTS, "max_cost": 6.0},
        {"groups": OVERLAPPING, "group_costs": GROUP_COSTS},
    ),
    "costs of both": (
        {
            "groups": OVERLAPPING,
            "group_costs": GROUP_COSTS,
            "feature_costs": COSTS,
            "max_cost": 16.0,
        },
        {"groups": OVERLAPPING, "group_costs": GROUP_COSTS},
    ),
}
RENAMED = ("groups", "group_costs")
every_setting = pytest.mark.parametrize("name", SETTINGS)


def both(name, X, Y, weight=None, dense=None, **more):
    """The estimator fitted, and what the reference says."""
    parameters, others = SETTINGS[name]
    parameters = {"n_features_to_select": K, "alpha": 0.7} | parameters | more
    model = GreedyRLSRegressor(**parameters).fit(X, Y, weight)
    options = {key: value for key, value in parameters.items() if key not in RENAMED} | others
    k = min(options.pop("n_features_to_select"), len(others.get("groups", range(M))))
    options.pop("n_jobs", None)
    alpha = options.pop("alpha")
    X, Y = X if dense is None else dense, np.reshape(Y, (len(Y), -1))
    return model, greedy(X, Y, k, alpha, weight=weight, **options)


def agree(model, expected, rtol=1e-8):
    order, errors, costs = expected
    assert model.selection_order_.tolist() == order
    np.testing.assert_allclose(model.loo_errors_, errors, rtol=rtol)
    if hasattr(model, "cost_path_"):
        np.testing.assert_allclose(model.cost_path_, costs)


@every_setting
def test_order_and_errors(name):
    X, Y = draw()
    model, expected = both(name, X, Y)
    assert len(expected[0]) > 1
    agree(model, expected)


@every_setting
@pytest.mark.parametrize("weights", WEIGHTS)
def test_sample_weights(name, weights):
    X, Y = draw(seed=1)
    agree(*both(name, X, Y, WEIGHTS[weights]))


@every_setting
def test_one_output(name):
    X, Y = draw(n_outputs=1, seed=2)
    agree(*both(name, X, Y[:, 0]))


@every_setting
@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_matrix])
def test_sparse(name, convert):
    X, Y = draw(seed=3)
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    agree(*both(name, convert(X), Y, dense=X))


@every_setting
def test_float32(name):
    X, Y = draw(seed=4)
    X = X.astype(np.float32)
    agree(*both(name, X, Y, dense=X.astype(np.float64)), rtol=1e-5)


@every_setting
@pytest.mark.parametrize("n_kept", [0, 5])
def test_rows_that_are_not_kept(name, n_kept):
    """With memory for some candidates or for none the result is the same."""
    X, Y = draw(seed=5)
    memory = int(n_kept * 16 * N / (1 - candidates.BLOCK_SHARE)) + 1
    with changed_sizes(usable_bytes=memory):
        agree(*both(name, X, Y))


@every_setting
@changed_sizes(drift_float64=-1.0)
def test_rows_that_are_made_anew_in_every_step(name):
    """As they are when rounding errors have grown too large."""
    X, Y = draw(seed=6)
    agree(*both(name, X, Y))


@every_setting
@changed_sizes(greedy_least_entries=1, greedy_thread_entries=1)
def test_threads(name):
    """Every block is a thread's own work, however small."""
    X, Y = draw(seed=7)
    agree(*both(name, X, Y, n_jobs=3))


def test_every_feature_in_turn():
    X, Y = draw(seed=8)
    agree(*both("plain", X, Y, n_features_to_select=M))


def test_more_features_than_samples():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((8, 20)), rng.standard_normal((8, 2))
    model = GreedyRLSRegressor(12, alpha=0.5).fit(X, Y)
    agree(model, greedy(X, Y, 12, 0.5), rtol=1e-7)


@pytest.mark.parametrize("room", [0.5, 1.5, 2.5])
def test_grid(room):
    """With memory for half the candidates, for all of them, and for another set of their rows."""
    X, Y = draw(seed=16)
    alphas = [30.0, 0.01, 1.0, 2.0, 4.0, 8.0]
    with changed_sizes(usable_bytes=int(room * (16 * N * M + 16 * M))):
        model = GreedyRLSRegressor(K, alpha=alphas).fit(X, Y)
    found = [greedy(X, Y, K, alpha) for alpha in alphas]
    errors = np.array([run[1] for run in found]).T
    np.testing.assert_allclose(model.loo_path_, errors, rtol=1e-8)
    np.testing.assert_array_equal(model.alphas_, alphas)
    best = errors.argmin(axis=1)
    assert len(set(best.tolist())) > 1  # otherwise the rest would show nothing
    np.testing.assert_array_equal(model.alpha_path_, np.array(alphas)[best])
    for k in range(1, K + 1):
        shorter = model.truncate(k)
        order, run_errors, _ = found[best[k - 1]]
        assert shorter.alpha_ == alphas[best[k - 1]]
        agree(shorter, (order[:k], run_errors[:k], None))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weights", [None, *WEIGHTS])
def test_the_model_is_ridge_on_the_selected(fit_intercept, weights):
    X, Y = draw(seed=10)
    weight = None if weights is None else WEIGHTS[weights]
    model = GreedyRLSRegressor(K, alpha=3.0, fit_intercept=fit_intercept).fit(X, Y, weight)
    weight = np.ones(N) if weight is None else weight
    chosen = X[:, model.support_ids_]
    W, b = ridge(chosen, Y, weight, 3.0, fit_intercept)
    np.testing.assert_allclose(model.weights_, W.T, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-9, atol=1e-12)
    objective = weight @ np.sum((chosen @ W + b - Y) ** 2, axis=1) + 3.0 * np.sum(W**2)
    assert model.objective_ == pytest.approx(objective)
    error = loo_error(chosen, Y, weight, 3.0, fit_intercept)
    assert model.loo_errors_[-1] == pytest.approx(error)


def test_the_intercept_is_not_penalised():
    X, Y = draw(seed=11)
    here = GreedyRLSRegressor(3, alpha=20.0).fit(X, Y)
    there = GreedyRLSRegressor(3, alpha=20.0).fit(X, Y + 1000.0)
    np.testing.assert_array_equal(here.selection_order_, there.selection_order_)
    np.testing.assert_allclose(there.weights_, here.weights_, rtol=1e-8)
    np.testing.assert_allclose(there.intercept_, here.intercept_ + 1000.0, rtol=1e-10)


def test_the_bias_of_the_paper_is_an_included_column():
    X, Y = draw(seed=12)
    with_ones = np.hstack([X, np.ones((N, 1))])
    model = GreedyRLSRegressor(K, fit_intercept=False, include=[M]).fit(with_ones, Y)
    agree(model, greedy(with_ones, Y, K, 1.0, fit_intercept=False, include=[M]))


@pytest.mark.parametrize("seed", range(5))
def test_classes_are_signs(seed):
    """Two classes are -1 and +1; more are each against the rest; labels are columns of signs."""
    X, raw = draw(n_outputs=3, seed=20 + seed)
    raw = raw - raw.mean(axis=0)
    model = GreedyRLSClassifier(K).fit(X, raw[:, 0] > 0)
    agree(model, greedy(X, np.sign(raw[:, :1]), K, 1.0))
    classes = raw.argmax(axis=1)
    model = GreedyRLSClassifier(K).fit(X, classes)
    agree(model, greedy(X, np.where(classes[:, None] == np.arange(3), 1.0, -1.0), K, 1.0))
    model = GreedyRLSClassifier(K).fit(X, (raw > 0).astype(int))
    agree(model, greedy(X, np.sign(raw), K, 1.0))


def test_weight_two_is_the_row_twice():
    X, Y = draw(seed=13)
    weight = WEIGHTS["whole"].astype(int)
    weighted = GreedyRLSRegressor(K).fit(X, Y, weight)
    repeated = GreedyRLSRegressor(K).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    np.testing.assert_array_equal(weighted.selection_order_, repeated.selection_order_)
    np.testing.assert_allclose(weighted.loo_errors_, repeated.loo_errors_, rtol=1e-10)
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-9)


def test_equal_costs_change_nothing():
    X, Y = draw(seed=14)
    plain = GreedyRLSRegressor(K).fit(X, Y)
    priced = GreedyRLSRegressor(K, feature_costs=np.full(M, 2.5)).fit(X, Y)
    np.testing.assert_array_equal(plain.selection_order_, priced.selection_order_)
    limited = GreedyRLSRegressor(None, feature_costs=np.full(M, 2.5), max_cost=10.0).fit(X, Y)
    np.testing.assert_array_equal(limited.selection_order_, plain.selection_order_[:4])


def test_groups_of_one_change_nothing():
    X, Y = draw(seed=15)
    plain = GreedyRLSRegressor(K).fit(X, Y)
    grouped = GreedyRLSRegressor(K, groups=np.arange(M)).fit(X, Y)
    np.testing.assert_array_equal(plain.selection_order_, grouped.selection_order_)
    np.testing.assert_array_equal(plain.loo_errors_, grouped.loo_errors_)
