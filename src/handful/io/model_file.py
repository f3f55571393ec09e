"""The model file: a fitted estimator as plain arrays and JSON. Opening one runs nothing.

See :mod:`handful.io.archive` for the file and :mod:`handful.io.values` for what it can hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import handful
from handful import __version__
from handful.estimators._base import RUN_PARAMETERS
from handful.io.archive import read_archive, write_archive
from handful.io.errors import InputError
from handful.io.values import Decoder, Encoder
from handful.spaces import make_groups

__all__ = ["ModelFile", "load_model", "read_model_file", "save_model"]

FORMAT = "handful model"
VERSION = 1
#: Classes that a model file may name, loaded when one does.
ESTIMATORS = (
    *("DirectSparsityClassifier", "RFSClassifier", "RFSRegressor"),
    *("FGMClassifier", "FGMRegressor", "GreedyRLSClassifier", "GreedyRLSRegressor"),
    *("MultiTaskLassoInf", "SVMPerfClassifier", "MILESClassifier", "DictionaryMILClassifier"),
)

_FITTED_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*_")
_SENSELESS = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,  # more columns than there can be
    OverflowError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes
    ----------
    estimator : estimator
        Fitted, as it was saved.
    about : dict
        What the writer noted about the data; see :func:`save_model`.
    """

    estimator: Any
    about: dict[str, Any] = field(default_factory=dict)


def save_model(
    estimator: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted estimator to a file that opens without pickle.

    The constructor's parameters and every fitted attribute are stored; not `checkpoint`, `n_jobs`,
    `verbose` and `warm_start`, which belong to the run and not to the model. Of a `space` its name,
    its parameters and what it has learnt about the selected features are stored; a loss or a space
    of your own is code, and refused.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of handful.
    path : str or path
        Usually ends in ``.handful``. It appears complete or not at all.
    about : dict, optional
        Notes about the data, such as the name of the target; plain values only.

    Raises
    ------
    InputError
        When a parameter or attribute is no plain value; the message names it.
    handful.files.OutputError
        When the file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from handful import FGMClassifier
    >>> from handful.datasets import make_demo
    >>> from handful.io import load_model, save_model
    >>> data = make_demo(n_samples=100, n_features=50, n_test_samples=0)
    >>> model = FGMClassifier(5).fit(data.X_train, data.y_train)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.handful"
    >>> save_model(model, path)
    >>> bool((load_model(path).predict(data.X_train) == model.predict(data.X_train)).all())
    True
    """
    name = type(estimator).__name__
    if name not in ESTIMATORS or getattr(handful, name) is not type(estimator):
        known = ", ".join(ESTIMATORS)
        raise InputError(f"a {name} cannot be saved in a model file; only {known} can")
    check_is_fitted(estimator)
    encoder = Encoder()
    parameters = {
        key: encoder.encode(value, key)
        for key, value in estimator.get_params(deep=False).items()
        if key not in RUN_PARAMETERS
    }
    fitted = {
        key: encoder.encode(value, key)
        for key, value in sorted(vars(estimator).items())
        if _FITTED_NAME.fullmatch(key)
    }
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "handful": __version__,
        "class": name,
        "parameters": parameters,
        "fitted": fitted,
        "about": encoder.encode(dict(about or {}), "about"),
    }
    write_archive(path, manifest, encoder.members)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator from a model file; nothing in the file is run.

    Raises
    ------
    InputError
        When the file is no model file, is damaged, or was written by a newer handful.
    """
    return read_model_file(path).estimator


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read a fitted estimator and the notes about its data; see :func:`load_model`."""
    manifest, members = read_archive(path, FORMAT, VERSION)
    decoder = Decoder(members)
    try:
        if manifest["class"] not in ESTIMATORS:
            raise ValueError(f"a {manifest['class']} is not known")
        cls: Any = getattr(handful, manifest["class"])
        parameters = {key: decoder.decode(value) for key, value in manifest["parameters"].items()}
        estimator = cls(**parameters)
        for key, value in manifest["fitted"].items():
            if not _FITTED_NAME.fullmatch(key):
                raise ValueError(f"{key} is no fitted attribute")
            setattr(estimator, key, decoder.decode(value))
        about = decoder.decode(manifest["about"])
        _check_shapes(estimator)
    except _SENSELESS as error:
        raise InputError(f"{path} is a {FORMAT} that does not make sense ({error})") from error
    return ModelFile(estimator, about)


def _check_shapes(estimator: Any) -> None:
    """Refuse a file whose parts do not fit together, before anyone computes with them."""
    if hasattr(estimator, "dictionary_"):
        _check_dictionary(estimator)
        return
    ids, weights = estimator.support_ids_, estimator.weights_
    if ids.dtype != np.int64 or ids.ndim != 1 or weights.ndim != 2:
        raise ValueError("support_ids_ or weights_ has the wrong type")
    n_features, n_columns = estimator.n_features_in_, len(ids)
    if estimator.space is not None:
        # A row of zeros, never touched: enough to ask the space how many features it has.
        space = estimator.space_.on(np.zeros((1, estimator.n_features_in_)))
        n_features = estimator._n_space_features = space.n_features
    if len(ids) and not 0 <= ids.min() <= ids.max() < n_features:
        raise ValueError("support_ids_ points outside the features")
    if estimator.space is not None:
        n_columns = space.widths(ids).sum()
    if weights.shape[1] != n_columns:
        raise ValueError("support_ids_ and weights_ have different lengths")
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and len(names) != estimator.n_features_in_:
        raise ValueError("the number of feature names is wrong")
    _check_classes(estimator)
    _check_groups(estimator)
    if hasattr(estimator, "path_"):
        estimator._path_models()  # every shorter model can be made of it


def _check_dictionary(estimator: Any) -> None:
    """Atoms, weights and scales belong together, and similarities can be computed from them."""
    atoms, weights, scale = estimator.dictionary_, estimator.weights_, estimator.scale_
    n_outputs = len(estimator.classes_) if len(estimator.classes_) > 2 else 1
    shapes = (atoms.shape[1:], weights.shape, scale.shape, estimator.intercept_.shape)
    width = (estimator.n_features_in_,)
    if shapes != (width, (n_outputs, len(atoms)), width, (n_outputs,)):
        raise ValueError("dictionary_, weights_ and scale_ do not belong together")
    numbers = (atoms, weights, scale, estimator.intercept_)
    if any(array.dtype != np.float64 or not np.isfinite(array).all() for array in numbers):
        raise ValueError("dictionary_, weights_ or scale_ has the wrong type")
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
    chosen = getattr(estimator, "group_support_", None)
    if chosen is None or estimator.groups is None:
        return
    if chosen.dtype != np.int64 or chosen.ndim != 1 or chosen.min(initial=0) < 0:
        raise ValueError("group_support_ has the wrong type")
    if isinstance(estimator.groups, str):
        n_groups = len(estimator.group_labels_)
    else:
        n_groups = len(make_groups(estimator.groups, None, estimator.n_features_in_))
        if len(getattr(estimator, "group_labels_", range(n_groups))) != n_groups:
            raise ValueError("the number of group labels is wrong")
    if chosen.max(initial=-1) >= n_groups:
        raise ValueError("group_support_ points outside the groups")
