"""Labels on bags: a dictionary of atoms learned together with the classifier on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.bags import Bags
from handful.engines.dictionary_problem import DictionaryProblem
from handful.engines.dictionary_starts import draw_starts
from handful.engines.mil_dictionary import Descent, DictionaryState, learn_dictionary
from handful.engines.thresholds import with_threshold
from handful.estimators._bags import BagsMixin
from handful.estimators._callbacks import RoundTasks
from handful.estimators._losses import classification_loss, tagged, takes_weights
from handful.estimators._progress import Monitor
from handful.estimators._transaction import all_or_nothing
from handful.history import History, Round
from handful.losses import Loss
from handful.solvers import Target
from handful.spaces.bag_distances import BagDistances
from handful.spaces.bag_units import (
    along_a_line,
    column_factors,
    median_gamma,
    merge_equal,
    number,
)
from handful.spaces.resolve import n_threads
from handful.status import Status
from handful.validation import dictionary as checks

Array = np.ndarray


class _Representation(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What scikit-learn puts into a table when asked to; :class:`BagsMixin` has checked the bags."""

    dictionary_: Array

    def transform(self, X: Bags) -> Array:
        return self._nearest(X)[0]

    @property
    def _n_features_out(self) -> int:
        return len(self.dictionary_)


class DictionaryMILClassifier(
    BagsMixin, _Representation, ClassifierMixin, CallbackSupportMixin, BaseEstimator
):
    r"""Classifier of bags by their similarity to atoms that are learned with it, for any measure.

    ``min over D, w, b of  1/2 |w|^2 + P/2 sum_k |d_k - c|^2 + C R(S w + b)``,
    ``S_ik = max over x in bag i of exp(-gamma |x - d_k|^2)``

    with R the loss or the risk of the measure, c the mean of all different instances and columns divided by their
    standard deviations. For each dictionary D the classifier is the best one; the atoms then move downhill,
    and no step is taken that does not lower the objective. It is not convex: where it ends depends on
    where it starts.

    X may be a list of 2-D arrays, :class:`~handful.Bags`, a pair ``(instances, bag_ids)``, a data
    frame with a ``bag_column``, or whatever else :func:`~handful.bags.as_bags` takes; y has one
    label for each bag. In a plain matrix each row is a bag of one instance. Where the loss
    takes weights, equal bags of a class are fitted as one with the weight of all, in an order of its own: a bag with
    weight two and the bag twice are the same model to the last bit.

    A step costs a pass over all instances, O(instances * columns * n_atoms).

    Parameters
    ----------
    n_atoms : int, default=20
        Atoms in the dictionary; with more than two classes, in that of each class against the rest. Where
        there are fewer different instances to start from there are as many atoms, with a warning.
    loss : name or instance, default="f1"
        A measure ("f1", "accuracy", "prbep", "prec@10", "roc_auc", ...), or "squared_hinge" or
        "logistic".
    C : float, default=1.0
        Weight of the loss or risk.
    dictionary_penalty : float, default=1e-3
        P, the weight of the squared length of the atoms; 0 is none.
    gamma : float or "scale", default="scale"
        Of the similarity, in columns as they are after standardising. "scale" is four divided by
        the median squared distance between two different instances (of a thousand at even steps, if
        there are more); the value used is ``gamma_``.
    init : {"random", "kmeans"} or array of shape (n_atoms, n_features), default="random"
        Where atoms start: at different instances drawn at random, at the centres of clusters, or there.
    standardize : bool, default=True
        Divide each column by its standard deviation over the different training instances.
    bag_column : str or None, default=None
        Where X is a data frame: the column that says which bag a row belongs to.
    fit_intercept : bool, default=True
        Fit b, not penalised. A measure of rankings gets a threshold in its place.
    class_weight : dict, "balanced" or None, default=None
        Factors of C for the classes; under a measure, of the weights of their bags.
    max_iter : int, default=50
        Steps of the atoms at most, from each start. 0 leaves them where they start.
    tol : float, default=1e-3
        Stop early, when five steps together lower the objective by less than this fraction of it.
    n_init : int, default=1
        How many starts; the one that ends with the lowest objective is kept. Of an array there is
        only one.
    verbose : bool or callable, default=False
        Print a line for each step, or call a function with each :class:`~handful.history.Round`.
    n_jobs : int or None, default=None
        Threads. None uses all cores.
    random_state : int, RandomState instance or None, default=None
        The seed of the starts.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        The atoms, in the units of the instances; with more than two classes those of all classes, one
        after the other.
    weights_ : ndarray of shape (1 or n_classes, n_atoms)
        The weights of the similarities to them; zero for atoms of other classes.
    intercept_ : ndarray of shape (1 or n_classes,)
    classes_ : ndarray
    gamma_ : float
        The gamma that was used.
    scale_ : ndarray of shape (n_features,)
        What columns are divided by.
    objective_ : float
        The joint objective; summed over classes.
    dual_gap_ : float
        Infinite: with the dictionary free the problem is not convex, and nothing bounds it.
    objective_path_ : ndarray
        The objective at the start and after each step, never rising; summed over classes.
    history_ : History
        The steps from all starts.
    n_iter_ : int
        How many they are.
    status_ : Status
        How the fit ended, in a sentence.

    Examples
    --------
    >>> from handful import DictionaryMILClassifier
    >>> from handful.datasets import make_bags
    >>> data = make_bags(n_bags=80, random_state=0)
    >>> model = DictionaryMILClassifier(5, random_state=0).fit(data.bags, data.y)
    >>> model.transform(data.bags).shape
    (80, 5)
    >>> bool((model.objective_path_[1:] <= model.objective_path_[:-1]).all())
    True
    """

    def __init__(
        self,
        n_atoms: int = 20,
        *,
        loss: str | Loss = "f1",
        C: float = 1.0,
        dictionary_penalty: float = 1e-3,
        gamma: float | str = "scale",
        init: Any = "random",
        standardize: bool = True,
        bag_column: str | None = None,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        max_iter: int = 50,
        tol: float = 1e-3,
        n_init: int = 1,
        verbose: bool | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_atoms = n_atoms
        self.loss = loss
        self.C = C
        self.dictionary_penalty = dictionary_penalty
        self.gamma = gamma
        self.init = init
        self.standardize = standardize
        self.bag_column = bag_column
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        validation.check_count("n_atoms", self.n_atoms)
        validation.check_positive("C", self.C)
        checks.check_penalty("dictionary_penalty", self.dictionary_penalty)
        validation.check_positive("gamma", self.gamma, "scale")
        checks.check_init(self.init)
        validation.check_flag("standardize", self.standardize)
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_count("max_iter", self.max_iter, least=0)
        validation.check_positive("tol", self.tol)
        validation.check_count("n_init", self.n_init)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DictionaryMILClassifier:
        """Learn the dictionary and the classifier.

        Parameters
        ----------
        X : bags, in any form
        y : array-like of shape (n_bags,)
            Labels of any type, two or more classes.
        sample_weight : array-like of shape (n_bags,), default=None
            Factors of C for the bags, or what the measure makes of them.

        Returns
        -------
        self : DictionaryMILClassifier
        """
        self._check_parameters()
        loss = classification_loss(self.loss)
        bags, y = self._check_bags(X, y=y, ensure_min_samples=2)
        check_classification_targets(y)
        weight = validation.sample_weights(sample_weight, len(y))
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.class_weight is not None:
            factors = validation.class_weights(self.class_weight, self.classes_, codes, weight)
            weight = weight * factors[codes]
        validation.check_classes(self.classes_, codes, weight, type(self).__name__)
        tasks = RoundTasks(self, bags, y, sample_weight)
        if not weight.all():  # those bags are not there
            bags, codes, weight = bags[weight > 0], codes[weight > 0], weight[weight > 0]
        if takes_weights(self.loss):
            bags, codes, weight = merge_equal(bags, codes, weight)
        self._fit(bags, codes, weight, loss, tasks)
        tasks.end()
        return self

    def _fit(self, bags: Bags, codes: Array, weight: Array, loss: Any, tasks: RoundTasks) -> None:
        """Fit on checked data; ``codes`` are positions in ``classes_``."""
        rows, _ = number(bags.instances)
        self.scale_ = np.ones(bags.n_features)
        if self.standardize:
            self.scale_ = 1.0 / column_factors(bags, rows)
        scaled = bags.scaled(1.0 / self.scale_)
        rows = along_a_line(scaled.instances, rows)
        self.gamma_ = float(self.gamma) if self.gamma != "scale" else median_gamma(scaled, rows)
        distances = BagDistances(scaled, n_threads(self.n_jobs))
        center = np.asarray(scaled.instances[rows].mean(axis=0), dtype=np.float64).ravel()
        random = check_random_state(self.random_state)
        outputs = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        n_atoms = self._n_atoms(len(rows))
        finished: list[tuple[Descent, Array]] = []
        state = DictionaryState()

        def attributes(state: DictionaryState) -> dict[str, Any]:
            now = (state.best, _intercept(state.best, target))
            return self._attributes([*finished, now], state) | {"status_": Status.INTERRUPTED}

        monitor = Monitor(self.verbose, None, tasks, attributes)
        with monitor.listening():
            for output in outputs:
                target = self._target(np.where(codes == output, 1.0, -1.0), weight, loss)
                problem = DictionaryProblem(
                    distances, target, self.gamma_, float(self.dictionary_penalty), center
                )
                starts = self._starts(scaled, rows, n_atoms, random)
                # After an interrupt the other classes get a classifier on where they start.
                max_iter = 0 if monitor.interrupted else self.max_iter
                descent = learn_dictionary(problem, starts, max_iter, self.tol, state, monitor)
                finished.append((descent, _intercept(descent, target)))
        for name, value in self._attributes(finished, state).items():
            setattr(self, name, value)
        if monitor.interrupted:
            self.status_ = Status.INTERRUPTED

    def _target(self, signs: Array, weight: Array, loss: Any) -> Target:
        factors = weight[:, None]
        if not loss.is_smooth:  # a measure has its own use for the weights
            loss, factors = loss.of_samples(signs, weight), np.ones((len(weight), 1))
        has_intercept = bool(self.fit_intercept and getattr(loss, "has_threshold", True))
        return Target(loss, signs[:, None], float(self.C) * factors, has_intercept)

    def _n_atoms(self, n_different: int) -> int:
        """How many atoms there can be; those that are given need no instances to start from."""
        if not isinstance(self.init, str) or self.n_atoms <= n_different:
            return self.n_atoms
        warnings.warn(checks.fewer_atoms(n_different, self.n_atoms), stacklevel=6)
        return n_different

    def _starts(self, bags: Bags, rows: Array, n_atoms: int, random: Any) -> Iterator[Array]:
        """Return the dictionaries to start from, in standardised columns."""
        if not isinstance(self.init, str):
            atoms = checks.initial_atoms(self.init, n_atoms, bags.n_features)
            return iter([atoms / self.scale_])
        return draw_starts(bags.instances, rows, n_atoms, self.init, self.n_init, random)

    def _attributes(
        self, parts: list[tuple[Descent, Array]], state: DictionaryState
    ) -> dict[str, Any]:
        """The fitted attributes from what was found for each class; those to come say no."""
        n_outputs = len(self.classes_) if len(self.classes_) > 2 else 1
        atoms = [descent.fitted.atoms for descent, _ in parts]
        weights = np.zeros((n_outputs, sum(map(len, atoms))))
        intercept = np.full(n_outputs, -1.0)
        place = 0
        for output, (descent, own) in enumerate(parts):
            found = descent.fitted.solution.weights[:, 0]
            weights[output, place : place + len(found)] = found
            intercept[output] = own[0]
            place += len(found)
        length = max(len(descent.path) for descent, _ in parts)
        paths = [np.pad(one.path, (0, length - len(one.path)), mode="edge") for one, _ in parts]
        unfinished = [one.status for one, _ in parts if one.status is not Status.FLAT]
        return {
            "dictionary_": np.vstack(atoms) * self.scale_,
            "weights_": weights,
            "intercept_": intercept,
            "gamma_": self.gamma_,
            "scale_": self.scale_,
            "objective_": float(sum(descent.fitted.objective for descent, _ in parts)),
            "dual_gap_": np.inf,
            "objective_path_": np.sum(paths, axis=0),
            "history_": History(state.history),
            "n_iter_": len(state.history),
            "status_": unfinished[0] if unfinished else Status.FLAT,
        }

    def _nearest(self, bags: Bags) -> tuple[Array, Array]:
        scaled = bags.scaled(1.0 / self.scale_)
        distances = BagDistances(scaled, n_threads(self.n_jobs))
        squared, rows = distances.nearest(self.dictionary_ / self.scale_)
        return np.exp(-self.gamma_ * squared), rows

    def decision_function(self, X: Any) -> Array:
        """Return raw scores: (n_bags,) for two classes, (n_bags, n_classes) for more."""
        check_is_fitted(self)
        similarities = self._nearest(self._check_bags(X, reset=False))[0]
        raw = similarities @ self.weights_.T + self.intercept_
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> Array:
        """Return the class with the largest score."""
        raw = self.decision_function(X)
        best = (raw > 0).astype(int) if raw.ndim == 1 else raw.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tagged(tags, self.loss)


def _intercept(descent: Descent, target: Target) -> Array:
    """The intercept, or for a measure of rankings the threshold that takes its place."""
    point, loss = descent.fitted.solution.point, target.loss
    if not loss.is_smooth and not loss.has_threshold:
        point = with_threshold(point, target.y, loss.measure, loss.sample_weight)
    return point.intercept
