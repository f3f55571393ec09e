"""MultiTaskLassoInf as a selector: exact numbers of features, its ends, and bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from problems import TRUE_IDS, features, scores

from handful import MultiTaskLassoInf
from handful.status import Status

X = features()
Y = scores(X, 3)


def n_nonzero(coef):
    return np.count_nonzero(np.abs(coef).max(axis=0))


@pytest.mark.parametrize("k", [1, 2, 4, 9, 30, 60])
def test_exactly_k(k):
    model = MultiTaskLassoInf(n_features_to_select=k).fit(X, Y)
    assert len(model.support_ids_) == n_nonzero(model.coef_) == k
    assert model.status_ in (Status.SELECTED, Status.CUT)
    if k >= 4:
        assert set(TRUE_IDS) <= set(model.support_ids_)


def test_alpha_is_the_smallest_of_that_number():
    model = MultiTaskLassoInf(n_features_to_select=6, tol=1e-10).fit(X, Y)
    assert model.status_ is Status.SELECTED
    at_alpha = MultiTaskLassoInf(model.alpha_, tol=1e-10).fit(X, Y)
    np.testing.assert_array_equal(at_alpha.support_ids_, model.support_ids_)
    np.testing.assert_allclose(at_alpha.weights_, model.weights_, atol=1e-4)
    below = MultiTaskLassoInf(model.alpha_ / 1.01, tol=1e-10).fit(X, Y)
    assert len(below.support_ids_) > 6
    phases = [record.phase for record in model.history_]
    assert phases == sorted(phases, reverse=True)
    assert set(phases) == {"path", "bisect"}


def test_a_jump_over_k_is_cut_and_said():
    design = np.kron(np.eye(2), np.ones((4, 1)))  # two orthogonal columns: both enter at once
    model = MultiTaskLassoInf(n_features_to_select=1, fit_intercept=False)
    model.fit(design, np.ones((8, 2)))
    assert model.status_ is Status.CUT
    assert model.support_ids_.tolist() == [0]
    assert model.weights_.all()
    assert model.history_[-1].phase == "cut"
    errors = (model.predict(design) - 1) ** 2
    expected = errors.sum() / 16 + model.alpha_ * np.abs(model.coef_).max(axis=0).sum()
    assert model.objective_ == pytest.approx(expected)


def test_a_cut_leaves_no_feature_without_weight():
    """Fitted again, the weaker of two opposed columns would lose its weight; so the cut is kept."""
    from handful.methods.lasso_inf.engine import Path, _cut
    from handful.methods.moments import Moments
    from handful.spaces.resolve import resolve_space

    path = Path(Moments(resolve_space(X), Y, np.ones(len(X)), centred=True), 1e-9, 10_000, bool)
    above = path.go_to(path.last.alpha / 10, "path")
    weights = above.weights.copy()
    path.last = above
    one_more = np.setdiff1d(np.arange(60), above.ids)[:1]  # it has no business there
    ids = np.concatenate([above.ids, one_more])
    order = np.argsort(ids)
    padded = np.concatenate([weights, np.full((1, 3), weights.max())])[order]
    assert _cut(path, replace(above, ids=ids[order], weights=padded), len(ids)) is Status.CUT
    np.testing.assert_array_equal(path.last.ids, ids[order])
    np.testing.assert_array_equal(path.last.weights, padded)
    assert path.last.bound == above.bound


def test_no_feature_at_a_large_alpha():
    model = MultiTaskLassoInf(1e6).fit(X, Y)
    assert len(model.support_ids_) == 0
    assert model.coef_.shape == (3, 60)
    np.testing.assert_allclose(model.predict(X), np.broadcast_to(Y.mean(axis=0), Y.shape))
    assert model.dual_gap_ == pytest.approx(0, abs=1e-12)


def test_fewer_features_than_asked_for_is_a_warning():
    doubled = X[:, :3].copy()
    doubled[:, 2] = 0.0
    with pytest.warns(UserWarning, match="Only 2 of the 3 features asked for have weights"):
        model = MultiTaskLassoInf(n_features_to_select=3).fit(doubled, Y)
    assert model.status_ is Status.EXHAUSTED
    assert model.support_ids_.tolist() == [0, 1]


def test_shapes_follow_y():
    one = MultiTaskLassoInf(0.1).fit(X, Y[:, 0])
    assert one.coef_.shape == (60,)
    assert one.predict(X).shape == (120,)
    assert isinstance(one.intercept_, float)
    column = MultiTaskLassoInf(0.1).fit(X, Y[:, :1])
    assert column.coef_.shape == (1, 60)
    assert column.predict(X).shape == (120, 1)
    np.testing.assert_allclose(column.coef_[0], one.coef_)


def test_selector():
    table = pd.DataFrame(X, columns=[f"gene {j}" for j in range(60)])
    model = MultiTaskLassoInf(n_features_to_select=4).fit(table, Y)
    assert model.get_feature_names_out().tolist() == [f"gene {j}" for j in TRUE_IDS]
    np.testing.assert_array_equal(model.transform(table), X[:, TRUE_IDS])
    np.testing.assert_array_equal(model.get_support(indices=True), TRUE_IDS)
    assert model.get_support().sum() == 4
    sparse = MultiTaskLassoInf(n_features_to_select=4).fit(sp.csr_array(X), Y)
    assert sp.issparse(sparse.transform(sp.csr_array(X)))
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), model.predict(table), atol=1e-6)


def test_verbose_gets_every_round():
    records = []
    model = MultiTaskLassoInf(n_features_to_select=4, verbose=records.append).fit(X, Y)
    assert records == list(model.history_)
    assert model.n_iter_ == len(records)
    assert type(model.n_sweeps_) is int
    assert model.n_sweeps_ >= len(records)


def test_interrupt_leaves_a_model():
    def interrupt(record):
        if record.n_active >= 2:
            import signal

            signal.raise_signal(signal.SIGINT)

    model = MultiTaskLassoInf(n_features_to_select=20, verbose=interrupt).fit(X, Y)
    assert model.status_ is Status.INTERRUPTED
    assert 2 <= len(model.support_ids_) <= 20
    assert model.predict(X).shape == Y.shape


WITH_NAN = Y.copy()
WITH_NAN[3, 1] = np.nan


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"alpha": 0}, Y, r"^alpha must be a number above 0; got 0\.$"),
        ({"alpha": -1.0}, Y, r"^alpha must be a number above 0; got -1\.0\.$"),
        ({"n_features_to_select": 0}, Y, "^n_features_to_select must be a whole number of at"),
        ({"n_features_to_select": 61}, Y, "^n_features_to_select=61 is more than the 60 features"),
        ({"max_iter": 0}, Y, "^max_iter must be a whole number of at least 1"),
        ({"tol": 0.0}, Y, "^tol must be a number above 0"),
        ({"fit_intercept": 1}, Y, "^fit_intercept must be True or False"),
        ({}, WITH_NAN, r"^Input y contains NaN \(row 3, column 1\); leave"),
        ({}, Y[:50], "^Found input variables with inconsistent numbers of samples: "),
        ({"n_features_to_select": 2}, np.ones((120, 2)), "^No feature carries any signal"),
        ({}, 1e160 * Y, "^The numbers in X or y are too large to compute with"),
    ],
)
def test_bad_input_is_told_in_one_sentence(parameters, y, message):
    model = MultiTaskLassoInf(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "support_ids_")
