"""Selecting for a measure, through the estimators: every space, thresholds, classes, bad input."""

import functools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.utils import compute_sample_weight, estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import FGMClassifier, SVMPerfClassifier
from handful.losses.of_measure import Multivariate
from handful.measures import Measure, PrecisionAtK, resolve_measure
from handful.spaces import HistogramIntersection, Polynomial

#: The same as f1 and prec@20 with other numbers.
F_HALF, PRECISION_OF_A_SHARE = (
    pytest.param(name, marks=pytest.mark.exhaustive) for name in ("f0.5", "prec@10%")
)
NAMES = [
    *("accuracy", "f1", F_HALF, "prec@20", PRECISION_OF_A_SHARE, "rec@2p", "prbep"),
    *("roc_auc", "average_precision"),
]
TAKING_WEIGHTS = ["accuracy", "f1", F_HALF, "roc_auc"]


def rare(n_samples=300, n_features=60, seed=0):
    """A fifth of the samples is positive, and four features decide."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    X[rng.random(X.shape) < 0.3] = 0.0
    signal = X[:, [3, 11, 25, 40]] @ [2.0, -2.0, 1.5, 1.5] + 0.3 * rng.standard_normal(n_samples)
    return X, np.where(signal > np.quantile(signal, 0.8), "yes", "no")


@functools.cache
def selected(name):
    """The model of four features, for whoever does not change it."""
    return FGMClassifier(4, loss=name, C="fast").fit(*rare())


@pytest.mark.parametrize("name", NAMES)
class TestEveryMeasure:
    def test_selects_what_decides(self, name):
        model = selected(name)
        assert len(model.support_ids_) == 4
        assert len(set(model.support_ids_) & {3, 11, 25, 40}) >= 3
        assert model.dual_gap_ >= 0
        assert model.history_[-1].phase == "refit"

    def test_sparse_equals_dense(self, name):
        X, y = rare()
        one = selected(name)
        for convert in (sp.csr_array, sp.csc_array) if name == "f1" else (sp.csr_array,):
            other = FGMClassifier(4, loss=name, C="fast").fit(convert(X), y)
            np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
            assert one.objective_ == pytest.approx(other.objective_, rel=2e-3)

    def test_plain_machine(self, name):
        X, y = rare()
        model = FGMClassifier(loss=name, budget=3, max_rounds=4).fit(X, y)
        assert 3 <= len(model.support_ids_) <= 12
        assert model.score(X, y) > 0.75

    def test_checkpoint_resumes(self, name, tmp_path):
        X, y = rare()
        path = tmp_path / "fit.npz"
        one = FGMClassifier(4, loss=name, checkpoint=path, C="fast").fit(X, y)
        again = clone(one).fit(X, y)
        np.testing.assert_array_equal(one.weights_, again.weights_)
        np.testing.assert_array_equal(one.weights_, selected(name).weights_)


class TestSpaces:
    def test_groups(self):
        X, y = rare()
        model = FGMClassifier(4, loss="f1", groups=np.repeat(np.arange(30), 2), C="fast").fit(X, y)
        assert len(model.group_support_) == 4
        assert len(set(model.group_support_) & {1, 5, 12, 20}) >= 3

    def test_pairs(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((400, 30))
        y = X[:, 4] * X[:, 9] > 1.0
        for data in (X, sp.csr_array(X)):
            model = FGMClassifier(1, loss="f1", space=Polynomial(), C="fast").fit(data, y)
            assert model.get_feature_names_out().tolist() == ["x4 x9"]

    def test_kernels(self):
        rng = np.random.default_rng(0)
        X = rng.random((300, 20))
        y = np.abs(X[:, 4] - 0.5) < 0.1
        model = FGMClassifier(1, loss="f1", space=HistogramIntersection(), C="fast").fit(X, y)
        assert model.support_ids_.tolist() == [4]
        assert f1_score(y, model.predict(X)) > 0.8

    def test_include(self):
        X, y = rare()
        model = FGMClassifier(4, loss="f1", include=[7], exclude=[3], C="fast").fit(X, y)
        assert 7 in model.support_ids_
        assert 3 not in model.support_ids_


class TestPrediction:
    @pytest.mark.parametrize(
        ("loss", "count"), [("prec@20", 20), ("rec@2p", 120), ("prbep", 60), ("roc_auc", 60)]
    )
    @pytest.mark.parametrize("estimator", [FGMClassifier(4, C="fast"), SVMPerfClassifier(C=0.01)])
    def test_a_measure_of_counts_predicts_that_many(self, estimator, loss, count):
        X, y = rare()
        model = clone(estimator).set_params(loss=loss).fit(X, y)
        assert (model.predict(X) == "yes").sum() == count
        np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == "yes")

    def test_f1_is_better_than_with_the_hinge(self):
        """A rare class under noise: the squared hinge calls too few positive."""
        wins = 0
        for seed in range(6):
            rng = np.random.default_rng(seed)
            X = rng.standard_normal((2500, 60))
            signal = X[:, [3, 11, 25, 40]] @ [2.0, -2.0, 1.5, 1.5] + 2 * rng.standard_normal(2500)
            y = signal > np.quantile(signal, 0.9)
            one, other = (
                f1_score(
                    y[1000:],
                    FGMClassifier(4, loss=loss, C="fast").fit(X[:1000], y[:1000]).predict(X[1000:]),
                )
                for loss in ("f1", "squared_hinge")
            )
            wins += one > other
        assert wins >= 5


class TestManyClasses:
    @staticmethod
    def data():
        rng = np.random.default_rng(1)
        X = rng.standard_normal((300, 40))
        return X, X[:, [2, 7, 30]].argmax(axis=1)

    def test_each_class_selects_for_itself(self):
        X, y = self.data()
        model = FGMClassifier(3, loss="f1", C="fast", per_class=True).fit(X, y)
        assert [len(ids) for ids in model.class_support_ids_] == [3, 3, 3]
        union = np.unique(np.concatenate(model.class_support_ids_))
        np.testing.assert_array_equal(model.support_ids_, union)
        assert model.weights_.shape == (3, len(union))
        assert model.coef_.shape == (3, 40)
        assert model.decision_function(X).shape == (300, 3)
        assert model.score(X, y) > 0.85
        for row, ids in zip(model.coef_, model.class_support_ids_, strict=True):
            np.testing.assert_array_equal(np.flatnonzero(row), ids)

    def test_each_class_is_the_binary_fit(self):
        X, y = self.data()
        model = FGMClassifier(3, loss="f1", C="fast", per_class=True).fit(X, y)
        for number in range(3):
            alone = FGMClassifier(3, loss="f1", C="fast").fit(X, y == number)
            np.testing.assert_array_equal(model.class_support_ids_[number], alone.support_ids_)
            np.testing.assert_allclose(
                model.decision_function(X)[:, number], alone.decision_function(X)
            )

    @pytest.mark.parametrize(
        "options",
        [{"space": Polynomial()}, {"space": HistogramIntersection()}, {"groups": np.arange(10)}],
    )
    def test_spaces(self, options):
        X, y = (part[:80] for part in self.data())
        X = X[:, ::3][:, :10]  # without the last of those that decide
        options |= {"C": "fast"}
        model = FGMClassifier(3, loss="f1", per_class=True, **options).fit(X, y)
        for number in range(3):
            alone = FGMClassifier(3, loss="f1", **options).fit(X, y == number)
            np.testing.assert_allclose(
                model.decision_function(X)[:, number], alone.decision_function(X), atol=1e-9
            )
        assert model.transform(X).shape[1] == model.weights_.shape[1]

    def test_svmperf(self):
        X, y = self.data()
        model = SVMPerfClassifier("f1", C=0.1).fit(X, y)
        assert model.coef_.shape == (3, 40)
        assert model.score(X, y) > 0.85


class TestRefit:
    """The more positives there are to go by, the less the last fit is shrunk."""

    @pytest.mark.parametrize(
        ("loss", "n_positive", "factor"),
        [
            ("f1", 40, 3.0),
            ("f1", 150, 5.0),
            ("f1", 600, 10.0),
            ("prbep", 20, 1.0),
            ("prbep", 60, 2.0),
            ("prbep", 600, 10.0),
            ("accuracy", 150, 5.0),
        ],
    )
    def test_is_svmperf_on_the_selected_columns(self, loss, n_positive, factor):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((1000, 30))
        signal = X[:, [3, 11, 25]] @ [2.0, -2.0, 1.5] + 2 * rng.standard_normal(1000)
        y = np.where(np.argsort(np.argsort(-signal)) < n_positive, 1.0, -1.0)
        own = Multivariate(resolve_measure(loss)).of_samples(y, np.ones(1000))
        assert own.refit_factor(y[:, None]) == factor
        model = FGMClassifier(4, loss=loss, C="fast").fit(X, y)
        assert self.excess(model, factor * model.C_, X, y) <= 1e-3

    def test_weights_count_as_copies(self):
        """400 positives with a quarter of the weight are 100; accuracy takes the weight into C."""
        X, labels = rare(2000)
        y = np.where(labels == "yes", 1.0, -1.0)
        model = FGMClassifier(4, loss="accuracy", C="fast").fit(
            X, y, sample_weight=np.full(2000, 0.25)
        )
        assert self.excess(model, 0.25 * 100 / 30 * model.C_, X, y) <= 1e-3
        assert self.excess(model, 0.25 * 10 * model.C_, X, y) > 1e-2

    @staticmethod
    def excess(model, C, X, y):
        """By how much the objective of the model is above the best on its columns, relatively."""
        best = SVMPerfClassifier(model.loss, C=C, fit_intercept=True, tol=1e-5)
        best.fit(X[:, model.support_ids_], y)
        risk = resolve_measure(model.loss).risk(y, model.decision_function(X))
        return (0.5 * (model.weights_**2).sum() + C * risk) / best.objective_ - 1.0


class MeanRank(Measure):
    """A measure of the user's: one minus the share of negatives that the worst positive ranks below."""

    has_threshold = False

    def value(self, y_true, scores):
        return 1.0 - np.mean(scores[y_true < 0] > scores[y_true > 0].min())

    def most_violated(self, y, z, weight=None):
        positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        worst = positive[np.argmin(z[positive])]
        above = negative[z[worst] - z[negative] < 1.0]
        share = 100.0 / len(negative)
        a = np.zeros(len(y))
        a[worst] = share * len(above)
        a[above] = -share
        return a, share * len(above)


