"""The features that many fits agree on, and models of exactly these."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from handful import FGMClassifier, GreedyRLSRegressor
from handful.model_selection import SelectKCV, StabilitySelection
from handful.model_selection.aggregate import agreed_ids
from handful.model_selection.agreement import Vote, Votes
from handful.spaces import Polynomial


def agreed(votes, k, columns):
    return agreed_ids(*votes.counted(), k, columns)


def votes(*chosen, n_features=20, sizes=None):
    return Votes(
        [
            Vote(np.array(ids), np.ones(len(ids)) if sizes is None else sizes[i], n_features)
            for i, ids in enumerate(chosen)
        ]
    )


def test_the_most_often_chosen():
    given = votes([3, 7], [3, 9], [3, 9], [7, 3])
    columns = np.random.default_rng(0).standard_normal((100_000, 20))
    assert agreed(given, 1, lambda ids: columns[:, ids]).tolist() == [3]
    more = votes([3, 7], [3, 9], [3, 9], [9, 3])
    assert agreed(more, 2, lambda ids: columns[:, ids]).tolist() == [3, 9]


def test_weights_decide_between_equal_votes():
    heavy_first = [np.array([0.9, 0.1]), np.array([0.9, 0.1])]
    columns = np.random.default_rng(0).standard_normal((100_000, 20))
    given = votes([4, 5], [4, 5], sizes=heavy_first)
    assert agreed(given, 1, lambda ids: columns[:, ids]).tolist() == [4]
    given = votes([5, 4], [5, 4], sizes=heavy_first)
    assert agreed(given, 1, lambda ids: columns[:, ids]).tolist() == [5]


@pytest.mark.parametrize("form", [np.asarray, sp.csc_array])
def test_copies_vote_together(form):
    """Copies 0, 1, 2 have two votes each and 5 has five: together they have six."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 20))
    X[:, 1], X[:, 2] = X[:, 0] + 0.01 * rng.standard_normal(5000), -X[:, 0]
    given = votes([0, 5], [0, 5], [1, 5], [1, 5], [2, 5], [2, 6])
    first = agreed(given, 1, lambda ids: form(X[:, ids]))
    assert set(first) <= {0, 1, 2}
    both = agreed(given, 2, lambda ids: form(X[:, ids]))
    assert len(set(both) & {0, 1, 2}) == 1
    assert 5 in both
    assert len(agreed(given, 4, lambda ids: form(X[:, ids]))) == 4  # then copies, to be k


def test_near_the_best_of_all_choices():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, 4)) @ rng.standard_normal((4, 8))
        given = votes(*(rng.choice(8, 3, replace=False) for _ in range(9)), n_features=8)
        ids, shares = given.shares()
        alike = np.abs(np.corrcoef(X[:, ids].T)) ** 4

        def covered(places, alike=alike, shares=shares):
            return shares @ alike[:, list(places)].max(axis=1)

        best = max(covered(some) for some in combinations(range(len(ids)), 3))
        found = agreed(given, 3, lambda some, X=X: X[:, some])
        assert covered(np.searchsorted(ids, found)) >= 0.9 * best


def regression():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 40))
    X[:, 30:33] = X[:, :3] + 0.05 * rng.standard_normal((60, 3))  # near-copies of what decides
    return X, X[:, :3].sum(axis=1) + rng.standard_normal(60)


def test_exactly_as_many_as_the_estimator_selects():
    X, y = regression()
    model = StabilitySelection(GreedyRLSRegressor(3), 15, aggregate=True, random_state=0).fit(X, y)
    assert model.n_features_ == 3
    # One of each pair of copies, though each half chose one or the other.
    assert sorted(model.support_ids_ % 30) == [0, 1, 2]
    ids = model.support_ids_
    np.testing.assert_allclose(
        model.predict(X), GreedyRLSRegressor(3).fit(X[:, ids], y).predict(X[:, ids])
    )
    shares = model.selection_probabilities_.toarray()[0, ids]
    assert model.threshold_ == pytest.approx(shares.min())


def test_of_pairs():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 12))
    y = np.sign(X[:, 3] * X[:, 7])
    selector = FGMClassifier(2, C="fast", space=Polynomial())
    model = StabilitySelection(selector, 3, aggregate=True, random_state=0).fit(X, y)
    assert model.n_features_ == 2
    best = clone(selector).set_params(n_features_to_select=1).fit(X, y).support_ids_[0]
    assert best in model.support_ids_
    assert model.score(X, y) > 0.9


def test_select_k_cv_takes_what_its_folds_agree_on():
    X, y = regression()
    search = SelectKCV(GreedyRLSRegressor(), k=[3], cv=10, aggregate=True).fit(X, y)
    [shares] = search.selection_frequency_.toarray()
    assert sorted(search.get_support(indices=True) % 30) == [0, 1, 2]
    assert (shares[search.get_support()] > 0).all()
    ids = search.get_support(indices=True)
    np.testing.assert_allclose(search.transform(X), X[:, ids])
    alone = GreedyRLSRegressor(3).fit(X[:, ids], y)
    np.testing.assert_allclose(search.predict(X), alone.predict(X[:, ids]))
    assert search.n_features_in_ == 40


@pytest.mark.parametrize("wrap", [StabilitySelection, SelectKCV])
@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GreedyRLSRegressor(3, groups=np.arange(40) // 2), "the estimator selects groups"),
        (make_pipeline(PCA(5), GreedyRLSRegressor(2)), "PCA stands before the selector"),
    ],
)
def test_bad_input(wrap, estimator, message):
    X, y = regression()
    with pytest.raises(ValueError, match=message):
        wrap(estimator, aggregate=True).fit(X, y)
