"""Models of vanishing rows through the model file."""

import numpy as np
import pytest
from sklearn.svm import SVC

from handful import DirectSparsityClassifier, RFSClassifier, RFSRegressor
from handful.io import InputError, load_model, save_model


@pytest.mark.parametrize(
    "model",
    [
        DirectSparsityClassifier(),
        DirectSparsityClassifier(3, p=[0.5, 1.0]),
        DirectSparsityClassifier(3, margin="soft", penalize_intercept=True),
        RFSClassifier(3),
        RFSRegressor(3),
    ],
)
def test_a_saved_model_is_the_same(model, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 40))
    model.fit(X, X[:, :3].argmax(axis=1))
    save_model(model, tmp_path / "model.handful")
    copy = load_model(tmp_path / "model.handful")
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    np.testing.assert_array_equal(copy.scores_, model.scores_)
    np.testing.assert_array_equal(copy.coef_, model.coef_)
    assert copy.status_ is model.status_
    assert copy.get_params().keys() == model.get_params().keys()


def test_another_estimator_inside_is_refused_by_name(tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 40))
    model = DirectSparsityClassifier(3, refit=SVC(kernel="linear")).fit(X, X[:, :3].argmax(axis=1))
    with pytest.raises(InputError, match="refit is a SVC, which a model file cannot hold"):
        save_model(model, tmp_path / "model.handful")
