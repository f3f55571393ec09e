"""The certificate of greedy RLS: no choice of as many features lies below it."""

import itertools
import signal

import numpy as np
import pytest
from reference.explicit_rls import ridge
from reference.test_greedy_rls import OVERLAPPING, SETTINGS, WEIGHTS, K, draw

from handful import GreedyRLSClassifier, GreedyRLSRegressor
from handful.sizes import changed_sizes
from handful.status import Status


def objective(X, Y, weight, alpha, fit_intercept=True):
    W, b = ridge(X, Y, weight, alpha, fit_intercept)
    return weight @ np.square(X @ W + b - Y).sum(axis=1) + alpha * np.square(W).sum()


def least(model, X, Y, weight):
    """The least objective over all choices of groups, whatever they cost."""
    groups = model.groups or [[j] for j in range(X.shape[1])]
    include, exclude = set(model.include or ()), set(model.exclude or ())
    k = min(model.n_features_to_select, len(groups) - len(exclude))
    choices = (set(chosen) for chosen in itertools.combinations(range(len(groups)), k))
    return min(
        objective(
            X[:, sorted({j for group in chosen for j in groups[group]})],
            Y,
            weight,
            model.alpha_,
            model.fit_intercept,
        )
        for chosen in choices
        if chosen >= include and not chosen & exclude
    )


@pytest.mark.parametrize("weights", [None, "mixed"])
@pytest.mark.parametrize("name", SETTINGS)
def test_no_choice_lies_below_the_bound(name, weights):
    X, Y = draw(seed=11)
    weight = np.ones(len(X)) if weights is None else WEIGHTS[weights]
    parameters = {"n_features_to_select": K, "alpha": 5.0} | SETTINGS[name][0]
    model = GreedyRLSRegressor(**parameters).fit(X, Y, weight)
    best = least(model, X, Y, weight)
    bound = model.objective_ - model.dual_gap_
    assert 0 < bound <= best * (1 + 1e-12)
    if not any("cost" in key for key in parameters):
        assert best <= model.objective_ * (1 + 1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_nothing_is_left_where_columns_do_not_overlap(fit_intercept):
    """Of columns at right angles, greedy selection finds the best, and proves it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 10))
    X, _ = np.linalg.qr(X - X.mean(axis=0))
    Y = X[:, [2, 5, 7]] @ rng.standard_normal((3, 4)) + 0.01 * rng.standard_normal((40, 4))
    model = GreedyRLSRegressor(3, alpha=1.0, fit_intercept=fit_intercept).fit(X, Y)
    assert model.support_ids_.tolist() == [2, 5, 7]
    assert model.dual_gap_ <= 1e-9 * model.objective_


@pytest.mark.parametrize(
    "limit", [{"proof_columns_per_step": 0}, {"usable_bytes": 0}], ids=["time", "memory"]
)
def test_all_features_prove_more_where_alpha_is_small(limit):
    """They are asked where there is time and memory for it."""
    X, Y = draw(seed=14)
    model = GreedyRLSRegressor(9, alpha=1e-3).fit(X, Y)
    with changed_sizes(**limit):
        without = GreedyRLSRegressor(9, alpha=1e-3).fit(X, Y)
    assert model.dual_gap_ < 0.5 * without.dual_gap_
    everything = objective(X, Y, np.ones(len(X)), 1e-3)
    assert model.objective_ - model.dual_gap_ >= everything * (1 - 1e-9)


@pytest.mark.parametrize("alphas", [[0.01, 1.0, 100.0], [0.01, 30.0]])
def test_a_shorter_model_has_a_bound_too(alphas):
    X, Y = draw(seed=12)
    model = GreedyRLSRegressor(5, alpha=alphas).fit(X, Y)
    for k in range(1, 5):
        shorter = model.truncate(k)
        bound = shorter.objective_ - shorter.dual_gap_
        assert 0 < bound <= least(shorter, X, Y, np.ones(len(X)))


@pytest.mark.parametrize("factor", [0.1, 10.0])
def test_a_shorter_model_of_another_alpha_has_a_bound_too(factor):
    """The alpha that is best for fewer features may be larger or smaller."""
    X, Y = draw(seed=12)
    model = GreedyRLSRegressor(5, alpha=[1.0, factor]).fit(X, Y)
    other = GreedyRLSRegressor(5, alpha=1.0).fit(X, Y)
    model.path_ |= {key: other.path_[key] for key in other.path_ if key.startswith("proof")}
    for run in range(2):
        model.path_["errors"][5 * run : 5 * run + 3] = 1.0 - run  # the second is best for three
    shorter = model.truncate(3)
    assert shorter.alpha_ == factor
    bound = shorter.objective_ - shorter.dual_gap_
    assert 0 < bound <= least(shorter, X, Y, np.ones(len(X)))


def test_an_unfinished_model_has_the_bound_of_what_was_asked_for():
    X, Y = draw(seed=13)
    labels = (np.median(Y, axis=0) < Y).astype(int)

    def stop(record):
        signal.raise_signal(signal.SIGINT)

    model = GreedyRLSClassifier(4, groups=OVERLAPPING, alpha=5.0, verbose=stop).fit(X, labels)
    assert model.status_ is Status.INTERRUPTED
    assert len(model.selection_order_) == 1
    best = least(model, X, 2.0 * labels - 1.0, np.ones(len(X)))
    assert 0 < model.objective_ - model.dual_gap_ <= best < model.objective_
