"""Labels on bags: a dictionary of atoms learned together with the classifier on it."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from handful import validation
from handful.estimators._attributes import assign, attributes_of, fitting
from handful.estimators._bags import BagsMixin
from handful.estimators._callbacks import RoundTasks
from handful.estimators._labels import LabelsMixin, takes_weights
from handful.estimators._notebook import NotebookMixin
from handful.estimators._older_sklearn import CallbackSupportMixin
from handful.estimators._progress import Monitor, open_checkpoint
from handful.history import Round
from handful.losses import Loss, resolve_loss
from handful.measures import Measure
from handful.methods import dictionary
from handful.methods.dictionary.checkpoint import Checkpoint
from handful.methods.problem import Problem, Selected
from handful.spaces.bags import Bags
from handful.spaces.bags.distances import BagDistances
from handful.spaces.bags.standardizing import StandardDistances, merge_equal
from handful.spaces.base import NO_IDS, Array
from handful.spaces.resolve import n_threads, threads_for
from handful.validation import bag_models as checks
from handful.validation.counts import is_whole
from handful.validation.warning import warn_user


class _Representation(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What scikit-learn puts into a table when asked to; :class:`BagsMixin` has checked the bags."""

    dictionary_: Array

    def transform(self, X: Bags) -> Array:
        return self._nearest(X)[0]

    @property
    def _n_features_out(self) -> int:
        return len(self.dictionary_)


