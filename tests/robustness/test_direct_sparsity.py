"""Bad input, hard data and interrupted fits of direct sparsity and robust feature selection."""

import signal
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from handful import DirectSparsityClassifier, RFSClassifier, RFSRegressor
from handful.sizes import changed_sizes
from handful.status import Status


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 50))
    return X, X[:, :3].argmax(axis=1)


@pytest.mark.parametrize(
    "p", [0, -0.5, 1.5, float("nan"), "half", True, [], [0.5, 2.0], [[0.5]], None]
)
def test_p_outside_its_range(p, data):
    with pytest.raises(ValueError, match=r"p must be a number above 0 and at most 1"):
        DirectSparsityClassifier(p=p).fit(*data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"margin": "wide"},
            "margin must be one of 'auto', 'hard', 'projected', 'soft'; got 'wide'",
        ),
        ({"C": 0}, "C must be a number above 0 or 'auto'"),
        ({"C": "large"}, "C must be a number above 0 or 'auto'"),
        ({"penalize_intercept": 2}, "penalize_intercept must be True or False"),
        ({"scale": True}, "scale must be one of None, 'raw', 'norm', 'std'; got True"),
        ({"refit": "ridge"}, "refit must be one of True, False, 'auto', or a classifier"),
        ({"refit": "svm"}, "refit must be one of True, False, 'auto', or a classifier"),
        ({"refit": None}, "refit must be one of True, False, 'auto', or a classifier"),
        ({"refit": 3}, "refit must be one of"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
        ({"tol": -1.0}, "tol must be a number above 0"),
        ({"verbose": "yes"}, 'verbose must be True, False, "bar" or a function'),
        ({"n_features_to_select": 0}, "n_features_to_select must be a whole number"),
        ({"n_features_to_select": 51}, "more than the 50 features there are"),
    ],
)
def test_wrong_parameters(parameters, message, data):
    with pytest.raises(ValueError, match=message):
        DirectSparsityClassifier(**parameters).fit(*data)


@pytest.mark.parametrize("alpha", [0, -1.0, "one", [], [1.0, 0.0]])
def test_wrong_alpha(alpha, data):
    for model in (RFSClassifier(alpha=alpha), RFSRegressor(alpha=alpha)):
        with pytest.raises(ValueError, match="alpha must be a number above 0"):
            model.fit(*data)


@pytest.mark.parametrize("model", [DirectSparsityClassifier(), RFSClassifier()])
def test_one_class(model, data):
    X, _ = data
    with pytest.raises(
        ValueError, match="needs samples of at least 2 classes; y has one class only"
    ):
        model.fit(X, np.zeros(30))


@pytest.mark.parametrize("model", [DirectSparsityClassifier(), RFSClassifier()])
def test_a_class_of_one_sample(model, data):
    X, y = data
    y = y.copy()
    y[7] = 9
    with pytest.warns(UserWarning, match="Class 9 has one sample only"):
        model.fit(X, y)
    assert model.predict(X[7:8]) == [9]


def test_a_class_of_one_sample_cannot_be_split(data):
    X, y = data
    y = np.where(np.arange(30) == 7, 9, y)
    message = "Class 9 has 1 sample, too few to choose {} by cross-validation"
    with (
        pytest.warns(UserWarning, match="one sample only"),
        pytest.raises(ValueError, match=message.format("p")),
    ):
        DirectSparsityClassifier(p=[0.5, 1.0]).fit(X, y)
    with (
        pytest.warns(UserWarning, match="one sample only"),
        pytest.raises(ValueError, match=message.format("alpha")),
    ):
        RFSClassifier(alpha=[0.5, 1.0]).fit(X, y)
    with pytest.raises(ValueError, match="5 samples are too few to choose alpha"):
        RFSRegressor(alpha=[0.5, 1.0]).fit(X[:5], y[:5])


@pytest.mark.parametrize(
    "model", [DirectSparsityClassifier(), DirectSparsityClassifier(margin="soft"), RFSClassifier()]
)
def test_constant_columns_are_never_selected(model, data):
    X, y = data
    X = X.copy()
    X[:, 10:] = np.arange(40)
    for form in (X, sp.csr_array(X)):
        model.set_params(n_features_to_select=10).fit(form, y)
        assert model.support_ids_.tolist() == list(range(10))
        with pytest.warns(
            UserWarning, match="Only 10 of the 12 features asked for carry any signal"
        ):
            model.set_params(n_features_to_select=12).fit(form, y)
        assert (model.scores_[10:] == 0).all()
    with pytest.raises(ValueError, match="No feature carries any signal"):
        model.set_params(n_features_to_select=None).fit(X[:, 10:], y)


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_numbers_that_cannot_be_squared(factor, data):
    X, y = data
    for model in (DirectSparsityClassifier(), RFSClassifier()):
        with pytest.raises(ValueError, match="rescale them"):
            model.fit(X * factor, y)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("margin", ["hard", "soft"])
