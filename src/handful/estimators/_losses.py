"""From the parameter ``loss`` to what the loop minimises: a smooth loss, or a measure's risk."""

from __future__ import annotations

from typing import Any

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
