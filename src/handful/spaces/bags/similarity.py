"""Bags by their similarity to instances: one feature for each instance of the training bags."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from handful.registry import Configured
from handful.sizes import current_sizes, slices
from handful.spaces.bags import Bags, as_bags
from handful.spaces.bags.chosen import ChosenInstances
from handful.spaces.bags.distances import BagDistances
from handful.spaces.bags.standardizing import along_a_line, column_factors, median_gamma, number
from handful.spaces.base import NO_IDS, Array, ExplicitSpace, FeatureSpace, Unit
from handful.validation import bags as checks
from handful.validation import check_choice, check_count, check_positive
from handful.validation.spaces import space_without_data


class BagSimilarity(Configured, ExplicitSpace):
    r"""How similar a bag is to an instance: :math:`\max_{x \in bag} \exp(-\gamma |x - d|^2)`.

    There is one feature for each different instance d of the training bags. Its id is a number that
    depends on nothing but what different instances there are: shuffled or repeated bags have the
    same ids (see ``row_ids``). Columns are made on demand from blocks of matrix products. As many as
    fit half a gigabyte are kept for the next round; the whole matrix of bags and instances is never
    needed.

    Parameters
    ----------
    gamma : float or "scale"
        "scale" is four divided by the median squared distance between two different instances (of
        a thousand at even steps, if there are more).
    column_unit : {None, "std"}
        "std" divides each column by its standard deviation over the different training instances.
        Distances do not change when columns are shifted, so that no mean is taken off, and sparse
        instances stay sparse.
    n_candidates : int or None
        Choose from so many instances, drawn at random; None is all. A round costs a pass over all
        instances for each candidate.
    random_state : int
        The seed of that draw.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces.bags import as_bags
    >>> from handful.spaces import BagSimilarity
    >>> bags = as_bags([np.array([[0.0], [2.0]]), np.array([[1.0]])])
    >>> space = BagSimilarity(gamma=1.0, column_unit=None).on(bags)
    >>> first, _, last = space.row_ids
    >>> space.columns(np.array([first, last])).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    >>> space.names(np.array([first, last]))
    ['bag0[0]', 'bag1[0]']
    """

    scale: Array | None = None
    _chosen: ChosenInstances | None = None  # of a fit that is over
    _given: Bags | None = None
    _bags: Bags  # those given, with columns multiplied by the factors
    _factors: Array
    _gamma: float
    _first_rows: Array = (
        NO_IDS  # where the instance of each id is first; unknown once a fit is over
    )
    _row_ids: Array
    _candidates: Array
    _distances: BagDistances
    _blocks: dict[int, Array]

    def __init__(
        self,
        gamma: float | str = "scale",
        column_unit: Unit | None = "std",
        n_candidates: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.gamma = gamma
        self.column_unit = column_unit
        self.n_candidates = n_candidates
        self.random_state = random_state

    def on(self, X: Any) -> BagSimilarity:
        check_positive("gamma", self.gamma, "scale")
        check_choice("column_unit", self.column_unit, [None, "std"])
        check_count("n_candidates", self.n_candidates, optional=True)
        check_count("random_state", self.random_state, least=0)
        bags = as_bags(X)
        bound = copy.copy(self)
        bound.n_samples, bound.dtype, bound._given = len(bags), bags.dtype, bags
        if self._chosen is None:
            bound._learn(bags)
        else:
            bound._recall(bags, self._chosen)
        bound._distances = BagDistances(bound._bags)
        bound._blocks = {}
        return bound

    def sized(self, n_columns: int) -> FeatureSpace:
        if self._chosen is not None:
            checks.check_n_columns(n_columns, len(self._chosen.factors))
        return super().sized(n_columns)

    def _learn(self, bags: Bags) -> None:
        """Take from the training bags what makes columns."""
        rows, self._row_ids = number(bags.instances)
        self.n_features, self._first_rows = len(rows), rows
        self._factors = np.ones(bags.n_features)
        if self.column_unit is not None:
            self._factors = column_factors(bags, rows)
        self._bags = bags.scaled(self._factors)
        if isinstance(self.gamma, str):
            self._gamma = median_gamma(self._bags, along_a_line(self._bags.instances, rows))
        else:
            self._gamma = float(self.gamma)
        self._candidates = np.arange(len(rows))
        if self.n_candidates is not None and self.n_candidates < len(rows):
            rng = np.random.default_rng(self.random_state)
            self._candidates = np.sort(rng.choice(len(rows), self.n_candidates, replace=False))

    def _recall(self, bags: Bags, chosen: ChosenInstances) -> None:
        """Take what the training bags have left."""
        checks.check_n_columns(bags.n_features, len(chosen.factors))
        self.n_features, self._candidates = chosen.n_instances, chosen.ids
        self._factors, self._gamma = chosen.factors, chosen.gamma
        self._bags = bags.scaled(self._factors)

    @property
    def candidates(self) -> Array:
        """The ids that may be chosen."""
        self._data()
        return self._candidates

    @property
    def row_ids(self) -> Array:
        """The id of each row of the training instances; not of what a fit has left of them."""
        if self._given is None or self._chosen is not None:
            raise space_without_data(self)
        return self._row_ids

    def squared_scores(self, a: Array) -> Array:
        scores = np.zeros(self.n_features)
        for some, block in self._all_blocks():
            dots = block.T @ a
            scores[some] = np.einsum("jk,jk->j", dots, dots)
        return scores

    def gather(self, ids: Array) -> Array:
        similarities, _ = self.nearest(ids)
        # As they were scored, float32 if the data are.
        return np.asfortranarray(similarities.astype(self.dtype, copy=False), dtype=np.float64)

    def nearest(self, ids: Array) -> tuple[Array, Array]:
        """Return the similarity of every bag to the instances ids, and the row that it is due to."""
        self._data()
        self._distances.n_threads = self.n_threads
        similarities, rows = self._distances.nearest(self._chosen_of(ids).scaled())
        similarities *= -self._gamma
        return np.exp(similarities, out=similarities), rows

    def stored(self) -> Iterator[Array]:
        bags = self._data()
        yield np.frombuffer(repr(self).encode(), dtype=np.uint8)
        yield self._first_rows  # what is saved has ids, which mean these rows
        yield from bags.stored()

    def widths(self, ids: Array) -> Array:
        if self._chosen is not None:
            ids = self._chosen.some(ids).ids  # a model file may name others
        return super().widths(ids)

    def names(self, ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
        """Return the bag and the row in it: ``bag3[0]``, or ``mouse[0]`` for a bag called mouse."""
        places = self._chosen_of(ids).places
        return [f"{bag if isinstance(bag, str) else f'bag{bag}'}[{row}]" for bag, row in places]

    def inputs(self, ids: Array) -> Array:
        """Return the columns of instances that features are made from: all of them."""
        return np.arange(self._data().n_features)

    def remembering(self, bound: FeatureSpace, ids: Array) -> BagSimilarity:
        if not isinstance(bound, BagSimilarity):
            raise space_without_data(self)
        space = bound._anew()  # whose parameters are numbers where ours may be rules
        space._chosen = bound._chosen_of(ids)
        return space

    @property
    def chosen(self) -> ChosenInstances:
        """The instances that a fit has chosen; of what :meth:`remembering` gave."""
        return self._there(self._chosen)

    def state(self) -> dict[str, Array]:
        return {} if self._chosen is None else self._chosen.pack()

    def restore(self, state: Mapping[str, Array]) -> BagSimilarity:
        space = self._anew()
        space._chosen = ChosenInstances.unpack(state)
        return space

    def _data(self) -> Bags:
        return self._there(self._given)

    def _chosen_of(self, ids: Array) -> ChosenInstances:
        """Return what is known of the instances ids, which may have come from other bags."""
        ids = np.asarray(ids, dtype=np.int64)
        if self._chosen is not None:
            return self._chosen.some(ids)
        bags, rows = self._data(), self._first_rows[ids]
        bag_positions, rows_in_bags = bags.places(rows)
        return ChosenInstances(
            ids,
            bags.instances[rows],
            self._factors,
            self._gamma,
            self.n_features,
            bags.bag_ids[bag_positions],
            rows_in_bags,
        )

    def _all_blocks(self) -> Iterator[tuple[Array, Array]]:
        """Give the candidates a few at a time, with their columns in the type of the data."""
        self._data()
        sizes = current_sizes()
        for position, part in enumerate(slices(len(self._candidates), sizes.atoms_at_once)):
            some = self._candidates[part]
            block = self._blocks.get(position)
            if block is None:
                block = self.nearest(some)[0].astype(self.dtype, copy=False)
                if (
                    sum(kept.nbytes for kept in self._blocks.values()) + block.nbytes
                    <= sizes.similarity_bytes
                ):
                    self._blocks[position] = block
            yield some, block
