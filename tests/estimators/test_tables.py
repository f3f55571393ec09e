"""pandas and polars in, with names; names out; tables out where wanted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import TRUE_IDS, features, two_classes
from sklearn.utils.validation import _get_feature_names

from handful import FGMClassifier, FGMRegressor
from handful.spaces import Polynomial

K = len(TRUE_IDS)
NAMES = [f"gene {j}" for j in range(features().shape[1])]


def check_polars_is_seen():
    """Skip where scikit-learn itself does not see the names: before 1.9, and from polars 2 on."""
    if _get_feature_names(pl.DataFrame({"a": [1.0]})) is None:
        pytest.skip("this scikit-learn sees no names of columns of this polars")


@pytest.fixture(params=["pandas", "polars"])
def table(request):
    """X with named columns, y, and the kind of table."""
    X, y = two_classes()
    if request.param == "polars":
        check_polars_is_seen()
    if request.param == "pandas":
        return pd.DataFrame(X, columns=NAMES, index=np.arange(len(y)) + 100), y, request.param
    return pl.DataFrame(X, schema=NAMES), y, request.param


def test_names_come_out(table):
    X, y, _ = table
    model = FGMClassifier(K, C="fast").fit(X, y)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.get_feature_names_out().tolist() == [NAMES[j] for j in TRUE_IDS]


def test_the_same_model_as_from_an_array(table):
    X, y, _ = table
    named, plain = (
        FGMClassifier(K, C="fast").fit(X, y),
        FGMClassifier(K, C="fast").fit(X.to_numpy(), y),
    )
    np.testing.assert_array_equal(named.weights_, plain.weights_)
    np.testing.assert_array_equal(named.predict(X), plain.predict(X.to_numpy()))


@pytest.mark.parametrize("out", ["pandas", "polars"])
def test_tables_come_out_when_asked_for(table, out):
    X, y, kind = table
    model = FGMClassifier(K, C="fast").set_output(transform=out).fit(X, y)
    chosen = model.transform(X)
    assert isinstance(chosen, pd.DataFrame if out == "pandas" else pl.DataFrame)
    assert list(chosen.columns) == [NAMES[j] for j in TRUE_IDS]
    np.testing.assert_array_equal(chosen.to_numpy(), X.to_numpy()[:, TRUE_IDS])
    if kind == out == "pandas":
        assert chosen.index.equals(X.index)


def test_arrays_come_out_unless_asked_for(table):
    X, y, _ = table
    assert isinstance(FGMClassifier(K, C="fast").fit(X, y).transform(X), np.ndarray)


def test_columns_of_another_order_are_refused(table):
    X, y, _ = table
    model = FGMClassifier(K, C="fast").fit(X, y)
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.predict(X[NAMES[::-1]])


def test_sparse_columns_of_pandas():
    X, y = two_classes()
    X[np.abs(X) < 1] = 0.0
    sparse = pd.DataFrame(X, columns=NAMES).astype(pd.SparseDtype(float, 0.0))
    model, plain = FGMClassifier(K, C="fast").fit(sparse, y), FGMClassifier(K, C="fast").fit(X, y)
    np.testing.assert_array_equal(model.support_ids_, plain.support_ids_)
    np.testing.assert_allclose(model.weights_, plain.weights_)


def test_mixed_column_types():
    X, y = two_classes()
    mixed = pd.DataFrame(np.round(10 * X), columns=NAMES).astype(
        {NAMES[3]: "int16", NAMES[4]: bool}
    )
    mixed[NAMES[5]] = mixed[NAMES[5]].astype("Float64")
    model = FGMClassifier(K, C="fast").fit(mixed, y)
    np.testing.assert_array_equal(model.support_ids_, TRUE_IDS)


def test_targets_as_series():
    check_polars_is_seen()
    X, _ = two_classes()
    t = X[:, 3] - X[:, 17]
    model = FGMRegressor(2, C="fast").fit(pl.DataFrame(X, schema=NAMES), pl.Series(t))
    assert model.get_feature_names_out().tolist() == ["gene 3", "gene 17"]
    np.testing.assert_array_equal(model.weights_, FGMRegressor(2, C="fast").fit(X, t).weights_)


@pytest.mark.parametrize("out", ["pandas", "polars"])
def test_features_of_a_space_have_their_names_too(table, out):
    X, y, _ = table
    model = FGMClassifier(K, space=Polynomial(), C="fast").set_output(transform=out).fit(X, y)
    chosen = model.transform(X)
    assert isinstance(chosen, pd.DataFrame if out == "pandas" else pl.DataFrame)
    assert list(chosen.columns) == model.get_feature_names_out().tolist()
