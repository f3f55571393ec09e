"""SelectKCV against GridSearchCV, by hand, and as what it wraps."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_selection import (
    RFE,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_regression,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
)
from handful.datasets import make_bags
from handful.model_selection import KPath, SelectKCV, nested_score, stability_index
from handful.spaces import Polynomial
from handful.status import Status

KS = [1, 2, 4, 7]


def draw(n=60, m=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, m))
    return X, X[:, 3] - 2 * X[:, 7] + X[:, 11] + 0.7 * rng.standard_normal(n)


X, QUANTITY = draw()
LABEL = np.where(QUANTITY > 0, "yes", "no")


@parametrize_with_checks(
    [
        SelectKCV(GreedyRLSClassifier(), cv=2),
        SelectKCV(GreedyRLSRegressor(), k=[1], cv=3),
        SelectKCV(make_pipeline(StandardScaler(), RFE(LogisticRegression())), k=[1], cv=2),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks(
    [
        SelectKCV(GreedyRLSClassifier()),
        SelectKCV(GreedyRLSRegressor()),
        SelectKCV(FGMClassifier(C="fast")),
        SelectKCV(FGMRegressor(C="fast")),
        SelectKCV(DirectSparsityClassifier(), [1], cv=2),
    ]
)
def test_scikit_learn_check_of_others(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ against GridSearchCV

EXACT = {
    "greedy": (GreedyRLSRegressor(), QUANTITY),
    "greedy, classes": (GreedyRLSClassifier(), LABEL),
    "RFE": (RFE(Ridge()), QUANTITY),
    "RFE, a share in each step": (RFE(Ridge(), step=0.2), QUANTITY),
    "forward": (SequentialFeatureSelector(Ridge(solver="cholesky"), cv=2), QUANTITY),
    "chain": (make_pipeline(StandardScaler(), GreedyRLSRegressor()), QUANTITY),
    "long chain": (make_pipeline(StandardScaler(), GreedyRLSRegressor(), Ridge()), QUANTITY),
    "direct": (DirectSparsityClassifier(), LABEL),
}


@pytest.mark.parametrize("name", EXACT)
def test_same_figures_as_grid_search(name):
    estimator, y = EXACT[name]
    ks, data = (KS[:2], X[:, :10]) if name == "forward" else (KS, X)
    ours = SelectKCV(estimator, ks, cv=3, rule="best", return_train_score=True).fit(data, y)
    (count,) = ours.best_params_
    theirs, known = estimator, count
    if name == "forward":  # it does not predict: the estimator it selects for does
        theirs = make_pipeline(estimator, Ridge())
        known = f"sequentialfeatureselector__{count}"
    grid = GridSearchCV(theirs, {known: ks}, cv=3, return_train_score=True).fit(data, y)
    assert {key.replace(known, count) for key in grid.cv_results_} == ours.cv_results_.keys()
    for key in ("mean_test_score", "std_test_score", "split1_test_score", "mean_train_score"):
        np.testing.assert_allclose(ours.cv_results_[key], grid.cv_results_[key], rtol=1e-9)
    np.testing.assert_array_equal(
        ours.cv_results_["rank_test_score"], grid.cv_results_["rank_test_score"]
    )
    assert (ours.best_index_, ours.n_features_) == (grid.best_index_, grid.best_params_[known])
    assert ours.best_score_ == pytest.approx(grid.best_score_)
    np.testing.assert_array_equal(ours.predict(data), grid.predict(data))
    assert ours.score(data, y) == pytest.approx(grid.score(data, y))


def test_rfe_on_the_way_is_rfe():
    """Every attribute of the models that one RFE run gives is that of a run of their own."""
    from handful.model_selection._path import models_of_sizes
    from handful.model_selection._samples import Samples

    rfe = RFE(Ridge())
    for k, model, _ in models_of_sizes(rfe, KS, Samples.of(rfe, X, QUANTITY)):
        alone = clone(rfe).set_params(n_features_to_select=k).fit(X, QUANTITY)
        assert vars(model).keys() == vars(alone).keys()
        np.testing.assert_array_equal(model.support_, alone.support_)
        np.testing.assert_array_equal(model.ranking_, alone.ranking_)
        assert (model.n_features_, model.n_features_in_) == (k, 20)
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_other_parameters_beside_k():
    grid = {"alpha": [0.1, 10.0], "fit_intercept": [True, False]}
    ours = SelectKCV(GreedyRLSRegressor(), KS, param_grid=grid, cv=3, rule="best").fit(X, QUANTITY)
    theirs = GridSearchCV(GreedyRLSRegressor(), {**grid, "n_features_to_select": KS}, cv=3)
    theirs.fit(X, QUANTITY)
    assert ours.best_params_ == theirs.best_params_
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for name in ("param_alpha", "param_n_features_to_select"):
        np.testing.assert_array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    best_of_k = theirs.cv_results_["mean_test_score"].reshape(-1, len(KS)).max(axis=0)
    np.testing.assert_allclose(ours.k_path_.mean, best_of_k)


# --------------------------------------------------------------------------------- rules


def test_one_standard_error_by_hand():
    path = KPath([1, 2, 5], [[0.5, 0.88, 0.9], [0.5, 0.92, 0.96], [0.5, 0.9, 0.9]])
    np.testing.assert_allclose(path.mean, [0.5, 0.9, 0.92])
    # Deviations of the last column are -.02, .04, -.02: std = sqrt(.0024 / 2), error = std / sqrt(3) = .02.
    np.testing.assert_allclose(path.standard_error[2], 0.02)
    assert path.choose("best") == 5
    assert path.choose("one_se") == 2  # .90 is exactly .92 - .02
    assert KPath([1, 2], [[0.9, 0.9]]).choose("best") == 1


def test_rule_of_ones_own():
    search = SelectKCV(GreedyRLSRegressor(), KS, cv=3, rule=lambda path: path.k[-1])
    assert search.fit(X, QUANTITY).n_features_ == 7
    assert len(search.get_support(indices=True)) == 7


def test_honest_score_by_hand():
    """Each fold is scored at the k that the mean of the other folds says."""
    search = SelectKCV(GreedyRLSRegressor(), KS, cv=4, rule="best").fit(X, QUANTITY)
    scores = search.k_path_.scores
    by_hand = [scores[f, np.delete(scores, f, axis=0).mean(axis=0).argmax()] for f in range(4)]
    assert search.honest_score_ == pytest.approx(np.mean(by_hand))
    told = str(search.honesty_)
    assert "optimistic" in told
    assert "the other folds choose" in told
    assert "nested_score" in told


def test_noise_is_told_from_luck():
    """The best of many sizes on the same folds is above chance; what nesting gives is not."""
    rng = np.random.default_rng(3)
    noise, y = rng.standard_normal((60, 400)), np.repeat([0, 1], 30)
    search = SelectKCV(GreedyRLSClassifier(), list(range(1, 25)), rule="best", cv=5, nested=4)
    search.fit(noise, y)
    assert search.best_score_ > search.honest_score_
    assert abs(search.nested_score_.mean - 0.5) < 0.15
    assert "nested" in str(search.honesty_)


def test_nested_score_by_hand():
    search = SelectKCV(GreedyRLSRegressor(), KS, cv=3)
    nested = nested_score(search, X, QUANTITY, cv=KFold(4))
    by_hand = []
    for train, test in KFold(4).split(X):
        model = clone(search).fit(X[train], QUANTITY[train])
        by_hand.append((model.score(X[test], QUANTITY[test]), model.n_features_))
    np.testing.assert_allclose(nested.scores, [score for score, _ in by_hand])
    assert nested.k.tolist() == [k for _, k in by_hand]
    assert nested.mean == pytest.approx(np.mean(nested.scores))
    assert nested.standard_error == pytest.approx(np.std(nested.scores, ddof=1) / 2)
    assert "4 outer folds" in repr(nested)


# ------------------------------------------------------------------- what folds selected


@pytest.mark.parametrize("estimator", [GreedyRLSRegressor(), RFE(LinearRegression())])
def test_frequencies_by_hand(estimator):
    search = SelectKCV(estimator, KS, cv=3).fit(X, QUANTITY)
    for row, k in enumerate(KS):
        masks = []
        for train, _ in KFold(3).split(X):
            model = clone(estimator).set_params(n_features_to_select=k)
            masks.append(model.fit(X[train], QUANTITY[train]).get_support())
        found = search.selection_frequency_[[row]].toarray()[0]
        np.testing.assert_allclose(found, np.mean(masks, axis=0))
        assert search.stability_[row] == stability_index(np.array(masks, dtype=float))


def test_ids_through_a_chain_are_columns_of_X():
    behind = make_pipeline(StandardScaler(), RFE(Ridge(), n_features_to_select=10), RFE(Ridge()))
    search = SelectKCV(behind, [2, 3], cv=3).fit(X, QUANTITY)
    assert search.selection_frequency_.shape == (2, 20)
    assert {3, 7, 11} & set(search.get_support(indices=True))
    assert search.get_support().sum() == search.n_features_
    assert search.transform(X).shape == (60, search.n_features_)
    made = SelectKCV(make_pipeline(PolynomialFeatures(), RFE(Ridge())), [2], cv=2).fit(X, QUANTITY)
    assert made.selection_frequency_.shape == (1, 231)
    with pytest.raises(ValueError, match="no mask of the columns of X"):
        made.get_support()


def test_a_million_sparse_columns():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    rows, columns = np.tile(np.arange(80), 11), rng.integers(0, 999_999, 880)
    columns[:80] = 999_999
    values = np.concatenate([y + 0.1 * rng.standard_normal(80), rng.random(800)])
    wide = sp.csr_array((values, (rows, columns)), shape=(80, 1_000_000))
    search = SelectKCV(FGMClassifier(C="fast"), [1, 3], cv=2).fit(wide, y)
    assert search.n_features_ == 1
    assert search.selection_frequency_.shape == (2, 1_000_000)
    assert search.selection_frequency_.nnz <= 8
    assert search.selection_frequency_[0, 999_999] == 1.0


# ------------------------------------------------------------------------ as what it wraps


def test_behaves_as_its_estimator():
    search = SelectKCV(GreedyRLSClassifier(), KS, cv=3).fit(X, LABEL)
    best = search.best_estimator_
    alone = GreedyRLSClassifier(search.n_features_).fit(X, LABEL)
    np.testing.assert_array_equal(best.support_ids_, alone.support_ids_)
    np.testing.assert_array_equal(search.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(search.transform(X), alone.transform(X))
    np.testing.assert_array_equal(search.get_support(), alone.get_support())
    names = [f"gene {j}" for j in range(20)]
    np.testing.assert_array_equal(
        search.get_feature_names_out(names), alone.get_feature_names_out(names)
    )
    back = search.inverse_transform(search.transform(X))
    np.testing.assert_array_equal(back[:, alone.support_ids_], X[:, alone.support_ids_])
    assert list(search.classes_) == ["no", "yes"]
    assert not hasattr(search, "predict_proba")
    assert hasattr(SelectKCV(RFE(LogisticRegression())), "predict_proba")
    assert search.status_ is Status.CROSS_VALIDATED


def test_without_a_refit_no_earlier_one_predicts():
    search = SelectKCV(GreedyRLSRegressor(), KS, cv=3).fit(X, QUANTITY)
    search.set_params(refit=False).fit(X, QUANTITY)
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(search, "n_features_in_")
    with pytest.raises(NotFittedError):
        search.predict(X)


def test_only_judging():
    search = SelectKCV(GreedyRLSRegressor(), KS, cv=3, refit=False).fit(X, QUANTITY)
    assert search.n_features_ in KS
    assert not hasattr(search, "best_estimator_")


def test_jobs_give_the_same():
    one = SelectKCV(GreedyRLSRegressor(), KS, cv=3).fit(X, QUANTITY)
    with parallel_config("threading"):  # processes would take seconds to start
        two = SelectKCV(GreedyRLSRegressor(), KS, cv=3, n_jobs=2).fit(X, QUANTITY)
    np.testing.assert_array_equal(one.k_path_.scores, two.k_path_.scores)


def test_shuffled_folds_follow_the_seed():
    search = SelectKCV(GreedyRLSClassifier(), KS, cv=3, random_state=4).fit(X, LABEL)
    cv = StratifiedKFold(3, shuffle=True, random_state=4)
    given = SelectKCV(GreedyRLSClassifier(), KS, cv=cv).fit(X, LABEL)
    np.testing.assert_array_equal(search.k_path_.scores, given.k_path_.scores)


@pytest.mark.parametrize(
    ("n", "m", "expected"),
    [(60, 20, [1, 2, 3, 5, 8, 13]), (20, 20, [1, 2, 3, 5, 8]), (60, 4, [1, 2, 3])],
)
def test_numbers_of_features_by_rule(n, m, expected):
    """Half of the rows of a fold, and the columns: 5 folds of 20 rows train on 16."""
    some, y = draw(n, max(m, 12))
    search = SelectKCV(GreedyRLSRegressor(), cv=5).fit(some[:, :m], y)
    assert search.k_path_.k.tolist() == expected


def test_numbers_of_features_that_earlier_steps_leave():
    """A column that is constant in the training rows of one fold is gone there, whatever the others have."""
    some = X.copy()
    some[:20, 12:] = 1.0
    some[20:, 12:] = 0.0  # without the first 20 rows nothing of them is left
    for first, left in ((SelectKBest(f_regression, k=4), 4), (VarianceThreshold(), 12)):
        chain = make_pipeline(first, GreedyRLSRegressor())
        search = SelectKCV(chain, cv=3).fit(some, QUANTITY)
        assert search.k_path_.k.tolist() == [k for k in (1, 2, 3, 5, 8, 13) if k <= left]
    grid = {"selectkbest__k": [9, 2], "greedyrlsregressor__alpha": [0.1, 1.0]}
    chain = make_pipeline(SelectKBest(f_regression), GreedyRLSRegressor())
    search = SelectKCV(chain, param_grid=grid, cv=3).fit(some, QUANTITY)
    assert search.k_path_.k.tolist() == [1, 2]


def test_numbers_of_families():
    """Three columns of text with 12 categories are three to choose from, and not twelve."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.choice(["a", "b", "c", "d"], (60, 3)), columns=["one", "two", "three"])
    encode = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
    chain = make_pipeline(encode, FGMClassifier(C="fast", groups="columns"))
    search = SelectKCV(chain, cv=3).fit(table, table["two"] == "a")
    assert search.k_path_.k.tolist() == [1, 2, 3]


