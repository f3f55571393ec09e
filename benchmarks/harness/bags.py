"""Real bags, and ways to classify them: what each may choose from, how it is fitted and cross-validated.

Every way has a short list of settings, and the same treatment: the setting is chosen by three-fold
cross-validation inside the training bags, by the measure in question on the pooled held-out scores (ties
by the area under the curve). Widths of similarities are multiples of the median rule, made from the
training bags at hand. Ways that are trained for a measure choose their setting so trained.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from handful import Bags, DictionaryMILClassifier, MILESClassifier, SVMPerfClassifier
from handful.metrics import measure_score
from handful.spaces.bags.distances import BagDistances
from handful.spaces.bags.standardizing import column_factors, median_gamma

from .data import Source
from .measure import timed
from .splits import Row

DATASETS = ("musk1", "elephant", "musk2")
MEASURES = ("f1", "prbep", "prec@0.5p", "accuracy")
INNER_FOLDS = 3
N_ATOMS = 40
WIDTHS = (1.0, 0.25, 0.0625, 0.025)  # times four divided by the median squared distance
CS = (1.0, 10.0)
SET_KERNEL_CS = (1e4, 1e6)  # means of similarities are small: less than this learns nothing
MAX_ITER = 30
MAX_CUTS = 300
Setting = dict[str, float]
Scores = Callable[[Bags], np.ndarray]


@dataclass(frozen=True)
class BagSet:
    """Bags with labels -1 and +1."""

    name: str
    bags: Bags
    y: np.ndarray

    def some(self, positions: np.ndarray) -> BagSet:
        """Return these bags alone."""
        return BagSet(self.name, self.bags[positions], self.y[positions])


def load(name: str, source: Source) -> BagSet:
    """Read one of the sets."""
    with np.load(source.file(f"mil/{name}.npz")) as data:
        bags, y = Bags(data["X"].astype(np.float64), data["bag"]), data["bag_y"].astype(np.int64)
    return BagSet(name, bags, y)


def folds(y: np.ndarray, n_folds: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test bags; classes have the same share in all."""
    yield from StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


# ----------------------------------------------------------------- the methods


@dataclass(frozen=True)
class Method:
    """Its name, its settings, and ``fit(bags, y, setting, measure)``.

    The measure is None for ways that are not trained for one.
    """

    name: str
    settings: tuple[Setting, ...]
    fit: Callable[[Bags, np.ndarray, Setting, str | None], Scores]
    uses_measure: bool = False
    is_ours: bool = False


def _grid(**values: tuple[float, ...]) -> tuple[Setting, ...]:
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))


class Similarities:
    """Bags by their similarity to atoms, columns standardised by the training bags."""

    def __init__(self, bags: Bags, width: float) -> None:
        self.factors = column_factors(bags)
        self.bags = bags.scaled(self.factors)
        self.gamma = width * median_gamma(self.bags)

    def to(self, atoms: np.ndarray, bags: Bags | None = None) -> np.ndarray:
        """Return one row for each bag."""
        scaled = self.bags if bags is None else bags.scaled(self.factors)
        return np.exp(-self.gamma * BagDistances(scaled).nearest(atoms)[0])


def _on_atoms(made: Similarities, atoms: np.ndarray, y: np.ndarray, classifier: Any) -> Scores:
    classifier.fit(made.to(atoms), y)
    return lambda bags: classifier.decision_function(made.to(atoms, bags))


