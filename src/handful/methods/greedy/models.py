"""Every model of a greedy path: its steps and the data they need, reduced to a few small arrays; what a checkpoint holds of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from handful.history import History
from handful.methods.checkpoint_file import CheckpointFile, are_ids
from handful.methods.greedy.bound import Proof
from handful.methods.greedy.output_alphas import OutputAlphas, PlacesByRun
from handful.methods.greedy.path import Path, Run
from handful.methods.greedy.reduced_rows import ReducedRows
from handful.methods.greedy.search import Search
from handful.methods.problem import Selected
from handful.spaces.base import Array
from handful.spaces.columnwise.base import split_runs
from handful.status import Status

REDUCED = tuple(part.name for part in fields(ReducedRows))


@dataclass(frozen=True)
class PathModels:
    """The steps for all alphas, and what the models of the best ones are made of.

    Attributes
    ----------
    path : Path
    reduced : ReducedRows
        Of the features of all groups below.
    group_features : dict
        The features of each group that a best run has.
    n_include : int
        Groups that entered first because they were asked for: every model has them.
    output_alphas : OutputAlphas or None
        Where each output has an alpha of its own.
    proof : Proof or None
        Of the bound for the longest model; it holds for shorter ones too.
    """

    path: Path
    reduced: ReducedRows
    group_features: dict[int, Array]
    n_include: int
    output_alphas: OutputAlphas | None = None
    proof: Proof | None = None

    @classmethod
    def of(cls, path: Path, search: Search, output_alphas: OutputAlphas | None) -> PathModels:
        """Reduce the data to what the best models of every length need."""
        problem = search.problem
        features = {group: search.groups.members(group) for group in sorted(_best_groups(path))}
        ids = np.unique(np.concatenate([*features.values()]))
        reduced = ReducedRows.make(
            problem.space, ids, problem.y, problem.weight, problem.fit_intercept
        )
        return cls(path, reduced, features, len(problem.include), output_alphas)

    def up_to(self, n_groups: int) -> PathModels:
        """Return the same for a smaller number to select."""
        chosen = self.output_alphas
        return replace(
            self,
            path=self.path.up_to(n_groups),
            output_alphas=None if chosen is None else chosen.up_to(n_groups),
        )

    def selected(self, n_groups: int, *, has_costs: bool, has_groups: bool) -> Selected:
        """Return the best model of a number of groups, as if the selection had been of so many.

        Its bound is what was proved for the longest.
        """
        models = self.up_to(n_groups)
        path, alphas = models.path, models._alphas()
        run = path.best(n_groups)
        ids = np.unique(np.concatenate([self.group_features[group] for group in run.groups]))
        ridge = models.reduced.ridge(ids, alphas)
        errors = path.errors
        more: dict[str, Any] = {
            "selection_order_": np.array(run.groups, dtype=np.int64),
            "loo_errors_": np.array(run.errors),
            "loo_path_": errors,
            "alphas_": np.array([other.alpha for other in path.runs]),
            "alpha_": run.alpha,
            "alpha_path_": np.array([path.best(n).alpha for n in range(1, len(errors) + 1)]),
            "path_": models.to_plain(),
        }
        if models.output_alphas is not None:
            more["output_alphas_"] = models.output_alphas.last
        if has_costs:
            more["cost_path_"] = np.array(run.costs)
        if has_groups:
            more["group_support_"] = np.sort(more["selection_order_"])
        return Selected(
            ids=ids,
            weights=ridge.weights,
            intercept=ridge.intercept,
            objective=ridge.objective,
            bound=-np.inf if self.proof is None else self.proof.bound(alphas),
            history=path.history,
            status=run.status or Status.INTERRUPTED,
            more=more,
        )

    def _alphas(self) -> Array:
        """Return the alpha of each output in the longest model."""
        if self.output_alphas is not None:
            return self.output_alphas.last
        n_outputs = len(self.reduced.target_means)
        return np.full(n_outputs, self.path.best(len(self.path.errors)).alpha)

    def to_plain(self) -> dict[str, Any]:
        """Return everything but the history as numbers, texts and arrays, by the names that model files have."""
        members = list(self.group_features.values())
        return self.path.to_arrays() | {
            "alphas": np.array([run.alpha for run in self.path.runs]),
            "chosen_units": np.array([*self.group_features], dtype=np.int64),
            "unit_sizes": np.array([len(ids) for ids in members], dtype=np.int64),
            "unit_features": np.concatenate(members),
            "n_include": self.n_include,
            **{name: getattr(self.reduced, name) for name in REDUCED},
            **({} if self.output_alphas is None else self.output_alphas.to_plain()),
            **({} if self.proof is None else self.proof.to_plain()),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], history: History) -> PathModels:
        """Undo :meth:`to_plain`; ValueError or KeyError when the parts do not belong together."""
        path = Path([Run(alpha) for alpha in plain["alphas"].tolist()], history)
        path.fill(plain)
        reduced = ReducedRows(**{name: plain[name] for name in REDUCED})
        members = split_runs(plain["unit_features"], plain["unit_sizes"])
        groups = dict(zip(plain["chosen_units"].tolist(), members, strict=True))
        n_outputs = len(reduced.target_means)
        models = cls(
            path,
            reduced,
            groups,
            plain["n_include"],
            OutputAlphas.from_plain(plain, (len(path.errors), n_outputs)),
            Proof.from_plain(plain, n_outputs),
        )
        models._check()
        return models

    def _check(self) -> None:
        path, reduced = self.path, self.reduced
        shape = (len(reduced.targets), len(reduced.ids))
        lengths = sum(len(run.groups) for run in path.runs), len(path.history)
        fits = (
            reduced.columns.shape == shape
            and reduced.targets.shape[1:] == reduced.target_means.shape
            and reduced.column_means.shape == reduced.ids.shape
            and lengths[0] == lengths[1] > 0
            and isinstance(self.n_include, int)
            and _best_groups(path) <= self.group_features.keys()
            and np.isin(np.concatenate([*self.group_features.values()]), reduced.ids).all()
        )
        if not fits:
            raise ValueError("the parts of path_ do not belong together")


@dataclass(frozen=True)
class State:
    """Where a selection stands: the steps so far, and the data they were made on.

    Attributes
    ----------
    search : Search
    path : Path
    output_grid : ndarray or None
        What outputs may choose their own alphas from.
    """

    search: Search
    path: Path
    output_grid: Array | None = None
    _places: PlacesByRun = field(default_factory=dict)

    @property
    def history(self) -> History:
        """The rounds so far."""
        return self.path.history

    def selected(self) -> Selected:
        """What the method gives if it ends here."""
        search, grid = self.search, self.output_grid
        chosen = None
        if grid is not None:
            chosen = OutputAlphas.choose(self.path, search, grid, self._places)
        return PathModels.of(self.path, search, chosen).selected(
            search.n_groups, has_costs=search.prices.are_given, has_groups=search.has_groups
        )


def _best_groups(path: Path) -> set[int]:
    """Return all groups of the best runs of every length."""
    return {group for n in range(1, len(path.errors) + 1) for group in path.best(n).groups}


class GreedyCheckpoint(CheckpointFile):
    """A file that holds the steps so far."""

    def save(self, state: State) -> None:
        """Write the steps."""
        super().save(state.path)

    def arrays_of(self, state: Path) -> dict[str, Any]:
        return state.to_arrays()

    def fill(self, state: Path, arrays: Mapping[str, Array]) -> None:
        if not are_ids(arrays["units"], self._space.n_features):
            raise ValueError("the steps are of other features")
        state.fill(arrays)
