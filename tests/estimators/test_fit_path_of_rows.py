"""Rows that vanish are ranked by one fit: models of all sizes out of it are those of separate fits."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from handful import DirectSparsityClassifier, RFSClassifier, RFSRegressor
from handful.history import History

KS = [1, 2, 5, 9]
rng = np.random.default_rng(0)
X = rng.standard_normal((60, 30))
X[:, 12] = X[:, 3] + 1e-3 * rng.standard_normal(60)  # nearly a copy
Z = np.c_[X[:, 3] - 2 * X[:, 7], X[:, 11] + X[:, 7]] + 0.7 * rng.standard_normal((60, 2))
TWO, THREE, LABELS = (Z[:, 0] > 0).astype(int), np.digitize(Z[:, 0], [-1, 1]), (Z > 0).astype(int)
WEIGHT = rng.integers(0, 4, 60).astype(float)
CASES = {
    "direct": (DirectSparsityClassifier(), TWO),
    "direct, classes": (DirectSparsityClassifier(p=1.0, scale="std"), THREE),
    "direct, labels": (DirectSparsityClassifier(margin="soft"), LABELS),
    "direct, as it is": (DirectSparsityClassifier(refit=False), TWO),
    "direct, own": (DirectSparsityClassifier(refit=LogisticRegression()), THREE),
    "direct, powers": (DirectSparsityClassifier(p=[0.5, 1.0]), TWO),
    "robust": (RFSClassifier(exclude=[7]), THREE),
    "robust, refitted": (RFSClassifier(refit=True, class_weight="balanced"), TWO),
    "robust, ones penalised": (RFSClassifier(penalize_intercept=True), TWO),
    "robust, quantity": (RFSRegressor(), Z[:, 0]),
    "robust, quantities": (RFSRegressor(alpha=[0.5, 2.0]), Z),
}


def same(ours, theirs):
    """Whether two attributes are equal to the last bit, time apart."""
    if isinstance(ours, np.ndarray):
        np.testing.assert_array_equal(ours, theirs)
    elif isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for name in ours:
            same(ours[name], theirs[name])
    elif isinstance(ours, History):
        timeless = ([replace(one, seconds=0.0) for one in rounds] for rounds in (ours, theirs))
        assert next(timeless) == next(timeless)
    elif isinstance(ours, LogisticRegression):
        same(vars(ours), vars(theirs))
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_models_are_those_of_separate_fits(name, weight, form):
    estimator, y = CASES[name]
    before = vars(estimator).copy()
    models = estimator.fit_path(form(X), y, KS[::-1], weight)
    assert list(models) == KS
    assert vars(estimator) == before
    for k, model in models.items():
        alone = type(estimator)(**{**estimator.get_params(deep=False), "n_features_to_select": k})
        alone.fit(form(X), y, weight)
        assert vars(model).keys() == vars(alone).keys()
        for attribute, value in vars(alone).items():
            if attribute != "refit":
                same(getattr(model, attribute), value)
        np.testing.assert_array_equal(model.predict(form(X)), alone.predict(form(X)))


def test_one_fit_for_all():
    """Every round is told, and none twice."""
    numbers = []
    models = RFSClassifier(verbose=lambda record: numbers.append(record.number)).fit_path(
        X, TWO, KS
    )
    assert numbers == list(range(1, models[max(KS)].n_iter_ + 1))


def test_bad_numbers():
    with pytest.raises(ValueError, match="each of ks must be a whole number"):
        RFSClassifier().fit_path(X, TWO, [0, 2])
    with pytest.raises(ValueError, match="n_features_to_select=31 is more than"):
        RFSClassifier().fit_path(X, TWO, [2, 31])