def test_units_do_not_matter_once_standardized(margin, factor, data):
    X, y = data
    model = DirectSparsityClassifier(margin=margin, scale="std")
    expected = model.fit(X, y).predict(X)
    ids = model.support_ids_
    model.fit(X * factor + 100 * factor, y)
    np.testing.assert_array_equal(model.support_ids_, ids)
    np.testing.assert_array_equal(model.predict(X * factor + 100 * factor), expected)


@pytest.mark.parametrize(
    "model", [DirectSparsityClassifier(20, max_iter=2), RFSClassifier(20, max_iter=2)]
)
@changed_sizes(block_entries=200_000)
def test_a_hundred_thousand_columns_are_read_in_blocks(model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 100_000), dtype=np.float32)
    y = np.arange(80) % 3
    X[:, 7] += 4 * y
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 7 in model.support_ids_
    # A few numbers for each column and a few blocks; X in double precision would take 640 bytes a column.
    assert peak < 300 * X.shape[1]


def test_equal_columns_share_their_weight(data):
    X, y = data
    model = DirectSparsityClassifier(p=1.0).fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(model.coef_[:, :50], model.coef_[:, 50:], atol=1e-8)


def test_a_nearly_closed_gap_is_still_feasible():
    X = np.array([[0.0], [1.0], [1.001], [2.0]])
    y = np.array([0, 0, 1, 1])
    model = DirectSparsityClassifier(margin="hard").fit(X, y)
    assert model.feasible_
    assert model.coef_[0, 0] == pytest.approx(2000.0)


@pytest.mark.parametrize(
    "model",
    [
        DirectSparsityClassifier(tol=1e-12),
        DirectSparsityClassifier(p=[0.5, 1.0], tol=1e-12),
        DirectSparsityClassifier(margin="soft", tol=1e-12),
        RFSClassifier(tol=1e-12),
    ],
)
def test_ctrl_c_leaves_a_fitted_model(model, data):
    X, y = data
    seen = []

    def press(record):
        seen.append(record)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)

    model.set_params(verbose=press).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert model.n_iter_ == 3
    assert model.score(X, y) > 0.9


def test_a_failed_fit_leaves_the_model_as_it_was(data):
    X, y = data
    model = DirectSparsityClassifier().fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(30))
    np.testing.assert_array_equal(model.coef_, before)


def test_a_killed_choice_of_p_keeps_what_it_has(data, monkeypatch):
    """Ctrl-C while p is being chosen: the best so far is fitted, and the status says so."""
    X, y = data
    original, calls = DirectSparsityClassifier.score, []

    def score(self, *args, **options):
        calls.append(self.p)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return original(self, *args, **options)

    monkeypatch.setattr(DirectSparsityClassifier, "score", score)
    model = DirectSparsityClassifier(p=[0.3, 0.6, 1.0]).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert calls == [0.3, 0.6]
    assert model.p_ in (0.3, 0.6)
    assert model.predict(X).shape == (30,)


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("unit", [1e-12, 1e9, 1e30])
def test_quantities_in_any_unit(unit, refit):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 10))
    y = X[:, 0] - X[:, 3] + 0.3 * rng.standard_normal(80)
    model, expected = (RFSRegressor(2, refit=refit).fit(X, one * y) for one in (unit, 1.0))
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_ / unit, expected.weights_, rtol=1e-2)
    assert model.objective_ / unit == pytest.approx(expected.objective_, rel=1e-2)


@pytest.mark.parametrize(("unit", "size"), [(1e-200, "small"), (1e200, "large")])
def test_quantities_that_cannot_be_squared(unit, size):
    X = np.random.default_rng(0).standard_normal((30, 5))
    with pytest.raises(ValueError, match=f"^The numbers in X or y are too {size} to compute with"):
        RFSRegressor(2).fit(X, unit * X[:, 0])
