"""``certify=True``: the same model, a bound that is never lower and never above the best choice there is."""

import signal
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from handful import (
    DictionaryMILClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSRegressor,
    MILESClassifier,
    RFSRegressor,
    Status,
)
from handful.datasets import make_bags, make_demo
from handful.inspection import explain_gap
from handful.model_selection import SelectKCV
from handful.spaces import Polynomial


def draw(seed, n_outputs=1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 7))
    X[:, 4:] += 0.8 * X[:, :3]  # correlated: selection is not trivial
    Y = X @ (rng.standard_normal((7, n_outputs)) * rng.integers(0, 2, (7, n_outputs)))
    Y += 0.5 * rng.standard_normal((40, n_outputs)) + X[:, [1]]
    return X, Y if n_outputs > 1 else Y[:, 0]


def both(estimator, X, y, **fit):
    plain = estimator.fit(X, y, **fit)
    before = {name: getattr(plain, name) for name in ("support_ids_", "weights_", "intercept_")}
    figures = plain.objective_, plain.dual_gap_
    tight = estimator.set_params(certify=True).fit(X, y, **fit)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(tight, name), value)
    assert tight.objective_ == figures[0]
    assert tight.dual_gap_ <= figures[1]
    return figures[0] - figures[1], tight


def best_of_all(model, X, y, n_choices, k, **fit):
    """The least objective of all choices, each fitted by itself as one that must be in."""
    every = combinations(range(n_choices), k)
    given = {"certify": False, "include": None}
    least = np.inf
    for ids in every:
        one = type(model)(**(model.get_params(deep=False) | given | {"include": list(ids)}))
        least = min(least, one.fit(X, y, **fit).objective_)
    return least


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("C", [0.01, 0.3])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "f1", "squared"])
def test_the_bound_holds_and_rises(loss, C, seed):
    X, y = draw(seed)
    estimator = FGMClassifier if loss != "squared" else FGMRegressor
    y = y if loss == "squared" else np.sign(y)
    model = estimator(2, loss=loss, C=C / 10 if loss == "f1" else C)
    before, tight = both(model, X, y)
    bound = tight.objective_ - tight.dual_gap_
    best = best_of_all(tight, X, y, 7, 2)
    assert before <= bound <= best * (1 + 1e-6) + 1e-9
    assert tight.history_.in_phase("certify") >= 1


@pytest.mark.parametrize(
    ("parameters", "n_outputs", "n_choices", "k"),
    [
        ({"groups": [0, 0, 1, 1, 2, 3, 3]}, 1, 4, 2),
        ({"space": Polynomial()}, 1, 35, 1),
        ({}, 3, 7, 2),
        ({"fit_intercept": False, "scale": "norm"}, 1, 7, 2),
    ],
    ids=["groups", "pairs", "outputs", "scaled"],
)
def test_of_other_features(parameters, n_outputs, n_choices, k):
    X, y = draw(3, n_outputs)
    before, tight = both(FGMRegressor(k, C=0.1, **parameters), X, y)
    bound = tight.objective_ - tight.dual_gap_
    assert before <= bound <= best_of_all(tight, X, y, n_choices, k) * (1 + 1e-6)


def test_include_exclude_and_weights():
    X, y = draw(4)
    weight = np.random.default_rng(0).integers(0, 3, 40).astype(float)
    model = FGMRegressor(3, C=0.1, include=[5], exclude=[1])
    _, tight = both(model, sp.csr_array(X), y, sample_weight=weight)
    allowed = list(combinations([0, 2, 3, 4, 6], 2))
    fits = [
        FGMRegressor(3, C=0.1, include=[5, *ids]).fit(X, y, sample_weight=weight) for ids in allowed
    ]
    best = min(one.objective_ for one in fits)
    assert tight.objective_ - tight.dual_gap_ <= best * (1 + 1e-6)
    everything = FGMRegressor(1, C=0.1, include=[5], certify=True).fit(X, y)
    assert everything.dual_gap_ <= 1e-6 * everything.objective_


def test_it_is_the_optimum_of_the_convex_problem():
    data = make_demo(300, 400)
    tight = FGMClassifier(10, C="fast", certify=True).fit(data.X_train, data.y_train)
    bound = tight.objective_ - tight.dual_gap_
    convex = FGMClassifier(budget=10, C=tight.C_, tol=1e-5, max_rounds=200, refit=False)
    convex.fit(data.X_train, data.y_train)
    assert bound <= convex.objective_
    assert bound >= (1 - 2e-3) * convex.objective_
    rounds = [one for one in tight.history_ if one.phase == "certify"]
    assert all(one.objective == tight.objective_ and one.n_active == 10 for one in rounds)
    assert np.all(np.diff([one.bound for one in rounds]) >= 0)


