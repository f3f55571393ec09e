"""Every estimator: quick ones by name, and a catalogue of settings, for tests of what all have in common."""

import inspect

import numpy as np
from problems import quantities, two_classes
from sklearn.base import BaseEstimator, is_regressor

import handful
from handful import (
    Bags,
    DictionaryMILClassifier,
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    SVMPerfClassifier,
)
from handful.datasets import make_bags
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial, Substrings

#: The public classes by their names.
ESTIMATORS = {
    name: cls
    for name, cls in ((name, getattr(handful, name)) for name in handful.__all__)
    if inspect.isclass(cls) and issubclass(cls, BaseEstimator)
}
OF_BAGS = ("MILESClassifier", "DictionaryMILClassifier")
#: Those that select as many features as they are told, and of them those that select columns of X.
WITH_K = [
    name
    for name, cls in ESTIMATORS.items()
    if "n_features_to_select" in inspect.signature(cls).parameters
]
OF_COLUMNS = [name for name in WITH_K if name not in OF_BAGS]


def quick(name, k=None, **options):
    """Return an unfitted estimator that selects k and is fitted in little time."""
    few = {"n_features_to_select": k} if name in WITH_K else {}
    if name.startswith(("FGM", "MILES")):
        few |= {"C": "fast"}
    if name == "DictionaryMILClassifier":
        few |= {"n_atoms": k, "max_iter": 3}
    return ESTIMATORS[name](**few | options)


def small_data(name):
    """Return features and targets of the kind that an estimator takes."""
    if name in OF_BAGS:
        data = make_bags(n_bags=30, random_state=0)
        return data.bags, data.y
    return quantities() if is_regressor(ESTIMATORS[name]()) else two_classes()


RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 12))
# The last columns decide most: what is found first is not what comes first.
SCORE = 3 * X[:, 11] + 2 * X[:, 4] - 1.5 * X[:, 7] + X[:, 0]
TWO, THREE = SCORE > 0, np.digitize(SCORE, [-2.0, 2.0])
OUTPUTS = np.column_stack([SCORE, X[:, 5] - X[:, 2]])
GROUPS = np.arange(12)[::-1] % 6
BAGS = Bags.of_sizes(X, np.full(40, 2))
#: Estimators with features and targets: every way in which one selects.
MODELS = {
    "FGM": (FGMClassifier(4, C="fast"), X, THREE),
    "FGM, plain": (FGMClassifier(budget=3, max_rounds=2), X, TWO),
    "FGM, include": (FGMClassifier(4, include=[9, 2], C="fast"), X, TWO),
    "FGM, own features of classes": (
        FGMClassifier(2, loss="f1", max_rounds=3, C="fast", per_class=True),
        X,
        THREE,
    ),
    "FGM, substrings": (
        FGMClassifier(4, space=Substrings(), C="fast"),
        np.array([f"{a} {b}" for a, b in np.digitize(X[:, [11, 4]], [-1.0, 0.0, 1.0])]),
        TWO,
    ),
    "FGM, groups": (FGMClassifier(2, groups=GROUPS, C="fast"), X, TWO),
    "FGM, overlapping groups": (
        FGMClassifier(2, groups=[[11, 3], [7, 4, 3], [9, 0]], C="fast"),
        X,
        TWO,
    ),
    "FGM, pairs": (FGMClassifier(4, space=Polynomial(), C="fast"), X, TWO),
    "FGM, levels": (FGMClassifier(4, space=HistogramIntersection(), C="fast"), X, TWO),
    "FGM, kernels": (FGMClassifier(4, space=AdditiveKernel(), C="fast"), X, THREE),
    "FGM, regression": (FGMRegressor(4, C="fast"), X, SCORE),
    "greedy": (GreedyRLSClassifier(4), X, THREE),
    "greedy, groups": (GreedyRLSClassifier(2, groups=GROUPS), X, TWO),
    "greedy, regression": (GreedyRLSRegressor(4), X, OUTPUTS),
    "lasso": (MultiTaskLassoInf(n_features_to_select=4), X, OUTPUTS),
    "direct": (DirectSparsityClassifier(4), X, THREE),
    "RFS": (RFSClassifier(4), X, THREE),
    "RFS, regression": (RFSRegressor(4), X, OUTPUTS),
    "all features": (SVMPerfClassifier(), X, TWO),
    "instances": (MILESClassifier(4, C="fast"), BAGS, TWO[::2]),
    "instances, plain": (MILESClassifier(budget=3, max_rounds=2), BAGS, TWO[::2]),
    "own instances of classes": (
        MILESClassifier(2, loss="f1", max_rounds=1, C="fast", per_class=True),
        BAGS,
        THREE[::2],
    ),
    "dictionary": (DictionaryMILClassifier(3, random_state=0), BAGS, TWO[::2]),
}
