"""Checks and messages of estimators and measures of several outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from handful.validation.indices import checked
from handful.validation.warning import warn_user

Array = np.ndarray


def fewer_on_path(found: int, wanted: int) -> str:
    """Return the warning for a path of alphas that never reaches the features asked for."""
    have, were = ("has", "was") if found == 1 else ("have", "were")
    return (
        f"Only {found} of the {wanted} features asked for {have} weights, however small alpha is; "
        f"{found} {were} selected."
    )


def label_matrix(name: str, given: Any, like: Any = None) -> Array:
    """Return a matrix of labels as true and false; 1 is true, 0 or -1 is false.

    ``like`` is the matrix of true labels, whose shape it must have.
    """
    if issparse(given):
        given = checked(given, name)
    found = check_array(given, accept_sparse=True, dtype=None, ensure_2d=False, input_name=name)
    labels = found.toarray() if hasattr(found, "toarray") else found
    if labels.ndim != 2:
        raise ValueError(
            f"{name} must have one row for each sample and one column for each label; "
            f"got shape {labels.shape}."
        )
    _check_shape(name, labels.shape, like)
    true = labels == 1
    rest = labels[~true]
    if rest.size and not ((rest == 0).all() or (rest == -1).all()):
        odd = next((v for v in rest.tolist() if v not in (0, -1)), None)
        found_value = "both 0 and -1" if odd is None else repr(odd)
        raise ValueError(
            f"{name} must hold 0 and 1, -1 and 1, or False and True; it has {found_value}."
        )
    return np.asarray(true)


def label_scores(given: Any, y_true: Any) -> Array:
    """Return a matrix of scores, one for each entry of the true labels."""
    scores = check_array(given, dtype=np.float64, ensure_2d=False, input_name="y_score")
    _check_shape("y_score", scores.shape, y_true)
    return np.asarray(scores)


def _check_shape(name: str, shape: tuple[int, ...], like: Any) -> None:
    expected = shape if like is None else getattr(like, "shape", None) or np.shape(like)
    if shape != tuple(expected):
        raise ValueError(
            f"{name} must have the shape of y_true, {tuple(expected)}; it has {shape}."
        )


def no_label_of_both_kinds(measure: object) -> ValueError:
    """Return the error for labels that tell no two samples apart."""
    return ValueError(
        f"{measure} is undefined: every label of y_true is there for all samples or for none."
    )


def check_labels_vary(is_constant: Array) -> None:
    """Warn of labels that all samples have, or none; raise when that is every label."""
    constant = np.flatnonzero(is_constant)
    if not len(constant):
        return
    if len(constant) == len(is_constant):
        raise ValueError(
            "y has no label that some samples have and others have not, so there is nothing to learn; check y."
        )
    more = f" and {len(constant) - 1} more" if len(constant) > 1 else ""
    verb = (
        "are the same for all samples; they are" if more else "is the same for all samples; it is"
    )
    warn_user(f"Label {constant[0]}{more} {verb} predicted so.")


def check_dense_targets(y: Any) -> None:
    """Refuse quantities in a sparse matrix."""
    if issparse(y):
        raise ValueError(
            "y is a sparse matrix; quantities to predict must be dense: pass y.toarray()."
        )
