"""StabilitySelection: the bound holds, the same halves give the same features, wherever X is."""

import os
import signal

import dask.array
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.feature_selection import RFE, SelectorMixin, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data
from stores import stored

from handful import (
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    RFSClassifier,
)
from handful.model_selection import Resample, StabilitySelection, error_bound, stability_index
from handful.spaces import Polynomial
from handful.status import Status


@parametrize_with_checks([StabilitySelection(GreedyRLSClassifier(1), n_resamples=1)])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks(
    [
        StabilitySelection(GreedyRLSRegressor(1), n_resamples=2),
        StabilitySelection(GreedyRLSClassifier(1), n_resamples=2, aggregate=True),
        StabilitySelection(FGMClassifier(1, C="fast"), n_resamples=2),
    ]
)
def test_scikit_learn_with_others(estimator, check):
    check(estimator)


class Correlated(SelectorMixin, RegressorMixin, BaseEstimator):
    """The columns most correlated with y, and the mean: quick, so that many data sets can be gone through."""

    def __init__(self, n_features_to_select=1):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        Z = X - X.mean(axis=0)
        scores = np.abs(Z.T @ y) / np.linalg.norm(Z, axis=0)
        self.mask_ = np.zeros(X.shape[1], dtype=bool)
        self.mask_[np.argsort(-scores)[: self.n_features_to_select]] = True
        self.mean_ = y.mean()
        return self

    def _get_support_mask(self):
        return self.mask_

    def predict(self, X):
        return np.full(len(X), self.mean_)


