"""Measures in a model file: every one survives, strange ones are refused."""

import numpy as np
import pytest
from labelings import MAKERS
from saved_models import SCORE, X, alter, put

from handful import FGMClassifier, SVMPerfClassifier
from handful.io import InputError, load_model, save_model
from handful.measures import Accuracy, PrecisionAtK, known_measures


@pytest.mark.parametrize("name", MAKERS)
def test_every_measure_survives_with_its_parameters(name, tmp_path):
    rng, positive = np.random.default_rng(0), SCORE > 1
    for _ in range(3):
        measure = MAKERS[name](rng, len(SCORE), int(positive.sum()))
        model = FGMClassifier(2, loss=measure, C="fast", max_rounds=2).fit(X, positive)
        save_model(model, tmp_path / "m")
        again = load_model(tmp_path / "m")
        assert type(again.loss) is known_measures()[name]
        assert repr(again.loss) == repr(measure)
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_a_measure_of_ones_own_is_refused(tmp_path):
    class Mine(Accuracy):
        pass

    model = FGMClassifier(2, loss=Mine(), C="fast").fit(X, SCORE > 0)
    with pytest.raises(
        InputError, match=r"^loss is a Mine, which a model file cannot hold; keep the model with"
    ):
        save_model(model, tmp_path / "m")


@pytest.mark.parametrize("y", [SCORE > 0, np.digitize(SCORE, [-0.5, 0.5])])
def test_svmperf_survives(tmp_path, y):
    model = SVMPerfClassifier("prec@10%", C=0.01).fit(X, y)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.get_params() == model.get_params()
    assert (again.status_, again.dual_gap_) == (model.status_, model.dual_gap_)


def test_svmperf_with_weights_of_other_columns_is_refused(tmp_path):
    path = tmp_path / "m"
    save_model(SVMPerfClassifier("f1", C=0.01).fit(X, SCORE > 0), path)
    alter(path, put("coef_", np.zeros((1, 14))))
    with pytest.raises(InputError, match="coef_ has another number of columns"):
        load_model(path)


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (["system", {"command": "true"}], "system"),
        (["precision_at_k", {"k": 0}], "k must be a whole number"),
        (["precision_at_k", {"k": "2q"}], "k must be a whole number"),
        (["precision_at_k", {}], "k"),
        (["fbeta", {"beta": -1.0}], "beta"),
        (["prbep", {"k": 3}], "k"),
        ("prbep", "does not make sense"),
    ],
)
def test_strange_measures_are_refused(tmp_path, stored, words):
    path = tmp_path / "m"
    save_model(FGMClassifier(2, loss=PrecisionAtK(5), C="fast").fit(X, SCORE > 1), path)
    alter(path, lambda manifest, _: manifest["parameters"].update({"loss": {"measure": stored}}))
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("own", [[[1, 2], [3], [99]], [[3], [8]]])
def test_features_of_classes_must_be_among_the_selected(tmp_path, own):
    path = tmp_path / "m"
    model = FGMClassifier(2, loss="f1", C="fast").fit(X, np.digitize(SCORE, [-1, 1]))
    save_model(model, path)
    alter(path, lambda manifest, _: manifest["fitted"].update({"class_support_ids_": own}))
    with pytest.raises(InputError, match="class_support_ids_"):
        load_model(path)
