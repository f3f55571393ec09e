"""Models of several sizes out of one fit: each is a model of its k, with a certificate that holds."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

from handful import FGMClassifier, FGMRegressor, GreedyRLSClassifier, GreedyRLSRegressor
from handful.losses.smooth import REFIT_FACTOR
from handful.spaces import Polynomial
from handful.status import Status

KS = [1, 2, 4, 8]


def draw(n=80, m=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, m))
    return X, X[:, 3] - 2 * X[:, 7] + X[:, 11] + 0.7 * rng.standard_normal(n)


X, Y = draw()


def ridge(X, y, C):
    """Return the weights and ``1/2 |w|^2 + C/2 |y - Xw - b|^2`` at its minimum."""
    model = Ridge(alpha=1 / C, solver="cholesky").fit(X, y)
    residual = y - model.predict(X)
    return model.coef_, 0.5 * (model.coef_ @ model.coef_ + C * residual @ residual)


def test_every_model_is_the_ridge_of_its_features():
    models = FGMRegressor(C="fast").fit_path(X, Y, KS)
    assert list(models) == KS
    for k, model in models.items():
        assert (len(model.support_ids_), model.n_features_to_select) == (k, k)
        columns = X[:, model.support_ids_]
        _, objective = ridge(columns, Y, model.C_)
        assert model.objective_ == pytest.approx(objective, rel=1e-6)
        weights, _ = ridge(columns, Y, REFIT_FACTOR * model.C_)
        np.testing.assert_allclose(model.weights_[0], weights, rtol=1e-4)
        assert pytest.approx(FGMRegressor(k, C="fast").fit(X, Y).C_) == model.C_
        assert model.status_ is Status.SELECTED


def test_certificates_hold_for_every_choice():
    """No k columns do better than the bound of the model of k, though all came down from larger ones."""
    few, y = draw(m=12)
    for C in ("fast", 0.3):
        for k, model in FGMRegressor(C=C).fit_path(few, y, [1, 2, 6]).items():
            if k > 2:
                continue
            choices = combinations(range(12), k)
            best = min(ridge(few[:, list(ids)], y, model.C_)[1] for ids in choices)
            assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-9)
            assert model.objective_ <= 1.2 * best


@pytest.mark.parametrize(
    "estimator", [GreedyRLSRegressor(alpha=[0.1, 10]), FGMRegressor(3, solver="apg")]
)
def test_same_as_separate_fits(estimator):
    for k, model in estimator.fit_path(X, Y, KS).items():
        alone = clone(estimator).set_params(n_features_to_select=k).fit(X, Y)
        np.testing.assert_array_equal(model.support_ids_, alone.support_ids_)
        np.testing.assert_allclose(model.weights_, alone.weights_)
    assert not [name for name in vars(estimator) if name.endswith("_")]


def test_each_number_has_a_C_of_its_own():
    """All are tried on the same folds; the largest is that of a plain fit but for swaps in the folds."""
    models = FGMRegressor().fit_path(X, Y, [2, 8])
    closed = [FGMRegressor(k, C="fast").fit(X, Y).C_ for k in (2, 8)]
    for model, C in zip(models.values(), closed, strict=True):
        path = model.C_path_
        assert len(path["values"]) == len(path["mean"]) >= 5
        assert np.isclose(path["values"], C).any()
        assert path["chosen"] == model.C_
    assert models[2].C_path_["values"][0] != models[8].C_path_["values"][0]


def test_classes_with_features_of_their_own():
    labels = np.digitize(Y, [-1, 1])
    estimator = FGMClassifier(loss="f1", C="fast", per_class=True)
    for k, model in estimator.fit_path(X, labels, [1, 3]).items():
        assert [len(ids) for ids in model.class_support_ids_] == [k] * 3
        assert set(model.predict(X)) <= {0, 1, 2}
        assert model.weights_.shape == (3, len(model.support_ids_))


def test_groups_must_haves_and_pairs():
    groups = np.arange(30) // 3
    model = FGMRegressor(groups=groups, include=[9], C="fast").fit_path(X, Y, [2, 4])[2]
    assert 9 in model.group_support_
    assert len(model.support_ids_) == 6
    never = FGMRegressor(exclude=[7], C="fast").fit_path(X, Y, [2, 4])[4]
    assert 7 not in never.support_ids_
    pairs = FGMClassifier(space=Polynomial(), C="fast").fit_path(
        X[:, :6], X[:, 1] * X[:, 4] > 0, [1, 3]
    )
    assert pairs[1].get_feature_names_out().tolist() == ["x1 x4"]
    assert pairs[3].predict(X[:, :6]).shape == (80,)


def test_a_weight_of_zero_is_no_row():
    weight = (np.arange(80) < 60).astype(float)
    with_zeros = FGMRegressor(C="fast").fit_path(X, Y, KS, weight)
    without = FGMRegressor(C="fast").fit_path(X[:60], Y[:60], KS)
    for k in KS:
        np.testing.assert_array_equal(with_zeros[k].support_ids_, without[k].support_ids_)
        np.testing.assert_allclose(with_zeros[k].weights_, without[k].weights_, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Label 1 is the same")
@pytest.mark.parametrize("per_class", [False, True])
def test_a_label_that_nobody_has(per_class):
    labels = np.column_stack([Y > 0, np.zeros(80, dtype=bool), X[:, 3] > 0])
    models = FGMClassifier(C="fast", per_class=per_class).fit_path(X, labels, [1, 3])
    assert models[1].weights_.shape[0] == 3
    assert not models[3].predict(X)[:, 1].any()
    assert (models[3].predict(X) == labels).mean() > 0.85


def test_several_labels():
    labels = np.column_stack([Y > 0, X[:, 3] > 0])
    models = GreedyRLSClassifier().fit_path(X, labels, [2, 3])
    assert models[2].predict(X).shape == (80, 2)


def test_interrupt():
    def stop(record):
        raise KeyboardInterrupt

    estimator = FGMRegressor(C="fast", verbose=stop)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit_path(X, Y, KS)
    assert not [name for name in vars(estimator) if name.endswith("_")]


@pytest.mark.parametrize("estimator", [FGMRegressor(), GreedyRLSRegressor()])
@pytest.mark.parametrize(
    ("ks", "sentence"),
    [([0, 2], "whole number of at least 1"), ([31], "more than the"), ([2.5], "whole number")],
)
def test_wrong_numbers(estimator, ks, sentence):
    with pytest.raises(ValueError, match=sentence):
        estimator.fit_path(X, Y, ks)


@pytest.mark.parametrize("C", ["fast", "auto"])
@pytest.mark.parametrize("loss", ["squared_hinge", "f1"])
def test_down_to_what_must_be_there(loss, C):
    """The smallest model of a path is that of include alone, and certain."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 12))
    y = X[:, 0] + X[:, 3] + rng.standard_normal(80) > 0
    estimator = FGMClassifier(include=[7, 3], loss=loss, C=C)
    models = estimator.fit_path(X, y, [2, 3, 5])
    alone = clone(estimator).set_params(n_features_to_select=2).fit(X, y)
    assert models[2].support_ids_.tolist() == [3, 7]
    assert models[2].objective_ == pytest.approx(
        alone.objective_, rel=2e-3
    )  # of a measure to its tolerance
    assert models[2].dual_gap_ < 1e-3 * alone.objective_
    np.testing.assert_allclose(models[2].weights_, alone.weights_, atol=0.02)
    assert estimator.fit_path(X, y, [2])[2].support_ids_.tolist() == [3, 7]
