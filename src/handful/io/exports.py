"""A model for other programs: plain JSON, or an ONNX graph. Both know the columns it looks at, and no others."""

from __future__ import annotations

import copy
import inspect
import json
import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from handful import __version__
from handful.estimators._narrow import narrowed, used_columns
from handful.io.errors import InputError
from handful.io.mixed import Encoding
from handful.io.model_file import ModelFile
from handful.spaces.columnwise.base import ColumnwiseSpace
from handful.spaces.pairs.search import ALONE
from handful.validation.exports import bags_have_no_columns, strings_are_no_columns

FORMAT = "handful export"
VERSION = 1
SCORES = "scores"


def column_names(saved: ModelFile) -> list[str]:
    """Return the names of the columns that a model looks at; their numbers in the file where it has no names."""
    estimator, first = saved.estimator, saved.about.get("first_index") or 0
    names = getattr(estimator, "feature_names_in_", None)
    return [str(j + first) if names is None else str(names[j]) for j in used_columns(estimator)]


def model_as_json(saved: ModelFile) -> dict[str, Any]:
    """Return all that predicting needs, as numbers and text; ``docs/deploy.md`` has the formulas."""
    model = narrowed(_of_columns(saved.estimator))
    names = column_names(saved)
    ids = used_columns(saved.estimator).tolist()
    return {
        "format": FORMAT,
        "version": VERSION,
        "handful": __version__,
        "estimator": type(model).__name__,
        "task": "classification" if hasattr(model, "classes_") else "regression",
        "target": saved.about.get("target"),
        "targets": saved.about.get("targets"),
        "columns": [
            {"id": j, "name": name, "from": _origin(saved.encoding, j)}
            for j, name in zip(ids, names, strict=True)
        ],
        "features": _features(model, names),
        "space": _space(model),
        "classes": None if hasattr(model, "label_values_") else _plain_list(model, "classes_"),
        "labels": _plain_list(model, "label_values_"),
        "weights": model.weights_.tolist(),
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "probability": _probability(model),
    }


def model_as_onnx(saved: ModelFile) -> bytes:
    """Return an ONNX graph made by skl2onnx of what ``to_sklearn`` gives.

    It takes ``X``, float32 with the columns of the metadata ``columns``. Classes come out as ``label`` and as
    ``probabilities`` where the scores are log-odds, otherwise as ``scores``; quantities as ``prediction``. Labels of a
    matrix y come out as the matrix that ``predict`` gives, with a column for each in both outputs.
    """
    try:
        from skl2onnx import to_onnx
        from skl2onnx.common.data_types import FloatTensorType
    except ImportError as error:
        raise InputError("ONNX needs skl2onnx; pip install 'handful[onnx]' has it") from error
    estimator = _of_columns(saved.estimator)
    if isinstance(getattr(estimator, "space_", None), ColumnwiseSpace):
        raise InputError(
            "ONNX has columns and products of two, not the kernels of this model; take --to json or sklearn"
        )
    theirs, names = estimator.to_sklearn(), column_names(saved)
    last = theirs[-1] if hasattr(theirs, "steps") else theirs
    options, outputs = {}, ["prediction"]
    has_odds = hasattr(last, "predict_proba")
    has_labels = hasattr(estimator, "label_values_") and is_linear(last)
    if has_labels:
        theirs, outputs = giving_scores(theirs), [SCORES]
    elif hasattr(estimator, "classes_"):
        outputs = ["label", "probabilities" if has_odds else "scores"]
        is_svm = type(last).__name__ == "LinearSVC"  # which has never had dictionaries
        options = {"raw_scores": not has_odds} | ({} if is_svm else {"zipmap": False})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own use of other libraries
        graph = to_onnx(
            theirs,
            initial_types=[("X", FloatTensorType([None, len(names)]))],
            options={id(last): options} if options else None,
        )
    _rename_outputs(graph, outputs)
    if has_labels:
        add_labels(graph, estimator.label_values_, with_probabilities=has_odds)
    if len(outputs) == 2:  # both of two classes have a score, which skl2onnx does not always say
        shape = graph.graph.output[1].type.tensor_type.shape
        shape.dim[1].dim_value = max(2, len(estimator.weights_))
    for key, value in {"columns": json.dumps(names), "handful": __version__}.items():
        graph.metadata_props.add(key=key, value=value)
    return bytes(graph.SerializeToString())


def _of_columns(estimator: Any) -> Any:
    if hasattr(estimator, "bag_column"):
        raise bags_have_no_columns(estimator)
    if getattr(getattr(estimator, "space_", None), "takes_strings", False):
        raise strings_are_no_columns(estimator)
    return estimator


def _origin(encoding: Encoding | None, feature: int) -> dict[str, Any] | None:
    """Say how a column is made from a table with text or gaps; None where it is a column of the table."""
    if encoding is None:
        return None
    place = int(encoding.columns_of_features[feature])
    source, n_numbers = encoding.names[place], len(encoding.numbers)
    if feature < n_numbers:
        may_be_missing = encoding.missing not in ("error", "drop-rows")
        fill = None if encoding.fill is None or not may_be_missing else float(encoding.fill[place])
        return {"column": source, "fill": fill}
    if feature < n_numbers + len(encoding.marked):
        return {"column": source, "is_missing": True}
    return {"column": source, "category": encoding.feature_names[feature][len(source) + 1 :]}