# ------------------------------------------------------------------------- every kind of X


def test_every_form_of_X_gives_the_same(tmp_path):
    import dask.array as da
    import pandas as pd
    from stores import stored

    columns = [f"x{j}" for j in range(20)]
    forms = {
        "CSC": sp.csc_array(X),
        "frame": pd.DataFrame(X, columns=columns),
        "store": stored(X),
        "dask": da.from_array(X, chunks=(20, 20)),
        "lists": X.tolist(),
    }
    expected = SelectKCV(FGMClassifier(C="fast"), [1, 3], cv=3).fit(X, LABEL)
    for name, form in forms.items():
        found = SelectKCV(FGMClassifier(C="fast"), [1, 3], cv=3).fit(form, LABEL)
        np.testing.assert_allclose(found.k_path_.scores, expected.k_path_.scores, err_msg=name)
        np.testing.assert_array_equal(found.get_support(True), expected.get_support(True))
    assert list(found.best_estimator_.classes_) == ["no", "yes"]


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix])
def test_sparse_labels(form):
    labels = (X[:, :3] + X[:, 3:6] > 0).astype(int)
    search = SelectKCV(GreedyRLSClassifier(), [2, 4], cv=3, nested=2)
    expected = clone(search).fit(X, labels)
    search.fit(X, form(labels))
    np.testing.assert_array_equal(search.k_path_.scores, expected.k_path_.scores)
    np.testing.assert_array_equal(search.nested_score_.scores, expected.nested_score_.scores)


