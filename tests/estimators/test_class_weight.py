"""``class_weight``, ``n_jobs`` and ``verbose`` mean the same on every estimator, wherever they have a meaning."""

import numpy as np
import pytest
from every_estimator import ESTIMATORS
from problems import N_SAMPLES, features, more_classes, quantities, scores, two_classes
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_sample_weight

import handful
from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    GreedyRLSClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    load_model,
    save_model,
)

CLASSIFIERS = {
    "greedy": GreedyRLSClassifier(3),
    "greedy, grid": GreedyRLSClassifier(3, alpha=[0.1, 10.0]),
    "direct, soft": DirectSparsityClassifier(3, margin="soft"),
    "direct, projected": DirectSparsityClassifier(3, margin="projected"),
    "direct, grid": DirectSparsityClassifier(3, margin="soft", p=[0.5, 1.0]),
    "direct, own refit": DirectSparsityClassifier(3, margin="soft", refit=LogisticRegression()),
    "rfs": RFSClassifier(3),
    "rfs, grid": RFSClassifier(3, alpha=[0.5, 2.0]),
    "fgm": FGMClassifier(3, C="fast"),
}
DRAWN = {2: two_classes(), 3: more_classes(3)}
WEIGHTS = {0: 3, 1: 1, 2: 2}
every_classifier = pytest.mark.parametrize("name", CLASSIFIERS)
every_number = pytest.mark.parametrize("n_classes", [2, 3])


def fit(name, X, y, sample_weight=None, **options):
    model = CLASSIFIERS[name]
    return type(model)(**model.get_params(deep=False) | options).fit(X, y, sample_weight)


def noisy(n_classes):
    """Classes that overlap: weights decide."""
    X, y = DRAWN[n_classes]
    rng = np.random.default_rng(3)
    return X, np.where(rng.random(len(y)) < 0.2, rng.integers(0, n_classes, len(y)), y)


def assert_same(model, expected, X):
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    found, wanted = model.decision_function(X), expected.decision_function(X)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@every_classifier
@every_number
def test_class_weights_are_factors_of_sample_weights(name, n_classes):
    X, y = noisy(n_classes)
    given = {label: WEIGHTS[label] for label in range(n_classes)}
    own = np.random.default_rng(4).uniform(0.5, 2.0, N_SAMPLES)
    expected = fit(name, X, y, own * compute_sample_weight(given, y))
    assert_same(fit(name, X, y, own, class_weight=given), expected, X)
    balanced = fit(name, X, y, compute_sample_weight("balanced", y))
    assert_same(fit(name, X, y, class_weight="balanced"), balanced, X)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if "grid" not in name])
@every_number
def test_a_class_of_weight_two_is_its_rows_twice(name, n_classes):
    X, y = noisy(n_classes)
    given = {label: WEIGHTS[label] for label in range(n_classes)}
    rows = np.repeat(np.arange(N_SAMPLES), [given[label] for label in y])
    assert_same(fit(name, X, y, class_weight=given), fit(name, X[rows], y[rows]), X)


@every_classifier
def test_class_weights_count(name):
    X, y = noisy(2)
    plain = fit(name, X, y)
    model = fit(name, X, y, class_weight={0: 1.0, 1: 20.0})
    assert (model.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()


@pytest.mark.parametrize("name", ["greedy", "direct, soft", "rfs"])
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("equal", "class_weight must be a dictionary from class to number, 'balanced' or None"),
        ({0: -1.0}, "class_weight must be finite and not negative; class 0 has -1"),
        ({0: 1e80}, "class_weight must be 0 or lie between"),
        ({7: 2.0}, "class_weight has 7, which is no class of y"),
        ({0: 0.0}, "y has one class only"),
    ],
)
def test_wrong_class_weights(name, wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(name, *DRAWN[2], class_weight=wrong)


def test_several_labels_have_no_classes_to_weigh():
    X = features()
    labels = (scores(X, 3) > 0).astype(int)
    with pytest.raises(ValueError, match="class_weight is for y with one class for each sample"):
        GreedyRLSClassifier(3, class_weight="balanced").fit(X, labels)


def test_hard_margins_say_that_class_weights_do_not_count():
    X, y = two_classes(n_samples=30)
    with pytest.warns(UserWarning, match="whatever its sample_weight or class_weight"):
        DirectSparsityClassifier(margin="hard", class_weight={0: 2.0}).fit(X, y)


@pytest.mark.parametrize("name", ["greedy", "direct, soft", "rfs"])
@pytest.mark.parametrize("given", ["balanced", {0: 1.0, 1: 2.0}])
def test_a_model_file_keeps_class_weights_and_no_threads(name, given, tmp_path):
    model = fit(name, *DRAWN[2], class_weight=given, n_jobs=1)
    save_model(model, tmp_path / "m.handful")
    again = load_model(tmp_path / "m.handful")
    assert again.class_weight == given
    assert again.n_jobs is None


def test_every_classifier_has_class_weight():
    classifiers = [name for name in handful.__all__ if name.endswith("Classifier")]
    without = [
        name for name in classifiers if "class_weight" not in getattr(handful, name)().get_params()
    ]
    assert not without


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_shows_its_work_and_has_threads(name):
    model = ESTIMATORS[name]()
    assert {"verbose", "n_jobs"} <= model.get_params().keys()
    assert hasattr(model, "set_callbacks")


THREADED = [DirectSparsityClassifier(3), RFSClassifier(3), RFSRegressor(3), MultiTaskLassoInf(0.1)]


@pytest.mark.parametrize("model", THREADED, ids=lambda model: type(model).__name__)
def test_threads_change_nothing(model):
    X, y = quantities() if "Regressor" in type(model).__name__ else DRAWN[2]
    expected = model.fit(X, y)
    again = type(model)(**model.get_params() | {"n_jobs": 2}).fit(X, y)
    np.testing.assert_array_equal(again.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(again.weights_, expected.weights_, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="n_jobs must be a whole number, -1 for all cores, or"):
        type(model)(n_jobs=0).fit(X, y)
