"""From ``--method`` and its options to estimators on what was read: the way of all commands that fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from handful.cli.console import say
from handful.cli.methods import Method, choose_method, takes_one_target
from handful.cli.methods.shared import Options
from handful.cli.options import Source, refuse

if TYPE_CHECKING:
    from handful.cli.feature_names import FeatureNames
    from handful.cli.problem import Problem


@dataclass(frozen=True)
class Asked:
    """A method with its options, of which nothing is wrong as far as can be told before data are read."""

    method: Method
    options: Options
    parameters: Mapping[str, Any]
    source: Source

    def load(self) -> Task:
        """Read the data, and turn names that were given into features."""
        from handful.cli.problem import load_problem
        from handful.cli.scoring import positive_class
        from handful.io import InputError
        from handful.losses import measure_of
        from handful.validation.plural import plural

        problem = load_problem(self.source)
        # A store may hold several targets that nobody asked for.
        if problem.y.ndim == 2 and not self.method.takes_several_targets:
            raise InputError(
                f"{self.source.data} holds {plural(problem.y.shape[1], 'target')}; {takes_one_target(self.method)}"
            )
        names, named = self.options.resolved(problem.names)
        task = Task(self.method, problem, names, {**self.parameters, **named})
        measure = measure_of(getattr(task.estimator(), "loss", None))
        if measure is not None and problem.n_classes == 2 and problem.y.ndim == 1:
            note = positive_class(measure, problem.y, problem.cases)
            if note is not None:
                say(note)
        return task.with_doubts()


@dataclass(frozen=True)
class Task:
    """A method on data."""

    method: Method
    problem: Problem
    #: Of all that can be selected, groups among them.
    names: FeatureNames
    #: Of the estimator; those that are None keep their default.
    parameters: Mapping[str, Any]

    @property
    def space(self) -> Any:
        """The features to select from, where they are not the columns themselves."""
        return self.parameters.get("space")

    def with_doubts(self) -> Task:
        """Say what is odd about the data for this method; a report says it too."""
        from handful.cli.doubts import found_in_units
        from handful.cli.wording import in_options

        found = found_in_units(self.problem, self.estimator())
        if found is None:
            return self
        sentence, is_doubtful = in_options(found[0]), found[1]
        say(f"warning: {sentence}" if is_doubtful else sentence)
        if not is_doubtful:
            return self
        problem = replace(self.problem, doubts=(*self.problem.doubts, sentence))
        return replace(self, problem=problem)

    def with_count(self, count: Any) -> Task:
        """Return the same for so many features, or whatever the method counts."""
        return replace(self, parameters={**self.parameters, self.method.count: count})

    def whole_counts(self, counts: str | list[int | float]) -> str | list[int]:
        """Return numbers for shares of what there is to select from."""
        from handful.validation import is_share, n_wanted

        if isinstance(counts, str) or not any(map(is_share, counts)):
            return counts  # type: ignore[return-value]
        n_choices = self._n_choices()
        if n_choices is None:
            message = "a share is of columns or groups, which are the same in all folds"
            raise refuse("-k", f"{message}; give numbers here")
        return sorted({n_wanted(one, n_choices) or 1 for one in counts})

    def _n_choices(self) -> int | None:
        """Return how many columns, groups or features made of columns there are; None where folds differ in it."""
        import numpy as np

        if self.problem.bag_column is not None or self.problem.names.strings is not None:
            return None
        n_features, groups = self.problem.names.n_features, self.parameters.get("groups")
        if groups is not None:
            return len(groups) + n_features - len(np.unique(np.concatenate(groups)))
        return n_features if self.space is None else int(self.space.sized(n_features).n_features)

    def estimator(self, **more: Any) -> Any:
        """Return an estimator that is not fitted."""
        return self.method.estimator(self.problem.regression, **{**self.parameters, **more})


def asked_for(method: str | None, source: Source, options: Mapping[str, Any]) -> Asked:
    """Return the method that is named or fits the data; what does not go together is refused."""
    chosen = choose_method(method, source, options)
    given = chosen.given(options)
    return Asked(chosen, given, given.parameters(), source)
