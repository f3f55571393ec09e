"""Names that are too few, and models without features, are told in one sentence."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import DictionaryMILClassifier, GreedyRLSClassifier
from handful.datasets import make_bags
from handful.inspection import CorrelationDisplay, RoundsDisplay, StabilityDisplay, WeightsDisplay
from handful.model_selection import StabilitySelection

pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 10))
Y = (X[:, 3] + X[:, 7] > 0).astype(int)
NAMES = [f"gene {j}" for j in range(10)]


@pytest.fixture(scope="module")
def unstable():
    """Return a stability selection of noise, without a stable feature."""
    rng = np.random.default_rng(1)
    model = StabilitySelection(GreedyRLSClassifier(2), 6, random_state=0, threshold=1.0)
    with pytest.warns(UserWarning, match="No feature was selected"):
        return model.fit(rng.normal(size=(60, 200)), rng.integers(0, 2, 60))


def test_no_rounds_are_no_picture():
    data = make_bags(n_bags=20, random_state=0)
    model = DictionaryMILClassifier(2, max_iter=0, random_state=0).fit(data.bags, data.y)
    with pytest.raises(TypeError, match=r"^DictionaryMILClassifier has no rounds to draw\.$"):
        RoundsDisplay.from_estimator(model)


@pytest.mark.parametrize("n_names", [1, 11])
def test_names_are_for_all_columns(n_names):
    model = GreedyRLSClassifier(2).fit(X, Y)
    told = f"feature_names has {n_names} names? for 10 columns; give one for each"
    names = [*NAMES, "one more"][:n_names]
    with pytest.raises(ValueError, match=told):
        WeightsDisplay.from_estimator(model, feature_names=names)
    with pytest.raises(ValueError, match=told):
        CorrelationDisplay.from_estimator(model, X, feature_names=names)


def test_too_few_names_for_what_was_counted():
    model = StabilitySelection(GreedyRLSClassifier(2), 6, random_state=0, threshold=0.5).fit(X, Y)
    with pytest.raises(ValueError, match="feature_names has 1 name for 10 columns"):
        StabilityDisplay.from_estimator(model, feature_names=["a"])


def test_names_of_X_reach_the_features_of_a_stability_selection():
    model = StabilitySelection(GreedyRLSClassifier(2), 6, random_state=0, threshold=0.9).fit(X, Y)
    assert model.support_ids_.tolist() == [3, 7]
    display = WeightsDisplay.from_estimator(model, feature_names=NAMES)
    assert sorted(display.names) == ["gene 3", "gene 7"]


def test_names_of_X_reach_a_selector_behind_a_scaler():
    chain = make_pipeline(StandardScaler(), GreedyRLSClassifier(2)).fit(X, Y)
    display = WeightsDisplay.from_estimator(chain, feature_names=NAMES)
    assert sorted(display.names) == ["gene 3", "gene 7"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((["a"], [[1.0, 2.0]], ["y"]), "names has 1 name for 2 features"),
        ((["a", "b"], [[1.0, 2.0]], []), "output_names has 0 names for 1 output;"),
    ],
)
def test_names_go_with_weights(given, told):
    with pytest.raises(ValueError, match=told):
        WeightsDisplay(*given)
    with pytest.raises(ValueError, match="group_names has 1 name for 2 features"):
        WeightsDisplay(["a", "b"], [[1.0, 2.0]], ["y"], group_names=["g"])


def test_nothing_stable(unstable):
    told = "no feature is stable, so there is no model to draw; lower the threshold"
    for display in (WeightsDisplay, RoundsDisplay):
        with pytest.raises(ValueError, match=told):
            display.from_estimator(unstable)
    with pytest.raises(ValueError, match=told):
        CorrelationDisplay.from_estimator(unstable, np.zeros((60, 200)))
    assert StabilityDisplay.from_estimator(unstable).ax_ is not None