def test_bags():
    data = make_bags(n_bags=40, mean_size=4, n_features=4, random_state=0)
    search = SelectKCV(MILESClassifier(C="fast"), [1, 3], cv=3).fit(data.bags, data.y)
    assert len(search.best_estimator_.support_ids_) == search.n_features_
    assert search.selection_frequency_ is None  # instances of one fold are not those of another
    assert search.stability_ is None
    listed = SelectKCV(MILESClassifier(C="fast"), [1, 3], cv=3).fit(list(data.bags), data.y)
    np.testing.assert_array_equal(listed.k_path_.scores, search.k_path_.scores)


# ---------------------------------------------------------------- weights, groups, routing


def test_groups_of_samples_stay_together():
    groups = np.arange(60) // 3
    search = SelectKCV(GreedyRLSRegressor(), KS, cv=GroupKFold(3))
    found = search.fit(X, QUANTITY, groups=groups).k_path_.scores
    splits = list(GroupKFold(3).split(X, QUANTITY, groups))
    by_hand = SelectKCV(GreedyRLSRegressor(), KS, cv=splits).fit(X, QUANTITY).k_path_.scores
    np.testing.assert_array_equal(found, by_hand)
    nested = nested_score(search, X, QUANTITY, cv=GroupKFold(4), groups=groups)
    assert len(nested.scores) == 4


