"""Multi-label measures against scikit-learn and, where it has none, against counting by hand."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier

from handful import metrics

OF_SETS = {
    "zero_one_loss": sklearn.metrics.zero_one_loss,
    "hamming_loss": sklearn.metrics.hamming_loss,
    "multilabel_accuracy": lambda y, p: sklearn.metrics.jaccard_score(
        y, p, average="samples", zero_division=1.0
    ),
}
OF_RANKS = {
    "coverage": lambda y, s: sklearn.metrics.coverage_error(y, s) - 1,
    "ranking_loss": sklearn.metrics.label_ranking_loss,
    "macro_auc": lambda y, s: sklearn.metrics.roc_auc_score(y, s, average="macro"),
}


def draw(seed, n_samples=40, n_labels=6, *, decimals=1, every_sample=False):
    """Labels and scores with many ties; every label is there for some samples and not for others."""
    rng = np.random.default_rng(seed)
    labels = (rng.random((n_samples, n_labels)) < 0.3).astype(int)
    labels[0], labels[1] = 1, 0
    if every_sample:
        labels[~labels.any(axis=1), 2] = 1
        labels[:2, 2] = 1
        labels[3] = [1, 0, 0, 0, 0, 0]
    scores = (rng.standard_normal(labels.shape) + labels).round(decimals)
    return labels, scores


def ranks(scores):
    """The paper's r_f, label by label."""
    return np.array([[(row >= value).sum() for value in row] for row in scores])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", OF_SETS)
def test_sets_as_in_scikit_learn(name, seed):
    labels, scores = draw(seed)
    predicted = (scores > 0.5).astype(int)
    expected = OF_SETS[name](labels, predicted)
    assert getattr(metrics, name)(labels, predicted) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("decimals", [0, 1, 6])
@pytest.mark.parametrize("name", OF_RANKS)
def test_ranks_as_in_scikit_learn(name, decimals, seed):
    labels, scores = draw(seed, decimals=decimals, every_sample=True)
    expected = OF_RANKS[name](labels, scores)
    assert getattr(metrics, name)(labels, scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("decimals", [0, 6])
def test_ranks_by_counting(decimals, seed):
    labels, scores = draw(seed, decimals=decimals)
    rank = ranks(scores)
    errors, depths, losses = [], [], []
    for own, row in zip(labels == 1, rank, strict=True):
        first = np.flatnonzero(row == row.min())
        errors.append(not own[first].all())
        depths.append(max((row[j] for j in np.flatnonzero(own)), default=1) - 1)
        pairs = list(itertools.product(np.flatnonzero(own), np.flatnonzero(~own)))
        losses.append(np.mean([row[i] >= row[j] for i, j in pairs]) if pairs else 0.0)
    assert metrics.one_error(labels, scores) == pytest.approx(np.mean(errors))
    assert metrics.coverage(labels, scores) == pytest.approx(np.mean(depths))
    assert metrics.ranking_loss(labels, scores) == pytest.approx(np.mean(losses))


def test_macro_auc_leaves_out_labels_of_one_kind():
    labels, scores = draw(0)
    labels[:, 1], labels[:, 4] = 0, 1
    kept = [0, 2, 3, 5]
    expected = sklearn.metrics.roc_auc_score(labels[:, kept], scores[:, kept])
    assert metrics.macro_auc(labels, scores) == pytest.approx(expected)


def test_a_constant_score_is_the_worst_there_is():
    labels, _ = draw(0, every_sample=True)
    constant = np.zeros(labels.shape)
    has_both = (labels == 0).any(axis=1)
    assert metrics.one_error(labels, constant) == has_both.mean()
    assert metrics.ranking_loss(labels, constant) == has_both.mean()
    assert metrics.coverage(labels, constant) == labels.shape[1] - 1
    assert metrics.macro_auc(labels, constant) == 0.5


@pytest.mark.parametrize(
    "form",
    [
        lambda labels: labels.astype(bool),
        lambda labels: 2 * labels - 1,
        lambda labels: labels.astype(float),
        lambda labels: labels.tolist(),
        sp.csr_array,
        sp.csc_matrix,
    ],
)
def test_any_way_to_write_labels(form):
    labels, scores = draw(1)
    predicted = (scores > 0).astype(int)
    for name in OF_SETS:
        function = getattr(metrics, name)
        assert function(form(labels), form(predicted)) == function(labels, predicted)
    for name in (*OF_RANKS, "one_error"):
        function = getattr(metrics, name)
        assert function(form(labels), scores) == function(labels, scores)


def test_scorers_ask_for_what_they_need():
    X, Y = make_multilabel_classification(150, n_classes=4, random_state=0)
    model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    predicted, scores = model.predict(X), model.decision_function(X)
    for name, scorer in metrics.multilabel_scorers().items():
        function = getattr(metrics, name.removeprefix("neg_"))
        sign = -1 if name.startswith("neg_") else 1
        of_sets = name.removeprefix("neg_") in OF_SETS
        expected = sign * function(Y, predicted if of_sets else scores)
        assert scorer(model, X, Y) == pytest.approx(expected)


def test_scorers_take_probabilities_where_there_is_nothing_else():
    X, Y = make_multilabel_classification(150, n_classes=4, random_state=0)
    model = MultiOutputClassifier(LogisticRegression()).fit(X, Y)
    scores = np.column_stack([column[:, 1] for column in model.predict_proba(X)])
    assert metrics.macro_auc_scorer()(model, X, Y) == metrics.macro_auc(Y, scores)


def test_scorers_in_a_search():
    X, Y = make_multilabel_classification(150, n_classes=4, random_state=0)
    model = OneVsRestClassifier(LogisticRegression())
    grid = {"estimator__C": [1e-6, 1.0]}
    scoring = metrics.multilabel_scorers()
    search = GridSearchCV(model, grid, scoring=scoring, refit="neg_hamming_loss").fit(X, Y)
    assert search.best_params_ == {"estimator__C": 1.0}
    by_hand = cross_validate(model.set_params(estimator__C=1.0), X, Y, scoring=scoring)
    expected = by_hand["test_neg_hamming_loss"].mean()
    assert search.best_score_ == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "y_true", "other", "message"),
    [
        ("hamming_loss", [0, 1], [0, 1], "y_true must have one row for each sample and one column"),
        ("hamming_loss", [[0, 2]], [[0, 1]], r"y_true must hold 0 and 1, .*; it has 2\."),
        ("hamming_loss", [[0, 1]], [[0.3, 1]], r"y_pred must hold 0 and 1, .*; it has 0\.3\."),
        ("hamming_loss", [[0, -1]], [[0, 1]], r"y_true must hold .*; it has both 0 and -1\."),
        (
            "zero_one_loss",
            [[0, 1]],
            [[0, 1, 1]],
            r"y_pred must have the shape of y_true, \(1, 2\); it has \(1, 3\)\.",
        ),
        ("one_error", [[0, 1]], [0.3, 0.2], r"y_score must have the shape of y_true, \(1, 2\)"),
        ("coverage", [[0, 1]], [[np.nan, 1.0]], r"Input y_score contains NaN\."),
        ("ranking_loss", [[0, np.nan]], [[0.0, 1.0]], r"Input y_true contains NaN\."),
        ("macro_auc", [[0, 1], [0, 1]], [[0.1, 1], [0.2, 1]], "macro_auc is undefined: every"),
    ],
)
def test_bad_input_is_told_in_one_sentence(name, y_true, other, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        getattr(metrics, name)(y_true, other)
