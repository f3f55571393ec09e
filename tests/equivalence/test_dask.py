"""A dask array gives the model of the same numbers in memory."""

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from dask_arrays import FORMS, as_dask
from equivalence.same import assert_same_model, draw, every_case, every_mode, fit
from sklearn.model_selection import cross_val_score

from handful import FGMClassifier, FGMRegressor, GreedyRLSRegressor, MultiTaskLassoInf
from handful.spaces import Polynomial

every_form = pytest.mark.parametrize("form", FORMS)


@pytest.fixture(autouse=True)
def _serial():
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_alike(model, expected):
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-6, atol=1e-9)


@every_case
@every_mode
@every_form
def test_model(form, loss, n_classes, mode):
    X, y = draw(n_classes)
    Z = as_dask(X, *FORMS[form])
    model, expected = fit(Z, y, mode, loss), fit(X, y, mode, loss)
    assert_same_model(model, expected)
    np.testing.assert_allclose(model.predict(Z), model.predict(X))


@every_form
@pytest.mark.parametrize(
    "options",
    [
        {"scale": "norm", "C": "fast"},
        {"groups": np.repeat(np.arange(10), 3), "C": "fast"},
        {
            "groups": np.repeat(np.arange(10), 3),
            "scale": "norm",
            "group_weights": "size",
            "C": "fast",
        },
        {"space": Polynomial(), "C": "fast"},
        {"include": [1], "exclude": [3, 7]},
    ],
    ids=["norm", "groups", "groups, norm", "pairs", "include"],
)
def test_options(form, options):
    X, y = draw(2)
    weight = np.random.default_rng(1).uniform(0.0, 2.0, len(y))
    weight[5:9] = 0.0
    Z = as_dask(X, *FORMS[form])
    model = FGMClassifier(3, **options).fit(
        Z, da.from_array(y, chunks=17), da.from_array(weight, chunks=29)
    )
    expected = FGMClassifier(3, **options).fit(X, y, weight)
    assert_alike(model, expected)
    np.testing.assert_array_equal(model.predict(Z), expected.predict(X))
    reduced = model.transform(Z)
    reduced = reduced.toarray() if sp.issparse(reduced) else reduced
    np.testing.assert_allclose(reduced, expected.transform(X))


@every_form
@pytest.mark.parametrize("loss", ["f1", "roc_auc", "prec@10"])
def test_measures(form, loss):
    """A measure is minimised to a thousandth, so that rounding may change a weak feature."""
    X, y = draw(2)
    model = FGMClassifier(3, loss=loss, C="fast").fit(as_dask(X, *FORMS[form]), y)
    expected = FGMClassifier(3, loss=loss, C="fast").fit(X, y)
    assert len(set(model.support_ids_) & set(expected.support_ids_)) >= 2
    assert model.objective_ == pytest.approx(expected.objective_, rel=0.1)


@every_form
def test_greedy_rls_and_several_tasks(form):
    X, y = draw(1)
    Y = np.column_stack([y, X[:, 3] - X[:, 12]])
    Z = as_dask(X, *FORMS[form])
    assert_alike(GreedyRLSRegressor(4).fit(Z, Y), GreedyRLSRegressor(4).fit(X, Y))
    assert_alike(
        MultiTaskLassoInf(n_features_to_select=3).fit(Z, Y),
        MultiTaskLassoInf(n_features_to_select=3).fit(X, Y),
    )


def test_threads_and_float32_and_whole_numbers():
    X, y = draw(1)
    counts = np.round(4 * X).astype(np.int32)
    with dask.config.set(scheduler="threads", num_workers=2):
        assert_alike(
            FGMRegressor(4, C="fast").fit(as_dask(counts), y),
            FGMRegressor(4, C="fast").fit(counts, y),
        )
    Z = as_dask(X.astype(np.float32), "dense", "grid")
    assert FGMRegressor(4, C="fast").fit(Z, y).support_ids_.tolist() == (
        FGMRegressor(4, C="fast").fit(X, y).support_ids_.tolist()
    )


def test_predictions_can_be_left_for_later():
    """As documented: a lazy array of predictions, chunk by chunk."""
    X, y = draw(2)
    model = FGMClassifier(4, C="fast").fit(as_dask(X, "CSR", "rows"), y)
    later = as_dask(X, "dense", "rows").map_blocks(model.predict, drop_axis=1, dtype=y.dtype)
    np.testing.assert_array_equal(later.compute(), model.predict(X))


def test_cross_validation():
    X, y = draw(2)
    scores = cross_val_score(FGMClassifier(4, C="fast"), as_dask(X, "dense", "grid"), y, cv=3)
    np.testing.assert_allclose(scores, cross_val_score(FGMClassifier(4, C="fast"), X, y, cv=3))


def test_checkpoint_is_for_the_same_numbers(tmp_path):
    X, y = draw(2)
    path = tmp_path / "fit.npz"
    model = FGMClassifier(4, checkpoint=path, C="fast").fit(as_dask(X), y)
    assert_alike(FGMClassifier(4, checkpoint=path, C="fast").fit(as_dask(X), y), model)
    X[0, 0] += 1.0
    with pytest.raises(ValueError, match="other data"):
        FGMClassifier(4, checkpoint=path, C="fast").fit(as_dask(X), y)
