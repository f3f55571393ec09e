"""An alpha for each output: leave-one-out errors by refitting, choices by scikit-learn, and a bound for every choice of features."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from reference.explicit_rls import loo_error, ridge
from reference.test_greedy_rls import GROUPS, OVERLAPPING, SETTINGS, WEIGHTS, K, M, N, draw
from sklearn.linear_model import RidgeCV

from handful import GreedyRLSClassifier, GreedyRLSRegressor
from handful.methods.greedy.output_alphas import OutputErrors
from handful.sizes import changed_sizes

ALPHAS = [0.01, 1.0, 30.0, 1000.0, 1e5]


def outputs_of_all_kinds(seed=0):
    """Some follow the features and want a small alpha, others are mostly noise."""
    X, Y = draw(n_outputs=6, seed=seed)
    noise = np.array([0.0, 0.1, 3.0, 30.0, 100.0, 300.0])
    return X, Y + noise * np.random.default_rng(seed + 1000).standard_normal(Y.shape)


def best_alphas(X, Y, weight, fit_intercept, alphas):
    """Refit for every alpha, output and sample."""
    columns = (Y[:, [output]] for output in range(Y.shape[1]))
    return np.array(
        [
            min(alphas, key=lambda alpha: loo_error(X, column, weight, alpha, fit_intercept))
            for column in columns
        ]
    )


def total(X, Y, weight, alphas, fit_intercept=True):
    """The sum of the least objectives of all outputs."""
    objective = 0.0
    for alpha, column in zip(alphas, Y.T, strict=True):
        W, b = ridge(X, column[:, None], weight, alpha, fit_intercept)
        residuals = (X @ W + b)[:, 0] - column
        objective += weight @ residuals**2 + alpha * np.sum(W**2)
    return objective


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weights", [None, *WEIGHTS])
@pytest.mark.parametrize("sizes", [np.arange(1, M + 1), np.array([2, 3, 11, 14])])
@changed_sizes(residual_entries=5 * M)
def test_errors_are_those_of_refitting(fit_intercept, weights, sizes):
    """All lengths, and some far apart; a few samples at a time, and threads."""
    X, Y = outputs_of_all_kinds()
    weight = np.ones(N) if weights is None else WEIGHTS[weights]
    errors = OutputErrors(X.T.copy(), Y, weight, fit_intercept, n_threads=2)
    for alpha in (1e-3, 20.0):
        found = errors.sums(alpha, sizes)
        expected = [
            [
                weight.sum() * loo_error(X[:, :size], Y[:, [output]], weight, alpha, fit_intercept)
                for output in range(Y.shape[1])
            ]
            for size in sizes
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_errors_of_columns_that_are_copies():
    X, Y = outputs_of_all_kinds()
    rows = np.repeat(X.T[:4], 3, axis=0)
    found = OutputErrors(rows, Y, np.ones(N), True).sums(0.1, np.arange(1, 13))
    for size in (3, 8, 12):
        expected = [loo_error(rows[:size].T, y[:, None], np.ones(N), 0.1, True) for y in Y.T]
        np.testing.assert_allclose(found[size - 1] / N, expected, rtol=1e-8)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_choices_are_those_of_scikit_learn(fit_intercept, convert):
    X, Y = outputs_of_all_kinds(seed=1)
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    model = GreedyRLSRegressor(K, alpha=ALPHAS, alpha_per_output=True, fit_intercept=fit_intercept)
    model.fit(convert(X), Y)
    for k in range(1, K + 1):
        shorter = model.truncate(k)
        chosen = X[:, shorter.support_ids_]
        expected = RidgeCV(ALPHAS, alpha_per_target=True, fit_intercept=fit_intercept).fit(
            chosen, Y
        )
        np.testing.assert_array_equal(shorter.output_alphas_, expected.alpha_)
        np.testing.assert_allclose(shorter.weights_, expected.coef_, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(shorter.predict(convert(X)), expected.predict(chosen), atol=1e-8)
    assert len(set(model.output_alphas_)) > 2  # otherwise nothing was shown


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    "name", ["plain", "no intercept", "include", "costs", "overlapping groups"]
)
def test_choices_are_those_of_refitting(name, weights):
    X, Y = outputs_of_all_kinds(seed=2)
    weight = WEIGHTS[weights]
    parameters = {"n_features_to_select": 4} | SETTINGS[name][0]
    model = GreedyRLSRegressor(alpha=0.7, alpha_per_output=ALPHAS, **parameters).fit(X, Y, weight)
    for k in (model.n_features_to_select, 2):
        shorter = model.truncate(k)
        chosen = X[:, shorter.support_ids_]
        expected = best_alphas(chosen, Y, weight, model.fit_intercept, ALPHAS)
        np.testing.assert_array_equal(shorter.output_alphas_, expected)
        objective = total(chosen, Y, weight, expected, model.fit_intercept)
        assert shorter.objective_ == pytest.approx(objective)


def test_the_selection_is_that_of_one_alpha():
    X, Y = outputs_of_all_kinds(seed=3)
    plain = GreedyRLSRegressor(K, alpha=ALPHAS).fit(X, Y)
    model = GreedyRLSRegressor(K, alpha=ALPHAS, alpha_per_output=True).fit(X, Y)
    assert model.alpha_ == plain.alpha_
    np.testing.assert_array_equal(model.selection_order_, plain.selection_order_)
    np.testing.assert_array_equal(model.loo_path_, plain.loo_path_)
    assert not hasattr(plain, "output_alphas_")


def test_one_output_has_the_alpha_of_the_grid():
    """A selection under the best alpha of a grid leaves one output nothing to choose, where the features are the same."""
    X, Y = draw(n_outputs=1, seed=4)
    model = GreedyRLSRegressor(M, alpha=ALPHAS, alpha_per_output=True).fit(X, Y[:, 0])
    assert model.output_alphas_.tolist() == [model.alpha_]
    plain = GreedyRLSRegressor(M, alpha=ALPHAS).fit(X, Y[:, 0])
    np.testing.assert_allclose(model.weights_, plain.weights_, rtol=1e-12)
    assert model.intercept_ == pytest.approx(plain.intercept_)


def test_an_output_that_is_constant_has_the_largest_alpha():
    """Its errors are rounding, which must not choose."""
    X, Y = outputs_of_all_kinds(seed=5)
    Y[:, 2] = 0.1
    with pytest.warns(UserWarning, match="Column 2 of y is constant"):
        model = GreedyRLSRegressor(K, alpha=1.0, alpha_per_output=ALPHAS).fit(X, Y)
    for k in range(1, K + 1):
        assert model.truncate(k).output_alphas_[2] == max(ALPHAS)


def test_true_beside_one_number_is_a_grid_around_it():
    X, Y = outputs_of_all_kinds(seed=6)
    model = GreedyRLSRegressor(K, alpha=2.0, alpha_per_output=True).fit(X, Y)
    grid = 2.0 * np.array([1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0])
    expected = RidgeCV(grid, alpha_per_target=True).fit(X[:, model.support_ids_], Y).alpha_
    np.testing.assert_allclose(model.output_alphas_, expected)


@pytest.mark.parametrize("weights", [None, "mixed"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"fit_intercept": False},
        {"include": [9, 2]},
        {"groups": GROUPS},
        {"groups": OVERLAPPING},
    ],
)
def test_no_choice_of_features_lies_below_the_bound(parameters, weights):
    """At the alphas of the outputs, for the model and for every shorter one."""
    X, Y = outputs_of_all_kinds(seed=7)
    weight = np.ones(N) if weights is None else WEIGHTS[weights]
    model = GreedyRLSRegressor(4, alpha=[0.5, 5.0], alpha_per_output=ALPHAS, **parameters)
    model.fit(X, Y, weight)
    units = parameters.get("groups", [[j] for j in range(M)])
    include = set(parameters.get("include", ()))
    for k in (4, 2):
        shorter = model.truncate(k)
        objectives = []
        for chosen in itertools.combinations(range(len(units)), k):
            if include <= set(chosen):
                columns = X[:, sorted({j for unit in chosen for j in units[unit]})]
                alphas = shorter.output_alphas_
                objectives.append(total(columns, Y, weight, alphas, model.fit_intercept))
        bound = shorter.objective_ - shorter.dual_gap_
        assert 0 < bound <= min(objectives) * (1 + 1e-12)
        assert min(objectives) <= shorter.objective_ * (1 + 1e-12)
    at_once = GreedyRLSRegressor(4, alpha=[0.5, 5.0], alpha_per_output=ALPHAS, **parameters)
    assert model.truncate(4).dual_gap_ == pytest.approx(at_once.fit(X, Y, weight).dual_gap_)


def test_an_output_with_a_smaller_alpha_does_not_spoil_the_bound_of_others():
    """The bound of a shorter model loses what that output proved, and no more."""
    X, Y = outputs_of_all_kinds(seed=8)
    model = GreedyRLSRegressor(4, alpha=30.0, alpha_per_output=ALPHAS).fit(X, Y)
    model.path_["output_places"][2] = model.path_["output_places"][3]
    same = model.truncate(3)
    place = int(np.argmax(model.path_["output_places"][3]))
    model.path_["output_places"][2, place] = 0
    smaller = model.truncate(3)
    assert smaller.output_alphas_[place] < same.output_alphas_[place]
    before, after = (one.objective_ - one.dual_gap_ for one in (same, smaller))
    share = model.path_["proof_linear"][place] / model.path_["proof_linear"].sum()
    assert after > (1 - 2 * share) * before > 0
    chosen = (
        total(X[:, list(ids)], Y, np.ones(N), smaller.output_alphas_)
        for ids in itertools.combinations(range(M), 3)
    )
    assert after <= min(chosen)


def test_nothing_is_left_where_columns_do_not_overlap():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 10))
    X, _ = np.linalg.qr(X - X.mean(axis=0))
    signal = X[:, [2, 5, 7]] @ rng.standard_normal((3, 4))
    Y = np.column_stack([signal, np.zeros(40)]) + 0.01 * rng.standard_normal((40, 5))
    model = GreedyRLSRegressor(3, alpha=1.0, alpha_per_output=[1.0, 3.0]).fit(X, Y)
    assert model.support_ids_.tolist() == [2, 5, 7]
    assert model.output_alphas_.tolist() == [1.0, 1.0, 1.0, 1.0, 3.0]
    assert model.dual_gap_ <= 1e-9 * model.objective_


def test_classes_and_labels():
    """Each class against the rest, and each label, has its own."""
    X, Y = outputs_of_all_kinds(seed=9)
    signs = np.where(np.median(Y, axis=0) < Y, 1.0, -1.0)
    model = GreedyRLSClassifier(K, alpha=ALPHAS, alpha_per_output=True).fit(X, signs > 0)
    expected = best_alphas(X[:, model.support_ids_], signs, np.ones(N), True, ALPHAS)
    np.testing.assert_array_equal(model.output_alphas_, expected)
    classes = Y[:, :3].argmax(axis=1)
    signs = np.where(classes[:, None] == np.arange(3), 1.0, -1.0)
    weighted = np.where(classes == 1, 2.0, 1.0)
    model = GreedyRLSClassifier(
        K, alpha=ALPHAS, alpha_per_output=True, class_weight={0: 1.0, 1: 2.0, 2: 1.0}
    ).fit(X, classes)
    expected = best_alphas(X[:, model.support_ids_], signs, weighted, True, ALPHAS)
    np.testing.assert_array_equal(model.output_alphas_, expected)
