"""One set of features for all classes, labels and targets."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score
from stores import stored

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    load_model,
    save_model,
)
from handful.spaces import Polynomial

FEW = 48  # of so few samples models under a measure are solved to the last digit
LOSSES = ["squared_hinge", "logistic", "f1", "roc_auc"]
DECIDE = [2, 7, 30]
every_loss = pytest.mark.parametrize("loss", LOSSES)


def draw(n=120, seed=0):
    """Three labels, each decided by a column of its own."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 40))
    return X, (X[:, DECIDE] + 0.3 * rng.standard_normal((n, 3)) > 0.4).astype(int)


def fitted(X, y, k=3, **options):
    return FGMClassifier(k, **({"C": "fast"} | options)).fit(X, y)


@every_loss
def test_exactly_k_for_all_labels(loss):
    X, Y = draw()
    model = fitted(X, Y, loss=loss)
    np.testing.assert_array_equal(model.support_ids_, DECIDE)
    assert model.weights_.shape == (3, 3)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert model.predict(X).shape == model.decision_function(X).shape == Y.shape
    assert f1_score(Y, model.predict(X), average="macro") > 0.85
    assert 0 <= model.dual_gap_ <= model.objective_


@every_loss
def test_classes_are_labels_of_which_each_sample_has_one(loss):
    X, _ = draw()
    y = X[:, DECIDE].argmax(axis=1)
    one = fitted(X, y, loss=loss)
    other = fitted(X, (y[:, None] == np.arange(3)).astype(int), loss=loss)
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_allclose(one.weights_, other.weights_)
    assert one.objective_ == pytest.approx(other.objective_)


@every_loss
def test_the_order_of_labels_does_not_matter(loss):
    X, Y = draw(FEW)
    order = [2, 0, 1]
    one, other = fitted(X, Y, loss=loss), fitted(X, Y[:, order], loss=loss)
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_allclose(one.weights_[order], other.weights_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "make", [sp.csr_array, sp.csc_matrix, lambda Y: Y == 1, lambda Y: 2 * Y - 1]
)
def test_forms_of_labels(make):
    X, Y = draw()
    model, expected = fitted(X, make(Y)), fitted(X, Y)
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    predicted = model.predict(X)
    np.testing.assert_array_equal(predicted == 1, expected.predict(X) == 1)
    assert predicted.dtype == make(Y).dtype


@pytest.mark.parametrize("kind", ["Int64", "boolean", "Float64", "int64[pyarrow]"])
@pytest.mark.parametrize("method", [FGMClassifier, GreedyRLSClassifier, DirectSparsityClassifier])
def test_columns_of_pandas_that_may_have_gaps(method, kind):
    X, Y = draw()
    model, expected = method(3).fit(X, pd.DataFrame(Y).astype(kind)), method(3).fit(X, Y)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


@pytest.mark.parametrize("loss", ["squared_hinge", "f1"])
@pytest.mark.parametrize("per_class", [False, True])
def test_labels_that_all_samples_have_are_told_and_skipped(loss, per_class):
    X, Y = draw()
    more = np.insert(Y, [1, 3], [[1, 0]], axis=1)
    options = {"loss": loss, "per_class": per_class}
    with pytest.warns(UserWarning, match="Label 1 and 1 more are the same for all samples"):
        model = fitted(X, more, **options)
    expected = fitted(X, Y, **options)
    np.testing.assert_array_equal(model.weights_[[0, 2, 3]], expected.weights_)
    assert not model.weights_[[1, 4]].any()
    predicted = model.predict(X)
    assert (predicted[:, 1] == 1).all()
    assert (predicted[:, 4] == 0).all()
    np.testing.assert_array_equal(predicted[:, [0, 2, 3]], expected.predict(X))
    if per_class:
        assert [len(ids) for ids in model.class_support_ids_] == [3, 0, 3, 3, 0]


def test_nothing_but_constant_labels():
    X, Y = draw()
    with pytest.raises(
        ValueError, match="y has no label that some samples have and others have not"
    ):
        fitted(X, np.zeros_like(Y))


