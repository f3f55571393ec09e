"""What direct sparsity and robust feature selection promise beside their optimum."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from handful import DirectSparsityClassifier, RFSClassifier, RFSRegressor
from handful.sizes import changed_sizes
from handful.status import Status


@pytest.fixture(scope="module")
def genes():
    """60 rows, 300 columns, four classes decided by the first four."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 300))
    X[:, 5] = 2.5  # constant
    X[:, 6] = 0.0
    return X, np.array(["a", "b", "c", "d"])[(3 * X[:, :4]).argmax(axis=1)]


@pytest.fixture(scope="module")
def few_genes(genes):
    """Fewer of both."""
    X, y = genes
    return X[:30, :40], y[:30]


@pytest.fixture(scope="module")
def overlap():
    """More samples than columns, classes that overlap in every direction."""
    return make_classification(
        200, 10, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.2, random_state=0
    )


CLASSIFIERS = [
    DirectSparsityClassifier(),
    DirectSparsityClassifier(p=1.0),
    DirectSparsityClassifier(margin="soft"),
    DirectSparsityClassifier(penalize_intercept=True),
    RFSClassifier(),
]


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_dense_sparse_and_float32_agree(model, few_genes):
    X, y = few_genes
    X = np.where(np.abs(X) > 0.8, X, 0.0).astype(np.float32)
    reference = clone(model).fit(X.astype(np.float64), y)
    for other in (X, sp.csr_array(X), sp.csc_array(X.astype(np.float64)), np.asfortranarray(X)):
        found = clone(model).fit(other, y)
        np.testing.assert_array_equal(found.support_ids_, reference.support_ids_)
        np.testing.assert_allclose(found.scores_, reference.scores_, rtol=1e-5, atol=1e-9)
        np.testing.assert_allclose(
            found.decision_function(other), reference.decision_function(X), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_blocks_of_columns_change_nothing(model, few_genes):
    X, y = few_genes
    whole = clone(model).fit(X, y)
    for other in (X, sp.csr_array(X)):
        with changed_sizes(block_entries=30 * 7):
            found = clone(model).fit(other, y)
        np.testing.assert_array_equal(found.support_ids_, whole.support_ids_)
        np.testing.assert_allclose(found.scores_, whole.scores_, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("model", CLASSIFIERS)
@pytest.mark.parametrize("k", [1, 4, 30, 250])
def test_exactly_k_by_the_scores(model, k, genes):
    X, y = genes
    found = clone(model).set_params(n_features_to_select=k).fit(X, y)
    assert len(found.support_ids_) == k == found.transform(X).shape[1]
    assert found.scores_.shape == (300,)
    left_out = np.delete(found.scores_, found.support_ids_)
    assert found.scores_[found.support_ids_].min() > left_out.max()
    assert found.weights_.shape == (4, k)
    assert found.coef_.shape == (4, 300)
    assert (found.scores_[[5, 6]] == 0).all()


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_scores_are_the_norms_of_rows(model, genes):
    X, y = genes
    found = clone(model).fit(X, y)
    norms = np.linalg.norm(found.coef_, axis=0)
    np.testing.assert_array_equal(np.flatnonzero(norms), found.support_ids_)
    np.testing.assert_allclose(found.scores_, norms, atol=1e-15 * norms.max())


def test_four_columns_that_decide_are_found(genes):
    X, y = genes
    for p in (0.1, 0.5):
        model = DirectSparsityClassifier(8, p=p).fit(X, y)
        assert {0, 1, 2, 3} <= set(model.support_ids_.tolist())
    assert {0, 1, 2, 3} <= set(RFSClassifier(8).fit(X, y).support_ids_.tolist())


def test_two_classes_have_one_row_of_weights(genes):
    X, y = genes
    model = DirectSparsityClassifier().fit(X, y == "a")
    assert model.coef_.shape == (1, 300)
    assert model.decision_function(X).shape == (60,)
    margins = np.where(y == "a", 1, -1) * model.decision_function(X)
    assert margins.min() == pytest.approx(1.0, abs=1e-6)


def test_scale_is_a_scaler_in_front(genes):
    X, y = genes
    X = X * np.geomspace(1e-3, 1e3, 300) + 7.0
    model = DirectSparsityClassifier(scale="std").fit(X, y)
    piped = make_pipeline(StandardScaler(), DirectSparsityClassifier()).fit(X, y)
    np.testing.assert_array_equal(model.support_ids_, piped[-1].support_ids_)
    np.testing.assert_allclose(model.scores_, piped[-1].scores_, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(X), piped.decision_function(X), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    ("margin", "expected"),
    [("auto", None), ("hard", False), ("projected", None), ("soft", None)],
)
def test_overlapping_classes_get_soft_margins(margin, expected, overlap):
    model = DirectSparsityClassifier(margin=margin).fit(*overlap)
    assert model.margin_ == "soft"
    assert type(model.C_) is float
    assert max(50.0 / len(overlap[1]), 0.05) == model.C_
    assert model.feasible_ is expected
    assert (model.status_ is Status.SOFTENED) == (margin in ("hard", "projected"))


def test_C_is_told_where_it_counts(overlap, genes):
    model = DirectSparsityClassifier(margin="soft", C=2).fit(*overlap)
    assert type(model.C_) is float
    assert model.C_ == 2
    assert not hasattr(model.set_params(margin="hard").fit(*genes), "C_")


def test_equal_samples_with_different_labels_are_projected(genes):
    X, y = genes
    X, y = np.vstack([X, X[:2]]), np.append(y, np.where(y[:2] == "a", "b", "a"))
    for margin in ("auto", "hard"):
        model = DirectSparsityClassifier(margin=margin).fit(X, y)
        assert model.feasible_ is False
        assert model.margin_ == "projected"
        assert model.status_ is Status.PROJECTED
        assert "equal samples have different labels" in str(model.status_)
        assert model.score(X[:60], y[:60]) > 0.9


def test_separable_data_are_feasible_however_tall():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 6))
    y = X[:, :3].argmax(axis=1)
    top = np.sort(X[:, :3], axis=1)
    X, y = X[top[:, 2] - top[:, 1] > 0.1], y[top[:, 2] - top[:, 1] > 0.1]
    separable = y == 0
    model = DirectSparsityClassifier(p=1, margin="hard")
    model.fit(np.column_stack([X, separable - 0.5]), separable)
    assert model.feasible_
    assert model.status_ is Status.SETTLED
    assert not model.fit(X, separable).feasible_


