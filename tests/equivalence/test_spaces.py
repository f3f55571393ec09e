"""Features that are made on demand: the same as on the matrix with all of them written down."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import draw, every_case, every_mode, fit
from sklearn.base import clone

from handful import FGMClassifier
from handful.sizes import changed_sizes
from handful.spaces import (
    AdditiveKernel,
    DenseSpace,
    FeatureSpace,
    HistogramIntersection,
    Polynomial,
)

N_COLUMNS = 9
FORMS = {"dense": np.asarray, "CSR": sp.csr_array, "CSC": sp.csc_array}
every_form = pytest.mark.parametrize("form", FORMS)


class Lags(FeatureSpace):
    """The columns as they were some rows ago: id = lag * number of columns + column."""

    def __init__(self, n_lags=3):
        self.n_lags = n_lags

    def on(self, X):
        bound = copy.copy(self)
        bound.X, bound.dtype = np.asarray(X), X.dtype
        bound.n_samples, bound.n_features = len(X), X.shape[1] * self.n_lags
        return bound

    def columns(self, ids):
        made = np.zeros((self.n_samples, len(ids)), order="F")
        for place, (lag, column) in enumerate(zip(*np.divmod(ids, self.X.shape[1]), strict=True)):
            made[lag:, place] = self.X[: self.n_samples - lag, column]
        return made

    def names(self, ids, feature_names_in=None):
        lags, columns = np.divmod(ids, self.X.shape[1])
        known = super().names(columns, feature_names_in)
        return [f"{name}, {lag} ago" for name, lag in zip(known, lags, strict=True)]


# One column for each feature, so that the explicit matrix is a plain one.
NARROW = {
    "pairs": Polynomial(gamma=0.5, coef0=2.0),
    "interactions": Polynomial(interaction_only=True, include_linear=False),
    "lags": Lags(3),
}
WIDE = {
    "intersection": HistogramIntersection(n_levels=80),
    "intersection, root": HistogramIntersection(beta=0.5, n_levels=80),
    "gaussian": AdditiveKernel("gaussian", n_components=5),
    "anova": AdditiveKernel("anova", n_components=5, degree=2),
    "chi2": AdditiveKernel("chi2", n_components=5),
}


def problem(n_classes, name):
    X, y = draw(n_classes)
    X = X[:, :N_COLUMNS]
    return np.abs(X) if name == "chi2" else X, y


def expanded(space, X):
    """All columns of the space, and the feature each of them belongs to."""
    bound = space.on(X)
    ids = np.arange(bound.n_features)
    columns = bound.columns(ids)
    columns = columns.toarray() if sp.issparse(columns) else columns
    return columns, np.repeat(ids, bound.widths(ids))


@pytest.mark.parametrize("name", NARROW)
@every_case
@every_mode
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_equals_the_expanded_matrix(name, mode, loss, n_classes, weighted):
    X, y = problem(n_classes, name)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    columns, _ = expanded(NARROW[name], X)
    expected = fit(columns, y, mode, loss, weight)
    for form, convert in FORMS.items():
        if name == "lags" and form != "dense":
            continue  # this space is written for dense data
        model = fit(convert(X), y, mode, loss, weight, space=NARROW[name])
        assert model.objective_ == pytest.approx(expected.objective_, rel=1e-5)
        if mode == "exactly k":
            np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
            np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(
                model.predict(convert(X)), expected.predict(columns), rtol=1e-6, atol=1e-6
            )


@pytest.mark.parametrize("name", WIDE)
@every_case
@every_form
def test_kernels_equal_groups_of_expanded_columns(name, loss, n_classes, form):
    X, y = problem(n_classes, name)
    columns, owners = expanded(WIDE[name], X)
    expected = fit(columns, y, "exactly k", loss, groups=owners)
    data = FORMS[form](X)
    model = fit(data, y, "exactly k", loss, space=WIDE[name])
    np.testing.assert_array_equal(
        model.support_ids_, expected.group_labels_[expected.group_support_]
    )
    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-6)
    # An expanded matrix has the columns of all features: those of the chosen ones must agree.
    np.testing.assert_allclose(
        np.asarray(model.predict(data), dtype=float),
        np.asarray(expected.predict(columns), dtype=float),
        atol=1e-4,
    )


@pytest.mark.parametrize("name", [*NARROW, *WIDE])
class TestEstimator:
    def model(self, name, **options):
        X, y = problem(2, name)
        space = (NARROW | WIDE)[name]
        return FGMClassifier(3, space=space, **{"C": "fast"} | options).fit(X, y), X, y

    def test_new_rows_are_treated_like_the_old(self, name):
        if name == "lags":
            return  # a lag looks at the rows before
        model, X, _ = self.model(name)
        whole = model.decision_function(X)
        parts = [model.decision_function(X[rows]) for rows in (slice(0, 7), slice(7, None))]
        np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-9, atol=1e-12)

    def test_transform_makes_only_the_chosen_columns(self, name):
        model, X, _ = self.model(name)
        made = model.transform(X)
        assert made.shape[1] == model.weights_.shape[1] == len(model.get_feature_names_out())
        np.testing.assert_allclose(
            made @ model.weights_[0] + model.intercept_[0], model.decision_function(X)
        )
        assert len(set(model.get_feature_names_out())) == made.shape[1]
        assert model.set_output(transform="pandas").transform(X).shape == made.shape

    def test_what_cannot_be_had_says_so(self, name):
        model, X, _ = self.model(name)
        with pytest.raises(AttributeError, match="use weights_"):
            model.coef_  # noqa: B018
        with pytest.raises(ValueError, match="cannot be turned back into X"):
            model.inverse_transform(model.transform(X))
        np.testing.assert_array_equal(model.get_support(indices=True), model.support_ids_)
        np.testing.assert_array_equal(np.flatnonzero(model.get_support()), model.support_ids_)

    def test_clone_and_pickle(self, name):
        model, X, y = self.model(name)
        again = clone(model).fit(X, y)
        np.testing.assert_array_equal(again.weights_, model.weights_)
        if name == "lags":
            return  # a class of this module, which pickle cannot import under its test name
        loaded = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
        assert len(pickle.dumps(model)) < 200_000

    def test_checkpoint(self, name, tmp_path):
        model, X, y = self.model(name)
        path = tmp_path / "fit.npz"
        saved, _, _ = self.model(name, checkpoint=path)
        np.testing.assert_array_equal(saved.weights_, model.weights_)
        again = clone(saved).fit(X, y)
        np.testing.assert_array_equal(again.weights_, model.weights_)
        other = clone(saved).set_params(space=Polynomial(gamma=3.0))
        with pytest.raises(ValueError, match="other data or other parameters"):
            other.fit(X, y)

    def test_rows_of_weight_zero_are_not_there(self, name):
        if name == "lags":
            return  # a lag looks at the rows before
        X, y = problem(2, name)
        X = X.copy()
        X[:5] *= 100.0  # would change ranges and levels
        weight = np.r_[np.zeros(5), np.ones(len(y) - 5)]
        space = (NARROW | WIDE)[name]
        one = FGMClassifier(3, space=space, C="fast").fit(X, y, sample_weight=weight)
        other = FGMClassifier(3, space=space, C="fast").fit(X[5:], y[5:])
        np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
        np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-7)


def test_general_scan_in_blocks_equals_one_product():
    """What a space gets for free that only says how its columns are made."""
    rng = np.random.default_rng(0)
    X, a = rng.standard_normal((40, 11)), rng.standard_normal((40, 2))
    bound = Lags(4).on(X)
    matrix = DenseSpace(bound.columns(np.arange(44)))
    for entries in (40, 500, 10**6):
        for k, exclude in ((1, None), (7, np.array([3, 9])), (100, None)):
            with changed_sizes(block_entries=entries):
                ids, scores = bound.top(a, k, exclude)
            expected_ids, expected = matrix.top(a, k, exclude)
            np.testing.assert_array_equal(ids, expected_ids)
            np.testing.assert_allclose(scores, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": "pairs"}, "space must be None or a feature space such as .*Polynomial.*'pairs'"),
        ({"space": Polynomial(degree=3)}, "degree"),
        ({"space": Polynomial(), "groups": np.arange(N_COLUMNS)}, "cannot go with space"),
        ({"space": Polynomial(), "scale": "norm"}, "scale='norm' is for the columns of X"),
        ({"space": HistogramIntersection(beta=0)}, "beta"),
        ({"space": AdditiveKernel("laplace")}, "'gaussian'"),
        ({"space": AdditiveKernel("chi2")}, "negative"),
    ],
)
def test_bad_input(options, message):
    X, y = problem(2, "pairs")
    with pytest.raises(ValueError, match=message) as caught:
        FGMClassifier(2, **options).fit(X, y)
    assert "\n" not in str(caught.value)
