"""Whether the loss of a classifier takes weights, as scikit-learn's tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils import ClassifierTags

from handful.measures import find_measure


@dataclass(slots=True)
class TagsOfLoss(ClassifierTags):
    """What a classifier says of itself, and whether its loss takes weights of samples and classes."""

    sample_weight: bool = True


def tagged(tags: Any, loss: Any) -> Any:
    """Let scikit-learn's tags say whether a loss takes weights: some measures have no meaning for them."""
    own = tags.classifier_tags
    try:
        measure = find_measure(loss)
    except ValueError:  # fit will say what is wrong with it
        measure = None
    takes_weights = measure is None or bool(measure.accepts_weight)
    tags.classifier_tags = TagsOfLoss(
        own.poor_score, own.multi_class, own.multi_label, takes_weights
    )
    return tags
