"""Models trained for a measure, against CVXPY on the problem with every labeling written down."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from reference.convex import solve, squares_over_shares
from sklearn.svm import LinearSVC

from handful import FGMClassifier, SVMPerfClassifier
from handful.measures import Accuracy, FBeta, PrecisionAtK, RecallAtK
from handful.status import Status

N_SAMPLES = 9
MEASURES = {
    "accuracy": Accuracy(),
    "f1": FBeta(),
    "f2": FBeta(beta=2.0),
    "prec@3": PrecisionAtK(3),
    "rec@2p": RecallAtK("2p"),
    "prbep": "prbep",
    "roc_auc": "roc_auc",
}
every_measure = pytest.mark.parametrize("name", MEASURES)


def draw(n_features=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N_SAMPLES, n_features))
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(N_SAMPLES) > 0.3, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def risk(name, y, z):
    """R as a CVXPY expression: the largest of all labelings, or the sum over all pairs."""
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    if name == "roc_auc":
        pairs = [cp.pos(1 - (z[i] - z[j])) for i in positive for j in negative]
        return 100 * sum(pairs) / len(pairs)
    counts = {"prec@3": 3, "rec@2p": 2 * len(positive), "prbep": len(positive)}
    costs, slopes = [0.0], [np.zeros(len(y))]
    for signs in itertools.product([-1.0, 1.0], repeat=len(y)):
        labels = np.array(signs)
        predicted = labels > 0
        if name in counts and predicted.sum() != counts[name]:
            continue
        true = (predicted & (y > 0)).sum()
        if name == "accuracy":
            cost = 2.0 * (labels != y).sum()
        elif name in ("f1", "f2"):
            square = 1.0 if name == "f1" else 4.0
            missed = (~predicted & (y > 0)).sum()
            wrong = (predicted & (y < 0)).sum()
            cost = 100 * (1 - (1 + square) * true / ((1 + square) * true + square * missed + wrong))
        else:  # the hits that are missing, shared by all that are out of place
            errors = min(counts[name], len(positive)) - true
            if errors == 0:
                continue
            out, added = (y > 0) & ~predicted, (y < 0) & predicted
            whole = counts["prec@3"] if name == "prec@3" else len(positive)
            costs.append(100 * errors / whole)
            slopes.append(2 * errors * (out / out.sum() - added / added.sum()))
            continue
        costs.append(cost)
        slopes.append(y - labels)
    return largest(costs, slopes, z)


def largest(costs, slopes, z):
    """The largest of affine functions of z."""
    return cp.max(np.array(costs) - np.array(slopes) @ z)


@every_measure
@pytest.mark.parametrize("C", [0.003, 0.1])
@pytest.mark.parametrize("intercept", [False, True])
def test_svmperf_equals_the_enumerated_problem(name, C, intercept):
    X, y = draw()
    w, b = cp.Variable(4), cp.Variable()
    counted = name in ("prec@3", "rec@2p", "prbep", "roc_auc")
    z = X @ w + (b if intercept and not counted else 0.0)
    expected = solve(0.5 * cp.sum_squares(w) + C * risk(name, y, z), [])
    for data in (X, sp.csr_array(X)):
        model = SVMPerfClassifier(MEASURES[name], C=C, tol=1e-6, fit_intercept=intercept)
        model.fit(data, y)
        assert model.status_ is Status.CONVERGED
        assert model.objective_ == pytest.approx(expected, rel=1e-5)
        assert model.dual_gap_ <= 1e-6 * model.objective_


@pytest.mark.parametrize("beta", [0.5, 1.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_f_with_weights_equals_all_labelings_of_the_copies(beta, intercept):
    X, y = draw()
    X, y, times = X[:7], y[:7], np.array([2, 1, 3, 1, 2, 0, 1])
    w, b = cp.Variable(4), cp.Variable()
    z = X @ w + (b if intercept else 0.0)
    costs, slopes, total = [], [], times[y > 0].sum()
    for wrong in map(np.array, itertools.product(*(range(count + 1) for count in times))):
        true = total - wrong[y > 0].sum()
        whole = true + wrong[y < 0].sum() + beta**2 * total
        costs.append(100 * (1 - (1 + beta**2) * true / whole))
        slopes.append(2 * wrong * y)
    expected = solve(0.5 * cp.sum_squares(w) + 0.1 * largest(costs, slopes, z), [])
    model = SVMPerfClassifier(FBeta(beta), C=0.1, fit_intercept=intercept)
    model.fit(X, y, sample_weight=times)
    assert model.objective_ == pytest.approx(expected, rel=1e-5)
    assert model.dual_gap_ <= 1e-9 * model.objective_
    # A little more than a copy can be divided, which makes the risk a little larger.
    model.fit(X, y, sample_weight=times * (1.0 + 1e-9))
    assert expected * (1 - 1e-5) <= model.objective_ <= expected * 1.1


@pytest.mark.parametrize("C", [0.003, 0.1])
def test_svmperf_for_average_precision_equals_all_rankings(C):
    """Three positives and three negatives: 720 rankings."""
    X, y = draw()
    kept = np.concatenate([np.flatnonzero(y > 0)[:3], np.flatnonzero(y < 0)[:3]])
    X, y = X[kept], y[kept]
    w = cp.Variable(4)
    costs, slopes = [], []
    for ranking in itertools.permutations(range(6)):
        hits = np.cumsum(y[list(ranking)] > 0)
        precisions = [hits[place] / (place + 1) for place, i in enumerate(ranking) if y[i] > 0]
        wrong = [(i, j) for j, i in itertools.combinations(ranking, 2) if y[i] > 0 > y[j]]
        costs.append(100 * (1 - np.mean(precisions)))
        slopes.append(100 / 9 * sum(np.eye(6)[i] - np.eye(6)[j] for i, j in wrong) + np.zeros(6))
    expected = solve(0.5 * cp.sum_squares(w) + C * largest(costs, slopes, X @ w), [])
    model = SVMPerfClassifier("average_precision", C=C, tol=1e-6).fit(X, y)
    assert model.objective_ == pytest.approx(expected, rel=1e-5)
    assert model.dual_gap_ <= 1e-6 * model.objective_


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_accuracy_is_the_linear_svm(C):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 10))
    y = np.sign(X[:, 0] + 0.5 * rng.standard_normal(200))
    svm = LinearSVC(loss="hinge", C=2 * C, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)
    model = SVMPerfClassifier("accuracy", C=C, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(model.coef_, svm.coef_, atol=5e-3 * np.abs(svm.coef_).max())
    hinge = np.maximum(0, 1 - y * (X @ svm.coef_[0])).sum()
    expected = 0.5 * (svm.coef_**2).sum() + 2 * C * hinge
    assert model.objective_ == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", ["accuracy", "f1", "prbep", "roc_auc"])
@pytest.mark.parametrize("intercept", [False, True])
def test_plain_fgm_equals_the_enumerated_problem(name, intercept):
    """The bound of every round holds for the k-support problem, and the best round comes close."""
    X, y = draw(n_features=6, seed=1)
    C, budget = 0.05, 2
    w, shares, b = cp.Variable(6), cp.Variable(6, nonneg=True), cp.Variable()
    free = intercept and name in ("accuracy", "f1")
    penalty, limits = squares_over_shares([w[j : j + 1] for j in range(6)], shares)
    value = 0.5 * penalty + C * risk(name, y, X @ w + (b if free else 0.0))
    expected = solve(value, [*limits, shares <= 1, cp.sum(shares) <= budget])
    model = FGMClassifier(
        loss=MEASURES[name],
        budget=budget,
        C=C,
        fit_intercept=intercept,
        refit=False,
        tol=1e-4,
        max_rounds=60,
    ).fit(X, y)
    assert model.objective_ >= expected * (1 - 1e-6)
    assert model.objective_ <= expected * (1 + 2e-2)
    for record in model.history_:
        assert record.bound <= expected * (1 + 1e-6)
    assert model.history_[-1].bound >= expected * (1 - 2e-2)


@pytest.mark.parametrize("name", ["accuracy", "f1", "prbep", "roc_auc"])
def test_certificate_of_exactly_k_covers_every_choice(name):
    X, y = draw(n_features=5, seed=2)
    C, k = 0.05, 2
    model = FGMClassifier(k, loss=MEASURES[name], C=C, fit_intercept=False, refit=False).fit(X, y)
    assert len(model.support_ids_) == k
    best = np.inf
    for chosen in itertools.combinations(range(5), k):
        w = cp.Variable(k)
        best = min(best, solve(0.5 * cp.sum_squares(w) + C * risk(name, y, X[:, chosen] @ w), []))
    assert model.objective_ >= best * (1 - 1e-6)
    assert model.objective_ - model.dual_gap_ <= best * (1 + 1e-6)
