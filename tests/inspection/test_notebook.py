"""What notebooks show: a summary above scikit-learn's diagram, in which no name runs."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from handful import (
    DictionaryMILClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    Status,
)
from handful.datasets import make_bags
from handful.history import History, Round
from handful.inspection import explain_gap
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import Polynomial

WICKED = "<script>alert(\"1\")</script><img src=x onerror='alert(2)'>&amp;"


class Reader(HTMLParser):
    """Collects the tags with their attributes, and the texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


def summary(estimator):
    """The part above scikit-learn's diagram."""
    whole = estimator._repr_html_()
    own, style, diagram = whole.partition("<style>")
    assert style and "sk-top-container" in diagram  # noqa: PT018
    return own


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 40))
    names = [f"{WICKED}{j}" for j in range(40)]
    return pd.DataFrame(X, columns=names), X[:, 0] - X[:, 3] + 0.1 * rng.standard_normal(80)


def test_before_fit_it_is_the_diagram():
    model = FGMClassifier(3)
    assert "handful-summary" not in model._repr_html_()
    same = len(estimator_html_repr(model))
    assert abs(len(model._repr_html_()) - same) < 50  # ids are counted up


def test_a_fitted_selector(data):
    model = FGMRegressor(25, C="fast").fit(*data)
    read = Reader(summary(model))
    assert "25 of 40 features" in read.texts
    assert str(Status.SELECTED) in read.texts
    assert explain_gap(model) in read.texts
    assert "and 5 more with smaller weights" in read.texts
    order = np.argsort(-np.abs(model.weights_[0]), kind="stable")[:20]
    cells = read.texts[read.texts.index("weight") + 1 :][:40]
    assert cells[::2] == [f"{WICKED}{j}" for j in model.support_ids_[order]]
    assert cells[1::2] == [f"{weight:.4g}" for weight in model.weights_[0][order]]
    bundle = model._repr_mimebundle_()
    assert "25 of 40 features" in bundle["text/html"]
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")


@pytest.mark.parametrize(
    "estimator",
    [
        FGMRegressor(2, C="fast"),
        FGMRegressor(2, C="fast", groups=np.repeat(np.arange(10), 4)),
        FGMRegressor(2, C="fast", space=Polynomial()),
        GreedyRLSRegressor(2),
        MultiTaskLassoInf(alpha=0.1),
        SelectKCV(FGMRegressor(C="fast"), [1, 2]),
        SelectKCV(make_pipeline(StandardScaler(), FGMRegressor(C="fast")), [1, 2]),
        StabilitySelection(GreedyRLSRegressor(2), 3, threshold=0.6, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_nothing_of_a_name_runs(data, estimator):
    read = Reader(summary(estimator.fit(*data)))
    assert set(read.tags) <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert {name for name, _ in read.attributes} == {"class", "style"}
    assert any("<script>" in text for text in read.texts)


def test_classes(data):
    X, y = data
    labels = np.array([WICKED, "b", "c"])[np.digitize(y, [-1, 1])]
    read = Reader(summary(FGMClassifier(2, C="fast").fit(X, labels)))
    assert f"weight, {WICKED}" in read.texts
    many = FGMRegressor(2, C="fast").fit(X, X.to_numpy()[:, :6])
    assert "norm of 6 weights" in Reader(summary(many)).texts


TOO_GOOD = "on the rows it was fitted to, which is too good for others."


def test_score_of_training_rows(data):
    X, y = data
    labels = np.digitize(y, [-1, 1])
    labelled = np.column_stack([y > 0, X.to_numpy()[:, 1] > 0]).astype(int)
    weight = np.repeat([1.0, 3.0], 40)
    for model, target in (
        (FGMClassifier(2, C="fast", class_weight="balanced"), y > 0),
        (GreedyRLSClassifier(3), labels),
        (RFSClassifier(3), labels),
        (FGMClassifier(2, C="fast", space=Polynomial()), labels),
    ):
        model.fit(X, target, sample_weight=weight)
        assert f"Accuracy {model.score(X, target):.1%} {TOO_GOOD}" in Reader(summary(model)).texts
    for target in (y, X.to_numpy()[:, :3]):
        model = FGMRegressor(3, C="fast").fit(X, target)
        assert f"R² {model.score(X, target):.4g} {TOO_GOOD}" in Reader(summary(model)).texts
    model = GreedyRLSClassifier(2).fit(X, labelled)
    right = (model.predict(X) == labelled).mean()
    assert f"{right:.1%} of labels right {TOO_GOOD}" in Reader(summary(model)).texts
    model = FGMClassifier(2, C="fast", loss="f1").fit(X, labels)
    model.set_params(per_class=True).fit(X, labels)  # none is known there, and none left over
    assert "fitted to" not in summary(model)


def test_bags():
    made = make_bags(30, random_state=0)
    chosen = MILESClassifier(2, C="fast").fit(made.bags, made.y)
    assert "instances of 10 columns" in summary(chosen)
    atoms = DictionaryMILClassifier(2, max_iter=3).fit(made.bags, made.y)
    assert "2 atoms in 10 columns" in summary(atoms)


def test_choices_over_folds_and_resamples(data):
    search = SelectKCV(GreedyRLSRegressor(), [1, 2, 4]).fit(*data)
    read = Reader(summary(search))
    assert f"{search.n_features_} features, chosen among 1, 2, 4" in read.texts
    assert str(search.honesty_).split("\n")[0] in read.texts
    model = StabilitySelection(GreedyRLSRegressor(2), 3, threshold=0.6, random_state=0).fit(*data)
    told = Reader(summary(model)).texts
    assert f"{model.n_features_} of 40 features, selected in 60.0% of 6 fits or more" in told


def test_history_and_status(data):
    model = FGMRegressor(2, C="fast").fit(*data)
    read = Reader(model.history_._repr_html_())
    assert repr(model.history_) in read.texts
    assert read.tags.count("tr") == len(model.history_) + 1
    last = model.history_[-2]
    assert f"{last.objective:.6g}" in read.texts
    assert f"{last.relative_gap:.2%}" in read.texts
    long = History([Round(j, "generate", j, 1.0, -np.inf, 0.1) for j in range(1, 101)])
    shown = Reader(long._repr_html_()).texts
    assert "10" in shown and "100" in shown and "50" not in shown  # noqa: PT018
    assert Status.SELECTED._repr_html_() == f"<p>SELECTED: {Status.SELECTED}</p>"