def test_p_is_chosen_by_cross_validation(few_genes):
    X, y = few_genes
    model = DirectSparsityClassifier(4, p=[0.3, 1.0]).fit(X, y)
    results = model.cv_results_
    assert model.p_ in (0.3, 1.0)
    assert results["scores"].shape == (2, 3)
    assert model.p_ == results["p"][results["mean_score"].argmax()]
    again = DirectSparsityClassifier(4, p=model.p_).fit(X, y)
    np.testing.assert_array_equal(again.support_ids_, model.support_ids_)
    assert not hasattr(again, "cv_results_")
    folds = StratifiedKFold(2)
    assert DirectSparsityClassifier(4, p=[0.3, 1.0], cv=folds).fit(X, y).cv_results_[
        "scores"
    ].shape == (2, 2)


def test_alpha_is_chosen_by_cross_validation(genes):
    X, y = genes
    model = RFSClassifier(4, alpha=[0.1, 1.0, 10.0]).fit(X, y)
    assert model.alpha_ == model.cv_results_["alpha"][model.cv_results_["mean_score"].argmax()]
    T = X[:, :3] @ np.ones((3, 2))
    regressor = RFSRegressor(3, alpha=[0.1, 1000.0]).fit(X, T)
    assert regressor.alpha_ == 0.1
    np.testing.assert_array_equal(regressor.support_ids_, [0, 1, 2])