def dictionary(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """POD."""
    n_atoms, gamma = min(N_ATOMS, bags.n_instances), Similarities(bags, setting["width"]).gamma
    options = {"C": setting["C"], "gamma": gamma, "max_iter": MAX_ITER, "random_state": 0}
    model = DictionaryMILClassifier(n_atoms, loss=measure, **options)
    return model.fit(bags, y).decision_function


def miles(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """FGM on the similarities to all instances, as many of them as POD has atoms."""
    gamma = Similarities(bags, setting["width"]).gamma
    n_instances = min(N_ATOMS, bags.n_instances // 2)
    model = MILESClassifier(n_instances, loss=measure, gamma=gamma, C=setting["C"])
    return model.fit(bags, y).decision_function


def miles_l1(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """MILES as it was published: an l1-SVM on the similarities to all instances."""
    made = Similarities(bags, setting["width"])
    svm = LinearSVC(penalty="l1", dual=False, C=setting["C"])
    return _on_atoms(made, made.bags.instances, y, svm)


def _clusters(bags: Bags, setting: Setting) -> tuple[Similarities, np.ndarray]:
    made = Similarities(bags, setting["width"])
    n_atoms = min(N_ATOMS, bags.n_instances)
    means = KMeans(n_atoms, n_init=1, random_state=0).fit(made.bags.instances)
    return made, means.cluster_centers_


def kmeans_svm(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """A linear SVM on similarities to the centres of clusters."""
    return _on_atoms(*_clusters(bags, setting), y, LinearSVC(C=setting["C"]))


def kmeans_svmperf(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """SVMperf on the same."""
    svm = SVMPerfClassifier(measure, C=setting["C"], fit_intercept=True, max_iter=MAX_CUTS)
    return _on_atoms(*_clusters(bags, setting), y, svm)


def _summary(*names: str) -> Callable[..., Scores]:
    def summed(bags: Bags) -> np.ndarray:
        return np.stack([np.hstack([getattr(bag, name)(axis=0) for name in names]) for bag in bags])

    def fit(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
        svm = make_pipeline(StandardScaler(), LinearSVC(C=setting["C"])).fit(summed(bags), y)
        return lambda new: svm.decision_function(summed(new))

    return fit


def mil_package(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """The ``mil`` package: its MILES similarities and the linear SVM of its examples."""
    from mil.bag_representation.mapping import MILESMapping

    made = Similarities(bags, setting["width"])
    mapping = MILESMapping(sigma2=1.0 / made.gamma)
    svm = SVC(kernel="linear", C=1.0, class_weight="balanced")
    svm.fit(np.asarray(mapping.fit_transform(list(made.bags), y)), y)

    def columns(new: Bags) -> np.ndarray:
        return np.asarray(mapping.transform(list(new.scaled(made.factors))))

    return lambda new: svm.decision_function(columns(new))


def sawmil_package(bags: Bags, y: np.ndarray, setting: Setting, measure: str | None) -> Scores:
    """The ``sawmil`` package: an SVM with the normalised set kernel, Gaussian."""
    from sawmil import NSK
    from sawmil.kernels import RBF

    made = Similarities(bags, setting["width"])
    kernel = RBF(gamma=made.gamma)
    model = NSK(C=setting["C"], kernel=kernel, solver="osqp", normalizer="average")
    model.fit([np.asarray(bag) for bag in made.bags], (y > 0).astype(np.float64))

    def own(new: Bags) -> list[np.ndarray]:
        return [np.asarray(bag) for bag in new.scaled(made.factors)]

    return lambda new: np.asarray(model.decision_function(own(new)))


POD, MILES = "POD", "MILES + measure"
WIDE, WIDE_C, ONLY_C = _grid(width=WIDTHS), _grid(width=WIDTHS, C=CS), _grid(C=(0.01, 0.1, 1.0))
METHODS = {
    method.name: method
    for method in (
        Method(POD, WIDE_C, dictionary, uses_measure=True, is_ours=True),
        Method(MILES, WIDE_C, miles, uses_measure=True, is_ours=True),
        Method("MILES, l1-SVM", WIDE_C, miles_l1),
        Method("k-means, SVMperf", WIDE_C, kmeans_svmperf, uses_measure=True),
        Method("k-means, linear SVM", WIDE_C, kmeans_svm),
        Method("mean, linear SVM", ONLY_C, _summary("mean")),
        Method("min-max, linear SVM", ONLY_C, _summary("min", "max")),
        Method("mil", WIDE, mil_package),
        Method("sawmil", _grid(width=WIDTHS, C=SET_KERNEL_CS), sawmil_package),
    )
}


# ------------------------------------------------------------------ POD with one setting


def trained_for(data: BagSet, measure: str, n_folds: int, seed: int, **setting: Any) -> list[float]:
    """Cross-validate POD with these settings, the others at their defaults; a value for each fold."""
    values = []
    for train, test in folds(data.y, n_folds, seed):
        model = DictionaryMILClassifier(loss=measure, max_iter=15, random_state=0, **setting)
        scores = model.fit(data.bags[train], data.y[train]).decision_function(data.bags[test])
        values.append(measure_score(data.y[test], scores, measure))
    return values


def path_of(data: BagSet, measure: str, steps: int) -> np.ndarray:
    """Return the objective after each step."""
    model = DictionaryMILClassifier(loss=measure, max_iter=steps, tol=1e-6, random_state=0)
    return np.asarray(model.fit(data.bags, data.y).objective_path_)


# ------------------------------------------------------------------ one method, all folds


def run_method(
    data: BagSet, method: Method, measures: list[str], n_folds: int, seed: int, limit: float
) -> Row:
    """Run all folds; a way that needs more than ``limit`` seconds keeps the folds it has.

    Its seconds are those of single fits, the choice of settings not included.
    """
    result = Row(data.name, method.name)
    for measure in measures:
        result.values[measure], result.chosen[measure] = [], []
    started = time.perf_counter()
    for number, (train, test) in enumerate(folds(data.y, n_folds, seed)):
        try:
            _run_fold(data.some(train), data.some(test), method, measures, seed, result)
        except ImportError as missing:
            return replace(result, status=f"not installed ({missing.name})")
        if time.perf_counter() - started > limit and number + 1 < n_folds:
            return replace(result, status=f"{number + 1} folds in {limit:g} s")
    return result


def _run_fold(
    train: BagSet, test: BagSet, method: Method, measures: list[str], seed: int, result: Row
) -> None:
    held_out: dict[str | None, list[np.ndarray]] = {}
    fitted: dict[tuple[str | None, int], np.ndarray] = {}
    for measure in measures:
        wanted = measure if method.uses_measure else None
        if wanted not in held_out:
            held_out[wanted] = [
                _held_out(train, method, setting, wanted, seed) for setting in method.settings
            ]
        best = _best(train.y, held_out[wanted], measure)
        if (wanted, best) not in fitted:
            fit = partial(method.fit, train.bags, train.y, method.settings[best], wanted)
            scores, seconds = timed(fit)
            result.seconds.append(seconds)
            fitted[wanted, best] = scores(test.bags)
        result.values[measure].append(measure_score(test.y, fitted[wanted, best], measure))
        result.chosen[measure].append(method.settings[best])


def _held_out(
    train: BagSet, method: Method, setting: Setting, measure: str | None, seed: int
) -> np.ndarray:
    """Scores of the training bags from models that have not seen them."""
    scores = np.empty(len(train.y))
    for inside, outside in folds(train.y, INNER_FOLDS, seed):
        part = train.some(inside)
        scores[outside] = method.fit(part.bags, part.y, setting, measure)(train.bags[outside])
    return scores


def _best(y: np.ndarray, held_out: list[np.ndarray], measure: str) -> int:
    by = (measure, "roc_auc")
    values = [tuple(measure_score(y, scores, name) for name in by) for scores in held_out]
    return max(range(len(values)), key=values.__getitem__)
