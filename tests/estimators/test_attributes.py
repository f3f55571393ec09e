"""What a fitted estimator has: names, shapes, types and what they mean together."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import N_FEATURES, TRUE_IDS, more_classes, quantities, two_classes
from sklearn.exceptions import NotFittedError

from handful import FGMClassifier, FGMRegressor
from handful.history import History
from handful.status import Status

K = len(TRUE_IDS)
CASES = {
    "two classes": (FGMClassifier, two_classes, (1,)),
    "three classes": (FGMClassifier, lambda: more_classes(3), (3,)),
    "twenty classes": (FGMClassifier, lambda: more_classes(20, n_samples=600), (20,)),
    "quantities": (FGMRegressor, quantities, ()),
}
ATTRIBUTES = {
    *("support_ids_", "weights_", "intercept_", "objective_", "dual_gap_", "history_"),
    *("status_", "n_iter_", "C_", "C_path_", "refit_loss_", "selection_loss_", "n_features_in_"),
    "scaling_",
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.mark.parametrize("k", [None, K])
@pytest.mark.parametrize("solver", ["auto", "apg", "ksupport", "mkl"])
def test_shapes(case, k, solver):
    make, draw, outputs = case
    X, y = draw()
    model = make(k, solver=solver, max_rounds=4, tol=0.1).fit(X, y)
    n_outputs, n_selected = max(outputs, default=1), len(model.support_ids_)
    assert model.support_ids_.dtype == np.int64
    assert (np.diff(model.support_ids_) > 0).all()
    assert n_selected == k or k is None
    assert model.weights_.shape == (n_outputs, n_selected)
    assert model.coef_.shape == (*(outputs or ()), N_FEATURES)
    assert np.shape(model.intercept_) == outputs
    np.testing.assert_array_equal(np.atleast_2d(model.coef_)[:, model.support_ids_], model.weights_)
    assert np.count_nonzero(np.atleast_2d(model.coef_).any(axis=0)) == n_selected
    raw = X @ np.atleast_2d(model.coef_).T + model.intercept_
    ours = model.decision_function(X) if make is FGMClassifier else model.predict(X)
    np.testing.assert_allclose(ours.reshape(raw.shape), raw, atol=1e-10)


def test_all_are_there(case):
    make, draw, _ = case
    model = make(K, C="fast").fit(*draw())
    extra = {"classes_"} if make is FGMClassifier else set()
    assert {name for name in vars(model) if name.endswith("_")} == ATTRIBUTES | extra
    assert type(model.objective_) is float
    assert type(model.dual_gap_) is float
    assert type(model.C_) is float
    assert model.dual_gap_ >= 0
    assert isinstance(model.history_, History)
    assert isinstance(model.status_, Status)
    assert model.n_iter_ == len(model.history_) - 1 > 0
    assert [record.number for record in model.history_] == list(range(1, model.n_iter_ + 2))
    assert [record.phase for record in model.history_[-2:]] == ["final", "refit"]
    assert model.history_[-1].n_active == K


def test_the_true_features_are_found(case):
    make, draw, _ = case
    X, y = draw()
    model = make(K, C="fast").fit(X, y)
    np.testing.assert_array_equal(model.support_ids_, TRUE_IDS)
    assert model.status_ is Status.SELECTED
    assert model.score(X, y) > (0.9 if make is FGMRegressor or len(model.classes_) < 20 else 0.6)


def test_plain_ends_between_budget_and_all_rounds():
    model = FGMClassifier(budget=2, max_rounds=3, tol=1e-9).fit(*two_classes())
    assert 2 <= len(model.support_ids_) <= 6
    assert model.status_ is Status.MAX_ROUNDS
    assert model.n_iter_ == 3


def test_the_plain_objective_is_that_of_the_last_round_whether_refitted_or_not():
    X, y = two_classes()
    refitted, as_found = FGMClassifier().fit(X, y), FGMClassifier(refit=False).fit(X, y)
    assert refitted.objective_ == as_found.objective_ == as_found.history_[-1].objective
    assert refitted.dual_gap_ == as_found.dual_gap_ == as_found.history_[-1].gap
    np.testing.assert_array_equal(refitted.support_ids_, as_found.support_ids_)
    assert not np.allclose(refitted.weights_, as_found.weights_)


def test_before_the_fit():
    model = FGMClassifier()
    assert not hasattr(model, "coef_")
    X, _ = two_classes()
    for ask in (model.predict, model.decision_function, model.transform):
        with pytest.raises(NotFittedError):
            ask(X)
    with pytest.raises(NotFittedError):
        model.get_support()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_matrix])
def test_transform_and_back(dtype, convert):
    X, y = two_classes()
    X = convert(X.astype(dtype))
    model = FGMClassifier(K, C="fast").fit(X, y)
    chosen = model.transform(X)
    assert chosen.shape == (len(y), K)
    assert chosen.dtype == dtype
    assert sp.issparse(chosen) == sp.issparse(X)
    back = model.inverse_transform(chosen)
    assert back.shape == X.shape
    assert sp.issparse(back) == sp.issparse(X)
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    expected = np.zeros_like(dense)
    expected[:, TRUE_IDS] = dense[:, TRUE_IDS]
    np.testing.assert_array_equal(back.toarray() if sp.issparse(back) else back, expected)


def test_support_as_mask_and_as_ids():
    model = FGMClassifier(K, C="fast").fit(*two_classes())
    np.testing.assert_array_equal(np.flatnonzero(model.get_support()), model.support_ids_)
    np.testing.assert_array_equal(model.get_support(indices=True), model.support_ids_)
    assert model.get_feature_names_out().tolist() == [f"x{j}" for j in TRUE_IDS]
