"""A fit that cannot use an entry says which: row and column of X, sample of y, in every estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from every_estimator import MODELS
from sklearn import __version__ as sklearn_version
from sklearn.base import clone, is_regressor
from sklearn.utils.fixes import parse_version

from handful import Bags
from handful.validation import cells

ROW, COLUMN = 5, 3
ON_TABLES = [case for case in MODELS if not isinstance(MODELS[case][1], Bags)]
#: One setting for each estimator is enough: the check is the same.
ESTIMATORS = {type(MODELS[case][0]): case for case in ON_TABLES}.values()
MISSING = {"NaN": np.nan, "infinity": -np.inf}


def matrix_of(case, value, make=np.asarray):
    estimator, X, y = MODELS[case]
    X = X.astype(object) if isinstance(value, str) else X.copy()
    X[ROW, COLUMN] = value
    return clone(estimator), make(X), y


def refused(model, X, y, sentence, kind=ValueError):
    with pytest.raises(kind, match=sentence) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("case", ESTIMATORS)
@pytest.mark.parametrize("form", ["dense", "csr", "csc", "coo", "table"])
@pytest.mark.parametrize("word", MISSING)
def test_no_number(case, form, word):
    forms = {"dense": np.asarray, "table": lambda X: pd.DataFrame(X).add_prefix("gene ")}
    make = forms.get(form) or getattr(sp, f"{form}_array")
    column = "'gene 3'" if form == "table" else "3"
    sentence = rf"^Input X contains {word} \(row {ROW}, column {column}\); impute or drop"
    refused(*matrix_of(case, MISSING[word], make), sentence)


@pytest.mark.parametrize("case", ESTIMATORS)
def test_text(case):
    sentence = (
        rf"^Input X must hold numbers, and row {ROW}, column {COLUMN} holds 'ill'; turn words"
    )
    refused(*matrix_of(case, "ill"), sentence)
    model, X, y = matrix_of(case, 0.0)
    table = pd.DataFrame(X).add_prefix("gene ").assign(**{"gene 3": "well"})
    refused(model, table, y, r"row 0, column 'gene 3' holds 'well'; turn words")


@pytest.mark.parametrize("case", ESTIMATORS)
def test_dates(case):
    model, X, y = matrix_of(case, 0.0)
    table = pd.DataFrame(X).add_prefix("gene ")
    days = pd.date_range("2026-01-01", periods=len(table))
    spans = days - days[0]
    sentence = "^Input X must hold numbers, and column 'gene 3' holds .*; turn dates into numbers"
    for dates in (days, days.tz_localize("UTC"), spans, days.to_period("D")):
        refused(model, table.assign(**{"gene 3": dates}), y, sentence)
    frame = pl.from_pandas(table).with_columns(pl.Series("gene 3", days.to_numpy()))
    refused(model, frame, y, sentence)
    refused(model, np.tile(days.to_numpy()[:, None], 4), y, "and it holds datetime64")


@pytest.mark.parametrize("case", ESTIMATORS)
def test_what_is_behind_a_mask_does_not_count(case):
    model, X, y = matrix_of(case, 0.0)
    mask = np.zeros(X.shape, dtype=bool)
    model.fit(np.ma.array(X, mask=mask), y)
    mask[ROW, COLUMN] = True
    hidden = np.ma.array(X, mask=mask)
    sentence = rf"^Input X is masked \(row {ROW}, column {COLUMN}\), and what is behind"
    refused(clone(model), hidden, y, sentence)
    with pytest.raises(ValueError, match=sentence):
        model.predict(hidden)
    if np.ndim(y) == 1:
        masked = np.ma.array(y, mask=np.arange(len(y)) == ROW)
        refused(clone(model), X, masked, rf"^Input y is masked \(sample {ROW}\)")


@pytest.mark.parametrize("case", ESTIMATORS)
def test_tables_that_are_odd(case):
    model, X, y = matrix_of(case, 0.0)
    refused(model, pd.DataFrame(index=range(len(y))), y, "Found array with 0 feature")
    table = pd.DataFrame(X).add_prefix("gene ").rename(columns={"gene 3": "gene 1"})
    if parse_version(sklearn_version) >= parse_version("1.9"):
        refused(model, table, y, "^two columns of X are called 'gene 1'; rename one, or give X as")


@pytest.mark.parametrize("case", ESTIMATORS)
def test_new_rows_are_looked_at_in_the_same_way(case):
    estimator, X, y = MODELS[case]
    model = clone(estimator).fit(X, y)
    _, wrong, _ = matrix_of(case, np.nan)
    with pytest.raises(ValueError, match=rf"NaN \(row {ROW}, column {COLUMN}\)"):
        model.predict(wrong)


@pytest.mark.parametrize("case", MODELS)
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
@pytest.mark.parametrize("of_words", [False, True])
def test_no_target(case, missing, of_words):
    estimator, X, y = MODELS[case]
    model = clone(estimator)
    if of_words and is_regressor(model):
        sentence = r"^y must hold numbers, and .*0 has 'is-.*'; turn words into numbers first"
    else:
        place = f"row {ROW}, column 0" if y.ndim == 2 else f"sample {ROW}"
        sentence = rf"^Input y contains (None|NaN) \({place}\); leave such samples out"
    targets = np.array([f"is-{t}" for t in y.ravel()]).reshape(y.shape) if of_words else y
    targets = targets.astype(object)
    targets[(ROW, 0) if y.ndim == 2 else ROW] = missing
    refused(model, X, targets, sentence)


@pytest.mark.parametrize("case", [case for case in MODELS if not is_regressor(MODELS[case][0])])
def test_labels_of_two_kinds(case):
    estimator, X, y = MODELS[case]
    labels = np.array([f"is-{t}" for t in y], dtype=object)
    labels[ROW] = 1
    sentence = (
        rf"^y mixes labels of different kinds: sample 0 has 'is-\w+' and sample {ROW} 1; make"
    )
    refused(clone(estimator), X, labels, sentence)


def test_what_is_no_number_at_all_keeps_its_error():
    """scikit-learn's checks ask for a TypeError with these words."""
    X = np.zeros((3, 2), dtype=object)
    X[1, 1] = {"foo": "bar"}
    model = clone(MODELS["FGM"][0])
    refused(model, X, [0, 1, 0], r"not 'dict' \(row 1, column 1 of X\)$", TypeError)


def test_words_that_say_nan_are_words():
    """As labels they are fine; in X they are no numbers."""
    X = np.random.default_rng(0).standard_normal((12, 4))
    labels = np.array(["nan", "inf"] * 6, dtype=object)
    assert clone(MODELS["FGM, plain"][0]).fit(X, labels).classes_.tolist() == ["inf", "nan"]
    words = X.astype(object)
    words[2, 1] = "nan"
    refused(clone(MODELS["FGM"][0]), words, labels, "row 2, column 1 holds 'nan'; turn words")


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_array])
def test_the_first_of_many_rows(make):
    """Whatever the size of the blocks it is looked for in."""
    X = np.zeros((7, 4))
    X[4, 2] = np.inf
    for at_once in (1, 8, 2**20):
        assert cells.first_not_finite(make(X), at_once) == (4, 2)
    assert cells.first_not_finite(make(np.ones((3, 3)))) is None
