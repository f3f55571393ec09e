"""Labels of a matrix y in an ONNX graph: yes where a score is above zero, each label by itself.

skl2onnx writes what scikit-learn's classifiers of such labels give as if the labels were classes of which a row has one.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

SCORES = "scores"


def is_linear(classifier: Any) -> bool:
    """Whether scores are those of weights; what was given as ``refit`` may be anything."""
    return all(hasattr(one, "coef_") for one in _parts(classifier))


def _parts(classifier: Any) -> list[Any]:
    """Return the classifiers of single labels, or the one of all."""
    several = isinstance(classifier, OneVsRestClassifier)
    return list(classifier.estimators_) if several else [classifier]


def giving_scores(theirs: Any) -> Any:
    """Return a regressor of scikit-learn whose predictions are the scores of the labels.

    Parameters
    ----------
    theirs : estimator of scikit-learn
        What ``to_sklearn`` gives: a linear classifier of labels, or a Pipeline that ends with one.
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

    Parameters
    ----------
    graph : ModelProto
        Is changed.
    values : ndarray of shape (2,)
        What is predicted for no and for yes.
    with_probabilities : bool
        Whether scores are log-odds: their sigmoids then take their place.
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