def _features(model: Any, names: list[str]) -> list[dict[str, Any]]:
    """Return for each column of weights where it comes from: ``scale`` times the product of ``columns``.

    Under a kernel a feature is the ``width`` columns that its map makes of one column.
    """
    ids = model.support_ids_
    if not hasattr(model, "space_"):
        made = zip(names, ([j] for j in ids.tolist()), np.ones(len(ids)).tolist(), strict=True)
        return [{"name": name, "columns": own, "scale": scale} for name, own, scale in made]
    space = model.space_.sized(model.n_features_in_)
    if isinstance(space, ColumnwiseSpace):
        return [
            {"name": names[j], "columns": [j], "width": width}
            for j, width in zip(ids.tolist(), space.widths(ids).tolist(), strict=True)
        ]
    pairs = np.column_stack(space.pairs(ids)).tolist()
    titles, scales = space.names(ids, names), space.factors(ids).tolist()
    return [
        {"name": title, "columns": [j for j in pair if j != ALONE], "scale": scale}
        for title, pair, scale in zip(titles, pairs, scales, strict=True)
    ]


def _space(model: Any) -> dict[str, Any] | None:
    """Return the name, the parameters and what was learnt of a kernel; positions are those in ``columns``."""
    space = getattr(model, "space_", None)
    if space is None:
        return None
    parameters = {key: getattr(space, key) for key in inspect.signature(type(space)).parameters}
    learnt = {key: array.tolist() for key, array in space.state().items()}
    return {"name": type(space).__name__, "parameters": parameters, "learnt": learnt}


def _plain_list(model: Any, name: str) -> list[Any] | None:
    values = getattr(model, name, None)
    return None if values is None else values.tolist()


def _probability(model: Any) -> dict[str, Any] | None:
    """Return slope and offset of the log-odds of each output; several classes are divided by their sum."""
    if not hasattr(model, "predict_proba"):
        return None
    lines = getattr(model, "calibration_", np.tile([1.0, 0.0], (len(model.weights_), 1)))
    return {"slope": lines[:, 0].tolist(), "offset": lines[:, 1].tolist()}


def _rename_outputs(graph: Any, names: list[str]) -> None:
    """Call outputs what they are: skl2onnx calls scores probabilities too."""
    for output, name in zip(graph.graph.output, names, strict=True):
        for node in graph.graph.node:
            for j, made in enumerate(node.output):
                node.output[j] = name if made == output.name else made
            for j, read in enumerate(node.input):
                node.input[j] = name if read == output.name else read
        output.name = name


# ----------------------------------------------------------- labels of a matrix y in ONNX
#
# skl2onnx writes what scikit-learn's classifiers of such labels give as if the labels were classes of which a row has
# one; here it is yes where a score is above zero, each label by itself.


def is_linear(classifier: Any) -> bool:
    """Whether scores are those of weights; what was given as ``refit`` may be anything."""
    return all(hasattr(one, "coef_") for one in _parts(classifier))


def _parts(classifier: Any) -> list[Any]:
    """Return the classifiers of single labels, or the one of all."""
    several = isinstance(classifier, OneVsRestClassifier)
    return list(classifier.estimators_) if several else [classifier]


def giving_scores(theirs: Any) -> Any:
    """Return a regressor of scikit-learn whose predictions are the scores of the labels.

    ``theirs`` is what ``to_sklearn`` gives: a linear classifier of labels, or a Pipeline that ends with one.
    """
    if isinstance(theirs, Pipeline):
        chain = copy.copy(theirs)
        chain.steps = [*theirs.steps[:-1], ("scores", giving_scores(theirs[-1]))]
        return chain
    parts = _parts(theirs)
    weights = np.vstack([one.coef_ for one in parts])
    made = Ridge().fit(np.zeros((2, weights.shape[1])), np.zeros((2, len(weights))))
    made.coef_ = weights
    made.intercept_ = np.concatenate([np.atleast_1d(one.intercept_) for one in parts])
    return made


def add_labels(graph: Any, values: np.ndarray, *, with_probabilities: bool) -> None:
    """Let a graph that gives ``scores`` give ``label`` first, and log-odds as ``probabilities``.

    The two ``values`` are what is predicted for no and for yes. ``with_probabilities`` says that scores are log-odds: their
    sigmoids then take their place.
    """
    from onnx import TensorProto, helper

    own = graph.graph
    zero = helper.make_tensor("zero", TensorProto.FLOAT, [1], [0.0])
    no, yes = (
        helper.make_tensor(name, TensorProto.INT64, [1], [int(value)])
        for name, value in zip(("no", "yes"), values, strict=True)
    )
    own.initializer.extend([zero, no, yes])
    own.node.append(helper.make_node("Greater", [SCORES, "zero"], ["is_yes"]))
    own.node.append(helper.make_node("Where", ["is_yes", "yes", "no"], ["label"]))
    second = SCORES
    if with_probabilities:
        second = "probabilities"
        own.node.append(helper.make_node("Sigmoid", [SCORES], [second]))
    n_labels = own.output[0].type.tensor_type.shape.dim[1].dim_value
    del own.output[:]
    for name, kind in (("label", TensorProto.INT64), (second, TensorProto.FLOAT)):
        own.output.append(helper.make_tensor_value_info(name, kind, [None, n_labels]))
