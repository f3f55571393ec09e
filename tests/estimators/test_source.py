"""An X that is no array in memory passes every estimator, with the answer of the array."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import assert_same_model, draw, every_case, every_mode, fit
from sklearn.model_selection import GridSearchCV, cross_val_score
from wrapped_source import WrappedSource

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MultiTaskLassoInf,
    RFSClassifier,
    SVMPerfClassifier,
)
from handful.spaces import HistogramIntersection, Polynomial

every_form = pytest.mark.parametrize("convert", [np.asfortranarray, sp.csr_array, sp.csc_array])


@every_case
@every_mode
def test_every_loss_and_mode(loss, n_classes, mode):
    X, y = draw(n_classes)
    weight = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    options = {"scale": "norm", "C": 2.0, "sample_weight": weight}
    expected = fit(sp.csc_array(X), y, mode, loss, **options)
    wrapped = WrappedSource(sp.csc_array(X))
    model = fit(wrapped, y, mode, loss, **options)
    assert wrapped.n_checks == 1
    assert_same_model(model, expected)
    np.testing.assert_allclose(model.predict(wrapped), expected.predict(X), rtol=1e-6)


@every_form
@pytest.mark.parametrize(
    "options",
    [
        {"loss": "f1", "C": "fast"},
        {"groups": np.arange(30) // 3, "C": "fast"},
        {"groups": [[0, 1, 2, 3], [2, 3, 4], [7, 12]], "group_weights": "size", "C": "fast"},
        {"space": Polynomial(), "C": "fast"},
        {"space": Polynomial(), "loss": "roc_auc", "C": "fast"},
        {"include": [5], "exclude": [3], "C": "fast"},
    ],
    ids=str,
)
def test_measures_groups_and_pairs(convert, options):
    X, y = draw(2)
    weight = None
    if options.get("loss") != "f1":
        weight = np.arange(len(y)) % 5 * 1.0
    expected = FGMClassifier(3, **options).fit(convert(X), y, sample_weight=weight)
    model = FGMClassifier(3, **options).fit(WrappedSource(convert(X)), y, sample_weight=weight)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6)
    reduced, wanted = model.transform(WrappedSource(convert(X))), expected.transform(convert(X))
    dense = [part.toarray() if sp.issparse(part) else part for part in (reduced, wanted)]
    np.testing.assert_array_equal(*dense)


@every_form
def test_greedy_rls_and_the_lasso(convert):
    X, y = draw(2)
    Y = np.column_stack([y, X[:, 3] + X[:, 7]])
    for estimator, target in [
        (GreedyRLSClassifier(4, alpha=[0.1, 1.0]), y),
        (GreedyRLSClassifier(3, groups=np.arange(30) // 2), y),
        (GreedyRLSRegressor(4), Y),
        (MultiTaskLassoInf(n_features_to_select=4), Y),
    ]:
        weights = [
            estimator.fit(form(convert(X)), target).weights_
            for form in (WrappedSource, lambda X: X)
        ]
        np.testing.assert_allclose(*weights, rtol=1e-9)


@every_form
def test_some_rows_are_those_rows(convert):
    """Cross-validation picks rows of a matrix that stays where it is."""
    X, y = draw(2)
    rows = np.r_[np.arange(10, 70), 12, 12]
    for options in ({"scale": "norm"}, {"space": Polynomial()}, {"groups": np.arange(30) // 3}):
        options["C"] = "fast"
        expected = FGMClassifier(3, **options).fit(convert(X[rows]), y[rows])
        model = FGMClassifier(3, **options).fit(WrappedSource(convert(X))[rows], y[rows])
        np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-5)
    scores = cross_val_score(FGMClassifier(3, C="fast"), WrappedSource(convert(X)), y)
    np.testing.assert_allclose(scores, cross_val_score(FGMClassifier(3, C="fast"), convert(X), y))
    search = GridSearchCV(FGMRegressor(2, C="fast"), {"C": [0.1, 1.0]}, cv=3).fit(
        WrappedSource(convert(X)), 1.0 * y
    )
    assert search.best_estimator_.predict(WrappedSource(convert(X))[:7]).shape == (7,)


def test_names_and_what_a_model_keeps(tmp_path):
    X, y = draw(2)
    names = [f"gene {j}" for j in range(X.shape[1])]
    wrapped = WrappedSource(sp.csc_array(X), names)
    model = FGMClassifier(3, exclude=["gene 3"], C="fast").fit(wrapped, y)
    assert model.get_feature_names_out().tolist() == [names[j] for j in model.support_ids_]
    assert 3 not in model.support_ids_
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(wrapped), model.decision_function(wrapped))
    assert b"WrappedSource" not in pickle.dumps(model)
    model.set_params(exclude=None).fit(WrappedSource(sp.csc_array(X)), y)
    assert not hasattr(model, "feature_names_in_")


def test_a_checkpoint_belongs_to_the_rows(tmp_path):
    X, y = draw(2)
    path = tmp_path / "fit.npz"
    model = FGMClassifier(3, checkpoint=path, C="fast").fit(WrappedSource(X)[5:60], y[5:60])
    again = FGMClassifier(3, checkpoint=path, C="fast").fit(WrappedSource(X)[5:60], y[5:60])
    np.testing.assert_array_equal(again.weights_, model.weights_)
    with pytest.raises(ValueError, match="other data"):
        FGMClassifier(3, checkpoint=path, C="fast").fit(WrappedSource(X)[6:61], y[5:60])


@pytest.mark.parametrize("estimator", [FGMClassifier(3, C="fast"), GreedyRLSClassifier(3)], ids=str)
def test_bad_input_is_one_sentence(estimator):
    X, y = draw(2)
    broken = X.copy()
    broken[3, 4] = np.nan
    for wrong, target, message in [
        (WrappedSource(X), y[:-1], "one entry for each of the 80 rows of X; got 79"),
        (WrappedSource(X.astype(int)), y, "float32 or float64 numbers; got int"),
        (WrappedSource(X[:, 0]), y, "rows and columns; got an array of 1"),
        (WrappedSource(X[:1]), y[:1], "minimum of 2"),
        (WrappedSource(X[:, :0]), y, "minimum of 1"),
        (WrappedSource(broken), y, "not finite"),
        (WrappedSource(X), np.full(80, np.nan), r"NaN \(sample 0\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.fit(wrong, target)
        assert not hasattr(estimator, "n_features_in_")


def test_bad_input_to_predict():
    X, y = draw(2)
    names = [f"gene {j}" for j in range(X.shape[1])]
    model = FGMClassifier(3, C="fast").fit(WrappedSource(X, names), y)
    with pytest.raises(ValueError, match="29 features, but FGMClassifier is expecting 30"):
        model.predict(WrappedSource(X[:, :-1]))
    with pytest.raises(ValueError, match="column 1 of X is named 'b' and was 'gene 1'"):
        model.transform(WrappedSource(X, ["gene 0", "b", *names[2:]]))
    broken = X.copy()
    broken[3, model.support_ids_[1]] = np.inf
    with pytest.raises(
        ValueError, match=rf"infinity \(row 3, column 'gene {model.support_ids_[1]}'\)"
    ):
        model.predict(WrappedSource(broken))


def test_what_cannot_be_done_is_said():
    X, y = draw(2)
    with pytest.raises(TypeError, match="HistogramIntersection sorts a copy of X"):
        FGMClassifier(3, space=HistogramIntersection(), C="fast").fit(WrappedSource(np.abs(X)), y)
    for estimator in (SVMPerfClassifier(), DirectSparsityClassifier(), RFSClassifier()):
        with pytest.raises(
            TypeError, match="a WrappedSource is not in memory, where this is computed"
        ):
            estimator.fit(WrappedSource(X), y)
        with pytest.raises(TypeError, match="a WrappedSource is not in memory"):
            estimator.fit(WrappedSource(X)[:30], y[:30])  # as folds do
        assert not hasattr(estimator, "n_features_in_")
