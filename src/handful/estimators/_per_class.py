"""A selection for each class against the rest, or for each label, by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from handful.estimators._attributes import assign
from handful.estimators._spaces import SPACE_ATTRIBUTES
from handful.history import History
from handful.spaces.active import positions_in, run_members
from handful.status import Status

Array = np.ndarray
#: Attributes that a fit on checked data relies on.
INPUT_ATTRIBUTES = ("n_features_in_", "feature_names_in_", "_unit", "_seed")
#: Fitted attributes that not every fit sets.
_SOMETIMES = (
    *SPACE_ATTRIBUTES,
    "class_support_ids_",
    "_candidate_ids",
    "_training_score",
    "estimator_",
)


def forget_earlier_fit(estimator: Any) -> None:
    """Remove what a fit with other parameters or targets has set and the next may not."""
    for name in _SOMETIMES:
        vars(estimator).pop(name, None)


def fit_each_class(
    estimator: Any, X: Any, signs: Array, weight: Array, loss: Any, tasks: Any
) -> None:
    """Fit the estimator to every class in turn, and set its attributes from all of them.

    ``support_ids_`` is the union; ``class_support_ids_`` has the features of each class.
    """
    parts = []
    for number in range(signs.shape[1]):
        part = clone(estimator)
        assign(
            part,
            {name: vars(estimator)[name] for name in INPUT_ATTRIBUTES if name in vars(estimator)},
        )
        part.checkpoint = _checkpoint_of_class(estimator.checkpoint, number)
        part._fit(X, signs[:, [number]], weight, loss, tasks)
        parts.append(part)
    attributes = estimator._of_all_labels(together(estimator, parts, X, weight))
    forget_earlier_fit(estimator)
    assign(estimator, attributes)


def together(estimator: Any, parts: list[Any], X: Any, weight: Array) -> dict[str, Any]:
    """Return the attributes of an estimator whose classes were fitted one by one."""
    ids = np.unique(np.concatenate([part.support_ids_ for part in parts]))
    attributes: dict[str, Any] = {}
    widths = np.ones(len(ids), dtype=np.int64)
    if estimator.space is not None:
        space = estimator._space_on(X, weight)
        widths = space.widths(ids)
        attributes["space_"] = estimator.space.remembering(space, ids)
        attributes["_n_space_features"] = space.n_features
    if hasattr(parts[0], "scaling_"):
        attributes["scaling_"] = parts[0].scaling_
    if hasattr(parts[0], "group_support_"):
        chosen = [part.group_support_ for part in parts]
        attributes["group_support_"] = np.unique(np.concatenate(chosen))
        if hasattr(parts[0], "group_labels_"):
            attributes["group_labels_"] = parts[0].group_labels_
    weights = np.zeros((len(parts), int(widths.sum())))
    for row, part in zip(weights, parts, strict=True):
        row[run_members(widths, positions_in(ids, part.support_ids_))] = part.weights_[0]
    unfinished = [part.status_ for part in parts if part.status_ is not Status.SELECTED]
    history = History([record for part in parts for record in part.history_])
    return attributes | {
        "support_ids_": ids,
        "class_support_ids_": [part.support_ids_ for part in parts],
        "weights_": weights,
        "intercept_": np.concatenate([part.intercept_ for part in parts]),
        "objective_": sum(part.objective_ for part in parts),
        "dual_gap_": sum(part.dual_gap_ for part in parts),
        "C_": np.array([part.C_ for part in parts]),
        "C_path_": [part.C_path_ for part in parts],
        "refit_loss_": [name for part in parts for name in part.refit_loss_],
        "selection_loss_": [part.selection_loss_ for part in parts],
        "history_": history,
        "n_iter_": len(history) - history.in_phase("refit"),
        "status_": unfinished[0] if unfinished else Status.SELECTED,
    }


def _checkpoint_of_class(path: Any, number: int) -> Path | None:
    """One file for each class: fit.npz becomes fit-0.npz, fit-1.npz, ..."""
    if path is None:
        return None
    path = Path(path)
    return path.with_name(f"{path.stem}-{number}{path.suffix}")