def regression(seed=0, n_samples=60, n_features=40, n_true=3, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    y = X[:, :n_true].sum(axis=1) + noise * rng.standard_normal(n_samples)
    return X, y


def two_classes(seed=0, **sizes):
    X, y = regression(seed, **sizes)
    return X, np.where(y > 0, "yes", "no")


class TestHowOften:
    def test_shares_are_those_of_the_halves(self):
        """Every half fitted by hand, from the rows that the model says it drew."""
        X, y = two_classes()
        seen = []

        class Watched(GreedyRLSClassifier):
            def fit(self, X, y, sample_weight=None):
                super().fit(X, y, sample_weight)
                seen.append((X[:, 0].copy(), self.support_ids_))
                return self

        Watched.__init__ = GreedyRLSClassifier.__init__
        model = StabilitySelection(Watched(5), n_resamples=6, random_state=3).fit(X, y)
        halves, counts = seen[:12], np.zeros(40)
        for first, second in zip(halves[::2], halves[1::2], strict=True):
            rows = [set(np.flatnonzero(np.isin(X[:, 0], half[0]))) for half in (first, second)]
            assert not rows[0] & rows[1]
            assert len(rows[0] | rows[1]) == 60
            for part, (_, ids) in zip(rows, (first, second), strict=True):
                index = sorted(part)
                expected = GreedyRLSClassifier(5).fit(X[index], y[index]).support_ids_
                assert ids.tolist() == expected.tolist()
                counts[ids] += 1
        np.testing.assert_allclose(model.selection_probabilities_.toarray()[0], counts / 12)
        assert (
            model.support_ids_.tolist() == np.flatnonzero(counts / 12 >= model.threshold_).tolist()
        )
        table = np.zeros((12, 40))
        for row, (_, ids) in zip(table, halves, strict=True):
            row[ids] = 1
        assert model.stability_ == stability_index(table)

    def test_the_threshold_is_that_of_the_bound(self):
        X, y = regression()
        model = StabilitySelection(GreedyRLSRegressor(4), 10, pfer=0.5, random_state=0).fit(X, y)
        bound = error_bound(40, q=4, pfer=0.5, n_resamples=10)
        assert (model.threshold_, model.pfer_bound_) == (bound.threshold, bound.pfer)
        assert model.pfer_bound_ <= 0.5
        assert {0, 1, 2} <= set(model.support_ids_)

    def test_how_many_a_selector_without_a_number_selects_is_counted(self):
        X, y = regression()
        selector = FGMRegressor(C=0.1, budget=3, max_rounds=2)
        model = StabilitySelection(selector, 5, threshold=0.9, random_state=0).fit(X, y)
        assert model.n_selected_ == pytest.approx(model.selection_probabilities_.sum())
        bound = error_bound(40, q=model.n_selected_, threshold=0.9, n_resamples=5)
        assert model.pfer_bound_ == pytest.approx(bound.pfer)

    def test_groups_of_columns_are_stable_together(self):
        X, y = regression()
        selector = FGMRegressor(2, C="fast", groups=np.arange(40) // 2)
        model = StabilitySelection(selector, 5, threshold=0.9, random_state=0).fit(X, y)
        assert {0, 1} <= set(model.support_ids_)
        assert model.n_selected_ == 4
        assert (np.unique(model.support_ids_ // 2, return_counts=True)[1] == 2).all()
        assert model.score(X, y) > 0.3

    @pytest.mark.parametrize(
        "groups",
        [np.r_[np.arange(20), np.full(20, 99)], [[j] for j in range(20)] + [range(20, 40)]],
    )
    @pytest.mark.parametrize(("exclude", "n_free"), [(None, 21), ([3, 4], 19)])
    def test_the_bound_counts_groups(self, groups, exclude, n_free):
        """A wide group that nothing chooses must not make noise look rare, nor a chosen one make the bound useless."""
        X, y = regression()
        selector = FGMRegressor(4, C="fast", groups=groups, exclude=exclude)
        model = StabilitySelection(selector, 5, pfer=0.9, random_state=0).fit(X, y)
        bound = error_bound(n_free, q=4, pfer=0.9, n_resamples=5)
        assert (model.threshold_, model.pfer_bound_) == (bound.threshold, bound.pfer)

    @pytest.mark.parametrize("assumption", ["none", "unimodal", "r-concave"])
    def test_a_given_threshold_has_its_bound(self, assumption):
        X, y = regression()
        options = {"threshold": 0.9, "assumption": assumption, "random_state": 0}
        model = StabilitySelection(GreedyRLSRegressor(4), 10, **options).fit(X, y)
        bound = error_bound(40, q=4, threshold=0.9, n_resamples=10, assumption=assumption)
        assert model.threshold_ == 0.9
        assert model.pfer_bound_ == bound.pfer

    def test_halves_that_are_not_complementary(self):
        X, y = regression()
        options = {"complementary": False, "threshold": 0.8, "random_state": 0}
        model = StabilitySelection(GreedyRLSRegressor(4), 20, **options).fit(X, y)
        assert model.pfer_bound_ == pytest.approx(4**2 / 40 / 0.6)
        counts = model.selection_probabilities_.data * 20
        np.testing.assert_allclose(counts, counts.round())

    def test_excluded_and_included_features_do_not_count(self):
        X, y = regression()
        selector = GreedyRLSRegressor(5, include=[7], exclude=np.arange(30, 40))
        model = StabilitySelection(selector, 10, threshold=0.7, random_state=0).fit(X, y)
        bound = error_bound(29, q=4, threshold=0.7, n_resamples=10)
        assert model.pfer_bound_ == bound.pfer
        assert 7 in model.support_ids_

    def test_the_path_counts_the_first_of_each_half(self):
        X, y = regression()
        model = StabilitySelection(GreedyRLSRegressor(6), 10, random_state=0).fit(X, y)
        path = model.stability_path_
        assert path["k"].tolist() == [1, 2, 3, 4, 5, 6]
        np.testing.assert_allclose(path["frequency"].sum(axis=0), path["k"])
        assert (np.diff(path["frequency"], axis=1) >= 0).all()
        np.testing.assert_allclose(path["frequency"][:, -1], model.selection_probabilities_.data)
        one = StabilitySelection(GreedyRLSRegressor(1), 10, random_state=0).fit(X, y)
        first = path["frequency"][:, 0]
        assert path["ids"][first > 0].tolist() == one.selection_probabilities_.indices.tolist()
        np.testing.assert_allclose(first[first > 0], one.selection_probabilities_.data)


def test_false_features_keep_to_the_bound():
    """Known truth: over many data sets no more false features than the bound, and the true ones found."""
    false, found, bounds = [], [], []
    for seed in range(40):
        X, y = regression(seed, n_samples=80, n_features=60, n_true=3)
        model = StabilitySelection(Correlated(8), 15, pfer=1.0, random_state=seed).fit(X, y)
        false.append(np.count_nonzero(model.support_ids_ >= 3))
        found.append(np.count_nonzero(model.support_ids_ < 3))
        bounds.append(model.pfer_bound_)
    assert max(bounds) <= 1
    assert np.mean(false) <= np.mean(bounds) + 2 * np.std(false) / np.sqrt(len(false))
    assert np.mean(found) > 2.5


@pytest.mark.filterwarnings("ignore:No feature was selected")
@pytest.mark.parametrize("assumption", ["none", "unimodal", "r-concave"])
def test_noise_alone_keeps_to_the_bound(assumption):
    false = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((40, 30)), rng.standard_normal(40)
        options = {"assumption": assumption, "threshold": 0.6, "random_state": seed}
        model = StabilitySelection(Correlated(4), 10, **options).fit(X, y)
        false.append(model.n_features_)
    assert np.mean(false) <= model.pfer_bound_ + 3 * np.std(false) / np.sqrt(len(false))
    assert sum(false) > 0


class TestThePredictor:
    def test_predicts_from_the_stable_features_alone(self):
        X, y = regression()
        model = StabilitySelection(GreedyRLSRegressor(4), 10, random_state=0).fit(X, y)
        ids = model.support_ids_
        alone = GreedyRLSRegressor(len(ids)).fit(X[:, ids], y)
        np.testing.assert_allclose(model.predict(X), alone.predict(X[:, ids]))
        np.testing.assert_allclose(model.transform(X), X[:, ids])
        assert model.score(X, y) == pytest.approx(alone.score(X[:, ids], y))

    def test_classes_and_scores(self):
        X, y = two_classes()
        model = StabilitySelection(FGMClassifier(4, C="fast"), 5, random_state=0).fit(X, y)
        assert model.classes_.tolist() == ["no", "yes"]
        assert ((model.decision_function(X) > 0) == (model.predict(X) == "yes")).all()
        assert not hasattr(model, "predict_proba")

    def test_pairs_behind_a_scaler_are_made_of_what_it_gives(self):
        X, y = two_classes()
        pairs = FGMClassifier(2, C="fast", space=Polynomial())
        chain = make_pipeline(StandardScaler(), pairs)
        model = StabilitySelection(chain, 5, aggregate=True, random_state=0).fit(X * 7, y)
        made = model.estimator_[1].space_.on(StandardScaler().fit_transform(X))
        np.testing.assert_allclose(model.transform(X * 7), made.columns(model.support_ids_))

    def test_chains_and_selectors_of_scikit_learn(self):
        X, y = two_classes()
        chain = make_pipeline(StandardScaler(), GreedyRLSClassifier(4), LogisticRegression())
        model = StabilitySelection(chain, 5, random_state=0).fit(X * 7, y)
        plain = StabilitySelection(
            make_pipeline(StandardScaler(), GreedyRLSClassifier(4)), 5, random_state=0
        ).fit(X, y)
        assert model.support_ids_.tolist() == plain.support_ids_.tolist()
        assert model.predict_proba(X * 7).shape == (60, 2)
        for selector in (
            RFE(LogisticRegression(), n_features_to_select=3, step=0.5),
            SequentialFeatureSelector(Ridge(), n_features_to_select=1, cv=2),
        ):
            X, y = regression(n_features=6) if isinstance(selector.estimator, Ridge) else (X, y)
            found = StabilitySelection(selector, 2, threshold=0.75, random_state=0).fit(X, y)
            assert found.predict(X).shape == (60,)
            assert found.transform(X).shape == (60, found.n_features_)

    def test_names(self):
        X, y = two_classes()
        frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(40)])
        selector = GreedyRLSClassifier(4, include=["gene 9"])
        model = StabilitySelection(selector, 5, random_state=0).fit(frame, y)
        names = list(model.get_feature_names_out())
        assert names == [f"gene {j}" for j in model.support_ids_]
        assert "gene 9" in names
        out = model.set_output(transform="pandas").transform(frame)
        assert list(out.columns) == names
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame.rename(columns={"gene 1": "other"}))

    def test_nothing_stable_is_said_and_the_mean_predicted(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((40, 300)), rng.standard_normal(40)
        model = StabilitySelection(GreedyRLSRegressor(2), 10, threshold=1.0, random_state=0)
        with pytest.warns(UserWarning, match="No feature was selected in 100% of the halves"):
            model.fit(X, y)
        assert model.n_features_ == 0
        np.testing.assert_allclose(model.predict(X), y.mean())


class TestOneSeed:
    def test_the_same_seed_gives_the_same(self):
        X, y = regression()
        model = StabilitySelection(GreedyRLSRegressor(4), 6, random_state=1)
        first, second = clone(model).fit(X, y), clone(model).fit(X, y)
        other = clone(model).set_params(random_state=2).fit(X, y)
        same = (first.selection_probabilities_ != second.selection_probabilities_).nnz
        assert same == 0
        assert (first.selection_probabilities_ != other.selection_probabilities_).nnz > 0

    def test_side_by_side_is_one_after_the_other(self):
        X, y = two_classes()
        model = StabilitySelection(FGMClassifier(4, C="fast"), 6, random_state=1)
        one, two = clone(model).fit(X, y), clone(model).set_params(n_jobs=2).fit(X, y)
        assert (one.selection_probabilities_ != two.selection_probabilities_).nnz == 0
        np.testing.assert_allclose(one.predict(X) == "yes", two.predict(X) == "yes")


class TestWhereverXIs:
    @pytest.mark.parametrize("is_sparse", [False, True])
    def test_store_and_dask_are_memory(self, is_sparse):
        X, y = two_classes()
        X[np.abs(X) < 0.5] = 0
        there = sp.csc_array(X) if is_sparse else X
        model = StabilitySelection(GreedyRLSClassifier(4), 4, random_state=0)
        here = clone(model).fit(there, y)
        elsewhere = [stored(there)]
        if not is_sparse:
            elsewhere.append(dask.array.from_array(X, chunks=(25, 15)))
        for away in elsewhere:
            found = clone(model).fit(away, y)
            assert (found.selection_probabilities_ != here.selection_probabilities_).nnz == 0
            assert found.support_ids_.tolist() == here.support_ids_.tolist()
            assert (found.predict(away) == here.predict(there)).all()
            np.testing.assert_allclose(_dense(found.transform(away)), _dense(here.transform(there)))

    def test_millions_of_columns(self):
        rng = np.random.default_rng(0)
        n_features = 3_000_000
        noise = sp.random_array((60, n_features), density=1e-5, rng=rng, format="csc")
        y = np.where(rng.random(60) < 0.5, 1, -1)
        signal = sp.csc_array((y[:, None] > 0) * np.array([[1.0, 2.0]]))
        X = sp.hstack([signal, noise], format="csr")
        model = StabilitySelection(FGMClassifier(2, C="fast"), 4, random_state=0).fit(X, y)
        assert set(model.support_ids_) <= {0, 1}
        assert model.n_features_
        assert model.selection_probabilities_.nnz < 50
        assert (model.predict(X) == y).all()

    def test_pairs_are_counted_by_their_ids(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((150, 30))
        y = np.sign(X[:, 3] * X[:, 17])
        selector = FGMClassifier(2, C="fast", space=Polynomial())
        model = StabilitySelection(selector, 4, random_state=0).fit(X, y)
        [name] = model.get_feature_names_out()
        assert (
            name
            == selector.fit(X, y).get_feature_names_out()[
                list(selector.support_ids_).index(model.support_ids_[0])
            ]
        )
        assert model.selection_probabilities_.shape[1] > 400
        assert model.transform(X).shape == (150, 1)
        assert model.score(X, y) > 0.9


def _dense(columns):
    return columns.toarray() if sp.issparse(columns) else np.asarray(columns)


class TestSamples:
    def test_weights_are_split_with_the_samples(self):
        """A weight of zero is no sample: what is learned is that of the others."""
        X, y = regression(n_samples=80)
        weight = np.where(np.arange(80) < 60, 1.0, 0.0)
        y[60:] = 100 * X[60:, 30]  # what would be learned from samples without weight
        model = StabilitySelection(GreedyRLSRegressor(4), 8, random_state=0)
        weighted = clone(model).fit(X, y, sample_weight=weight)
        without = clone(model).fit(X[:60], y[:60])
        assert weighted.support_ids_.tolist() == without.support_ids_.tolist()
        np.testing.assert_allclose(weighted.predict(X), without.predict(X))

    def test_groups_are_never_in_two_halves(self):
        X, y = regression()
        groups = np.arange(60) // 5
        seen = []

        class Watched(GreedyRLSRegressor):
            def fit(self, X, y, sample_weight=None):
                seen.append(X[:, 0])
                return super().fit(X, y, sample_weight)

        Watched.__init__ = GreedyRLSRegressor.__init__
        StabilitySelection(Watched(4), 4, random_state=0).fit(X, y, groups=groups)
        halves = [set(groups[np.isin(X[:, 0], part)]) for part in seen[:8]]
        for first, second in zip(halves[::2], halves[1::2], strict=True):
            assert not first & second
            assert len(first) == len(second) == 6


class TestProgress:
    def test_each_resample_is_told(self, capsys):
        X, y = regression()
        told = []
        StabilitySelection(GreedyRLSRegressor(4), 3, verbose=told.append, random_state=0).fit(X, y)
        assert [one.number for one in told] == [1, 2, 3]
        assert all(isinstance(one, Resample) and one.counts == (4, 4) for one in told)
        assert capsys.readouterr().out == ""
        StabilitySelection(GreedyRLSRegressor(4), 2, verbose=True, random_state=0).fit(X, y)
        assert capsys.readouterr().out.startswith("resample 1 of 2: 4 and 4 features")

    @pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
    def test_ctrl_c_keeps_what_is_finished(self):
        X, y = regression()

        def interrupt(resample):
            if resample.number == 3:
                os.kill(os.getpid(), signal.SIGINT)

        model = StabilitySelection(
            GreedyRLSRegressor(4), 10, threshold=0.7, verbose=interrupt, random_state=0
        )
        with pytest.warns(UserWarning, match="Interrupted after 3 of 10 resamples"):
            model.fit(X, y)
        assert model.n_resamples_ == 3
        assert model.status_ is Status.SOME_RESAMPLES
        whole = StabilitySelection(GreedyRLSRegressor(4), 10, threshold=0.7, random_state=0)
        first = whole.set_params(n_resamples=3).fit(X, y)
        assert model.n_features_ > 0
        assert model.pfer_bound_ == first.pfer_bound_

    def test_ctrl_c_before_anything_is_finished_leaves_no_model(self):
        X, y = regression()

        class Interrupted(GreedyRLSRegressor):
            def fit(self, X, y, sample_weight=None):
                raise KeyboardInterrupt

        Interrupted.__init__ = GreedyRLSRegressor.__init__
        model = StabilitySelection(Interrupted(4), 3)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert not hasattr(model, "support_ids_")


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (Ridge(), {}, "estimator must be a selector with n_features_to_select"),
        (MILESClassifier(2), {}, "instances of bags or atoms, is different in every half"),
        (GreedyRLSRegressor(4), {"n_resamples": 0}, "n_resamples must be a whole number"),
        (GreedyRLSRegressor(4), {"threshold": 0}, "threshold must be 'pfer' or a number above 0"),
        (GreedyRLSRegressor(4), {"threshold": "high"}, "threshold must be 'pfer' or a number"),
        (GreedyRLSRegressor(4), {"pfer": 0}, "pfer must be a number above 0"),
        (GreedyRLSRegressor(4), {"complementary": 2}, "complementary must be True or False"),
        (GreedyRLSRegressor(4), {"assumption": "hope"}, "assumption must be one of"),
        (
            GreedyRLSRegressor(4),
            {"assumption": "r-concave", "complementary": False},
            "is for complementary pairs",
        ),
        (GreedyRLSRegressor(4), {"n_jobs": 0}, "n_jobs must be a whole number"),
        (
            GreedyRLSRegressor(4),
            {"verbose": "yes"},
            'verbose must be True, False, "bar" or a function',
        ),
        (
            GreedyRLSRegressor(20),
            {"pfer": 0.01, "n_resamples": 50},
            "no threshold bounds .* select at most 3 in each",
        ),
        (GreedyRLSRegressor(99), {"threshold": 0.9}, "n_features_to_select=99 is more than"),
    ],
)
def test_bad_parameters_leave_nothing_fitted(estimator, options, message):
    X, y = regression()
    model = StabilitySelection(estimator, **{"n_resamples": 2, **options})
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not any(name.endswith("_") and not name.startswith("_") for name in vars(model))


@pytest.mark.parametrize(
    ("rows", "params", "message"),
    [
        (3, {}, "needs at least 4; got 3 samples"),
        (40, {"groups": np.arange(7)}, "groups must hold one label for each of the 40 samples"),
        (40, {"sample_weight": np.ones(7)}, "sample_weight"),
    ],
)
def test_bad_samples(rows, params, message):
    X, y = regression()
    with pytest.raises(ValueError, match=message):
        StabilitySelection(GreedyRLSRegressor(4), 2).fit(X[:rows], y[:rows], **params)


def test_a_class_of_one_sample():
    X, y = two_classes()
    y = y.astype(object)
    y[0] = "maybe"
    with pytest.raises(ValueError, match="class 'maybe' has one sample only"):
        StabilitySelection(RFSClassifier(4), 2).fit(X, y)


def test_a_step_that_makes_columns_is_refused():
    from sklearn.decomposition import PCA

    X, y = regression()
    with pytest.raises(ValueError, match="PCA stands before the selector and makes other columns"):
        StabilitySelection(make_pipeline(PCA(5), FGMRegressor(2)), 2).fit(X, y)
