"""Whether the loss of a classifier takes weights, as scikit-learn's tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils import ClassifierTags

from handful.measures import find_measure


def takes_weights(loss: Any) -> bool:
    """Whether a loss given by name or instance takes weights of samples: all do but some measures."""
    measure = find_measure(loss)
    return measure is None or bool(measure.accepts_weight)


@dataclass(slots=True)
class TagsOfLoss(ClassifierTags):
    """What a classifier says of itself, and whether its loss takes weights of samples and classes."""

    sample_weight: bool = True


def tagged(tags: Any, loss: Any) -> Any:
    """Let scikit-learn's tags say whether a loss takes weights: some measures have no meaning for them."""
    own = tags.classifier_tags
    try:
        takes = takes_weights(loss)
    except ValueError:  # fit will say what is wrong with it
        takes = True
    tags.classifier_tags = TagsOfLoss(own.poor_score, own.multi_class, own.multi_label, takes)
    return tags
