"""Scoring by the name of a measure: it judges what the loss of that name selects for, whatever labels are called."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from handful import FGMClassifier
from handful.measures import FBeta, PrecisionAtK
from handful.metrics import macro_measure_score
from handful.model_selection import SelectKCV, nested_score

RNG = np.random.default_rng(0)
X = RNG.standard_normal((150, 10))
SCORE = X[:, 3] - X[:, 7] + 0.5 * RNG.standard_normal(150)
RARE = (np.sort(SCORE)[-25] < SCORE).astype(int)
CLASSES = np.digitize(SCORE, [-1.0, 1.0])
LABELS = np.column_stack([SCORE > 0, X[:, 5] > 0.5]).astype(int)
FGM = FGMClassifier(C="fast")


def best_score(y, scoring, **params):
    search = SelectKCV(FGM, [1, 2], cv=3, scoring=scoring)
    return search.fit(X, y, **params).best_score_


@pytest.mark.parametrize("scoring", ["prec@10", "f2", "prbep", "f1", "average_precision"])
@pytest.mark.parametrize(
    "named",
    [
        lambda y: y + 1,
        lambda y: np.where(y, "well", "ill"),
        lambda y: pd.Series(np.where(y, "well", "ill"), dtype="category"),
        lambda y: y > 0,
        lambda y: 2 * y - 1,
    ],
)
def test_the_second_class_is_positive_whatever_it_is_called(scoring, named):
    assert best_score(named(RARE), scoring) == pytest.approx(best_score(RARE, scoring), abs=1e-12)


@pytest.mark.parametrize("scoring", ["prec@p", "f1", "roc_auc", FBeta(2)])
@pytest.mark.parametrize("y", [CLASSES, LABELS], ids=["classes", "labels"])
def test_of_more_classes_and_of_labels_it_is_the_mean(scoring, y):
    search = SelectKCV(FGM, [2], cv=3, scoring=scoring).fit(X, y)
    model = search.best_estimator_
    expected = macro_measure_score(y, model.decision_function(X), scoring)
    assert search.score(X, y) == pytest.approx(expected)
    assert 0 < nested_score(search, X, y, cv=2, scoring=scoring).mean <= 1


def test_a_fold_that_lacks_a_class_is_judged_by_the_others():
    search = SelectKCV(FGM, [2], cv=3, scoring="f1").fit(X, CLASSES)
    rows = CLASSES < 2
    model = search.best_estimator_
    decision = model.decision_function(X[rows])
    expected = macro_measure_score(CLASSES[rows], decision[:, :2], "f1")
    assert search.score(X[rows], CLASSES[rows]) == pytest.approx(expected)


def test_weights_count():
    weight = np.where(SCORE > 0, 3.0, 1.0)
    plain = best_score(RARE, "f1", sample_weight=weight)
    assert best_score(np.where(RARE, "b", "a"), "f1", sample_weight=weight) == pytest.approx(plain)
    assert plain != best_score(RARE, "f1")
    of_classes = macro_measure_score(CLASSES, np.eye(3)[CLASSES] - 0.5, "f1", sample_weight=weight)
    assert of_classes == 1.0


def test_a_measure_may_be_given_as_one():
    assert best_score(RARE, PrecisionAtK(10)) == best_score(RARE, "prec@10")
    pipeline = make_pipeline(StandardScaler(), FGM)
    SelectKCV(pipeline, [1, 2], cv=3, scoring=FBeta(2)).fit(X, np.where(RARE, "b", "a"))


def test_scikit_learn_judges_what_has_no_decision_function():
    chain = make_pipeline(FGM, DecisionTreeClassifier(random_state=0))
    SelectKCV(chain, [1, 2], cv=3, scoring="f1").fit(X, RARE)
    with pytest.raises(ValueError, match="pos_label"):
        SelectKCV(chain, [1, 2], cv=3, scoring="f1").fit(X, np.where(RARE, "b", "a"))
