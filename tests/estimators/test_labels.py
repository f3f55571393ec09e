"""Labels of any type, two or more classes, and the weights of classes."""

import numpy as np
import pandas as pd
import pytest
from problems import TRUE_IDS, more_classes, two_classes

from handful import FGMClassifier

K = len(TRUE_IDS)
LABELS = {
    "str": np.array(["healthy", "ill", "unknown"]),
    "object": np.array(["healthy", "ill", "unknown"], dtype=object),
    "int": np.array([-7, 0, 40]),
    "uint8": np.array([1, 2, 255], dtype=np.uint8),
    "float": np.array([-1.0, 0.0, 2.0]),
    "bool": np.array([False, True]),
}


@pytest.mark.parametrize(
    ("kind", "n_classes"), [(kind, n) for kind in LABELS for n in (2, 3) if n <= len(LABELS[kind])]
)
def test_any_type(kind, n_classes):
    labels = LABELS[kind][:n_classes]
    X, codes = two_classes() if n_classes == 2 else more_classes(3)
    model, plain = (
        FGMClassifier(K, C="fast").fit(X, labels[codes]),
        FGMClassifier(K, C="fast").fit(X, codes),
    )
    assert model.classes_.dtype == labels.dtype
    np.testing.assert_array_equal(model.classes_, labels)
    np.testing.assert_array_equal(model.predict(X), labels[plain.predict(X)])
    assert model.predict(X).dtype == labels.dtype
    np.testing.assert_array_equal(model.weights_, plain.weights_)


@pytest.mark.parametrize(
    "column",
    [
        list,
        lambda labels: labels[:, None],
        pd.Series,
        lambda labels: pd.Series(pd.Categorical(labels)),
        lambda labels: pd.Series(labels, dtype="string"),
    ],
    ids=["list", "one column", "series", "categorical", "string series"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_any_container(column):
    X, codes = two_classes()
    labels = np.array(["a", "b"])[codes]
    model = FGMClassifier(K, C="fast").fit(X, column(labels))
    assert model.classes_.tolist() == ["a", "b"]
    assert (model.predict(X) == labels).mean() > 0.95


def test_two_classes_are_signed_towards_the_second():
    X, y = two_classes()
    model = FGMClassifier(K, C="fast").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))


def test_more_classes_are_one_against_the_rest_on_shared_features():
    X, y = more_classes(3)
    model = FGMClassifier(K, C="fast").fit(X, y)
    assert model.decision_function(X).shape == (len(y), 3)
    for label, weights, intercept in zip(
        model.classes_, model.weights_, model.intercept_, strict=True
    ):
        # The other features excluded, the same C: each class alone gives the same weights.
        alone = FGMClassifier(K, C=model.C_, include=model.support_ids_).fit(X, y == label)
        np.testing.assert_allclose(alone.weights_[0], weights, rtol=1e-6)
        np.testing.assert_allclose(alone.intercept_[0], intercept, rtol=1e-6)


def test_class_weights_multiply_sample_weights():
    X, y = more_classes(3)
    by_class = FGMClassifier(K, C=1.0, class_weight={0: 2.0, 1: 0.5}).fit(X, y)
    by_sample = FGMClassifier(K, C=1.0).fit(X, y, np.array([2.0, 0.5, 1.0])[y])
    np.testing.assert_array_equal(by_class.weights_, by_sample.weights_)


def test_balanced_counts_weights_not_rows():
    """Weight two is the row twice, also for class_weight="balanced"."""
    X, y = two_classes()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = FGMClassifier(K, C=1.0, class_weight="balanced").fit(X, y, weight)
    repeated = FGMClassifier(K, C=1.0, class_weight="balanced").fit(
        X.repeat(weight, axis=0), y.repeat(weight)
    )
    np.testing.assert_array_equal(weighted.support_ids_, repeated.support_ids_)
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-6)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_a_class_of_weight_zero_is_known_but_never_predicted(loss):
    X, y = more_classes(3)
    model = FGMClassifier(K, loss=loss, C="fast").fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(X)) == {0, 2}
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.intercept_).all()