def test_a_refit_is_an_svm_on_the_selected_columns(genes):
    X, y = genes
    own = DirectSparsityClassifier(10, refit=False).fit(X, y)
    svm = DirectSparsityClassifier(10, refit=True).fit(X, y)
    np.testing.assert_array_equal(own.support_ids_, svm.support_ids_)
    assert not np.allclose(own.weights_, svm.weights_)
    np.testing.assert_array_equal(DirectSparsityClassifier(10).fit(X, y).weights_, svm.weights_)
    np.testing.assert_array_equal(
        DirectSparsityClassifier().fit(X, y).weights_,
        DirectSparsityClassifier(refit=False).fit(X, y).weights_,
    )
    # The optimum of 1/2 |w|^2 + 1/2 sum of squared slacks on columns of deviation 1: its gradient is zero.
    chosen = svm.transform(X)
    scale = chosen.std(axis=0)
    w = svm.weights_[0] * scale
    slack = np.maximum(0.0, 1 - np.where(y == "a", 1, -1) * svm.decision_function(X)[:, 0])
    push = np.where(y == "a", 1, -1) * slack
    centred = (chosen - chosen.mean(axis=0)) / scale
    np.testing.assert_allclose(w, centred.T @ push, atol=1e-9)
    assert push.sum() == pytest.approx(0, abs=1e-9)


def test_a_refit_by_another_estimator(genes):
    X, y = genes
    weight = np.random.default_rng(0).uniform(0.5, 2, 60)
    model = DirectSparsityClassifier(10, margin="soft", refit=SVC(kernel="linear"))
    model.fit(X, y, sample_weight=weight)
    expected = SVC(kernel="linear").fit(model.transform(X), y, sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X), expected.predict(model.transform(X)))
    np.testing.assert_allclose(
        model.decision_function(X), expected.decision_function(model.transform(X))
    )
    T = X[:, :3] @ np.ones((3, 2))
    regressor = RFSRegressor(3, refit=LinearRegression()).fit(X, T)
    np.testing.assert_allclose(regressor.predict(X), T, atol=1e-9)
    refitted = RFSRegressor(3, alpha=5.0).fit(X, T)
    own = RFSRegressor(3, alpha=5.0, refit=False).fit(X, T)
    assert refitted.score(X, T) > own.score(X, T)


def test_only_weights_of_zero_count_for_hard_margins(genes):
    X, y = genes
    weight = np.ones(60)
    weight[:5] = 0.0
    without = DirectSparsityClassifier().fit(X[5:], y[5:])
    np.testing.assert_allclose(
        DirectSparsityClassifier().fit(X, y, sample_weight=weight).coef_, without.coef_, atol=1e-6
    )
    with pytest.warns(UserWarning, match="Hard margins hold for every sample"):
        DirectSparsityClassifier().fit(X, y, sample_weight=np.linspace(1, 2, 60))


def test_weights_count_as_copies(overlap):
    X, y = overlap
    X, y = X[:60], y[:60]
    counts = np.random.default_rng(0).integers(1, 4, 60)
    for model in (DirectSparsityClassifier(margin="soft"), RFSClassifier(), RFSClassifier(2)):
        weighted = clone(model).fit(X, y, sample_weight=counts)
        repeated = clone(model).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_regression_of_one_and_many_outputs():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 40))
    t = X[:, :3] @ [1.0, -2.0, 3.0] + 4.0
    t[:15] += 100.0  # a few wild values
    model = RFSRegressor(alpha=0.5).fit(X, t)
    assert model.coef_.shape == (40,)
    assert np.ndim(model.intercept_) == 0
    np.testing.assert_allclose(model.coef_[:3], [1.0, -2.0, 3.0], atol=0.05)
    many = RFSRegressor(3, alpha=0.5).fit(X, np.column_stack([t, -t]))
    assert many.coef_.shape == (2, 40)
    assert many.predict(X).shape == (150, 2)