def test_each_class_by_itself():
    X, y = draw(5)
    both(FGMClassifier(2, C=0.1, per_class=True), X, np.digitize(y, [-1, 1]))


def test_a_checkpoint_serves_both(tmp_path):
    X, y = draw(6)
    path = tmp_path / "fit.npz"
    FGMRegressor(2, C=0.1, checkpoint=path).fit(X, y)
    taken_up = FGMRegressor(2, C=0.1, checkpoint=path, certify=True).fit(X, y)
    again = FGMRegressor(2, C=0.1, checkpoint=path, certify=True).fit(X, y)
    alone = FGMRegressor(2, C=0.1, certify=True).fit(X, y)
    assert taken_up.dual_gap_ == again.dual_gap_ == alone.dual_gap_


def test_ctrl_c_leaves_the_model():
    data = make_demo(300, 400)
    whole = FGMClassifier(10, C="fast").fit(data.X_train, data.y_train)

    def stop(record):
        if record.phase == "certify":
            signal.raise_signal(signal.SIGINT)

    model = FGMClassifier(10, C="fast", certify=True, verbose=stop)
    model.fit(data.X_train, data.y_train)
    assert model.status_ is Status.INTERRUPTED
    assert model.history_.in_phase("certify") <= 2
    np.testing.assert_array_equal(model.weights_, whole.weights_)


class TestInWords:
    def test_figures_of_the_fit(self):
        X, y = draw(0)
        model = FGMRegressor(2, C=1.0, certify=True).fit(X, y)
        bound, share = model.objective_ - model.dual_gap_, model.dual_gap_ / model.objective_
        assert explain_gap(model) == (
            f"No 2 features can have an objective below {bound:.4g}; this choice has "
            f"{model.objective_:.4g}. The {100 * share:.2g} % between them is what is not proved."
        )
        assert explain_gap(SelectKCV(model, [2]).fit(X, y)).startswith("No 2 features can have")

    def test_a_wide_gap_proves_little(self):
        data = make_demo(100, 500)
        model = FGMClassifier(5, C=10.0).fit(data.X_train, data.y_train)
        assert model.dual_gap_ > 0.5 * model.objective_
        told = explain_gap(model)
        assert told.startswith("The bound proves little here: no 5 features can have")
        assert "nothing about accuracy" in told

    def test_nothing_left_to_prove(self):
        X, y = draw(0)
        told = explain_gap(FGMRegressor(7, C=0.1, include=range(7)).fit(X, y))
        assert told.startswith("No 7 features can have a lower objective than this choice")
        told = explain_gap(FGMRegressor(1, C=1e-9).fit(X, y))
        assert told.startswith("No single feature can have a lower objective than this choice")

    def test_what_the_bound_is_of(self):
        X, y = draw(0)
        groups = FGMRegressor(2, C=0.01, groups=[0, 0, 1, 1, 2, 3, 3]).fit(X, y)
        assert explain_gap(groups).startswith("No 2 groups can have")
        assert "No 3 features can" in explain_gap(GreedyRLSRegressor(3, alpha=100.0).fit(X, y))
        for convex in (FGMRegressor(C=0.01), RFSRegressor(alpha=1.0)):
            assert "No weights can have" in explain_gap(convex.fit(X, y))
        classes = FGMClassifier(2, C=0.01, per_class=True).fit(X, np.digitize(y, [-1, 1]))
        assert "2 features for each class can have" in explain_gap(classes)
        classes.set_params(groups=[0, 0, 1, 1, 2, 3, 3]).fit(X, np.digitize(y, [-1, 1]))
        assert "o 2 groups for each class can have" in explain_gap(classes)

    def test_bags(self):
        made = make_bags(30, random_state=0)
        told = explain_gap(MILESClassifier(2, C="fast").fit(made.bags, made.y))
        assert "no 2 instances can have" in told.replace("No", "no")
        atoms = DictionaryMILClassifier(2, max_iter=5).fit(made.bags, made.y)
        assert explain_gap(atoms).startswith("No bound is known for this fit")
