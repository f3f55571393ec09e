"""From the parameter ``loss`` to what the loop minimises: a smooth loss, or a measure's risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils import ClassifierTags

from handful.losses import known_losses, resolve_loss
from handful.losses.multivariate import Multivariate
from handful.measures import Measure, find_measure, known_measures
from handful.validation import unknown_choice


def classification_loss(loss: Any) -> Any:
    """Return the loss that is meant by a name or an instance, of a loss or of a measure."""
    smooth = known_losses("classification")
    if not isinstance(loss, (str, Measure)) or (isinstance(loss, str) and loss in smooth):
        return resolve_loss(loss, "classification")
    return measure_loss(loss, smooth)


def measure_loss(loss: Any, others: Any = ()) -> Multivariate:
    """Return the risk of a measure given by name or instance; ``others`` would have done too."""
    measure = find_measure(loss)
    if measure is not None:
        return Multivariate(measure)
    examples = [text for cls in known_measures().values() for text in cls.example_texts()]
    raise unknown_choice("loss", loss, [*others, *examples], hint="an instance of one of these")


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