def test_weights_reach_the_fit_and_the_score():
    weight = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    search = SelectKCV(GreedyRLSRegressor(), [2], cv=3).fit(X, QUANTITY, sample_weight=weight)
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        model = GreedyRLSRegressor(2).fit(X[train], QUANTITY[train], sample_weight=weight[train])
        by_hand = model.score(X[test], QUANTITY[test], sample_weight=weight[test])
        assert search.k_path_.scores[fold, 0] == pytest.approx(by_hand)


def test_weights_reach_a_score_that_hands_them_on():
    weight = np.random.default_rng(1).integers(0, 4, 60).astype(float)
    search = SelectKCV(RFE(Ridge()), [2], cv=3).fit(X, QUANTITY, sample_weight=weight)
    nested = nested_score(search, X, QUANTITY, cv=KFold(3), sample_weight=weight)
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        model = RFE(Ridge(), n_features_to_select=2)
        model.fit(X[train], QUANTITY[train], sample_weight=weight[train])
        by_hand = model.score(X[test], QUANTITY[test], sample_weight=weight[test])
        assert search.k_path_.scores[fold, 0] == pytest.approx(by_hand)
        assert nested.scores[fold] == pytest.approx(by_hand)


def test_metadata_routing():
    from sklearn import config_context

    weight = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    with config_context(enable_metadata_routing=True):
        estimator = GreedyRLSRegressor().set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=False)
        cv = GroupKFold(3)
        search = SelectKCV(estimator, [2], cv=cv)
        search.fit(X, QUANTITY, sample_weight=weight, groups=np.arange(60) // 3)
        silent = SelectKCV(GreedyRLSRegressor(), [2], cv=3)
        with pytest.raises(ValueError, match="sample_weight"):
            silent.fit(X, QUANTITY, sample_weight=weight)
    for fold, (train, test) in enumerate(cv.split(X, QUANTITY, np.arange(60) // 3)):
        model = GreedyRLSRegressor(2).fit(X[train], QUANTITY[train], sample_weight=weight[train])
        by_hand = model.score(X[test], QUANTITY[test])
        assert search.k_path_.scores[fold, 0] == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 2, 5, 10]),
        ({"exclude": [3, 4]}, [1, 2, 5, 10]),  # as n_features_to_select=0.1 does: of all there are
        ({"groups": np.arange(20) // 2}, [1, 5]),
    ],
)
def test_shares_are_of_the_features_there_are(options, expected):
    model = GreedyRLSRegressor(**options)
    search = SelectKCV(model, [0.1, 0.5, 0.07, 5], cv=3).fit(X, QUANTITY)
    assert search.k_path_.k.tolist() == expected
    alone = clone(model).set_params(n_features_to_select=0.1).fit(X, QUANTITY)
    labels = np.asarray(options.get("groups", np.arange(20)))
    assert len(np.unique(labels[alone.support_ids_])) == int(0.1 * len(np.unique(labels)))


# ------------------------------------------------------------------------- who is told


def test_lines_or_a_function(capsys):
    SelectKCV(GreedyRLSRegressor(), KS, cv=3, verbose=True).fit(X, QUANTITY)
    assert capsys.readouterr().out.count("fold ") == 3
    told = []
    SelectKCV(GreedyRLSRegressor(), KS, cv=3, verbose=told.append).fit(X, QUANTITY)
    assert [one.fold for one in told] == [0, 1, 2]
    SelectKCV(GreedyRLSRegressor(), KS, cv=3).fit(X, QUANTITY)


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("given", "y", "more", "sentence"),
    [
        ({"k": [5, 21]}, QUANTITY, {}, "k has 21, more than the 20 features"),
        ({"k": [0]}, QUANTITY, {}, "each number in k must be a whole number of at least 1"),
        (
            {"k": [1.5]},
            QUANTITY,
            {},
            "each number in k must be a whole number of at least 1; got 1.5",
        ),
        (
            {"estimator": FGMRegressor(C="fast", space=Polynomial()), "k": [2, 0.1]},
            QUANTITY,
            {},
            "a share in k is of columns or groups",
        ),
        ({"k": []}, QUANTITY, {}, "empty list"),
        ({"k": "many"}, QUANTITY, {}, "k must be 'auto' or a list"),
        ({"cv": 1}, QUANTITY, {}, "cv must be at least 2 folds"),
        ({"cv": [(np.arange(40), np.arange(40, 60))]}, QUANTITY, {}, r"cv gives 1 split\(s\)"),
        ({"cv": "five"}, QUANTITY, {}, "cv must be at least 2 folds"),
        ({"nested": 1}, QUANTITY, {}, "nested must be at least 2 folds"),
        ({"nested": 61}, QUANTITY, {}, "greater than the number of samples"),
        ({"cv": KFold(3).split(X), "nested": 3}, QUANTITY, {}, "give a number or a splitter as cv"),
        (
            {"param_grid": {"n_features_to_select": [5, 6]}},
            QUANTITY,
            {},
            "param_grid has n_features_to_select.*as k",
        ),
        (
            {"scoring": "acuracy"},
            QUANTITY,
            {},
            r"'acuracy' is neither .* did you mean 'accuracy' or [^']*'(?!accuracy')",
        ),
        (
            {"estimator": FGMClassifier(C="fast"), "scoring": "neg_log_loss"},
            LABEL,
            {},
            "needs probabilities, .* use loss='logistic', or another scoring",
        ),
        (
            {"estimator": GreedyRLSClassifier()},
            LABEL,
            {"sample_weight": -np.ones(60)},
            "sample_weight must not be negative",
        ),
        ({"scoring": ["r2", "max_error"]}, QUANTITY, {}, "one yardstick"),
        ({"rule": "two_se"}, QUANTITY, {}, "rule must be one of 'one_se', 'best'"),
        ({"rule": lambda path: 3}, QUANTITY, {}, "rule must return one of the numbers"),
        ({}, QUANTITY, {"groups": np.arange(59)}, "groups has 59 entries for 60 samples"),
        ({}, QUANTITY, {"sample_weight": np.ones(3)}, "sample_weight has 3 entries"),
        ({}, None, {}, "target y is None"),
        ({"estimator": Ridge()}, QUANTITY, {}, "selector with n_features_to_select"),
        ({"estimator": FGMRegressor(checkpoint="x.npz")}, QUANTITY, {}, "one file for one fit"),
        (
            {"estimator": GreedyRLSClassifier(), "cv": KFold(2)},
            np.repeat([0, 1], 30),
            {},
            r"fold 1 would train on one class only \(1\)",
        ),
        (
            {"scoring": lambda model, X, y: np.nan},
            QUANTITY,
            {},
            "the score of fold 1 with 1 features is nan",
        ),
    ],
)
def test_bad_input_leaves_nothing_behind(given, y, more, sentence):
    told = []
    search = SelectKCV(
        **{"estimator": GreedyRLSRegressor(), "k": KS, "verbose": told.append, **given}
    )
    with pytest.raises(ValueError, match=sentence) as trouble:
        search.fit(X, y, **more)
    assert not told or callable(given.get("rule"))  # only what a rule returns is known afterwards
    assert "\n" not in str(trouble.value)
    assert not [name for name in vars(search) if name.endswith("_")]


