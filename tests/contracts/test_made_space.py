"""What every space whose features are made of X promises: those of all models in the catalogue."""

import numpy as np
import pytest
import scipy.sparse as sp
from every_estimator import MODELS

from handful.spaces import known_spaces
from handful.spaces.base import sum_runs

#: A space of each kind, and the X of its model.
SPACES = {
    type(model.space).__name__: (model.space, X)
    for model, X, _ in MODELS.values()
    if getattr(model, "space", None) is not None
}
K = 7

every_space = pytest.mark.parametrize("name", SPACES)


def made(name):
    """The space on the data of its model, and numbers for the samples."""
    space, X = SPACES[name]
    bound = space.on(X)
    return space, bound, np.random.default_rng(3).standard_normal((bound.n_samples, 2))


def dense(columns):
    assert columns.dtype == np.float64
    assert not sp.issparse(columns) or columns.format == "csc"
    return columns.toarray() if sp.issparse(columns) else columns


def blocks(bound, ids):
    """The columns of each feature."""
    columns, widths = dense(bound.columns(ids)), bound.widths(ids)
    assert columns.shape == (bound.n_samples, widths.sum())
    return np.split(columns, np.cumsum(widths)[:-1], axis=1)


def test_every_space_is_under_this_contract():
    assert SPACES.keys() == known_spaces().keys(), "give it a model in every_estimator.py::MODELS"


@every_space
def test_best_features_come_first_and_the_lower_id_on_a_tie(name):
    _, bound, a = made(name)
    ids, scores = bound.top(a, K)
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    assert len(ids) == len(scores) == K
    assert (scores > 0).all()
    assert [*zip(-scores, ids, strict=True)] == sorted(zip(-scores, ids, strict=True))


@every_space
def test_no_feature_scores_more_than_it_is_said_to(name):
    """The certificate is a sum of these scores."""
    _, bound, a = made(name)
    ids, scores = bound.top(a, K)
    told = np.full(bound.n_features, scores[-1])  # of all others at most this
    told[ids] = scores
    everything = np.arange(bound.n_features)
    squares = ((dense(bound.columns(everything)).T @ a) ** 2).sum(axis=1)
    assert (sum_runs(squares, bound.widths(everything)) <= told * (1 + 1e-9)).all()


@every_space
def test_excluded_features_are_passed_over(name):
    _, bound, a = made(name)
    ids, scores = bound.top(a, K)
    others, scores_of_others = bound.top(a, K - 2, exclude=ids[[3, 0]])
    np.testing.assert_array_equal(others, np.delete(ids, [0, 3]))
    np.testing.assert_allclose(scores_of_others, np.delete(scores, [0, 3]), rtol=1e-12)


@every_space
def test_columns_and_names_are_in_the_order_of_the_ids(name):
    _, bound, a = made(name)
    ids = bound.top(a, K)[0]
    parts = zip(blocks(bound, ids), blocks(bound, ids[::-1])[::-1], strict=True)
    for forwards, backwards in parts:
        np.testing.assert_allclose(forwards, backwards, rtol=1e-12)
    names = bound.names(ids)
    assert len(names) == bound.widths(ids).sum()
    assert names == [name for one in ids for name in bound.names(np.array([one]))]


@every_space
def test_what_is_remembered_or_saved_makes_the_same_columns(name):
    space, bound, a = made(name)
    ids = np.sort(bound.top(a, K)[0])
    X = SPACES[name][1]
    remembered = space.remembering(bound, ids)
    some = X[:9]  # their ranges are not those of all rows
    expected = dense(remembered.on(some).columns(ids))
    scale = np.repeat(bound.column_scale(ids), bound.widths(ids))
    np.testing.assert_allclose(scale * expected, dense(bound.columns(ids))[:9], atol=1e-12)
    if not remembered.state():
        return
    restored = type(space)(**space.get_params()).restore(remembered.state()).on(some)
    np.testing.assert_array_equal(dense(restored.columns(ids)), expected)
    assert restored.names(ids) == bound.names(ids)