def test_rows_without_weight_do_not_make_a_label_vary():
    X, Y = draw()
    Y[:, 1] = 0
    Y[0, 1] = 1
    weight = np.ones(len(X))
    weight[0] = 0
    with pytest.warns(UserWarning, match="Label 1 is the same"):
        model = FGMClassifier(3, C="fast").fit(X, Y, sample_weight=weight)
    assert not model.weights_[1].any()


@pytest.mark.parametrize("loss", ["squared_hinge", "f1"])
@pytest.mark.parametrize(
    "options",
    [
        {"space": Polynomial()},
        {"groups": np.repeat(np.arange(20), 2)},
        {"include": [5], "exclude": [7]},
        {"scale": "norm"},
        {"n_features_to_select": None, "budget": 3, "max_rounds": 2, "tol": 1e-7},
    ],
    ids=["pairs", "groups", "include", "norm", "plain"],
)
def test_every_setting(loss, options):
    X, Y = draw(FEW)
    options = {"n_features_to_select": 3, "loss": loss, "C": "fast"} | options
    model, sparse = (FGMClassifier(**options).fit(data, Y) for data in (X, sp.csr_array(X)))
    np.testing.assert_array_equal(model.support_ids_, sparse.support_ids_)
    np.testing.assert_allclose(model.weights_, sparse.weights_, rtol=1e-4, atol=1e-5)
    assert model.weights_.shape == (3, model.transform(X).shape[1])
    if "include" in options:
        assert 5 in model.support_ids_
        assert 7 not in model.support_ids_


def test_a_store_gives_the_model_of_memory():
    X, Y = draw(FEW)
    for loss in ("squared_hinge", "f1"):
        model, expected = fitted(stored(X), Y, loss=loss), fitted(X, Y, loss=loss)
        np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6)


@pytest.mark.parametrize("options", [{"loss": "f1"}, {"loss": "f1", "per_class": True}, {}])
def test_a_model_file_brings_labels_back(options, tmp_path):
    X, Y = draw()
    model = fitted(X, Y, **options)
    save_model(model, tmp_path / "labels.handful")
    again = load_model(tmp_path / "labels.handful")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("n_rounds", [1, 3])
def test_a_checkpoint_goes_on_under_a_measure(n_rounds, tmp_path):
    X, Y = draw()
    expected = fitted(X, Y, loss="f1")

    def stop(record):
        if record.number == n_rounds:
            raise RuntimeError

    path = tmp_path / "fit.npz"
    with pytest.raises(RuntimeError):
        fitted(X, Y, loss="f1", checkpoint=path, verbose=stop)
    model = fitted(X, Y, loss="f1", checkpoint=path)
    np.testing.assert_array_equal(model.weights_, expected.weights_)


def test_weighted_classes_count_by_their_rows():
    """A common label and a rare one, one feature: each average has its own favourite."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 1.6]).astype(int)
    model = fitted(X, Y, k=1, loss="f1", average="weighted")
    assert model.support_ids_.tolist() == [0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"average": "micro"}, "average must be one of 'macro', 'weighted'; got 'micro'"),
        ({"per_class": "yes"}, "per_class must be True or False; got 'yes'"),
        ({"class_weight": "balanced"}, "class_weight"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        fitted(*draw(), **options)


def test_several_targets():
    X, _ = draw()
    targets = X[:, DECIDE] @ np.diag([1.0, 2.0, 3.0]) + [0.0, 1.0, 2.0]
    model = FGMRegressor(3, C="fast").fit(X, targets)
    np.testing.assert_array_equal(model.support_ids_, DECIDE)
    assert model.coef_.shape == (3, 40)
    assert model.intercept_.shape == (3,)
    assert model.score(X, targets) > 0.999
    alone = FGMRegressor(3, C="fast").fit(X, targets[:, 0])
    assert np.ndim(alone.intercept_) == 0


def test_held_out_labels_choose_C():
    X, Y = draw()
    path = FGMClassifier(3).fit(X, Y).C_path_
    assert len(path["values"]) >= 5
    assert (path["mean"] <= 1).all()


def test_more_outputs_than_are_solved_at_once():
    """Blocks of labels are solved apart, in one thread or two, to the model of all together."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 20))
    Y = (X[:, rng.integers(0, 5, 80)] + 0.5 * rng.standard_normal((60, 80)) > 0.5).astype(int)
    model, two = (FGMClassifier(5, C=0.1, n_jobs=n).fit(X, Y) for n in (1, 2))
    np.testing.assert_array_equal(model.support_ids_, [0, 1, 2, 3, 4])
    np.testing.assert_array_equal(model.weights_, two.weights_)
    for label in (0, 41, 79):
        alone = FGMClassifier(5, C=0.1, include=range(5)).fit(X, Y[:, label])
        np.testing.assert_allclose(model.weights_[label], alone.weights_[0], rtol=1e-6, atol=1e-9)


