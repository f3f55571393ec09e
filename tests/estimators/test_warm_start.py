"""warm_start: the candidates of the last fit, along a rising k or on other data."""

import numpy as np
import pytest
from problems import TRUE_IDS, features, scores

from handful import FGMClassifier
from handful.status import Status

PATH = [2, 4, 8, 16]


def noisy_problem(seed=0):
    X = features(n_samples=400, n_features=300, seed=seed)
    return X, (scores(X, noise=3.0, seed=seed + 1) > 0).astype(int)


def rounds_of(model, phase):
    return sum(record.phase == phase for record in model.history_)


def test_a_rising_k_needs_fewer_rounds_and_is_no_worse():
    X, y = noisy_problem()
    warm = FGMClassifier(warm_start=True, C=0.1)
    saved = 0
    for k in PATH:
        warm.set_params(n_features_to_select=k).fit(X, y)
        cold = FGMClassifier(k, C=0.1).fit(X, y)
        assert len(warm.support_ids_) == k
        assert warm.objective_ <= 1.02 * cold.objective_
        assert rounds_of(warm, "generate") <= rounds_of(cold, "generate")
        saved += rounds_of(cold, "generate") - rounds_of(warm, "generate")
    assert saved > len(PATH)


def test_the_bound_holds_for_the_cold_model_too():
    """Bounds belong to the problem, not to the way it was solved."""
    X, y = noisy_problem()
    warm = FGMClassifier(4, warm_start=True, C=0.1).fit(X, y).set_params(n_features_to_select=8)
    warm.fit(X, y)
    cold = FGMClassifier(8, C=0.1).fit(X, y)
    assert warm.objective_ - warm.dual_gap_ <= cold.objective_
    assert cold.objective_ - cold.dual_gap_ <= warm.objective_


def test_the_first_fit_is_cold():
    X, y = noisy_problem()
    warm, cold = (
        FGMClassifier(8, warm_start=True, C="fast").fit(X, y),
        FGMClassifier(8, C="fast").fit(X, y),
    )
    np.testing.assert_array_equal(warm.weights_, cold.weights_)
    assert warm.n_iter_ == cold.n_iter_


def test_a_falling_k_still_gives_exactly_k():
    X, y = noisy_problem()
    model = FGMClassifier(16, warm_start=True, C="fast").fit(X, y)
    model.set_params(n_features_to_select=3).fit(X, y)
    assert len(model.support_ids_) == 3


def test_other_data_of_another_shape():
    """Only ids are taken over: the answer is about the data at hand."""
    X, y = noisy_problem()
    model = FGMClassifier(4, warm_start=True, C="fast").fit(X, y)
    other = features(n_samples=90, n_features=30, seed=5)
    t = (other[:, 7] - other[:, 11] > 0).astype(int)
    model.set_params(n_features_to_select=2).fit(other, t)
    assert model.support_ids_.tolist() == [7, 11]
    assert model.n_features_in_ == 30
    assert model.score(other, t) > 0.95


def test_candidates_that_say_nothing_in_other_data_are_dropped():
    X, y = noisy_problem()
    model = FGMClassifier(4, warm_start=True, C="fast").fit(X, y)
    other, t = X.copy(), y
    other[:, model.support_ids_] = 0.0
    useful = [250, 260, 270]
    rest = np.setdiff1d(np.arange(300), useful)
    other[:, rest[rest % 2 == 0]] = 0.0
    other[:, rest[rest % 2 == 1]] = 1.0
    with pytest.warns(UserWarning, match="Only 3 of the 4 features asked for carry any signal"):
        model.fit(other, t)
    assert model.support_ids_.tolist() == useful
    assert model.status_ is Status.EXHAUSTED


def test_exclude_may_change_between_fits():
    X, y = noisy_problem()
    model = FGMClassifier(4, warm_start=True, C="fast").fit(X, y)
    model.set_params(exclude=TRUE_IDS).fit(X, y)
    assert not set(TRUE_IDS) & set(model.support_ids_)
    assert len(model.support_ids_) == 4


def test_without_effect_on_the_plain_machine():
    X, y = noisy_problem()
    model = FGMClassifier(warm_start=True, max_rounds=3).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(model.weights_, FGMClassifier(max_rounds=3).fit(X, y).weights_)