def test_a_measure_of_the_users_own():
    X, y = rare()
    model = FGMClassifier(4, loss=MeanRank(), C="fast").fit(X, y)
    assert len(set(model.support_ids_) & {3, 11, 25, 40}) >= 3


class TestWeights:
    @pytest.mark.parametrize("name", TAKING_WEIGHTS)
    def test_weight_two_is_the_row_twice(self, name):
        X, y = rare(120)
        weight = np.random.default_rng(0).integers(0, 3, 120)
        twice = np.repeat(np.arange(120), weight)
        options = {
            "loss": name,
            "C": 0.05,
            "budget": 4,
            "tol": 1e-3,
            "max_rounds": 40,
            "refit": False,
        }
        one = FGMClassifier(**options).fit(X, y, sample_weight=weight)
        other = FGMClassifier(**options).fit(X[twice], y[twice])
        assert one.objective_ == pytest.approx(other.objective_, rel=1e-2)
        assert one.objective_ - one.dual_gap_ <= other.objective_ * (1 + 1e-6)
        assert other.objective_ - other.dual_gap_ <= one.objective_ * (1 + 1e-6)

    @pytest.mark.parametrize("name", TAKING_WEIGHTS)
    def test_exactly_k_of_few_rows_is_the_same_to_rounding(self, name):
        X, y = rare(24)
        X = X[:, ::5]
        weight = np.random.default_rng(1).integers(0, 4, 24)
        assert weight.sum() <= 50  # where samples are few, models are exact
        twice = np.repeat(np.arange(24), weight)
        one = FGMClassifier(3, loss=name, C="fast").fit(X, y, sample_weight=weight)
        other = FGMClassifier(3, loss=name, C="fast").fit(X[twice], y[twice])
        np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
        np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-8, atol=1e-12)

    @pytest.mark.parametrize("name", TAKING_WEIGHTS)
    @pytest.mark.parametrize("intercept", [False, True])
    def test_svmperf(self, name, intercept):
        X, y = rare(120)
        X = X[:, [3, 11, 25, 40, 50]]
        weight = np.random.default_rng(0).integers(0, 3, 120)
        twice = np.repeat(np.arange(120), weight)
        model = SVMPerfClassifier(name, C=0.05, fit_intercept=intercept, tol=1e-7)
        one = clone(model).fit(X, y, sample_weight=weight)
        other = clone(model).fit(X[twice], y[twice])
        assert one.objective_ == pytest.approx(other.objective_, rel=2e-6)
        np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-2)

    @pytest.mark.parametrize(
        "estimator", [FGMClassifier(3, C="fast", max_rounds=2), SVMPerfClassifier(C=0.05)]
    )
    @pytest.mark.parametrize("name", TAKING_WEIGHTS)
    def test_class_weight_is_the_weight_of_its_samples(self, estimator, name):
        X, y = rare(60, 42)
        model = clone(estimator).set_params(loss=name)
        weight = np.where(y == "yes", 2.5, 1.0)
        one = clone(model).fit(X, y, sample_weight=weight)
        other = clone(model).set_params(class_weight={"yes": 2.5}).fit(X, y)
        np.testing.assert_array_equal(one.coef_, other.coef_)
        weight = compute_sample_weight("balanced", y)
        one = clone(model).fit(X, y, sample_weight=weight)
        other = clone(model).set_params(class_weight="balanced").fit(X, y)
        np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)

    @pytest.mark.parametrize("rare_counts", [False, True])
    def test_what_features_do_not_tell_is_predicted_as_the_heavier_class(self, rare_counts):
        """No weights are better than none here, and the answer is that of the rows that count most."""
        rng = np.random.default_rng(0)
        X, y = 20 * rng.standard_normal((50, 2)), np.repeat(["no", "yes"], [30, 20])
        weight = {"no": 1e-4, "yes": 1e3} if rare_counts else {"no": 1e3, "yes": 1e-4}
        model = FGMClassifier(2, loss="accuracy", C="fast", class_weight=weight).fit(X, y)
        assert set(model.predict(X)) == {"yes" if rare_counts else "no"}

    @pytest.mark.parametrize("scale", [1e-12, 1.0 / 300, 1e9])
    def test_f_under_weights_of_any_size(self, scale):
        """A factor of all weights is one of the scores, but for the copies that it divides."""
        X, y = rare()
        plain = FGMClassifier(4, loss="f1", C="fast", refit=False).fit(X, y)
        model = clone(plain).fit(X, y, sample_weight=np.full(300, scale))
        np.testing.assert_array_equal(model.support_ids_, plain.support_ids_)
        np.testing.assert_allclose(
            scale * model.decision_function(X), plain.decision_function(X), atol=0.1
        )
        assert model.dual_gap_ < model.objective_

    @pytest.mark.parametrize("estimator", [FGMClassifier(4), SVMPerfClassifier()])
    @pytest.mark.parametrize("name", ["prbep", "prec@20", "rec@2p", "average_precision"])
    def test_refused_where_undefined(self, estimator, name):
        X, y = rare(100)
        model = clone(estimator).set_params(loss=name)
        with pytest.raises(ValueError, match="not defined for weighted samples"):
            model.fit(X, y, sample_weight=np.arange(100.0))
        with pytest.raises(ValueError, match="not defined for weighted samples"):
            model.set_params(class_weight={"yes": 2.0}).fit(X, y)
        assert not get_tags(model).classifier_tags.sample_weight


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_numbers_that_are_too_large_for_all_columns(storage):
    X, y = rare(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="The numbers in X or y are too large to compute with"):
            SVMPerfClassifier().fit(storage(1e200 * X), y)
        SVMPerfClassifier().fit(storage(0 * X), y)  # zeros are not too small


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc"])
def test_what_an_interior_point_leaves_of_zero_is_not_selected(name):
    X, y = rare()
    model = FGMClassifier(loss=name, budget=3, max_rounds=6, refit=False).fit(X, y)
    sizes = np.abs(model.weights_[0])
    assert sizes.min() > 1e-5 * sizes.max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "prec@0"}, "k must be a whole number of at least 1.*got '0'"),
        ({"loss": "f3x"}, "loss must be one of .*'squared_hinge'.*'prec@100'.*got 'f3x'"),
        ({"loss": PrecisionAtK(1000)}, "k=1000 is more than the 100 samples"),
        ({"loss": "f1", "solver": "apg"}, "solver='apg' is for smooth losses"),
    ],
)
def test_bad_input(options, message):
    X, y = rare(100)
    with pytest.raises(ValueError, match=message) as caught:
        FGMClassifier(4, **options).fit(X, y)
    assert "\n" not in str(caught.value)


