"""An estimator as ``refit`` predicts from the selected columns, and nothing else is different."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from every_estimator import ESTIMATORS, OF_BAGS, quick, small_data
from parameters_page import defaults
from sklearn.base import clone, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags
from stores import stored

from handful import DirectSparsityClassifier, FGMClassifier, FGMRegressor, MILESClassifier
from handful.io import InputError, save_model
from handful.model_selection import SelectKCV
from handful.spaces import HistogramIntersection, Polynomial, Substrings

WITH_REFIT = [name for name, cls in ESTIMATORS.items() if "refit" in defaults(cls)]
OF_FGM = ("FGMClassifier", "FGMRegressor", "MILESClassifier")
K = 3
RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 12))
SCORE = X[:, 1] - X[:, 4] + 0.7 * X[:, 8]
TWO, THREE = SCORE > 0, np.array(["a", "b", "c"])[np.digitize(SCORE, [-0.8, 0.8])]
LABELS = np.column_stack([X[:, 1] > 0, X[:, 4] > 0.5, X[:, 8] > -0.5]).astype(int)
FOREST = RandomForestClassifier(15, random_state=0)


def own_for(name):
    return KNeighborsRegressor() if is_regressor(ESTIMATORS[name]()) else LogisticRegression()


def asked(model, method, data):
    return getattr(model.estimator_, method)(model.transform(data))


@pytest.mark.parametrize("name", WITH_REFIT)
class TestEverywhere:
    """One parameter, the same values."""

    def fitted(self, name, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return quick(name, K, **options).fit(*small_data(name))

    def test_it_predicts_from_the_columns_that_are_selected_anyway(self, name):
        data, y = small_data(name)
        own, plain = own_for(name), self.fitted(name)
        model = self.fitted(name, refit=own)
        np.testing.assert_array_equal(model.support_ids_, plain.support_ids_)
        expected = clone(own).fit(plain.transform(data), y)
        np.testing.assert_array_equal(model.predict(data), expected.predict(plain.transform(data)))
        np.testing.assert_array_equal(model.predict(data), asked(model, "predict", data))
        constant = DummyRegressor() if is_regressor(own) else DummyClassifier()
        assert len(np.unique(self.fitted(name, refit=constant).predict(data))) == 1
        assert model.score(data, y) == expected.score(plain.transform(data), y)
        assert not hasattr(own, "classes_")  # it was cloned
        wanted = self.fitted(name, refit=name in OF_FGM)
        np.testing.assert_array_equal(model.weights_, wanted.weights_)

    @pytest.mark.parametrize("value", [True, False, "auto", np.True_, np.False_])
    def test_values_of_all(self, name, value):
        model = self.fitted(name, refit=value)
        assert not hasattr(model, "estimator_")
        if name in OF_FGM:
            same = self.fitted(name, refit=True if isinstance(value, str) else bool(value))
            np.testing.assert_array_equal(model.weights_, same.weights_)

    @pytest.mark.parametrize(
        "value", ["svm", None, 1, LogisticRegression, StandardScaler(), "other kind"]
    )
    def test_anything_else_is_refused(self, name, value):
        wanted = "a regressor" if is_regressor(ESTIMATORS[name]()) else "a classifier"
        if value == "other kind":
            value = LogisticRegression() if wanted == "a regressor" else Ridge()
        sentence = f"refit must be one of True, False, 'auto', or {wanted}; got "
        with pytest.raises(ValueError, match=sentence):
            self.fitted(name, refit=value)

    def test_the_next_fit_forgets_it(self, name):
        data, y = small_data(name)
        model = self.fitted(name, refit=own_for(name))
        model.set_params(refit=True).fit(data, y)
        assert not hasattr(model, "estimator_")
        np.testing.assert_array_equal(
            model.predict(data), self.fitted(name, refit=True).predict(data)
        )

    def test_its_parameters_are_searched_and_cloned(self, name):
        own = own_for(name)
        parameter = "n_neighbors" if is_regressor(own) else "C"
        model = quick(name, K, refit=own)
        assert f"refit__{parameter}" in model.get_params()
        search = GridSearchCV(model, {f"refit__{parameter}": [1, 3]}, cv=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(*small_data(name))
        best = search.best_params_[f"refit__{parameter}"]
        assert getattr(search.best_estimator_.estimator_, parameter) == best
        assert getattr(own, parameter) == getattr(clone(own), parameter)

    def test_it_is_pickled_and_shown_and_in_no_model_file(self, name, tmp_path):
        data, _ = small_data(name)
        model = self.fitted(name, refit=own_for(name))
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(data), model.predict(data))
        shown = model._summary_html()
        assert f"Predictions are those of {type(model.refit).__name__}" in shown
        assert "rows it was fitted to" not in shown
        with pytest.raises(
            InputError, match=f"refit is a {type(model.refit).__name__}, .*joblib or pickle"
        ):
            save_model(model, tmp_path / "model.handful")


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "f1"])
def test_probabilities_and_scores_are_those_it_has(loss):
    forest = FGMClassifier(K, C="fast", loss=loss, refit=FOREST)
    assert hasattr(forest, "predict_proba")
    forest.fit(X, THREE)
    np.testing.assert_array_equal(forest.predict_proba(X), asked(forest, "predict_proba", X))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(forest.predict_log_proba(X), np.log(forest.predict_proba(X)))
    assert not hasattr(forest, "decision_function")
    with pytest.raises(AttributeError) as caught:
        forest.decision_function(X)
    assert "RandomForestClassifier given as refit has none" in str(caught.value.__cause__)
    assert get_scorer("roc_auc_ovr")(forest, X, THREE) > 0.9
    svm = FGMClassifier(K, C="fast", loss=loss, refit=LinearSVC())
    assert not hasattr(svm, "predict_proba")
    svm.fit(X, THREE)
    with pytest.raises(AttributeError) as caught:
        svm.predict_proba(X)
    assert "LinearSVC given as refit has none" in str(caught.value.__cause__)
    np.testing.assert_array_equal(svm.decision_function(X), asked(svm, "decision_function", X))


@pytest.mark.parametrize(
    "options",
    [{"sample_weight": RNG.uniform(0.1, 3, 90)}, {"class_weight": {True: 1.0, False: 7.0}}],
    ids=["samples", "classes"],
)
@pytest.mark.parametrize("kind", [FGMClassifier, DirectSparsityClassifier])
def test_weights_are_passed_on(kind, options):
    weight = options.get("sample_weight")
    classes = {name: value for name, value in options.items() if name == "class_weight"}
    soft = {"C": "fast"} if kind is FGMClassifier else {"margin": "soft"}
    model = kind(K, refit=LogisticRegression(), **soft, **classes)
    model.fit(X, TWO, sample_weight=weight)
    expected = np.where(TWO, 1.0, 7.0) if weight is None else weight
    alone = LogisticRegression().fit(model.transform(X), TWO, sample_weight=expected)
    np.testing.assert_allclose(model.estimator_.coef_, alone.coef_, rtol=1e-6)
    for own in (KNeighborsClassifier(), make_pipeline(StandardScaler(), LogisticRegression())):
        with pytest.warns(
            UserWarning, match=f"{type(own).__name__}, given as refit, takes no sample_weight"
        ):
            model.set_params(refit=own).fit(X, TWO, sample_weight=weight)


@pytest.mark.parametrize(
    "options",
    [
        {"groups": np.arange(12) // 2},
        {"groups": [[0, 1, 2], [1, 4], [8]]},
        {"space": Polynomial()},
        {"space": HistogramIntersection()},
        {"scale": "std"},
        {"per_class": True},
        {"include": [11]},
        {"solver": "apg"},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array])
def test_wherever_columns_come_from(options, convert):
    data = convert(np.where(X > 0.3, X, 0.0))
    model = FGMClassifier(K, C="fast", refit=FOREST, **options).fit(data, THREE)
    made = model.transform(data)
    np.testing.assert_array_equal(model.predict(data), clone(FOREST).fit(made, THREE).predict(made))
    theirs = model.to_sklearn()
    used = (
        np.unique(model.space_.sized(12).inputs(model.support_ids_))
        if model.space
        else model.support_ids_
    )
    np.testing.assert_array_equal(theirs.predict(data[:, used]), model.predict(data))


def test_factors_of_pairs_go_with_them_to_scikit_learn():
    model = FGMRegressor(
        K, C="fast", space=Polynomial(gamma=0.3, coef0=5.0), refit=KNeighborsRegressor()
    )
    model.fit(X, SCORE * X[:, 2])
    used = model.space_.sized(12).inputs(model.support_ids_)
    np.testing.assert_allclose(model.to_sklearn().predict(X[:, used]), model.predict(X))


def test_strings():
    texts = ["gattaca" if one else "cattle" for one in TWO] + ["tag"] * 2
    y = [*TWO, True, False]
    model = FGMClassifier(2, C="fast", space=Substrings(), refit=LogisticRegression()).fit(texts, y)
    np.testing.assert_array_equal(model.predict(texts), asked(model, "predict", texts))
    assert model.score(texts, y) > 0.9


def test_a_store():
    store = stored(X)
    there, here = (
        FGMClassifier(K, C="fast", refit=LogisticRegression()).fit(data, TWO) for data in (store, X)
    )
    np.testing.assert_allclose(there.estimator_.coef_, here.estimator_.coef_, rtol=1e-6)
    np.testing.assert_array_equal(there.predict(store), here.predict(X))


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda Y: Y.astype(bool),
        lambda Y: 2 * Y - 1,
        sp.csr_array,
        lambda Y: sp.csr_array(2 * Y - 1),
    ],
    ids=["0 and 1", "bool", "-1 and 1", "sparse", "sparse -1 and 1"],
)
@pytest.mark.parametrize(
    "own",
    [FOREST, RidgeClassifier(), OneVsRestClassifier(LogisticRegression())],
    ids=lambda own: type(own).__name__,
)
@pytest.mark.parametrize("kind", [FGMClassifier, DirectSparsityClassifier])
def test_labels(kind, own, make):
    Y = make(LABELS)
    model = kind(K, refit=own).fit(X, Y)
    found = model.predict(X)
    dense = Y.toarray() if sp.issparse(Y) else Y
    assert found.dtype == dense.dtype
    assert set(np.unique(found)) == set(np.unique(dense))
    assert (found == dense).mean() > 0.8
    alone = clone(own).fit(model.transform(X), LABELS)
    np.testing.assert_array_equal(found > 0, alone.predict(model.transform(X)) > 0)
    if hasattr(own, "predict_proba"):
        assert model.predict_proba(X).shape == LABELS.shape
        is_likely = model.predict_proba(X) > 0.5
        assert (is_likely == (found > 0)).mean() > 0.99  # halves are ties of a forest
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


def test_labels_are_not_for_estimators_of_classes():
    with pytest.raises(
        ValueError, match=r"LogisticRegression, given as refit, .*OneVsRestClassifier"
    ):
        FGMClassifier(K, C="fast", refit=LogisticRegression()).fit(X, LABELS)
    for own, takes in ((LogisticRegression(), False), (FOREST, True), (True, True)):
        assert get_tags(FGMClassifier(refit=own)).classifier_tags.multi_label is takes


@pytest.mark.filterwarnings("ignore:Label 1")
def test_labels_that_all_samples_have():
    Y = np.insert(LABELS, [1, 3], [[1, 0]], axis=1)
    model = FGMClassifier(K, C="fast", refit=FOREST).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, [1, 4]], Y[:, [1, 4]])
    np.testing.assert_array_equal(model.predict_proba(X)[:, [1, 4]], Y[:, [1, 4]])


@pytest.mark.parametrize("Y", [SCORE, SCORE[:, None], X[:, [1, 4]]], ids=["one", "a column", "two"])
def test_quantities(Y):
    model = FGMRegressor(K, C="fast", refit=LinearRegression()).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    np.testing.assert_allclose(model.predict(X), Y, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"per_class": True}, {"solver": "apg"}])
def test_every_model_of_a_path_has_its_own(options):
    model = FGMClassifier(C="fast", refit=FOREST, class_weight="balanced", **options)
    for k, one in model.fit_path(X, THREE, [2, 4]).items():
        made = one.transform(X)
        assert one.n_features_to_select == k
        assert one.estimator_.n_features_in_ == made.shape[1] == len(one.support_ids_)
        weight = 90 / 3 / np.array([(y == THREE).sum() for y in THREE])
        alone = clone(FOREST).fit(made, THREE, sample_weight=weight)
        np.testing.assert_array_equal(one.predict_proba(X), alone.predict_proba(made))


def test_how_many_features_it_wants():
    search = SelectKCV(
        FGMClassifier(C="fast", refit=FOREST), [1, 3], cv=3, scoring="neg_log_loss", random_state=0
    )
    search.fit(X, TWO)
    assert type(search.best_estimator_.estimator_) is RandomForestClassifier
    np.testing.assert_array_equal(search.predict_proba(X), search.best_estimator_.predict_proba(X))


def test_a_checkpoint_is_of_the_selection(tmp_path):
    """Another estimator goes on from it."""
    path = tmp_path / "fit.npz"
    model = FGMClassifier(K, C="fast", refit=LogisticRegression(), checkpoint=path).fit(X, TWO)
    other = clone(model).set_params(refit=SVC()).fit(X, TWO)
    np.testing.assert_array_equal(model.support_ids_, other.support_ids_)
    assert type(other.estimator_) is SVC


def test_bags_have_no_scores_of_instances_by_another_estimator():
    bags, y = small_data("MILESClassifier")
    assert "MILESClassifier" in OF_BAGS
    model = MILESClassifier(K, C="fast", refit=SVC()).fit(bags, y)
    with pytest.raises(ValueError, match="decisions are those of the SVC given as refit"):
        model.instance_scores(bags[0])