def test_probabilities_that_another_parameter_gives():
    grid = {"loss": ["logistic"]}
    fgm = FGMClassifier(C="fast")
    search = SelectKCV(fgm, [2], param_grid=grid, cv=2, scoring="neg_log_loss").fit(X, LABEL)
    assert search.best_score_ < 0
    with pytest.raises(ValueError, match="needs probabilities"):
        nested_score(fgm, X, LABEL, cv=2, scoring="neg_log_loss")


@pytest.mark.parametrize(
    ("selector", "k"),
    [
        (make_pipeline(SelectKBest(k=3), LogisticRegression()), 3),
        (make_pipeline(SelectKBest(k=3), KNeighborsClassifier()), 3),
        (make_pipeline(VarianceThreshold(), SGDClassifier(penalty="l1", alpha=1e6)), 0),
        (make_pipeline(StandardScaler(), SelectKCV(GreedyRLSClassifier(), [2], cv=2)), 2),
        (
            make_pipeline(
                StandardScaler(),
                GridSearchCV(RFE(LogisticRegression()), {"n_features_to_select": [4]}, cv=2),
            ),
            4,
        ),
        (KNeighborsClassifier(), 20),
    ],
)
def test_nested_score_counts_what_any_chain_chose(selector, k):
    """Where no step was told how many, all of these were said to have chosen no feature."""
    nested = nested_score(selector, X, LABEL, cv=2)
    assert nested.k.tolist() == [k, k]