def test_names_pickle_and_search(genes):
    pd = pytest.importorskip("pandas", reason="needs pandas")
    X, y = genes
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(300)])
    model = DirectSparsityClassifier(4).set_output(transform="pandas").fit(frame, y)
    assert list(model.transform(frame).columns) == list(model.get_feature_names_out())
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(frame), model.predict(frame))
    search = GridSearchCV(DirectSparsityClassifier(4), {"p": [0.3, 1.0]}, cv=2).fit(X, y)
    assert search.best_params_["p"] in (0.3, 1.0)


def test_history_and_verbose(genes, capsys):
    X, y = genes
    rounds = []
    model = DirectSparsityClassifier(verbose=rounds.append).fit(X, y)
    assert [record.objective for record in rounds] == model.objective_path_.tolist()
    assert list(model.history_) == rounds
    assert rounds[-1].n_active == len(model.support_ids_)
    RFSClassifier(verbose=True, max_iter=2).fit(X, y)
    assert capsys.readouterr().out.count("reweight") == 2


def test_max_iter_is_said(genes):
    model = DirectSparsityClassifier(max_iter=2).fit(*genes)
    assert model.n_iter_ == 2
    assert model.status_ is Status.MAX_ITER


@pytest.mark.parametrize("margin", ["hard", "soft", "projected"])
def test_threads_change_nothing(margin, genes):
    """All classes in turn, or as many at a time as there are threads of BLAS."""
    X, y = genes
    model = DirectSparsityClassifier(margin=margin)
    with threadpool_limits(1):
        expected = model.fit(X, y).coef_
    with threadpool_limits(3), changed_sizes(margin_thread_rows=1):
        np.testing.assert_allclose(model.fit(X, y).coef_, expected, rtol=1e-6, atol=1e-9)
        assert model.margin_ == margin
    twins = np.vstack([X, X[:2]]), np.append(y, np.where(y[:2] == "a", "b", "a"))
    with threadpool_limits(3), changed_sizes(margin_thread_rows=1):
        assert not model.set_params(margin="hard").fit(*twins).feasible_


@pytest.mark.parametrize(("n_copies", "C"), [(1, 0.5), (20, 0.05)])
def test_the_automatic_weight_of_slacks(n_copies, C, overlap):
    X, y = (np.repeat(part[:100], n_copies, axis=0) for part in overlap)
    model = DirectSparsityClassifier().fit(X, y)
    assert model.margin_ == "soft"
    expected = DirectSparsityClassifier(C=C).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (RFSClassifier(), "alpha=1 shrinks weights until .*choose a smaller alpha, or set"),
        (RFSRegressor(3), "alpha=1 shrinks weights until .*choose a smaller alpha, or set"),
        (DirectSparsityClassifier(), "C=0.25 shrinks weights until .*choose a larger C, or set"),
        (DirectSparsityClassifier(C=1e-6, scale="std"), r"choose a larger C\.$"),
    ],
)
def test_a_penalty_that_leaves_nothing_is_named(model, said, overlap):
    X, y = overlap
    small = 1e-3 * X
    with pytest.warns(UserWarning, match=said):
        model.fit(small, y)
    assert len(set(np.round(model.predict(small), 1))) == 1  # one class or number for all
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for finer in (clone(model).set_params(scale="std"), clone(model)):
            finer.set_params(**({"C": "auto"} if hasattr(model, "C") else {}))
            finer.fit(small if finer.scale else X, y)


def test_an_estimator_that_predicts_instead_is_not_shrunk(overlap):
    X, y = overlap
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RFSClassifier(refit=SVC()).fit(1e-3 * X, y)


@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("p", [0.5, 1.0])
def test_a_class_of_weight_zero_is_not_there(genes, refit, p):
    """Its margin is infinite; its intercept was no number, which ended the steps and was predicted everywhere."""
    X, y = genes
    weight = np.where(y == "b", 0.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DirectSparsityClassifier(4, refit=refit, p=p).fit(X, y, sample_weight=weight)
    kept = y != "b"
    expected = DirectSparsityClassifier(4, refit=refit, p=p).fit(X[kept], y[kept])
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores[:, [0, 2, 3]], expected.decision_function(X), atol=1e-9)
    assert (scores[:, 1] == -1.0).all()
