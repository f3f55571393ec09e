"""Tables of pandas and polars, and lists: what arrays give, by name."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import FGMClassifier, GreedyRLSClassifier
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import Polynomial

X, Y = make_classification(80, 12, random_state=0)
NAMES = [f"g{j}" for j in range(12)]
GREEDY = GreedyRLSClassifier(3)


def of_polars(X):
    return pytest.importorskip("polars").DataFrame(X, schema=NAMES)


TABLES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": of_polars,
    "list": lambda X: X.tolist(),
}
SELECTORS = {
    "greedy": GREEDY,
    "pairs": FGMClassifier(3, C="fast", space=Polynomial()),
    "RFE": RFE(LogisticRegression(), n_features_to_select=3),
    "chain": make_pipeline(StandardScaler(), GREEDY),
}


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("name", SELECTORS)
def test_agreement_on_tables_is_that_on_arrays(form, name):
    search = SelectKCV(SELECTORS[name], [2, 4], cv=3, aggregate=True)
    stable = StabilitySelection(SELECTORS[name], 4, aggregate=True, random_state=0)
    table = TABLES[form](X)
    for model in (search, stable):
        expected = model.fit(X, Y).predict(X)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(model.fit(table, Y).predict(table), expected)


FITTED = {
    "search": SelectKCV(GREEDY, [2, 4], cv=3),
    "search, agreed": SelectKCV(GREEDY, [2, 4], cv=3, aggregate=True),
    "stable": StabilitySelection(GREEDY, 4, threshold=0.5, random_state=0),
    "stable, agreed": StabilitySelection(GREEDY, 4, aggregate=True, random_state=0),
}


@pytest.mark.parametrize("form", ["pandas", "polars"])
@pytest.mark.parametrize("name", FITTED)
def test_chosen_columns_are_enough(form, name):
    table = TABLES[form](X)
    model = clone(FITTED[name]).fit(table, Y)
    chosen = model.get_feature_names_out().tolist()
    few = table[chosen[::-1]]
    np.testing.assert_array_equal(model.predict(few), model.predict(table))
    np.testing.assert_array_equal(model.transform(few), model.transform(table))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[[name for name in NAMES if name != chosen[0]]])


@pytest.mark.parametrize("name", FITTED)
def test_what_scikit_learn_can_do_alone(name):
    table = TABLES["pandas"](X)
    model = clone(FITTED[name]).fit(table, Y)
    plain = model.to_sklearn()
    few = table[model.get_feature_names_out()]
    np.testing.assert_array_equal(plain.predict(few), model.predict(table))
    np.testing.assert_allclose(plain.decision_function(few), model.decision_function(table))


def test_only_what_the_estimator_can():
    for wrapper in (SelectKCV, StabilitySelection):
        assert not hasattr(wrapper(RFE(LogisticRegression())), "to_sklearn")
        assert not hasattr(wrapper(SELECTORS["chain"]), "to_sklearn")
    nothing = StabilitySelection(GREEDY, 4, threshold=1.0, random_state=0)
    noise = np.random.default_rng(0).standard_normal(X.shape)
    with pytest.warns(UserWarning, match="No feature was selected"):
        nothing.fit(noise, Y)
    with pytest.raises(ValueError, match="has selected no feature"):
        nothing.to_sklearn()


@pytest.mark.parametrize("name", FITTED)
def test_transform_gives_tables(name):
    table = TABLES["pandas"](X).set_index(np.arange(len(X)) + 7)
    model = clone(FITTED[name]).set_output(transform="pandas")
    reduced = clone(model).fit_transform(table, Y)
    chosen = model.fit(table, Y).get_feature_names_out()
    pd.testing.assert_frame_equal(reduced, table[chosen])
    pd.testing.assert_frame_equal(model.transform(table), table[chosen])
    chain = make_pipeline(StandardScaler(), clone(FITTED[name])).set_output(transform="pandas")
    assert list(chain.fit_transform(table, Y)) == list(chosen)
    assert isinstance(clone(FITTED[name]).fit(table, Y).transform(table), np.ndarray)


def test_pairs_are_included_by_name():
    table = TABLES["pandas"](X)
    pairs = FGMClassifier(3, C="fast", space=Polynomial(), include=["g9 g7"], exclude=["g3^2"])
    model = StabilitySelection(pairs, 4, threshold=0.6, random_state=0).fit(table, Y)
    assert "g7 g9" in model.get_feature_names_out()
    space = Polynomial().sized(12)
    called = space.names(np.arange(space.n_features), NAMES)
    ids = {"include": [called.index("g7 g9")], "exclude": [called.index("g3^2")]}
    by_ids = clone(pairs).set_params(**ids)
    same = StabilitySelection(by_ids, 4, threshold=0.6, random_state=0).fit(table, Y)
    assert model.pfer_bound_ == same.pfer_bound_
    told = []
    wrong = clone(model).set_params(estimator__include=["g7 x"], verbose=told.append)
    with pytest.raises(ValueError, match="include has the unknown feature 'g7 x'"):
        wrong.fit(table, Y)
    assert not told