class DictionaryMILClassifier(
    BagsMixin, NotebookMixin, _Representation, LabelsMixin, CallbackSupportMixin, BaseEstimator
):
    r"""Classifier of bags by their similarity to atoms that are learned with it, for any measure.

    ``min over D, w, b of  1/2 |w|^2 + P/2 sum_k |d_k - c|^2 + C R(S w + b)``,
    ``S_ik = max over x in bag i of exp(-gamma |x - d_k|^2)``

    with R the loss or the risk of the measure, c the mean of all different instances and columns divided by their
    standard deviations. For each dictionary D the classifier is the best one; the atoms then move downhill,
    and no step is taken that does not lower the objective. It is not convex: where it ends depends on
    where it starts.

    X may be a list of 2-D arrays, :class:`~handful.Bags`, a pair ``(instances, bag_ids)``, a data
    frame with a ``bag_column``, or whatever else :func:`~handful.spaces.bags.as_bags` takes; y has one
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
        A measure ("f1", "accuracy", "prbep", "prec@10", "roc_auc", ...), or a loss of :class:`~handful.FGMClassifier`.
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
    scale : {"std", "raw", None}, default="std"
        What is made one of every column of the instances: its standard deviation over the different training instances ("std"), or
        nothing ("raw"). None looks at the instances as :class:`~handful.FGMClassifier` does at X: "std" where the ranges of columns
        differ a thousand times, else "raw", and always "raw" with a number for gamma or sparse instances. ``scaling_`` tells.
    bag_column : str or None, default=None
        Where X is a data frame: the column that says which bag a row belongs to. Bags are in the order of their ids, and so
        are labels and weights, unless they are of pandas and their index is exactly these ids: then it says whose they are.
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
    checkpoint : path or None, default=None
        Save each step to this file. A later fit with the same data and parameters goes on from there to the identical result
        (with the same ``n_jobs`` to the last bit); with others it is refused. Where starts are drawn that takes a number as
        ``random_state``. The file stays when the fit is complete, and the same fit then ends soon: the last classifier is fitted again.
    verbose : bool, "bar" or callable, default=False
        Print a line for each step, draw a progress bar on the terminal or in the notebook, or call a
        function with each :class:`~handful.history.Round`.
    n_jobs : int or None, default=None
        Threads. None uses all cores, as BLAS does.
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
    scaling_ : {None, "std"}
        What was made one of every column of the instances by that.
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
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

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

    _may_score_poorly = False  # similarities tell bags apart without an intercept too

    def __init__(
        self,
        n_atoms: int = 20,
        *,
        loss: str | Loss | Measure = "f1",
        C: float = 1.0,
        dictionary_penalty: float = 1e-3,
        gamma: float | str = "scale",
        init: Any = "random",
        scale: str | None = "std",
        bag_column: str | None = None,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        max_iter: int = 50,
        tol: float = 1e-3,
        n_init: int = 1,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_atoms = n_atoms
        self.loss = loss
        self.C = C
        self.dictionary_penalty = dictionary_penalty
        self.gamma = gamma
        self.init = init
        self.scale = scale
        self.bag_column = bag_column
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        validation.check_count("n_atoms", self.n_atoms)
        validation.check_positive("C", self.C)
        checks.check_penalty("dictionary_penalty", self.dictionary_penalty)
        validation.check_positive("gamma", self.gamma, "scale")
        checks.check_init(self.init)
        self._check_scale()
        validation.check_flag("fit_intercept", self.fit_intercept)
        validation.check_count("max_iter", self.max_iter, least=0)
        validation.check_positive("tol", self.tol)
        validation.check_count("n_init", self.n_init)
        validation.check_checkpoint(self.checkpoint)
        validation.check_verbose(self.verbose)
        validation.check_n_jobs(self.n_jobs)
        checks.check_seed(self.random_state)
        if isinstance(self.init, str) and not is_whole(self.random_state):
            checks.check_resumable_draw(self.checkpoint, "starts: give a number as random_state")

    @fitting
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
        loss = resolve_loss(self.loss, "classification")
        X, y, sample_weight = self._aligned(X, y, sample_weight)
        bags, y = self._check_bags(X, y=y, ensure_min_samples=2)
        weight = validation.sample_weights(sample_weight, len(y))
        signs, weight = self._signs(y, weight, self.class_weight)
        tasks = RoundTasks(self, bags, y, sample_weight)
        if not weight.all():  # those bags are not there
            bags, signs, weight = bags[weight > 0], signs[weight > 0], weight[weight > 0]
        if takes_weights(self.loss):
            bags, signs, weight = merge_equal(bags, signs, weight)
        self._fit(bags, signs, weight, loss, tasks)
        tasks.end()
        return self

    def _fit(self, bags: Bags, signs: Array, weight: Array, loss: Loss, tasks: RoundTasks) -> None:
        """Fit on checked data; ``signs`` is (n_bags, n_outputs)."""
        unit = self.unit_for(bags, weight)
        space = StandardDistances(bags, unit, n_threads(self.n_jobs))
        init, n_atoms, n_different = self.init, self.n_atoms, len(space.different)
        if not isinstance(init, str):
            init = checks.initial_atoms(init, n_atoms, bags.n_features)
        elif n_atoms > n_different:
            warn_user(checks.fewer_atoms(n_different, n_atoms))
            n_atoms = n_different
        problem = Problem(space, signs, weight, loss, self.fit_intercept)
        options = dictionary.Options(
            n_atoms=n_atoms,
            C=float(self.C),
            dictionary_penalty=float(self.dictionary_penalty),
            gamma=self.gamma,
            init=init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            random=check_random_state(self.random_state),
            checkpoint=open_checkpoint(Checkpoint, self, problem, None),
        )
        monitor = Monitor(self, tasks, _attributes, options.checkpoint)
        with threads_for(self.n_jobs), monitor.listening():
            selected = dictionary.fit(problem, options, monitor)
        assign(self, _attributes(selected) | {"scaling_": unit})
        self._mention_units(bags, weight, NO_IDS)

    def _nearest(self, bags: Bags) -> tuple[Array, Array]:
        scaled = bags.scaled(1.0 / self.scale_)
        distances = BagDistances(scaled, n_threads(self.n_jobs))
        squared, rows = distances.nearest(self.dictionary_ / self.scale_)
        return np.exp(-self.gamma_ * squared), rows

    def _raw_predictions(self, X: Any) -> Array:
        check_is_fitted(self)
        similarities = self._nearest(self._check_bags(X, reset=False))[0]
        return np.asarray(similarities @ self.weights_.T + self.intercept_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _attributes(selected: Selected) -> dict[str, Any]:
    """The fitted attributes of what was found: atoms, and no ids of features."""
    attributes = attributes_of(selected)
    del attributes["support_ids_"]
    return attributes
