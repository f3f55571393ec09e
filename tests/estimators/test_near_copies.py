"""Columns that say nearly the same: one of them is enough."""

import itertools

import numpy as np
import pytest

from handful import FGMClassifier, FGMRegressor
from handful.status import Status

N_SIGNALS, N_DIFFERENT, N_COPIES = 4, 50, 3


def draw(noise, seed, n_rows=400):
    """150 columns, three copies of each of 50; the first four of these make y."""
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n_rows, N_DIFFERENT))
    copies = [base + noise * rng.standard_normal(base.shape) for _ in range(N_COPIES)]
    signal = base[:, :N_SIGNALS].sum(axis=1)
    return np.hstack(copies), signal + 0.35 * rng.standard_normal(n_rows)


def different(model):
    """Which of the 50 the chosen columns are copies of."""
    return sorted({int(j) % N_DIFFERENT for j in model.support_ids_})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("C", ["fast", 10.0])
def test_a_regressor_takes_one_of_each(noise, seed, C):
    X, y = draw(noise, seed)
    assert different(FGMRegressor(N_SIGNALS, C=C).fit(X, y)) == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_a_classifier_takes_one_of_each(noise, seed, loss):
    X, y = draw(noise, seed)
    model = FGMClassifier(N_SIGNALS, loss=loss, C="fast").fit(X, y > 0)
    assert different(model) == [0, 1, 2, 3]


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_and_so_under_a_measure(noise):
    X, y = draw(noise, 0)
    assert different(FGMClassifier(N_SIGNALS, loss="f1", C="fast").fit(X, y > 0)) == [0, 1, 2, 3]


def test_several_classes_take_one_of_each():
    X, _ = draw(0.1, 0)
    base = X[:, :N_DIFFERENT]
    y = base[:, :N_SIGNALS].argmax(axis=1)
    assert different(FGMClassifier(N_SIGNALS, C="fast").fit(X, y)) == [0, 1, 2, 3]


def test_of_groups_that_are_copies_one_is_taken():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((300, 20))
    X = np.hstack([base, base + 0.1 * rng.standard_normal(base.shape)])
    y = base[:, :4].sum(axis=1) + 0.2 * rng.standard_normal(300)
    groups = np.arange(40) // 2  # groups g and g + 10 say the same
    model = FGMRegressor(2, groups=groups, C="fast").fit(X, y)
    assert sorted(int(g) % 10 for g in model.group_support_) == [0, 1]


def test_a_copy_of_a_must_have_is_not_taken_again():
    X, y = draw(0.0, 1)
    model = FGMRegressor(N_SIGNALS, include=[50, 101], C="fast").fit(X, y)
    assert different(model) == [0, 1, 2, 3]
    assert {50, 101} <= set(model.support_ids_)


@pytest.mark.parametrize("k", [2, 4, 10, 30])
@pytest.mark.parametrize("noise", [0.1, 1.0])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "f1"])
def test_a_swap_may_only_improve(k, noise, loss):
    X, y = draw(noise, 5)
    model = FGMClassifier(k, loss=loss, C="fast").fit(X, y > np.quantile(y, 0.7))
    history = list(model.history_)
    assert model.status_ is Status.SELECTED
    # A model of k features is kept where a swap begins, after one that was not taken back, and at the end.
    kept = [
        here
        for here, after in zip(history, [*history[1:], None], strict=True)
        if here.n_active == k
        and (here.phase in ("undo", "final") or (after is not None and after.phase != "undo"))
    ]
    assert len(kept) >= 2
    for before, after in itertools.pairwise(kept):
        assert after.objective <= before.objective * (1 + 1e-9)
    assert kept[-1].objective == pytest.approx(model.objective_)


def test_a_swap_that_does_not_help_is_taken_back():
    """Somewhere among these problems a swap is worse than what it began with."""
    undone = 0
    for seed in range(12):
        X, y = draw(1.0, seed, n_rows=40)
        history = FGMRegressor(12, C="fast").fit(X, y).history_
        phases = [record.phase for record in history]
        if "undo" in phases:
            undone += 1
            at = phases.index("undo")
            swap = max(i for i in range(at) if phases[i] == "swap")
            assert history[at].objective == history[swap - 1].objective
            assert history[at - 1].objective > history[at].objective
            assert phases[at + 1 :] == ["final", "refit"]
    assert undone > 0
