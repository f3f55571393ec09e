"""Labels on bags: a classifier on the bags' similarity to a handful of instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from handful.estimators._bags import BagsMixin
from handful.estimators._fgm import Prepared
from handful.estimators._spaces import check_apart
from handful.estimators.fgm import FGMClassifier
from handful.history import Round
from handful.losses import Loss
from handful.measures import Measure
from handful.methods.fgm import Options
from handful.methods.problem import Problem
from handful.spaces.bags import Bags
from handful.spaces.bags.chosen import ChosenInstances
from handful.spaces.bags.similarity import BagSimilarity
from handful.spaces.base import Array, FeatureSpace, Unit
from handful.validation import feature_ids
from handful.validation.bag_models import check_n_instances, check_resumable_draw, check_seed
from handful.validation.counts import is_whole

# Similarities to neighbours say nearly the same. Under a measure the automatic C undoes the cost of the
# first cut by what its columns have in common, and leaves too little for how they differ: so much more.
STRENGTH_OF_SIMILARITIES = 10.0


class MILESClassifier(BagsMixin, FGMClassifier):
    r"""Classifier of bags by their similarity to a handful of instances (MILES).

    ``s(bag, d) = max over x in the bag of exp(-gamma |x - d|^2)`` is a feature for each instance d
    of the training bags; :class:`~handful.FGMClassifier` selects among them for any loss or measure:

    ``min over w, b of  1/2 k-support(w)^2 + C sum_i loss(y_i, sum_d w_d s(bag_i, d) + b)``.

    The similarities of all bags to all instances are never needed at once: columns are made block
    by block, and those that fit half a gigabyte are kept for the next round.

    X may be a list of 2-D arrays, :class:`~handful.Bags`, a pair ``(instances, bag_ids)``, a data
    frame with a ``bag_column``, or whatever else :func:`~handful.spaces.bags.as_bags` takes; y has one
    label for each bag. In a plain matrix each row is a bag of one instance.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Exactly how many instances to choose; between 0 and 1 the share of those there are to choose
        from, at least one. None is the plain machine, which ends with between
        ``budget`` and ``max_rounds * budget`` of them.
    loss, average, output_units, per_class, label_threshold, refit_loss, selection_loss
        As of :class:`~handful.FGMClassifier`.
    gamma : float or "scale", default="scale"
        Of the similarity, in columns as they are after standardising. "scale" is four divided by
        the median squared distance between two different instances (of a thousand at even steps, if
        there are more); the value used is ``gamma_``.
    scale : {"std", "raw", None}, default="std"
        What is made one of every column of the instances: its standard deviation over the different training instances ("std"), or
        nothing ("raw"). None looks at the instances as :class:`~handful.FGMClassifier` does at X: "std" where the ranges of columns
        differ a thousand times, else "raw", and always "raw" with a number for gamma or sparse instances. ``scaling_`` tells.
    n_candidates : int or None, default=None
        Choose among so many instances, drawn at random, instead of all. The first round costs a pass
        over all instances for each candidate: with all of them that is quadratic.
    bag_column : str or None, default=None
        Where X is a data frame: the column that says which bag a row belongs to. Bags are in the order of their ids, and so
        are labels and weights, unless they are of pandas and their index is exactly these ids: then it says whose they are.
    budget, max_rounds, C, solver, refit, certify, fit_intercept, class_weight, tol
        As of :class:`~handful.FGMClassifier`; an estimator as ``refit`` is fitted on the similarities. Under a measure ``C="auto"`` is ten times what it is there:
        similarities have much in common.
    include, exclude : array of ids or a mask, default=None
        Instances that must be chosen, and that must not: rows of ``Bags.instances`` (without bags of
        weight zero), which :meth:`Bags.locate <handful.Bags.locate>` finds. Equal instances are one.
    checkpoint, verbose, n_jobs, warm_start
        As of :class:`~handful.FGMClassifier`; what goes on from a checkpoint ends with the same but for rounding.
    random_state : int, RandomState instance or None, default=None
        The seed of the draw of ``n_candidates``, which is made once in a fit; without them nothing is drawn.

    Attributes
    ----------
    selected_instances_ : list of (bag, row)
        The chosen instances: the id of the bag (its position in a list), and the row in it. Of equal
        ones the first.
    prototypes_ : ndarray or CSR array of shape (n_selected, n_features)
        The chosen instances themselves.
    support_ids_ : ndarray of int64
        The chosen instances, ascending, as all that goes with them. Different training instances are
        numbered in an order that depends on their values alone, so that shuffled or repeated bags
        change nothing. ``Bags.locate(selected_instances_)`` gives rows of ``Bags.instances``.
    weights_ : ndarray of shape (1 or n_classes, n_selected)
        The weights of the similarities to them.
    gamma_ : float
        The gamma that was used.
    scaling_ : {None, "std"}
        What was made one of every column of the instances.
    space_ : BagSimilarity
        What makes the similarities from new bags.
    intercept_, classes_, label_values_, class_support_ids_, objective_, dual_gap_, history_, status_, C_, C_path_, refit_loss_, selection_loss_, estimator_,
    n_iter_
        As of :class:`~handful.FGMClassifier`.

    Examples
    --------
    >>> from handful import MILESClassifier
    >>> from handful.datasets import make_bags
    >>> data = make_bags(n_bags=80, random_state=0)
    >>> model = MILESClassifier(n_features_to_select=5).fit(data.bags, data.y)
    >>> model.transform(data.bags).shape
    (80, 5)
    >>> scores = model.instance_scores(data.bags[0])
    >>> bool(abs(scores.sum() + model.intercept_ - model.decision_function([data.bags[0]])) < 1e-9)
    True
    """

    space_: BagSimilarity
    # What a fit settles once for all of its rounds and classes.
    _unit: Unit | None = "std"
    _seed: int = 0

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        loss: str | Loss | Measure = "squared_hinge",
        average: str = "macro",
        output_units: str = "auto",
        per_class: bool = False,
        label_threshold: str = "fitted",
        refit_loss: str = "auto",
        selection_loss: str = "auto",
        gamma: float | str = "scale",
        scale: str | None = "std",
        n_candidates: int | None = None,
        bag_column: str | None = None,
        budget: int = 10,
        max_rounds: int = 15,
        C: float | str = "auto",
        solver: str = "auto",
        refit: Any = True,
        certify: bool = False,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        include: Any = None,
        exclude: Any = None,
        tol: float = 1e-2,
        checkpoint: str | PathLike[str] | None = None,
        verbose: bool | str | Callable[[Round], Any] = False,
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.loss = loss
        self.average = average
        self.output_units = output_units
        self.per_class = per_class
        self.label_threshold = label_threshold
        self.refit_loss = refit_loss
        self.selection_loss = selection_loss
        self.gamma = gamma
        self.scale = scale
        self.n_candidates = n_candidates
        self.bag_column = bag_column
        self.budget = budget
        self.max_rounds = max_rounds
        self.C = C
        self.solver = solver
        self.refit = refit
        self.certify = certify
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.include = include
        self.exclude = exclude
        self.tol = tol
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state

    @property
    def space(self) -> BagSimilarity:
        """The features to select from, before they are put on bags."""
        return BagSimilarity(self.gamma, self._unit, self.n_candidates, self._seed)

    @property
    def selected_instances_(self) -> list[tuple[Any, int]]:
        """The chosen instances: the id of the bag, and the row in it."""
        return self._chosen.places

    @property
    def prototypes_(self) -> Any:
        """The chosen instances themselves, one row for each."""
        return self._chosen.instances

    @property
    def gamma_(self) -> float:
        """The gamma that was used."""
        return self._chosen.gamma

    @property
    def _chosen(self) -> ChosenInstances:
        if not hasattr(self, "space_"):
            raise AttributeError("nothing is chosen before fit.")
        return self.space_.chosen

    def _check_X(self, X: Any, **options: Any) -> Any:
        return self._check_bags(X, **options)

    def _options(self, problem: Problem) -> Options:
        return replace(super()._options(problem), C_factor=STRENGTH_OF_SIMILARITIES)

    def _check_space(self) -> None:
        """There is one space, whose parameters it checks itself."""
        self._check_scale()

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        prepared = super()._prepared(X, y, sample_weight)
        self._unit = self.unit_for(prepared.X, prepared.weight)
        self._seed = self._drawn_seed()
        return prepared

    def _drawn_seed(self) -> int:
        """Return the seed of the candidates; 0 where none are drawn."""
        check_seed(self.random_state)
        if self.n_candidates is None:
            return 0
        if is_whole(self.random_state):
            return int(self.random_state)
        need = "candidates: give a number as random_state beside n_candidates"
        check_resumable_draw(self.checkpoint, need)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _space_attributes(self, space: FeatureSpace, support_ids: Array) -> dict[str, Any]:
        return super()._space_attributes(space, support_ids) | {"scaling_": space.column_unit}

    def _wanted_ids(self, space: Any) -> tuple[Array, Array]:
        given = {"include": self.include, "exclude": self.exclude}
        rows = [feature_ids(name, ids, len(space.row_ids), None) for name, ids in given.items()]
        include, exclude = (np.unique(space.row_ids[some]) for some in rows)
        check_apart(include, exclude, space)
        return include, exclude

    def _nearest(self, bags: Bags) -> tuple[Array, Array]:
        return self.space_.on(bags).nearest(self.support_ids_)

    def _space_on(self, X: Any, weight: Array) -> FeatureSpace:
        space: Any = super()._space_on(X, weight)
        check_n_instances(self._n_wanted(space), len(space.candidates))
        return space

    def _n_choices(self, space: Any) -> int:
        return len(space.candidates)