def test_nested_score_of_what_does_not_predict():
    forward = SequentialFeatureSelector(Ridge(), n_features_to_select=2, cv=2)
    nested = nested_score(forward, X[:, :8], QUANTITY, cv=KFold(2))
    by_hand = nested_score(make_pipeline(forward, Ridge()), X[:, :8], QUANTITY, cv=KFold(2))
    np.testing.assert_array_equal(nested.scores, by_hand.scores)
    assert nested.k.tolist() == [2, 2]
    with pytest.raises(ValueError, match="SelectKBest does not predict"):
        nested_score(SelectKBest(f_regression), X, QUANTITY)


@pytest.mark.parametrize("gap", [np.nan, None, np.inf])
def test_a_gap_in_the_targets_is_told_with_its_place_among_all_samples(gap):
    X = np.random.default_rng(0).standard_normal((40, 6))
    y = np.where(X[:, 0] > 0, 1.0, 0.0).astype(object if gap is None else float)
    y[33] = gap
    for search in (SelectKCV(FGMClassifier(C="fast"), k=[1, 2], cv=2), FGMClassifier(2, C="fast")):
        with pytest.raises(ValueError, match=r"^Input y contains .*\(sample 33\)"):
            nested_score(search, X, y, cv=2)
    with pytest.raises(ValueError, match=r"^Input y contains .*\(sample 33\)"):
        SelectKCV(FGMClassifier(C="fast"), k=[1, 2], cv=2).fit(X, y)


def test_a_column_of_classes_is_told_once():
    X = np.random.default_rng(0).standard_normal((40, 6))
    y = (X[:, 0] > 0)[:, None]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        search = SelectKCV(FGMClassifier(C="fast"), k=[1, 2], cv=2).fit(X, y)
    assert [one.category for one in told] == [DataConversionWarning]
    assert search.predict(X).shape == (40,)
