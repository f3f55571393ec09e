"""One way to select, as the shell sees it: options in, an estimator made, a report out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

from handful.cli.console import make_table
from handful.cli.methods.shared import Options

if TYPE_CHECKING:
    from rich.table import Table

    from handful.estimators._features import Feature, Selection


_MOST_CLASSES_WITH_ROUNDS = 4


class Method:
    """A name, the options it takes, the estimators behind it, and what is told of them.

    What is here fits any estimator of handful; a method says what is different.
    """

    #: After ``--method``.
    name: ClassVar[str]
    #: When to use it, in one line.
    use: ClassVar[str]
    #: Their public names; without a regressor quantities are refused.
    classifier: ClassVar[str]
    regressor: ClassVar[str | None] = None
    options: ClassVar[type[Options]]
    takes_several_targets: ClassVar[bool] = False
    #: Whether labels belong to bags of rows; the column that names them is then asked for.
    takes_bags: ClassVar[bool] = False
    #: The parameter that ``-k`` sets.
    count: ClassVar[str] = "n_features_to_select"
    #: What there are so many of.
    counted: ClassVar[str] = "features"
    #: Parameters that no option sets.
    fixed: ClassVar[dict[str, Any]] = {}

    # ------------------------------------------------------- options to estimator

    def given(self, values: Mapping[str, Any]) -> Options:
        """Return this method's options from the values of those of all methods."""
        own = (field.name for field in fields(self.options))
        return self.options(**{name: values[name] for name in own if name in values})

    def estimator(self, regression: bool, **parameters: Any) -> Any:
        """Return the estimator for the task; parameters that are None keep their default."""
        import handful
        from handful.io import InputError

        name = self.regressor if regression else self.classifier
        if name is None:
            raise InputError(
                f"--method {self.name} tells classes apart, and the target holds quantities "
                "(--classification if they are classes)"
            )
        given = {key: value for key, value in parameters.items() if value is not None}
        return getattr(handful, name)(**self.fixed, **given)

    # --------------------------------------------------------------------- report

    def describe(self, selection: Selection) -> dict[str, Any]:
        """Return everything that the report shows, and the features that it leaves out."""
        import numpy as np

        from handful.estimators._gap import gap_in_words

        estimator = selection.estimator
        groups, space = selection.groups, getattr(estimator, "space_", None)
        return {
            "estimator": type(estimator).__name__,
            "space": None if space is None else repr(space),
            "n_features_in": estimator.n_features_in_,
            "n_features": selection.n_features,
            "n_selected": len(estimator.support_ids_),
            "classes": None
            if selection.names.target_names
            else getattr(estimator, "classes_", None),
            "targets": selection.names.target_names,
            "class_features": getattr(estimator, "class_support_ids_", None),
            "features": [
                _describe_feature(feature) | selection.of_string(feature)
                for feature in selection.features
            ],
            "n_groups": selection.n_groups,
            "groups": None if groups is None else [vars(group) for group in groups],
            "intercept": np.atleast_1d(estimator.intercept_),
            "C": getattr(estimator, "C_", None),
            "C_path": getattr(estimator, "C_path_", None),
            **self.figures(estimator),
            "objective": estimator.objective_,
            "dual_gap": getattr(estimator, "dual_gap_", None),
            "relative_gap": _relative_gap(estimator),
            "certificate": gap_in_words(estimator, selection.names.grouped),
            "status": estimator.status_.name,
            "message": str(estimator.status_),
            "rounds": estimator.history_.to_records(),
        }

    def figures(self, estimator: Any) -> dict[str, Any]:
        """Return what only estimators of this method have."""
        return {}

    def course(self, selection: Selection) -> Iterator[Table | str]:
        """Yield how the fit went, round by round, and where it ended."""
        estimator = selection.estimator
        if len(getattr(estimator, "class_support_ids_", ())) <= _MOST_CLASSES_WITH_ROUNDS:
            from handful.history import TITLES

            yield make_table(TITLES, estimator.history_.rows(), texts=("phase",))
        else:
            yield f"{len(estimator.history_)} rounds in all classes"
        yield f"objective {estimator.objective_:.6g}, gap {estimator.dual_gap_:.3g}"


def _describe_feature(feature: Feature) -> dict[str, Any]:
    described = {"id": feature.id, "name": feature.name, "weights": feature.weights}
    if feature.columns is None:
        return described
    columns = [{"name": name, "weights": values} for name, values in feature.columns]
    return {**described, "columns": columns}


def _relative_gap(estimator: Any) -> float | None:
    """That of the last round; of the model where rounds have none, or each class its own."""
    if not len(estimator.history_) or not hasattr(estimator, "dual_gap_"):
        return None
    last = estimator.history_[-1]
    own = hasattr(estimator, "class_support_ids_")
    if (own or math.isinf(last.bound)) and estimator.objective_:
        return float(estimator.dual_gap_ / abs(estimator.objective_))
    return float(last.relative_gap)
