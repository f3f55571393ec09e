"""A search over k or a stability selection as a step of a Pipeline: reported and drawn as it is alone."""

import numpy as np
import pandas as pd
import pytest
from report_kinds import rows, table_of, words
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from handful import FGMClassifier
from handful.inspection import (
    CorrelationDisplay,
    RoundsDisplay,
    WeightsDisplay,
    explain_gap,
    report,
)
from handful.inspection._fitted import innermost
from handful.model_selection import SelectKCV, StabilitySelection
from handful.model_selection._wrapped import chosen_ids, raise_if_interrupted
from handful.spaces import Polynomial
from handful.status import Status


def search(**options):
    return SelectKCV(FGMClassifier(C="fast", **options), [1, 2, 3], cv=3, rule="best")


def stable(threshold=0.6):
    selector = make_pipeline(StandardScaler(), FGMClassifier(3, C="fast"))
    return StabilitySelection(selector, 4, threshold=threshold, random_state=0)


PIPELINES = {
    "search": lambda: make_pipeline(StandardScaler(), search()),
    "search, then a classifier": lambda: make_pipeline(
        StandardScaler(), search(), LogisticRegression()
    ),
    "stability": lambda: make_pipeline(StandardScaler(), stable()),
    "of some columns": lambda: make_pipeline(SelectKBest(k=8), StandardScaler(), search()),
    "in another pipeline": lambda: make_pipeline(
        SelectKBest(k=8), make_pipeline(StandardScaler(), stable())
    ),
    "of made columns": lambda: make_pipeline(
        FunctionTransformer(lambda X: X[:, ::-1]), SelectKBest(k=8), search()
    ),
}


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("kind", list(PIPELINES))
def test_it_is_reported_and_drawn(kind):
    X, score = rows()
    y = score > 0
    model = PIPELINES[kind]().fit(X, y)
    text = report(model, X, y, cv=2)
    step = next(one for one in model if hasattr(one, "n_features_") or hasattr(one, "steps"))
    step = step[-1] if hasattr(step, "steps") else step
    assert len(table_of(text)) == step.n_features_
    shares = step.selection_probabilities_ if "stab" in kind or "another" in kind else None
    if shares is None:
        shares = step.selection_frequency_[[step.n_features_ - 1]]
    told = sorted(line[5] for line in table_of(text))
    ids = step.get_support(indices=True)
    assert told == sorted(f"{share:.0%}" for share in shares[0, ids].toarray().ravel())
    assert f"inside a {type(step).__name__}, inside a Pipeline" in words(text)
    for display in (WeightsDisplay, RoundsDisplay):
        display.from_estimator(model)
    map_ = CorrelationDisplay.from_estimator(model, X, max_runners=3)
    assert len(map_.runner_names) == 3
    assert not set(map_.chosen_names) & set(map_.runner_names)
    told = explain_gap(model)
    if kind in ("search", "search, then a classifier", "stability"):  # the step saw all columns
        assert told == explain_gap(step)
    assert ("of 12 " in told) == (kind not in ("search", "search, then a classifier"))


def test_columns_are_those_of_the_table():
    X, score = rows()
    model = PIPELINES["of some columns"]().fit(X, score > 0)
    ids = chosen_ids(innermost(model))
    kept = model[0].get_support(indices=True)
    assert np.array_equal(ids, kept[model[-1].get_support(indices=True)])


def test_stable_columns_are_compared_with_those_of_the_table():
    X, score = rows()
    X = pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    alone = stable().fit(X, score > 0)
    shown = CorrelationDisplay.from_estimator(alone, X)
    assert set(shown.chosen_names) == set(alone.get_feature_names_out())
    assert set(shown.chosen_names) | set(shown.runner_names) == set(X.columns)
    expected = X.corr().loc[shown.chosen_names, shown.runner_names]
    assert np.allclose(shown.correlations, expected)


def test_where_everything_is_chosen_there_is_nothing_to_compare_with():
    X, score = rows()
    model = FGMClassifier(X.shape[1], C="fast").fit(X, score > 0)
    with pytest.raises(TypeError, match="no columns that were not chosen to draw"):
        CorrelationDisplay.from_estimator(model, X)


def test_pairs_of_picked_columns_are_reported():
    X, score = rows()
    model = make_pipeline(SelectKBest(k=8), FGMClassifier(2, C="fast", space=Polynomial()))
    model.fit(X, score > 0)
    assert np.array_equal(chosen_ids(model), model[-1].support_ids_)
    assert len(table_of(report(model, X, score > 0, cv=2))) == 2


def test_nothing_stable_is_said_of_a_pipeline_too():
    model = make_pipeline(StandardScaler(), stable(threshold=1.0))
    noise = np.random.default_rng(0).standard_normal((40, 300))
    with pytest.warns(UserWarning, match="No feature was selected"):
        model.fit(noise, np.arange(40) % 2)
    with pytest.raises(ValueError, match="no feature is stable"):
        report(model, noise, np.arange(40) % 2)


def test_an_interrupted_step_ends_the_folds():
    X, score = rows()
    model = make_pipeline(StandardScaler(), stable()).fit(X, score > 0)
    raise_if_interrupted(model)
    model[-1].status_ = Status.SOME_RESAMPLES
    with pytest.raises(KeyboardInterrupt):
        raise_if_interrupted(model)
