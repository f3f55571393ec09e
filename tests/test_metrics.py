"""Scores that scikit-learn lacks, in its own tools."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from handful.metrics import (
    macro_measure_score,
    measure_score,
    measure_scorer,
    prbep,
    prbep_scorer,
    precision_at_k,
    precision_at_k_scorer,
    recall_at_k,
    recall_at_k_scorer,
)


@pytest.fixture
def data():
    return make_classification(300, 8, weights=[0.8], flip_y=0.1, random_state=0)


def test_functions_take_any_two_labels():
    score = [0.9, 0.8, 0.3, 0.2, 0.1]
    for labels, pos_label in (
        ([1, 0, 1, 0, 0], 1),
        ([1, -1, 1, -1, -1], 1),
        ([True, False, True, False, False], True),
        (["b", "a", "b", "a", "a"], "b"),
        ([0, 1, 0, 1, 1], 0),
        ([7, 3, 7, 3, 3], 7),
    ):
        assert precision_at_k(labels, score, 2, pos_label=pos_label) == 0.5
        assert precision_at_k(labels, score, 0.2, pos_label=pos_label) == 1.0
        assert recall_at_k(labels, score, "1.5p", pos_label=pos_label) == 1.0
        assert prbep(labels, score, pos_label=pos_label) == 0.5


def test_functions_agree_with_scikit_learn(data):
    _, y = data
    score = np.random.default_rng(0).normal(size=len(y)) + y
    top = np.zeros(len(y), dtype=int)
    top[np.argsort(-score)[:40]] = 1
    assert precision_at_k(y, score, 40) == precision_score(y, top)
    assert measure_score(y, score, "roc_auc") == roc_auc_score(y, score)
    assert measure_score(y, score, "average_precision") == average_precision_score(y, score)
    assert measure_score(y, score, "f1") == pytest.approx(f1_score(y, score > 0))


def test_ties_are_half_a_hit():
    assert precision_at_k([1, 0, 0], [0.5, 0.5, 0.1], 1) == 0.5
    assert prbep([1, 0, 0, 0], np.zeros(4)) == 0.25


@pytest.mark.parametrize(
    ("scorer", "function"),
    [
        (precision_at_k_scorer(20), lambda y, s: precision_at_k(y, s, 20)),
        (recall_at_k_scorer("2p"), lambda y, s: recall_at_k(y, s, "2p")),
        (prbep_scorer(), prbep),
        (measure_scorer("f1"), lambda y, s: f1_score(y, s > 0)),
    ],
    ids=["precision", "recall", "prbep", "f1"],
)
def test_scorers_ask_for_what_ranks(data, scorer, function):
    X, y = data
    model = LinearSVC().fit(X[:200], y[:200])
    expected = function(y[200:], model.decision_function(X[200:]))
    assert scorer(model, X[200:], y[200:]) == pytest.approx(expected)


def test_scorer_takes_probabilities_where_there_is_nothing_else(data):
    X, y = data
    model = GaussianNB().fit(X, y)
    assert prbep_scorer()(model, X, y) == prbep(y, model.predict_proba(X)[:, 1])


def test_positive_label_may_be_either(data):
    X, y = data
    named = np.where(y == 1, "ham", "spam")  # the positive is the second in the alphabet
    model = LogisticRegression().fit(X, named)
    score = model.decision_function(X)
    assert prbep_scorer(pos_label="spam")(model, X, named) == prbep(y == 0, score)
    assert prbep_scorer(pos_label="ham")(model, X, named) == prbep(y == 1, -score)


@pytest.mark.parametrize(
    "scorer", [precision_at_k_scorer("10%"), recall_at_k_scorer("2p"), prbep_scorer()]
)
def test_grid_search(data, scorer):
    X, y = data
    grid = {"C": [1e-4, 1.0]}
    search = GridSearchCV(LogisticRegression(), grid, scoring=scorer, error_score="raise")
    search.fit(X, y)
    by_hand = cross_val_score(LogisticRegression(**search.best_params_), X, y, scoring=scorer)
    assert search.best_score_ == pytest.approx(by_hand.mean())


def test_several_scorers_at_once(data):
    X, y = data
    scoring = {"prbep": prbep_scorer(), "ap": measure_scorer("average_precision")}
    search = GridSearchCV(LinearSVC(), {"C": [0.1, 1.0]}, scoring=scoring, refit="prbep").fit(X, y)
    assert {"mean_test_prbep", "mean_test_ap"} <= set(search.cv_results_)


def test_bad_input_is_told_in_one_sentence():
    with pytest.raises(ValueError, match=r"^y_true must have two labels; it has 3: 0, 1, 2\.$"):
        prbep([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"^pos_label=1 is not a label of y_true, which has 'a', "):
        prbep(["a", "b"], [0.1, 0.2])
    with pytest.raises(
        ValueError, match=r"^prbep is undefined without positive samples, and y has"
    ):
        prbep([0, 0], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"^k=3 is more than the 2 samples there are"):
        precision_at_k([0, 1], [0.1, 0.2], 3)
    with pytest.raises(ValueError, match=r"^k must be a whole number of at least 1"):
        precision_at_k_scorer("0p")
    with pytest.raises(ValueError, match=r"^k must be a whole number of at least 1"):
        recall_at_k_scorer(0)
    with pytest.raises(ValueError, match=r"^measure must be one of"):
        measure_scorer("f")
    with pytest.raises(ValueError, match=r"^y_true must hold one label for each sample; got shape"):
        prbep([[0, 1]], [0.1, 0.2])


class TestMacro:
    def test_the_mean_of_each_class_against_the_rest(self):
        rng = np.random.default_rng(0)
        y, scores = rng.choice(list("cab"), 60), rng.standard_normal((60, 3))
        for measure in ("f1", "rec@p", "roc_auc"):
            alone = [measure_score(y == c, scores[:, j], measure) for j, c in enumerate("abc")]
            assert macro_measure_score(y, scores, measure) == pytest.approx(np.mean(alone))
            given = macro_measure_score(y, scores[:, ::-1], measure, labels=list("cba"))
            assert given == pytest.approx(np.mean(alone))

    def test_a_class_without_samples_is_left_out_as_a_label_is(self):
        y, scores = np.array([0, 1, 1]), np.array([[1, -1, -1], [1, 1, -1], [-1, 1, 2]])
        expected = macro_measure_score(y, scores[:, :2], "f1")
        assert 0 < expected < 1
        given = macro_measure_score(y, scores, "f1", labels=[0, 1, 2])
        assert given == expected
        assert given == macro_measure_score(np.eye(3)[y], scores, "f1")

    def test_a_class_whose_samples_weigh_nothing_is_left_out(self):
        rng = np.random.default_rng(0)
        y, scores = rng.integers(0, 3, 60), rng.standard_normal((60, 3))
        seen = y < 2
        expected = macro_measure_score(y[seen], scores[seen], "f1", labels=[0, 1, 2])
        given = macro_measure_score(y, scores, "f1", sample_weight=seen.astype(float))
        assert given == pytest.approx(expected)
        of_labels = macro_measure_score(np.eye(3)[y], scores, "f1", sample_weight=seen.astype(int))
        assert of_labels == pytest.approx(expected)

    def test_where_it_is_defined_for_no_class_it_says_why(self):
        with pytest.raises(ValueError, match="roc_auc is undefined without negative samples"):
            macro_measure_score([1, 1], np.zeros((2, 1)), "roc_auc", labels=[1])

    def test_labels_that_samples_may_have_several_of(self):
        rng = np.random.default_rng(0)
        Y, scores = rng.integers(0, 2, (40, 4)), rng.standard_normal((40, 4))
        Y[:, 3] = 0  # has no F1
        for measure in ("f1", "prbep", "rec@p"):
            alone = [measure_score(Y[:, j], scores[:, j], measure) for j in range(3)]
            for given in (Y, 2 * Y - 1, csr_array(Y)):
                assert macro_measure_score(given, scores, measure) == pytest.approx(np.mean(alone))
        alone = [measure_score(Y[:, j], scores[:, j], "accuracy") for j in range(4)]
        assert macro_measure_score(Y, scores, "accuracy") == pytest.approx(np.mean(alone))
        with pytest.raises(ValueError, match="f1 is undefined: every label of y_true is there"):
            macro_measure_score(0 * Y, scores, "f1")

    @pytest.mark.parametrize("scores", [np.zeros(3), np.zeros((3, 2))])
    def test_a_column_for_each_class(self, scores):
        with pytest.raises(ValueError, match="one column for each of the 3 classes"):
            macro_measure_score([0, 1, 2], scores, "f1")
