"""The estimators inside scikit-learn: pipelines, searches, copies, other processes."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from joblib import Parallel, delayed
from problems import TRUE_IDS, quantities, two_classes
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import FGMClassifier, FGMRegressor, load_model, save_model
from handful.estimators._notebook import summary_of_selector
from handful.inspection import explain_gap
from handful.losses import Logistic
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial, Substrings

K = len(TRUE_IDS)


def same_model(one, other):
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.objective_ == other.objective_


def test_last_step_of_a_pipeline():
    X, y = two_classes()
    pipeline = make_pipeline(StandardScaler(), FGMClassifier(K, C="fast")).fit(X, y)
    assert pipeline.score(X, y) > 0.95
    assert pipeline[-1].support_ids_.tolist() == TRUE_IDS.tolist()
    assert pipeline.get_feature_names_out().tolist() == [f"x{j}" for j in TRUE_IDS]


def test_selector_before_another_model():
    X, y = two_classes()
    pipeline = make_pipeline(FGMClassifier(K, C="fast"), LogisticRegression()).fit(X, y)
    assert pipeline[-1].n_features_in_ == K
    assert pipeline[:-1].transform(X).shape == (len(y), K)
    assert pipeline.score(X, y) > 0.95


def test_select_from_model_uses_coef():
    X, y = quantities()
    selector = SelectFromModel(FGMRegressor(K, C="fast"), threshold=1e-10).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(indices=True), TRUE_IDS)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_over_k_and_C(n_jobs):
    X, y = two_classes(n_samples=300)
    grid = {"fgm__n_features_to_select": [1, K], "fgm__C": [1e-6, 1.0]}
    pipeline = sklearn.pipeline.Pipeline([("scale", StandardScaler()), ("fgm", FGMClassifier())])
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=n_jobs).fit(X, y)
    assert search.best_params_["fgm__n_features_to_select"] == K
    assert search.best_score_ > 0.85
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    direct = clone(pipeline).set_params(**search.best_params_).fit(X, y)
    same_model(search.best_estimator_[-1], direct[-1])


def test_large_data_reach_other_processes_as_read_only_memory_maps():
    """joblib maps arrays of more than a megabyte; sparse ones too."""
    X, y = two_classes(n_samples=3000)
    sparse = sp.csr_array(X * (np.abs(X) > 0.5))
    for data in (X, sparse):
        scores = cross_val_score(FGMClassifier(K, C="fast"), data, y, cv=2, n_jobs=2)
        assert scores.min() > 0.9


def test_cross_val_predict():
    X, y = quantities()
    assert np.corrcoef(cross_val_predict(FGMRegressor(K, C="fast"), X, y), y)[0, 1] > 0.95


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_fits_side_by_side_equal_fits_one_by_one(backend):
    X, y = two_classes()
    ks = [1, 2, 3, 4, 5, 6]
    fits = Parallel(n_jobs=2, backend=backend)(
        delayed(FGMClassifier(k, C="fast").fit)(X, y) for k in ks
    )
    for k, model in zip(ks, fits, strict=True):
        same_model(model, FGMClassifier(k, C="fast").fit(X, y))


@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_copies_predict_the_same(make, again):
    X, y = two_classes()
    model = make(K, verbose=False, include=[5], C="fast").fit(X, y)
    twin = again(model)
    same_model(model, twin)
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert twin.history_ == model.history_
    assert twin.status_ is model.status_
    twin.fit(X[:, ::-1], y)
    assert model.predict(X).shape == y.shape


def test_a_clone_is_not_fitted_and_has_the_parameters():
    loss = Logistic()
    model = FGMClassifier(K, loss=loss, include=[1, 2], class_weight={0: 2.0}, tol=0.1, C="fast")
    twin = clone(model.fit(*two_classes()))
    assert not hasattr(twin, "support_ids_")
    assert isinstance(twin.loss, Logistic)
    parameters = {name: value for name, value in twin.get_params().items() if name != "loss"}
    assert parameters == {
        name: value for name, value in model.get_params().items() if name != "loss"
    }


def test_fit_does_not_write_parameters():
    model = FGMClassifier(K, C="auto", include=[5])
    before = copy.deepcopy(model.get_params())
    model.fit(*two_classes())
    assert model.get_params() == before


def test_a_second_fit_forgets_the_first():
    X, y = two_classes()
    model = FGMClassifier(K, C="fast").fit(X[:, :50], y[::-1])
    same_model(model.fit(X, y), FGMClassifier(K, C="fast").fit(X, y))


def test_repr_names_a_loss():
    assert repr(FGMClassifier(loss=Logistic())) == "FGMClassifier(loss=Logistic())"


class TestMetadataRouting:
    @pytest.fixture(autouse=True)
    def _routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            yield

    def test_weights_reach_the_last_step(self):
        X, y = two_classes()
        weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            FGMClassifier(K, C="fast").set_fit_request(sample_weight=True),
        ).fit(X, y, sample_weight=weight)
        scaled = StandardScaler().fit_transform(X)
        same_model(pipeline[-1], FGMClassifier(K, C="fast").fit(scaled, y, weight))

    def test_weights_reach_every_fold(self):
        X, y = two_classes()
        weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
        model = FGMClassifier(K, C="fast").set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"n_features_to_select": [K]}, cv=2)
        search.fit(X, y, sample_weight=weight)
        same_model(search.best_estimator_, FGMClassifier(K, C="fast").fit(X, y, weight))
        for fold, (train, test) in enumerate(StratifiedKFold(2).split(X, y)):
            by_hand = FGMClassifier(K, C="fast").fit(X[train], y[train], weight[train])
            expected = by_hand.score(X[test], y[test], weight[test])
            assert search.cv_results_[f"split{fold}_test_score"][0] == pytest.approx(expected)

    def test_unrequested_weights_are_refused(self):
        X, y = two_classes()
        pipeline = make_pipeline(FGMClassifier(K, C="fast"))
        with pytest.raises(ValueError, match="sample_weight"):
            pipeline.fit(X, y, sample_weight=np.ones(len(y)))


SPACES = {
    Polynomial: {"gamma": 2.0, "interaction_only": True},
    AdditiveKernel: {"kind": "chi2", "n_components": 5},
    HistogramIntersection: {"n_levels": 7},
    Substrings: {"weight": "count", "max_length": 3},
}


class TestParametersOfSpaces:
    @pytest.mark.parametrize("kind", SPACES)
    def test_are_parameters_of_the_estimator(self, kind):
        model = FGMClassifier(2, space=kind())
        copied = clone(model).set_params(
            **{f"space__{name}": value for name, value in SPACES[kind].items()}
        )
        assert copied.space.get_params() == kind(**SPACES[kind]).get_params()
        assert model.space.get_params() == kind().get_params()

    def test_can_be_searched(self):
        X = np.random.default_rng(0).standard_normal((150, 5))
        y = X[:, 1] * X[:, 3] > 0
        model = FGMClassifier(1, C="fast", space=Polynomial(gamma=0.5))
        kernel = AdditiveKernel("gaussian")
        grid = [{"space__interaction_only": [True, False]}, {"space": [kernel]}]
        search = GridSearchCV(model, grid, cv=3).fit(X, y)
        assert search.best_estimator_.get_feature_names_out().tolist() == ["x1 x3"]
        assert search.best_estimator_.space.gamma == 0.5
        assert model.space.interaction_only is False

    def test_unknown_ones_are_named(self):
        model = FGMClassifier(1, space=HistogramIntersection())
        with pytest.raises(ValueError, match=r"no parameter 'levels'; it has beta, n_levels\."):
            model.set_params(space__levels=3)


@pytest.mark.parametrize("later", [None, Polynomial(), AdditiveKernel()])
@pytest.mark.parametrize("first", [None, Polynomial()])
def test_parameters_for_the_next_fit_leave_the_model_as_it_is(first, later, tmp_path):
    """Columns of another space were looked for in X, under the numbers of this one's, or there was no ``space_``."""
    X, y = two_classes()
    X = X[:, :12]

    def said(model):
        save_model(model, tmp_path / "model.handful")
        told = [load_model(tmp_path / "model.handful").predict(X), model.predict(X)]
        told += [np.asarray(model.transform(X)), model.get_feature_names_out()]
        more = [
            model.get_support(),
            model.support_ids_,
            explain_gap(model),
            model.to_sklearn().n_features_in_,
        ]
        return [*told, *more, summary_of_selector(model)]

    model = FGMClassifier(3, space=first, C="fast").fit(X, y)
    expected = said(model)
    model.set_params(space=later)
    for one, other in zip(said(model), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    fresh = FGMClassifier(3, space=later, C="fast").fit(X, y)
    np.testing.assert_array_equal(
        model.fit(X, y).get_feature_names_out(), fresh.get_feature_names_out()
    )


@pytest.mark.parametrize("later", [None, Polynomial()])
def test_a_model_of_strings_reads_strings_whatever_the_next_fit_is_of(later):
    texts, y = ["free prize", "at home", "free gift", "see home"] * 5, [1, 0, 1, 0] * 5
    model = FGMClassifier(2, space=Substrings(), C="fast").fit(texts, y)
    expected = model.predict(texts)
    model.set_params(space=later)
    np.testing.assert_array_equal(model.predict(texts), expected)
    with pytest.raises(ValueError, match="this FGMClassifier reads strings"):
        model.to_sklearn()
    X = np.random.default_rng(0).standard_normal((20, 6))
    assert model.fit(X, X[:, 2] > 0).predict(X).shape == (20,)
