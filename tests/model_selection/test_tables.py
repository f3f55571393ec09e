"""Tables of pandas and polars, and lists: what arrays give, by name."""

import warnings

import numpy as np
import pandas as pd
import pytest
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
