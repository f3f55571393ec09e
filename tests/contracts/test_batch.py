"""Features that a round takes for several outputs: orthogonal matching pursuit, as far as scores are no chance."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.ndimage import gaussian_filter

from handful import FGMClassifier, FGMRegressor
from handful.losses import Squared, SquaredHinge
from handful.methods.fgm.batch import _chance, _pursue, pool_size, take_apart
from handful.methods.fgm.oracle import Cut, find_cut
from handful.spaces.resolve import resolve_space


def draw(seed, n_samples=60, n_blocks=8, copies=5, n_outputs=3, noise=0.3):
    """Columns in blocks of near-copies, and outputs that are told by a few of the blocks."""
    rng = np.random.default_rng(seed)
    blocks = rng.standard_normal((n_samples, n_blocks))
    X = np.repeat(blocks, copies, axis=1)
    X += noise * rng.standard_normal(X.shape)
    strength = rng.standard_normal((n_blocks, n_outputs)) * (3.0 ** -np.arange(n_blocks))[:, None]
    a = blocks @ strength
    return X, a - a.mean(axis=0)


def batch(X, a, count, weight=None, centred=True):
    space = resolve_space(X)
    weight = np.ones(len(a)) if weight is None else weight
    return take_apart(
        space, find_cut(space, a, space.n_features), a, count, weight, centred=centred
    )


def pursuit(X, a, count):
    """Orthogonal matching pursuit in other words: residuals of least squares, one feature at a time."""
    chosen = []
    for _ in range(count):
        left = a - X[:, chosen] @ np.linalg.lstsq(X[:, chosen], a, rcond=None)[0] if chosen else a
        scores = ((X.T @ left) ** 2).sum(axis=1)
        scores[chosen] = -1.0
        chosen.append(int(scores.argmax()))
    return chosen


@pytest.mark.parametrize("seed", range(10))
def test_without_chance_it_is_matching_pursuit(seed):
    X, a = draw(seed)
    X = X - X.mean(axis=0)
    found = _pursue(X.T @ X, X.T @ a, 7, by_chance=0.0)
    assert found.tolist() == pursuit(X, a, 7)


@pytest.mark.parametrize("seed", range(5))
def test_scores_that_may_be_chance_decide_alone(seed):
    rng = np.random.default_rng(seed)
    X, a = draw(seed, n_samples=20)
    a = rng.standard_normal(a.shape)
    scores = ((X - X.mean(axis=0)).T @ a) ** 2
    best = np.argsort(-scores.sum(axis=1))[:6]
    X = X - X.mean(axis=0)
    assert _pursue(X.T @ X, X.T @ a, 6, by_chance=1e6).tolist() == best.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_one_of_each_block_and_not_all_of_the_best(seed):
    X, a = draw(seed, n_samples=400, noise=0.05)
    a = a + np.random.default_rng(seed).standard_normal((400, 8))[:, :3] * 0.01
    found = batch(X, a, 3)
    best = np.argsort(-(((X - X.mean(axis=0)).T @ a) ** 2).sum(axis=1))[:3]
    assert len(set(found // 5)) == 3
    assert len(set(best // 5)) < 3


@pytest.mark.parametrize("centred", [True, False])
def test_weights_are_copies_of_rows(centred):
    X, a = draw(1)
    weight = np.random.default_rng(0).integers(0, 4, len(a)).astype(float)
    rows = np.repeat(np.arange(len(a)), weight.astype(int))
    whole = np.concatenate([rows, np.flatnonzero(weight == 0)])
    there = np.concatenate([np.ones(len(rows)), np.zeros(len(whole) - len(rows))])
    weighted = batch(X, weight[:, None] * a, 6, weight, centred)
    copied = batch(X[whole], there[:, None] * a[whole], 6, there, centred)
    np.testing.assert_array_equal(weighted, copied)


@pytest.mark.parametrize("seed", range(4))
def test_storage_unit_and_order_of_outputs_do_not_matter(seed):
    X, a = draw(seed)
    X[X < 0.4] = 0.0
    expected = batch(X, a, 6)
    np.testing.assert_array_equal(batch(sp.csr_array(X), a, 6), expected)
    np.testing.assert_array_equal(batch(X, 1e3 * a[:, ::-1], 6), expected)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    assert set(order[batch(X[:, order], a, 6)]) == set(expected)


def test_what_chance_reaches():
    """The highest squared correlation of many columns that say nothing lies below the bound, and not far below."""
    rng = np.random.default_rng(0)
    for n_samples, n_outputs, n_features in ((100, 2, 500), (100, 20, 500), (400, 5, 3000)):
        highest = []
        for _ in range(20):
            X = rng.standard_normal((n_samples, n_features))
            a = rng.standard_normal((n_samples, n_outputs))
            scores = ((X.T @ a) ** 2).sum(axis=1)
            highest.append((scores / ((X**2).sum(axis=0) * (a**2).sum())).max())
        bound = _chance(n_samples, n_outputs, n_features)
        assert 0.5 * bound < np.median(highest) < bound


def test_how_many_a_round_chooses_among():
    assert pool_size(10, 500, 3, 10**7) == 100
    assert pool_size(50, 500, 3, 10**7) == 200
    assert pool_size(150, 500, 3, 10**7) == 150  # hardly a choice
    assert pool_size(10, 500, 1, 10**7) == 10  # one output
    assert pool_size(10, 10**6, 3, 10**7) == 10  # too many rows to hold the columns of more
    assert pool_size(5, 10**6, 3, 10**7) == 10


def test_a_cut_that_is_short_or_has_wide_features_is_taken_as_it_is():
    X, a = draw(0)
    space = resolve_space(X)
    cut = find_cut(space, a, 5)
    np.testing.assert_array_equal(
        take_apart(space, cut, a, 8, np.ones(len(a)), centred=True), cut.ids
    )
    nothing = Cut(cut.ids[:0], cut.scores[:0])
    assert not len(take_apart(space, nothing, a, 8, np.ones(len(a)), centred=True))


class TakesTheBest(SquaredHinge):
    """The squared hinge, with rounds that take the best scores."""

    takes_apart = False


class TakesTheBestSquares(Squared):
    """The squared error, with rounds that take the best scores."""

    takes_apart = False


def pictures(seed, n_classes=20, side=24, n_train=200, n_test=600):
    """Smooth pictures of some classes, each a smooth mixture of others too: neighbouring pixels say nearly the same."""
    rng = np.random.default_rng(seed)

    def smooth(count, width):
        drawn = gaussian_filter(rng.standard_normal((count, side, side)), (0, width, width))
        return (drawn / drawn.std()).reshape(count, -1)

    y = rng.integers(0, n_classes, n_train + n_test)
    X = smooth(n_classes, 2.5)[y] + 0.7 * rng.standard_normal((len(y), 12)) @ smooth(12, 3.5)
    X += 0.3 * rng.standard_normal(X.shape)
    return X[:n_train], y[:n_train], X[n_train:], y[n_train:]


def test_pixels_that_differ_tell_more_classes_apart():
    gains = []
    for seed in range(4):
        X, y, X_test, y_test = pictures(seed)
        apart, best = (
            FGMClassifier(25, C="fast", loss=loss).fit(X, y).score(X_test, y_test)
            for loss in (SquaredHinge(), TakesTheBest())
        )
        gains.append(apart - best)
    assert np.mean(gains) > 0.01


def test_targets_that_share_pixels():
    gains = []
    for seed in range(4):
        X, y, X_test, y_test = pictures(seed)
        Y, Y_test = (np.eye(20)[part] for part in (y, y_test))
        apart, best = (
            FGMRegressor(25, C="fast", loss=loss).fit(X, Y).score(X_test, Y_test)
            for loss in (Squared(), TakesTheBestSquares())
        )
        gains.append(apart - best)
    assert np.mean(gains) > 0.03
