"""A table that has the chosen columns, in any order and with others missing, is enough to predict."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from every_estimator import OF_COLUMNS, quick
from problems import TRUE_IDS, features, two_classes
from sklearn.linear_model import LogisticRegression

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    load_model,
    save_model,
)
from handful.estimators._narrow import narrowed, used_columns
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

K = len(TRUE_IDS)
NAMES = [f"gene {j}" for j in range(features().shape[1])]
MODELS = {name: quick(name, K) for name in OF_COLUMNS} | {
    "logistic": FGMClassifier(K, C="fast", loss="logistic"),
    "own refit": DirectSparsityClassifier(K, refit=LogisticRegression()),
    "pairs": FGMClassifier(K, C="fast", space=Polynomial()),
    "products": FGMClassifier(
        K, C="fast", space=Polynomial(gamma=0.3, interaction_only=True, include_linear=False)
    ),
    "intersection": FGMClassifier(K, C="fast", space=HistogramIntersection(n_levels=7)),
    "gaussian": FGMRegressor(K, C="fast", space=AdditiveKernel("gaussian")),
}
METHODS = ("predict", "decision_function", "predict_proba", "transform")


@pytest.fixture(scope="module")
def fitted():
    """Make each model once."""
    X, y = two_classes()
    table, made = pd.DataFrame(X, columns=NAMES), {}

    def model(name):
        if name not in made:
            made[name] = MODELS[name].fit(table, y)
        return made[name], table

    return model


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_the_same(fitted, name, kind):
    model, table = fitted(name)
    used = used_columns(model)
    assert 0 < len(used) < len(NAMES)
    few = table[[NAMES[j] for j in used[::-1]]].assign(comment="text")
    few = pl.from_pandas(few) if kind == "polars" else few
    for method in METHODS:
        if hasattr(model, method):
            expected = getattr(model, method)(table)
            np.testing.assert_array_equal(getattr(model, method)(few), expected)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", MODELS)
def test_the_narrowed_model_takes_arrays(fitted, name):
    model, table = fitted(name)
    small, X = narrowed(model), table.to_numpy()
    assert small.n_features_in_ == len(used_columns(model))
    np.testing.assert_array_equal(
        small._raw_predictions(X[:, used_columns(model)]), model._raw_predictions(X)
    )


@pytest.mark.parametrize("name", ["FGMClassifier", "pairs", "intersection"])
def test_of_a_loaded_model_too(fitted, name, tmp_path):
    model, table = fitted(name)
    save_model(model, tmp_path / "model.handful")
    loaded = load_model(tmp_path / "model.handful")
    few = table[[NAMES[j] for j in used_columns(model)]]
    np.testing.assert_array_equal(loaded.decision_function(few), model.decision_function(table))


def test_tables_come_out_when_asked_for(fitted):
    model, table = fitted("GreedyRLSClassifier")
    few = table[[NAMES[j] for j in TRUE_IDS[::-1]]].set_index(np.arange(len(table)) + 7)
    model.set_output(transform="pandas")
    chosen = model.transform(few)
    model.set_output(transform="default")
    assert list(chosen.columns) == [NAMES[j] for j in TRUE_IDS]
    assert chosen.index.equals(few.index)


def test_a_missing_chosen_column_is_named_first(fitted):
    model, table = fitted("FGMClassifier")
    few = table[[NAMES[j] for j in TRUE_IDS[1:]]]
    for method in ("predict", "transform"):
        with pytest.raises(ValueError, match=f"^X lacks '{NAMES[TRUE_IDS[0]]}' of the {K} columns"):
            getattr(model, method)(few)


def test_what_scikit_learn_checks_stays(fitted):
    model, table = fitted("FGMClassifier")
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.predict(table[NAMES[::-1]])
    with pytest.raises(ValueError, match="X has 4 features, but FGMClassifier is expecting 60"):
        model.predict(table.to_numpy()[:, :K])
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(table.rename(columns=lambda name: f"other {name}"))


def test_two_columns_of_one_name(fitted):
    model, table = fitted("FGMClassifier")
    names = [NAMES[j] for j in TRUE_IDS]
    with pytest.raises(ValueError, match="two columns are called"):
        model.predict(table[[*names, names[0]]])


def test_wrong_entries_are_named(fitted):
    model, table = fitted("FGMClassifier")
    few = table[[NAMES[j] for j in TRUE_IDS]].copy()
    few.iloc[3, 1] = np.nan
    with pytest.raises(ValueError, match=f"NaN .row 3, column '{NAMES[TRUE_IDS[1]]}'"):
        model.predict(few)


@pytest.mark.parametrize("kind", ["pandas", "polars", "category"])
@pytest.mark.parametrize("step", ["fit", "predict"])
def test_a_column_of_text_is_named_with_what_to_do(fitted, kind, step):
    model, table = fitted("FGMClassifier")
    _, y = two_classes()
    wrong = table.assign(**{NAMES[TRUE_IDS[0]]: "Lyon"})
    if kind == "category":
        wrong = wrong.astype({NAMES[TRUE_IDS[0]]: "category"})
    wrong = pl.from_pandas(wrong) if kind == "polars" else wrong
    sentence = f"row 0, column '{NAMES[TRUE_IDS[0]]}' holds 'Lyon'; turn words into numbers first"
    with pytest.raises(ValueError, match=sentence):
        FGMClassifier(K).fit(wrong, y) if step == "fit" else model.predict(wrong)
