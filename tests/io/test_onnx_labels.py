"""An ONNX graph of several labels gives the matrix that ``predict`` gives."""

import json

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

from handful import DirectSparsityClassifier, FGMClassifier, GreedyRLSClassifier
from handful.io.exports import model_as_onnx
from handful.io.model_file import ModelFile
from handful.spaces import Polynomial

pytest.importorskip("skl2onnx", reason="the extra onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 8)).astype(np.float32).astype(np.float64)
YES = X[:, :3] + 0.3 * RNG.normal(size=(80, 3)) > 0

MODELS = {
    "hinge": FGMClassifier(3, C="fast"),
    "logistic": FGMClassifier(3, C="fast", loss="logistic"),
    "measure": FGMClassifier(3, C="fast", loss="f1"),
    "pairs": FGMClassifier(3, C="fast", space=Polynomial()),
    "pairs logistic": FGMClassifier(3, C="fast", loss="logistic", space=Polynomial()),
    "greedy": GreedyRLSClassifier(3),
    "direct": DirectSparsityClassifier(3),
    "direct, then another": DirectSparsityClassifier(3, refit=RidgeClassifier()),
}


def check(model):
    """Compare what onnxruntime makes of the rows with what the model does."""
    session = runtime.InferenceSession(
        model_as_onnx(ModelFile(model)), providers=["CPUExecutionProvider"]
    )
    columns = [
        int(name) for name in json.loads(session.get_modelmeta().custom_metadata_map["columns"])
    ]
    label, second = session.run(None, {"X": X[:, columns].astype(np.float32)})
    np.testing.assert_array_equal(label, model.predict(X))
    names = [output.name for output in session.get_outputs()]
    is_logistic = hasattr(model, "predict_proba")
    assert names == ["label", "probabilities" if is_logistic else "scores"]
    expected = model.predict_proba(X) if is_logistic else model.decision_function(X)
    np.testing.assert_allclose(second, expected, rtol=1e-4, atol=1e-5)
    assert [output.shape[1] for output in session.get_outputs()] == [label.shape[1]] * 2


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_labels_are_the_matrix_of_predict(name, n_labels):
    check(MODELS[name].fit(X, YES[:, :n_labels].astype(int)))


@pytest.mark.parametrize(
    "Y", [np.where(YES, 1, -1), YES, YES.astype(float)], ids=["signs", "bools", "floats"]
)
def test_what_no_and_yes_are_called(Y):
    check(FGMClassifier(3, C="fast").fit(X, Y))


def test_a_label_that_never_changes():
    Y = np.column_stack([YES[:, 0], np.zeros(80), np.ones(80)]).astype(int)
    with pytest.warns(UserWarning, match="same"):
        model = FGMClassifier(3, C="fast").fit(X, Y)
    check(model)
