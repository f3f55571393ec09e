"""What used to end in an error of numpy or Python is told in one sentence."""

import numpy as np
import pandas as pd
import pytest

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    RFSClassifier,
)
from handful.model_selection import SelectKCV, StabilitySelection

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 10))
Y = (X[:, 0] > 0).astype(int)
CLASSIFIERS = {
    "fgm": FGMClassifier(2, C="fast"),
    "greedy": GreedyRLSClassifier(2),
    "rfs": RFSClassifier(2),
    "direct": DirectSparsityClassifier(2),
}


@pytest.fixture(params=CLASSIFIERS)
def classifier(request):
    return CLASSIFIERS[request.param]


def said(fit, kind=ValueError):
    with pytest.raises(kind) as caught:
        fit()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 250
    return sentence


@pytest.mark.parametrize(("ks", "got"), [([], "none"), (3, "3"), (None, "None"), ("ab", "'ab'")])
def test_a_path_of_no_list(classifier, ks, got):
    assert said(lambda: classifier.fit_path(X, Y, ks)) == (
        f"ks must be a list of numbers of features, such as [5, 10, 20]; got {got}."
    )


def test_a_path_of_numbers_that_come_one_by_one(classifier):
    assert list(classifier.fit_path(X, Y, (k for k in (3, 2, 3)))) == [2, 3]


def test_truth_values_as_objects(classifier):
    sentence = said(lambda: classifier.fit(X, pd.Series(Y > 0, dtype=object)))
    assert "y holds bool in an array of dtype object" in sentence
    assert sentence.endswith("y.astype(bool).")


def test_numbers_as_objects_are_no_trouble_for_a_regressor():
    y = pd.Series(X[:, 0], dtype=object)
    assert FGMRegressor(2, C="fast").fit(X, y).support_ids_[0] == 0
    StabilitySelection(GreedyRLSRegressor(2), 4, threshold=0.5, random_state=0).fit(X, y)


def test_lists_of_labels(classifier):
    lists = [["a"], ["a", "b"]] * 30
    sentence = said(lambda: classifier.fit(X, lists))
    assert "sample 0 has 1 entry and sample 1 has 2 entries" in sentence
    assert "MultiLabelBinarizer" in sentence
    sentence = said(lambda: classifier.fit(X, pd.Series(lists)))
    assert "y holds a list for sample 0" in sentence


def test_lists_of_quantities_and_rows():
    sentence = said(lambda: GreedyRLSRegressor(2).fit(X, [[1.0], [1.0, 2.0]] * 30))
    assert sentence.endswith("give every sample the same number of targets.")
    sentence = said(lambda: GreedyRLSRegressor(2).fit([[1.0, 2.0], [3.0]] * 30, Y))
    assert sentence.startswith("X holds lists of different lengths, row 0 has 2 entries and row 1")


@pytest.mark.parametrize("wrap", [False, True])
def test_a_lazy_table(classifier, wrap):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    model = SelectKCV(classifier, k=[1, 2], cv=3) if wrap else classifier
    lazy = polars.DataFrame(X).lazy()
    assert said(lambda: model.fit(lazy, Y), TypeError) == (
        "X is a LazyFrame of polars, which holds no rows yet; give X.collect()."
    )
    column = polars.DataFrame({"y": Y}).lazy()
    assert said(lambda: model.fit(X, column), TypeError).endswith("give y.collect().")
    fitted = CLASSIFIERS["greedy"].fit(X, Y)
    assert said(lambda: fitted.predict(lazy), TypeError).endswith("give X.collect().")
