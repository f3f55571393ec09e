"""Ctrl-C: what is complete by then is kept, and one warning says what that is."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from handful import GreedyRLSRegressor
from handful.model_selection import SelectKCV, nested_score
from handful.status import Status

KS = [1, 2, 4, 7]
X = np.random.default_rng(0).standard_normal((60, 20))
QUANTITY = X[:, 3] - 2 * X[:, 7] + X[:, 11] + 0.7 * np.random.default_rng(1).standard_normal(60)


class Impatient(GreedyRLSRegressor):
    """Is interrupted in its last fit."""

    n_fits = 0
    last = 3

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        if type(self).n_fits == type(self).last:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.fixture
def impatient(monkeypatch):
    """Return what makes a regressor that is interrupted in the given one of its fits."""

    def made(last):
        monkeypatch.setattr(Impatient, "n_fits", 0)
        monkeypatch.setattr(Impatient, "last", last)
        return Impatient()

    return made


def test_interrupt_keeps_finished_folds(impatient):
    search = SelectKCV(impatient(3), KS, cv=4)
    with pytest.warns(
        UserWarning, match="Interrupted after 2 of 4 folds: k is chosen from those 2"
    ):
        search.fit(X, QUANTITY)
    assert search.status_ is Status.SOME_FOLDS
    assert (search.n_splits_, search.k_path_.scores.shape) == (2, (2, 4))
    assert len(search.get_support(indices=True)) == search.n_features_


def test_interrupt_before_any_fold_leaves_nothing(impatient):
    search = SelectKCV(impatient(1), KS, cv=4)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, QUANTITY)
    assert not [name for name in vars(search) if name.endswith("_")]


# A choice with two folds is three fits: of each fold, and of all rows.
@pytest.mark.parametrize(("last", "n_done"), [(5, 0), (8, 1), (11, 2)])
def test_interrupt_while_nesting_keeps_the_choice(impatient, last, n_done):
    ours = SelectKCV(GreedyRLSRegressor(), [2], cv=2, nested=KFold(4)).fit(X, QUANTITY)
    search = SelectKCV(impatient(last), [2], cv=2, nested=KFold(4))
    with pytest.warns(UserWarning, match=f"after {n_done} of 4 outer folds") as told:
        search.fit(X, QUANTITY)
    assert len(told) == 1
    assert search.status_ is Status.SOME_OUTER_FOLDS
    np.testing.assert_array_equal(search.k_path_.scores, ours.k_path_.scores)
    np.testing.assert_array_equal(search.predict(X), ours.predict(X))
    assert hasattr(search, "nested_score_") == (n_done > 0)
    if n_done:
        np.testing.assert_array_equal(
            search.nested_score_.scores, ours.nested_score_.scores[:n_done]
        )
        assert search.honesty_.nested is search.nested_score_


def test_interrupted_nested_score_is_that_of_finished_folds(impatient):
    search = SelectKCV(impatient(8), [2], cv=2)
    with pytest.warns(UserWarning, match="interrupted after 2 of 4 outer folds") as told:
        nested = nested_score(search, X, QUANTITY, cv=KFold(4))
    assert (len(told), len(nested.scores)) == (1, 2)
    with pytest.raises(KeyboardInterrupt):
        nested_score(SelectKCV(impatient(2), [2], cv=2), X, QUANTITY, cv=KFold(4))


def test_nothing_is_nested_after_an_interrupt(impatient):
    search = SelectKCV(impatient(2), [2], cv=2, nested=KFold(4))
    with pytest.warns(UserWarning, match="Interrupted after 1 of 2 folds") as told:
        search.fit(X, QUANTITY)
    assert len(told) == 1
    assert not hasattr(search, "nested_score_")