def test_grid_search_over_measures():
    X, y = rare()
    search = GridSearchCV(
        FGMClassifier(4, C="fast"), {"loss": ["squared_hinge", "f1", PrecisionAtK("p")]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.8


@pytest.mark.exhaustive
@parametrize_with_checks(
    [
        SVMPerfClassifier("f1", fit_intercept=True),
        SVMPerfClassifier("accuracy", fit_intercept=True),
        SVMPerfClassifier("roc_auc"),
    ]
)
def test_scikit_learn_check_of_all_features(estimator, check):
    check(estimator)


@parametrize_with_checks([SVMPerfClassifier()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_sample_weight_equivalence_on_dense_data,
        estimator_checks.check_sample_weight_equivalence_on_sparse_data,
        estimator_checks.check_fit_idempotent,
        estimator_checks.check_classifiers_classes,
        estimator_checks.check_estimators_pickle,
    ],
)
def test_scikit_learn_check_where_measures_differ(check):
    """All of them are below, for who asks for everything."""
    check("FGMClassifier", FGMClassifier(2, loss="f1", C="fast"))


@pytest.mark.exhaustive
@parametrize_with_checks([FGMClassifier(2, loss="f1", C="fast")])
def test_scikit_learn_check_of_selection(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks(
    [
        *(FGMClassifier(loss="f1"), FGMClassifier(2, loss="f1")),
        FGMClassifier(2, loss="accuracy", C="fast"),
        *(FGMClassifier(loss="roc_auc"), FGMClassifier(2, loss="roc_auc", C="fast")),
    ]
)
def test_scikit_learn_check_of_other_selections(estimator, check):
    check(estimator)


@pytest.mark.parametrize("loss", TAKING_WEIGHTS)
@pytest.mark.parametrize("make", [lambda loss: FGMClassifier(2, loss=loss), SVMPerfClassifier])
def test_a_class_without_weight_is_named(make, loss):
    """Accuracy of three classes had a score of minus infinity; F1 said that "y" had no positive samples."""
    X, _ = rare(60, 50)
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    with pytest.raises(
        ValueError, match=r"of class 'b' against the rest is undefined, since all its"
    ):
        make(loss).fit(X, y, sample_weight=np.where(y == "b", 0.0, 1.0))
