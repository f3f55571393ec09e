"""The risk of precision and recall at k as the paper has it: against all labelings, and where it falls short."""

import numpy as np
import pytest
from labelings import all_labelings, random_case, size

from handful import FGMClassifier, load_model, save_model
from handful.measures import PrecisionAtK, RecallAtK, resolve_measure

both = pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k"])
N_CASES = 2000


def of_paper(rng, name):
    """Return a random measure with the paper's risk, labels and scores."""
    measure, y, z = random_case(rng, name)
    return type(measure)(measure.k, risk="paper"), y, z


def costs(measure, y, labelings):
    """Return the cost of each labeling by the book: k positives, or the true one, which costs nothing."""
    taken, positive = labelings > 0, y > 0
    hits, n_positive = (taken & positive).sum(axis=1), int(positive.sum())
    k = measure.n_predicted(len(y), n_positive)
    whole = k if isinstance(measure, PrecisionAtK) else n_positive
    found = np.where(taken.sum(axis=1) == k, 100.0 * (1.0 - hits / whole), -np.inf)
    found[(labelings == y).all(axis=1)] = 0.0
    return found


@both
def test_it_is_the_maximum_over_all_labelings(name):
    rng = np.random.default_rng(0)
    for _ in range(N_CASES):
        measure, y, z = of_paper(rng, name)
        labelings = all_labelings(len(y))
        best = (costs(measure, y, labelings) - (y - labelings) @ z).max()
        assert measure.risk(y, z) == pytest.approx(best, abs=1e-13 * size(z)), (measure, y, z)


@both
def test_the_answer_is_a_labeling_with_its_cost(name):
    rng = np.random.default_rng(1)
    for _ in range(N_CASES):
        measure, y, z = of_paper(rng, name)
        a, delta = measure.most_violated(y, z)
        labels = y - a
        assert set(np.unique(labels)) <= {-1.0, 1.0}
        assert delta == pytest.approx(measure.delta(y, labels), abs=1e-12)
        assert delta == pytest.approx(costs(measure, y, labels[None])[0], abs=1e-12)


@both
def test_minus_a_is_a_subgradient(name):
    rng = np.random.default_rng(2)
    for _ in range(N_CASES // 4):
        measure, y, z = of_paper(rng, name)
        a, delta = measure.most_violated(y, z)
        other = z + rng.normal(size=len(z))
        assert measure.risk(y, other) >= delta - a @ other - 1e-11 * size(z, other)


@pytest.mark.parametrize("cls", [PrecisionAtK, RecallAtK])
def test_with_as_many_predictions_as_positives_it_is_ours(cls):
    rng = np.random.default_rng(3)
    for _ in range(200):
        y = np.where(rng.random(9) < 0.4, 1.0, -1.0)
        y[0] = 1.0
        z = rng.normal(size=9) * 10
        ours, paper = cls("p"), cls("p", risk="paper")
        assert paper.risk(y, z) == pytest.approx(ours.risk(y, z), abs=1e-11)


def test_otherwise_it_promises_nothing():
    """Two of three samples are positive and one is predicted, wrongly: nothing was risked, says the paper."""
    y, z = np.array([1.0, 1.0, -1.0]), np.array([50.0, 50.0, 51.0])
    ours, paper = PrecisionAtK(1), PrecisionAtK(1, risk="paper")
    assert ours.value(y, z) == 0.0
    assert paper.risk(y, z) == 2.0  # 100 of the wrong list, less what its positives would have had
    assert ours.risk(y, z) == 102.0
    assert paper.risk(y, z + 100.0) == 0.0
    assert ours.risk(y, z + 100.0) == ours.risk(y, z)


@pytest.mark.parametrize("text", ["prec@3:paper", "rec@2p:paper", "prec@0.25:paper"])
def test_text(text):
    measure = resolve_measure(text)
    assert str(measure) == text
    assert repr(measure).endswith(", risk='paper')")
    assert str(resolve_measure(str(measure))) == text


@pytest.mark.parametrize("risk", ["ours", None, True, "Paper"])
def test_unknown_risk(risk):
    with pytest.raises(ValueError, match=r"^risk must be one of 'shared', 'paper'; got "):
        PrecisionAtK(3, risk=risk)


def test_a_model_is_fitted_for_it_and_is_another():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((200, 30))
    y = np.where(X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(200) > 1.6, 1, -1)
    found = [
        FGMClassifier(4, loss=RecallAtK("2p", risk=risk), C="fast").fit(X, y)
        for risk in ("shared", "paper")
    ]
    shared, paper = (model.decision_function(X) for model in found)
    assert not np.allclose(shared, paper)
    assert {0, 1} <= set(found[1].support_ids_)
    assert found[1].dual_gap_ >= 0


@pytest.mark.parametrize("risk", ["paper", "shared"])
@pytest.mark.parametrize("measure", [PrecisionAtK, RecallAtK])
def test_a_model_file_keeps_the_risk(tmp_path, measure, risk):
    X = np.random.default_rng(0).standard_normal((40, 5))
    model = FGMClassifier(2, loss=measure("2p", risk), C=0.1).fit(X, X[:, 0] > 0.8)
    save_model(model, tmp_path / "m")
    assert repr(load_model(tmp_path / "m").loss) == repr(model.loss)