def test_a_rare_label_is_fitted_beside_a_common_one():
    """The scores of the common one are far larger: a C from their sum would leave nothing for the other."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 30))
    Y = np.column_stack([X[:, 3] > 0, X[:, 8] + 0.2 * rng.standard_normal(2000) > 2.3]).astype(int)
    alone = np.array([fitted(X, labels, k=1, loss="f1").C_ for labels in Y.T])
    for unit, units in (("same", np.ones(2)), ("margin", 50 / Y.sum(axis=0))):
        model = fitted(X, Y, k=2, loss="f1", output_units=unit)
        assert model.support_ids_.tolist() == [3, 8]
        assert f1_score(Y, model.predict(X), average=None).min() > 0.6
        assert pytest.approx(np.median(alone / units**2), rel=1e-2) == model.C_


def test_in_margins_each_label_has_the_model_of_its_own_c():
    """``1/2 |w|^2 + C R(unit X w)`` is ``1/2 |v|^2 + C unit^2 R(X v)`` with ``v = unit w``, over ``unit^2``."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    Y = (X[:, [0, 1]] + 0.5 * rng.standard_normal((300, 2)) > [0, 1.8]).astype(int)
    settings = {"loss": "f1", "include": range(4), "refit": False}
    model = FGMClassifier(4, C=0.01, output_units="margin", **settings).fit(X, Y)
    for label, unit, weights in zip(Y.T, 50 / Y.sum(axis=0), model.weights_, strict=True):
        alone = FGMClassifier(4, C=0.01 * unit**2, **settings).fit(X, label)
        np.testing.assert_allclose(unit * weights, alone.weights_[0], rtol=0.05, atol=1e-2 * unit)


@pytest.mark.parametrize("loss", ["accuracy", "roc_auc"])
def test_margins_that_are_the_same_change_nothing(loss):
    """Every label of these is to be right by the same, however many have it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 20))
    Y = (X[:, [2, 5]] + 0.3 * rng.standard_normal((120, 2)) > [0, 1]).astype(int)
    one, other = (fitted(X, Y, k=2, loss=loss, output_units=unit) for unit in ("same", "margin"))
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    scores = [model.decision_function(X) for model in (one, other)]
    np.testing.assert_allclose(*(part / part.std(axis=0) for part in scores), rtol=0.02, atol=0.02)


def test_a_number_for_c_has_one_unit_for_all():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 12))
    Y = (X[:, [2, 5]] > [0, 1]).astype(int)
    given, same, margin = (
        FGMClassifier(2, loss="f1", C=0.05, output_units=unit).fit(X, Y)
        for unit in ("auto", "same", "margin")
    )
    assert given.objective_ == same.objective_ != margin.objective_
    automatic, in_margins = (
        FGMClassifier(2, loss="f1", C="fast", output_units=unit).fit(X, Y)
        for unit in ("auto", "margin")
    )
    assert automatic.objective_ == in_margins.objective_
    settings = {"output_units": "margin", "refit_loss": "same"}  # as C="fast" has it
    again = FGMClassifier(2, loss="f1", C=automatic.C_, **settings).fit(X, Y)
    np.testing.assert_array_equal(again.weights_, automatic.weights_)


@pytest.mark.parametrize("values", [[0, 1], [-1, 1], [False, True]])
@pytest.mark.parametrize("sparse", [sp.csr_matrix, sp.coo_array])
def test_labels_in_a_sparse_matrix(values, sparse):
    X, Y = draw()
    labels = np.array(values)[Y]
    model, other = fitted(X, labels), fitted(X, sparse(labels))
    np.testing.assert_array_equal(model.weights_, other.weights_)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    assert other.predict(X).dtype == labels.dtype
