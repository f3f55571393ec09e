"""Estimators on strings."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from handful import FGMClassifier, FGMRegressor, load_model, save_model
from handful.io.errors import InputError
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import Documents, Substrings

TRUE = ("TATAAT", "GCGC")


def make(n_documents=120, seed=0):
    """Sequences in which two strings decide the class."""
    rng = np.random.default_rng(seed)
    texts, y = [], []
    for i in range(n_documents):
        text = "".join(rng.choice(list("ACGT"), 40))
        for string in TRUE:
            text = text.replace(string, "A")
        if i % 3:
            at = int(rng.integers(0, 30))
            text = text[:at] + TRUE[i % 2] + text[at:]
        texts.append(text)
        y.append(i % 3)
    return texts, np.array(y)


TEXTS, CLASSES = make()
Y = (CLASSES == 1).astype(int)
FORMS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object array": lambda X: np.array(X, dtype=object),
    "column": lambda X: np.array(X)[:, None],
    "pandas": pd.Series,
    "pandas frame": lambda X: pd.DataFrame({"seq": X}),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunked": lambda X: pa.chunked_array([X[:5], X[5:]]),
    "bytes": lambda X: [x.encode() for x in X],
    "documents": Documents,
}


def model(k=3, space=None, **options):
    return FGMClassifier(k, space=space or Substrings(), C="fast", **options)


@pytest.fixture
def n_built(capsys):
    """Return what counts the indices that were built since it was last asked, by what verbose fits say."""
    return lambda: capsys.readouterr().out.count("sorting the suffixes of")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_strings_gives_the_same_model(form):
    X = FORMS[form](TEXTS)
    expected = model().fit(TEXTS, Y)
    fitted = model().fit(X, Y)
    np.testing.assert_array_equal(fitted.support_ids_, expected.support_ids_)
    np.testing.assert_array_equal(fitted.predict(X), expected.predict(TEXTS))
    assert list(fitted.get_feature_names_out()) == list(expected.get_feature_names_out())
    assert fitted.n_features_in_ == 1


def test_the_strings_that_decide_are_found():
    fitted = model(2, Substrings(rarity=0.0)).fit(TEXTS, (CLASSES > 0).astype(int))
    assert set(fitted.get_feature_names_out()) == set(TRUE)
    others, classes = make(seed=1)
    assert np.mean(fitted.predict(others) == (classes > 0)) > 0.95
    columns = fitted.transform(others)
    assert sp.issparse(columns)
    assert set(columns.data) == {1.0}
    scores = columns @ fitted.weights_.T + fitted.intercept_
    np.testing.assert_allclose(scores[:, 0], fitted.decision_function(others))


def test_pipeline_cross_validation_and_clone():
    pipeline = make_pipeline(model(5), LogisticRegression())
    assert cross_val_score(pipeline, TEXTS, Y, cv=3).shape == (3,)
    exact = model(2, Substrings(rarity=0.0))
    assert cross_val_score(clone(exact), np.array(TEXTS), CLASSES > 0, cv=3).mean() > 0.8
    assert model().__sklearn_tags__().input_tags.string
    assert not FGMClassifier().__sklearn_tags__().input_tags.string


def test_the_certificate_is_that_of_the_written_columns():
    """The same fit on a matrix of all columns ends with the same features, objective and gap."""
    space = Substrings(min_df=4)
    bound = space.on(TEXTS)
    X = bound.columns(np.arange(bound.n_features))
    for options in ({}, {"refit": False}):
        on_strings = model(4, space, **options).fit(TEXTS, Y)
        on_matrix = FGMClassifier(4, C="fast", **options).fit(X, Y)
        np.testing.assert_array_equal(on_strings.support_ids_, on_matrix.support_ids_)
        assert on_strings.objective_ == pytest.approx(on_matrix.objective_, rel=1e-6)
        assert on_strings.dual_gap_ == pytest.approx(on_matrix.dual_gap_, rel=1e-4)
        ours, theirs = on_strings.decision_function(TEXTS), on_matrix.decision_function(X)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_a_gap_of_almost_nothing():
    fitted = FGMClassifier(
        budget=3, space=Substrings(min_df=4), C=0.5, tol=1e-5, max_rounds=100
    ).fit(TEXTS, Y)
    assert fitted.dual_gap_ <= 1e-5 * fitted.objective_


def test_weights_are_copies_of_rows_and_zero_is_none():
    weight = np.ones(len(TEXTS))
    weight[:20] = 2.0
    # min_df of 1 or as counted would differ: here every string is in many rows.
    space = Substrings(min_df=2, max_length=3)
    doubled = model(4, space).fit(TEXTS + TEXTS[:20], np.concatenate([Y, Y[:20]]))
    weighted = model(4, space).fit(TEXTS, Y, sample_weight=weight)
    assert list(weighted.get_feature_names_out()) == list(doubled.get_feature_names_out())
    weight[:20] = 0.0
    without = model(4, space).fit(TEXTS[20:], Y[20:])
    zero = model(4, space).fit(TEXTS, Y, sample_weight=weight)
    assert list(zero.get_feature_names_out()) == list(without.get_feature_names_out())
    np.testing.assert_allclose(zero.decision_function(TEXTS), without.decision_function(TEXTS))


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "f1"])
def test_more_classes_and_measures(loss, tmp_path):
    fitted = FGMClassifier(4, space=Substrings(max_length=8), loss=loss, C=1.0).fit(TEXTS, CLASSES)
    assert np.mean(fitted.predict(TEXTS) == CLASSES) > 0.6
    save_model(fitted, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(TEXTS), fitted.decision_function(TEXTS))


def test_the_index_is_built_once_for_all_classes_and_folds(n_built):
    telling = {"space": Substrings(max_length=4), "verbose": True}
    FGMClassifier(2, loss="f1", C=1.0, **telling).fit(TEXTS, CLASSES)
    assert n_built() == 1
    fitted = FGMClassifier(2, C="auto", **telling).fit(TEXTS, Y)
    assert len(fitted.C_path_["values"]) > 1
    assert n_built() == 1


def test_some_of_the_documents_have_the_index_of_all(n_built):
    documents = Documents(TEXTS)
    rows = np.arange(0, len(TEXTS), 2)
    space = Substrings()
    space.tell = print
    whole = space.on(documents)
    some = space.on(documents[rows][np.arange(50)])
    ids = np.arange(0, whole.n_features, 97)
    expected = whole.columns(ids).toarray()[rows[:50]]
    np.testing.assert_array_equal(some.columns(ids).toarray(), expected)
    a = np.random.default_rng(0).standard_normal((50, 2))
    of_all = np.zeros((len(TEXTS), 2))
    of_all[rows[:50]] = a
    for ours, theirs in zip(some.top(a, 20), whole.top(of_all, 20), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    cross_val_score(model(verbose=True), documents, Y, cv=3)
    weight = np.zeros(len(TEXTS))
    weight[rows] = 1.0
    weighted = model(verbose=True).fit(documents, Y, sample_weight=weight)
    fitted = model(include=["ACG"], verbose=True).fit(documents[rows], Y[rows])
    assert weighted.space_.chosen.n_features == fitted.space_.chosen.n_features == whole.n_features
    assert n_built() == 1
    alone = model().fit([TEXTS[row] for row in rows], Y[rows])
    assert alone.space_.chosen.n_features < whole.n_features


def test_regression():
    target = CLASSES + 0.1 * np.arange(len(TEXTS)) / len(TEXTS)
    fitted = FGMRegressor(3, space=Substrings(weight="count"), C="fast").fit(TEXTS, target)
    assert fitted.score(TEXTS, target) > 0.5


@pytest.mark.parametrize(
    "space",
    [
        Substrings(),
        Substrings(unit="byte", weight="log", rarity="idf"),
        Substrings(unit="word", min_df=1),
        Substrings(reverse_complement=True, min_df=0.05, max_length=9),
    ],
    ids=repr,
)
def test_model_files(space, tmp_path):
    texts = [text[:9] + " " + text[9:] for text in TEXTS]
    fitted = model(3, space).fit(texts, Y)
    save_model(fitted, tmp_path / "model.handful")
    again = load_model(tmp_path / "model.handful")
    np.testing.assert_array_equal(again.decision_function(texts), fitted.decision_function(texts))
    assert list(again.get_feature_names_out()) == list(fitted.get_feature_names_out())
    assert again.space_.chosen.shortest == fitted.space_.chosen.shortest
    np.testing.assert_array_equal(again.space_.chosen.frequency, fitted.space_.chosen.frequency)


def test_a_function_is_no_part_of_a_model_file(tmp_path):
    fitted = model(1, Substrings(unit=list)).fit(TEXTS, Y)
    with pytest.raises(InputError, match=r"space.unit is a type, which a model file cannot hold"):
        save_model(fitted, tmp_path / "model.handful")


def test_checkpoints(tmp_path):
    path = tmp_path / "fit.npz"
    plain = model(4).fit(TEXTS, Y)
    whole = model(4, checkpoint=path).fit(TEXTS, Y)
    again = model(4, checkpoint=path).fit(TEXTS, Y)
    for fitted in (whole, again):
        np.testing.assert_array_equal(fitted.support_ids_, plain.support_ids_)
        np.testing.assert_array_equal(fitted.weights_, plain.weights_)
    with pytest.raises(ValueError, match="belongs to other data or other parameters"):
        model(4, checkpoint=path).fit([*TEXTS[1:], "ACGT"], Y)
    with pytest.raises(ValueError, match="belongs to other data or other parameters"):
        model(4, Substrings(rarity=0.0), checkpoint=path).fit(TEXTS, Y)


def test_include_and_exclude_by_string():
    plain = model(3).fit(TEXTS, Y)
    first = plain.get_feature_names_out()[0]
    fitted = model(3, include=["ACG"], exclude=first).fit(TEXTS, Y)
    names = list(fitted.get_feature_names_out())
    assert "ACG" in names
    assert first not in names
    with pytest.raises(ValueError, match="feature ACG is in include and in exclude"):
        model(3, include="ACG", exclude=["ACG"]).fit(TEXTS, Y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1, 2, 3, 4], "X must hold strings, but row 0 is 1, a int"),
        (np.eye(4), r"got an array of shape \(4, 4\)"),
        (["a", None, "b", "c"], "row 1 is missing"),
        (["a", float("nan"), "b", "c"], "row 1 is missing"),
        (["a", b"b", "b", "c"], "row 1 is bytes and the first is str"),
        (["", "", "", ""], "all strings of X are empty"),
        (["ab", "cd", "ef", "gh"], "no substring of the 4 strings is within the limits min_df=2"),
        ([b"a", b"\xff", b"b", b"c"], "row 1 is not valid UTF-8 at byte 0; use unit='byte'"),
        ("abcd", "got a str"),
        ((letter for letter in "abcd"), "got a generator"),
        (set("abcd"), "got a set"),
        (sp.csr_array(np.eye(4)), "got a csr_array"),
        (["a", "a", "b"], "y must have one entry for each of the 3 rows"),
        (pd.Series(["a", pd.NA, "b", "b"]), "row 1 is missing"),
    ],
)
def test_what_are_no_strings(X, message):
    with pytest.raises(ValueError, match=message):
        model(1).fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ("word", "or have no word in them"),
        (lambda text: None, "unit gave None for the string in row 0; it must give a list of str"),
        (lambda text: [7], "unit gave 7 for the string in row 0; it must give a list of str"),
    ],
)
def test_what_are_no_words(unit, message):
    with pytest.raises(ValueError, match=message):
        model(1, Substrings(unit=unit)).fit(["!", "?", "!", "?"], [0, 1, 0, 1])


def test_progress_is_told_only_if_asked_for(capsys):
    model(2).fit(TEXTS, Y)
    assert capsys.readouterr().out == ""
    model(2, verbose=True).fit(TEXTS, Y)
    assert "sorting the suffixes of" in capsys.readouterr().out


def test_selection_of_k_and_stability_sort_once(n_built):
    """Folds and halves have the features of all strings, with the same ids."""
    space, y = Substrings(rarity=0.0, max_length=8), (CLASSES > 0).astype(int)
    chosen = SelectKCV(model(None, space, verbose=True), [1, 2, 4], cv=3).fit(TEXTS, y)
    assert list(chosen.get_feature_names_out()) == sorted(TRUE)
    assert n_built() == 1
    stable = StabilitySelection(model(4, space, verbose=True), 5, random_state=0).fit(TEXTS, y)
    # Strings that are in the same texts of a half are one column there, and take turns.
    names = stable.get_feature_names_out()
    assert all(any(one in true or true in one for one in names) for true in TRUE)
    assert stable.transform(TEXTS).shape == (len(TEXTS), len(stable.support_ids_))
    assert n_built() == 1


def test_models_of_several_sizes():
    models = model(None, Substrings(rarity=0.0)).fit_path(TEXTS, CLASSES > 0, [1, 2])
    assert list(models[2].get_feature_names_out()) == sorted(TRUE)


def test_scikit_learn_has_no_estimator_of_strings():
    with pytest.raises(ValueError, match="reads strings, for which scikit-learn has no estimator"):
        model(2).fit(TEXTS, Y).to_sklearn()
