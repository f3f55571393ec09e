"""The model file: a fitted estimator as plain arrays and JSON. Opening one runs nothing.

See :mod:`handful.io.archive` for the file and :mod:`handful.io.values` for what it can hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.utils.validation import check_is_fitted

import handful
from handful import __version__
from handful.estimators._progress import RUN_PARAMETERS
from handful.io.archive import SCHEMA as ARCHIVE_SCHEMA
from handful.io.archive import read_archive, write_archive
from handful.io.errors import InputError
from handful.io.fitted import NEEDED, check_about, check_each, check_together
from handful.io.mixed.encoding import Encoding, encoding_of
from handful.io.values import OTHERWISE, Decoder, Encoder
from handful.validation.schema import Field, check_fields, choice, text

FORMAT = "handful model"
VERSION = 1
#: Classes that a model file may name, loaded when one does.
ESTIMATORS = tuple(NEEDED)
_object = Field("an object", lambda value: isinstance(value, dict))
#: What the manifest must say.
SCHEMA = {
    **ARCHIVE_SCHEMA,
    "handful": text,
    "class": choice(*ESTIMATORS),
    "parameters": _object,
    "fitted": _object,
    "about": _object,
}
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
        What the writer noted about the data; see :func:`handful.save_model`.
    encoding : Encoding or None
        How the features are made from a table with text or missing values; None when they are its columns.
    """

    estimator: Any
    about: dict[str, Any] = field(default_factory=dict)
    encoding: Encoding | None = None


def save_model(
    estimator: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted estimator to a file that opens without pickle.

    The constructor's parameters and every fitted attribute are stored; not `checkpoint`, `n_jobs`,
    `verbose` and `warm_start`, which belong to the run and not to the model. Of a `space` its name,
    its parameters and what it has learnt about the selected features are stored; a loss or a space
    of your own is code, and refused, and so is a model whose ``refit`` is an estimator.

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
        raise InputError(f"a {name} cannot be saved in a model file, only {known} can; {OTHERWISE}")
    check_is_fitted(estimator)
    own = getattr(estimator, "estimator_", None)
    if own is not None:
        raise InputError(
            f"refit is a {type(own).__name__}, which a model file cannot hold as it opens without running code; "
            f"{OTHERWISE}, or fit it with refit=True"
        )
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
    """Read a fitted estimator and the notes about its data; see :func:`handful.load_model`."""
    manifest, members = read_archive(path, FORMAT, VERSION)
    try:
        check_fields(manifest, SCHEMA)
        decoder = Decoder(members)
        cls: Any = getattr(handful, manifest["class"])
        estimator = cls(**decoder.decode_items(manifest["parameters"]))
        fitted = decoder.decode_items(manifest["fitted"])
        about = decoder.decode(manifest["about"])
        check_each(manifest["class"], fitted)
        check_about(about)
        decoder.finish()
        for key, value in fitted.items():
            if not _FITTED_NAME.fullmatch(key):
                raise ValueError(f"{key} is no fitted attribute")
            setattr(estimator, key, value)
        check_together(estimator)
        encoding = None
        if about.get("encoding") is not None:
            encoding = encoding_of(about["encoding"])
            names = getattr(estimator, "feature_names_in_", None)
            encoding.check_features(estimator.n_features_in_, names)
    except _SENSELESS as error:
        raise InputError(f"{path} is a {FORMAT} that does not make sense ({error})") from error
    return ModelFile(estimator, about, encoding)
