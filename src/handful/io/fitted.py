"""What the fitted attributes in a model file must be: each by itself, and all together.

A file may come from a stranger, and what is read from it is computed with and printed. Attributes that
are not listed here are kept as they are: nothing looks at them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.history import History
from handful.spaces import FeatureSpace
from handful.spaces.groups.membership import ListedGroups
from handful.status import Status
from handful.validation.schema import MOST, Field, array_of, choice, count, list_of, one_of, text


def _of(kind: type, words: str) -> Field:
    return Field(words, lambda value: isinstance(value, kind))


def _is_number(value: Any) -> bool:
    return (type(value) in (int, float) and abs(value) <= MOST) or type(value) is float


_number = Field("a number", _is_number)
_ids = array_of("ids of features", "i", 1, lambda ids: ids.dtype == np.int64)
_vector = array_of("numbers", "f", 1, lambda values: values.dtype == np.float64)
_finite = array_of("finite numbers", "f", 1, lambda values: np.isfinite(values).all())
_matrix = array_of("a matrix", "f", 2, lambda values: values.dtype == np.float64)
_weights = array_of(
    "a matrix of finite numbers",
    "f",
    2,
    lambda values: values.dtype == np.float64 and len(values) and np.isfinite(values).all(),
)
_labels = array_of("labels", "biufUO", 1, len)
#: Every attribute that predicting or reporting looks at.
FITTED: dict[str, Field] = {
    "n_features_in_": Field("a count of 1 or more", lambda n: count.is_right(n) and n > 0),
    "feature_names_in_": array_of("names", "UO", 1),
    "classes_": _labels,
    "calibration_": _weights,
    "label_values_": array_of("two labels", "biufU", 1, lambda labels: len(labels) == 2),
    "support_ids_": _ids,
    "weights_": _weights,
    "coef_": _weights,
    "intercept_": one_of(
        Field("a finite number", lambda x: _is_number(x) and np.isfinite(x)), _finite
    ),
    "objective_": _number,
    "dual_gap_": _number,
    "n_iter_": count,
    "n_sweeps_": count,
    "status_": _of(Status, "a status"),
    "history_": _of(History, "rounds"),
    "C_": one_of(_number, _vector),
    "C_path_": one_of(_of(dict, "what was tried"), list_of(_of(dict, "what was tried"))),
    "refit_loss_": list_of(text),
    "selection_loss_": one_of(text, list_of(text)),
    "alpha_": _number,
    "p_": _number,
    "gamma_": _number,
    "margin_": choice("hard", "projected", "soft"),
    "feasible_": one_of(None, _of(bool, "true or false")),
    "scaling_": one_of(None, choice("norm", "std")),
    "space_": _of(FeatureSpace, "a space"),
    "class_support_ids_": list_of(_ids),
    "group_support_": _ids,
    "group_labels_": _labels,
    "selection_order_": _ids,
    "selected_instances_": list_of(_of(tuple, "a place")),
    "loo_errors_": _vector,
    "loo_path_": array_of("a path", "f", 2, len),
    "alphas_": _vector,
    "alpha_path_": _vector,
    "output_alphas_": _vector,
    "cost_path_": _vector,
    "objective_path_": array_of("numbers", "f", 1, len),
    "scores_": _vector,
    "dictionary_": _matrix,
    "scale_": _vector,
    "path_": _of(dict, "a path"),
    "cv_results_": _of(dict, "results"),
}
#: Of the notes, what commands look at.
ABOUT: dict[str, Field] = {
    "target": text,
    "targets": list_of(text),
    "first_index": count,
    "group_names": list_of(text),
    "bag_column": text,
    "strings": text,
    "grouped": choice("groups", "columns"),
    "left_out": list_of(count),
}
_ALWAYS = ("n_features_in_", "intercept_", "objective_", "dual_gap_", "n_iter_", "status_")
_SELECTED = (*_ALWAYS, "support_ids_", "weights_", "history_")
_GREEDY = (*_SELECTED, "selection_order_", "loo_errors_", "loo_path_", "alpha_", "path_")
_ROWS = (*_SELECTED, "scores_", "objective_path_")
#: What a model of each class has whatever its parameters are; those that end in "Classifier" have classes too.
NEEDED: dict[str, tuple[str, ...]] = {
    "FGMClassifier": _SELECTED,
    "FGMRegressor": _SELECTED,
    "MILESClassifier": (*_SELECTED, "space_"),
    "GreedyRLSClassifier": _GREEDY,
    "GreedyRLSRegressor": _GREEDY,
    "MultiTaskLassoInf": (*_SELECTED, "alpha_"),
    "DirectSparsityClassifier": (*_ROWS, "margin_", "p_"),
    "RFSClassifier": (*_ROWS, "alpha_"),
    "RFSRegressor": (*_ROWS, "alpha_"),
    "SVMPerfClassifier": (*_ALWAYS, "coef_", "history_"),
    "DictionaryMILClassifier": (
        *(*_ALWAYS, "weights_", "history_"),
        *("dictionary_", "scale_", "gamma_", "objective_path_"),
    ),
}


def check_each(name: str, fitted: Mapping[str, Any]) -> None:
    """Raise ValueError when an attribute of a class is missing, or of another kind than it must be."""
    for key in NEEDED[name]:
        if key not in fitted:
            raise ValueError(f"{key} is missing")
    if name.endswith("Classifier") and not fitted.keys() & {"classes_", "label_values_"}:
        raise ValueError("classes_ is missing")
    for key, value in fitted.items():
        if key in FITTED and not FITTED[key].is_right(value):
            raise ValueError(f"{key} is not {FITTED[key].words}")


def check_about(about: Any) -> None:
    """Raise ValueError unless the notes are under names, and those that commands read are of their kinds."""
    if not isinstance(about, dict) or not all(isinstance(key, str) for key in about):
        raise ValueError("about is not a dictionary")
    for key, field in ABOUT.items():
        if about.get(key) is not None and not field.is_right(about[key]):
            raise ValueError(f"{key} in about is not {field.words}")


def check_together(estimator: Any) -> None:
    """Raise ValueError when attributes do not belong together, before anyone computes with them."""
    n_features = estimator.n_features_in_
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and len(names) != n_features:
        raise ValueError("the number of feature names is wrong")
    if hasattr(estimator, "dictionary_"):
        _check_dictionary(estimator)
    elif "coef_" in vars(estimator):
        if estimator.coef_.shape[1] != n_features:
            raise ValueError("coef_ has another number of columns than the features")
    else:
        _check_support(estimator)
    _check_outputs(estimator)
    _check_classes(estimator)
    _check_groups(estimator)
    if hasattr(estimator, "path_"):
        estimator._path_models()  # every shorter model can be made of it
        if len(estimator.selection_order_) != len(estimator.loo_errors_):
            raise ValueError("selection_order_ and loo_errors_ have different lengths")


def _check_support(estimator: Any) -> None:
    ids, weights = estimator.support_ids_, estimator.weights_
    n_features, n_columns = estimator.n_features_in_, len(ids)
    are_made = hasattr(estimator, "space_")
    # A fit to the columns of X has this; its parameter may be for the next one.
    if (
        not are_made
        and getattr(estimator, "space", None) is not None
        and not hasattr(estimator, "scaling_")
    ):
        raise ValueError("space_ is missing")
    if are_made:
        space = estimator.space_.sized(estimator.n_features_in_)
        n_features = estimator._n_space_features = space.n_features
    if len(ids) and not 0 <= ids.min() <= ids.max() < n_features:
        raise ValueError("support_ids_ points outside the features")
    if (np.diff(ids) <= 0).any():
        raise ValueError("support_ids_ does not rise")
    if are_made:
        n_columns = space.widths(ids).sum()
    if weights.shape[1] != n_columns:
        raise ValueError("support_ids_ and weights_ have different lengths")


def _check_outputs(estimator: Any) -> None:
    """There are weights and an intercept for each output, and outputs for each class."""
    n_outputs, intercept = len(estimator.weights_), estimator.intercept_
    is_single = np.ndim(intercept) == 0
    if n_outputs != (1 if is_single else len(intercept)):
        raise ValueError("weights_ and intercept_ have different lengths")
    calibration = getattr(estimator, "calibration_", None)
    if calibration is not None and calibration.shape != (n_outputs, 2):
        raise ValueError("calibration_ has no slope and offset for each output")
    classes = getattr(estimator, "classes_", None)
    if classes is None or hasattr(estimator, "label_values_"):
        return
    if is_single or len(classes) != max(n_outputs, 2):
        raise ValueError("the number of classes is wrong")
    if classes.dtype.kind == "O" and not all(isinstance(label, str) for label in classes):
        raise ValueError("classes_ are neither numbers nor text")


def _check_dictionary(estimator: Any) -> None:
    """Atoms, weights and scales belong together, and similarities can be computed from them."""
    atoms, weights, scale = estimator.dictionary_, estimator.weights_, estimator.scale_
    width = (estimator.n_features_in_,)
    if (atoms.shape[1:], weights.shape[1:], scale.shape) != (width, (len(atoms),), width):
        raise ValueError("dictionary_, weights_ and scale_ do not belong together")
    if not (np.isfinite(atoms).all() and np.isfinite(scale).all()):
        raise ValueError("dictionary_ or scale_ holds numbers that are not finite")
    if not (scale > 0).all() or not 0 < float(estimator.gamma_) < np.inf:
        raise ValueError("scale_ and gamma_ must be above 0")


def _check_classes(estimator: Any) -> None:
    """Where each class has features of its own, they are among the selected ones."""
    own = getattr(estimator, "class_support_ids_", None)
    if own is None:
        return
    if len(own) != len(estimator.weights_) or len(own) != len(estimator.classes_):
        raise ValueError("the number of class_support_ids_ is wrong")
    if not all(np.isin(ids, estimator.support_ids_).all() for ids in own):
        raise ValueError("class_support_ids_ points outside the selected features")


def _check_groups(estimator: Any) -> None:
    chosen, groups = getattr(estimator, "group_support_", None), getattr(estimator, "groups", None)
    if chosen is None or groups is None:
        return
    if isinstance(groups, str):
        n_groups = len(estimator.group_labels_)
    else:
        n_groups = len(ListedGroups(groups, estimator.n_features_in_))
        if len(getattr(estimator, "group_labels_", range(n_groups))) != n_groups:
            raise ValueError("the number of group labels is wrong")
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < n_groups:
        raise ValueError("group_support_ points outside the groups")
