"""What is minimised: losses on raw predictions. A new loss is one file with one class."""

from __future__ import annotations

from typing import Any

from handful.losses.base import Loss
from handful.losses.logistic import Logistic
from handful.losses.of_measure import Multivariate
from handful.losses.smooth import SmoothLoss
from handful.losses.squared import Squared
from handful.losses.squared_hinge import SquaredHinge
from handful.measures import Measure, find_measure, measure_texts
from handful.registry import named_subclasses
from handful.validation import unknown_choice

__all__ = [
    "Logistic",
    "Loss",
    "Multivariate",
    "SmoothLoss",
    "Squared",
    "SquaredHinge",
    "known_losses",
    "measure_of",
    "resolve_loss",
    "risk_of",
]


def known_losses(task: str | None = None) -> dict[str, type[SmoothLoss]]:
    """Return the smooth losses by name, optionally only those for one task."""
    found = named_subclasses(SmoothLoss)
    return {name: cls for name, cls in found.items() if task in (None, cls.task)}


def resolve_loss(loss: str | Loss | Measure, task: str) -> Loss:
    """Turn a name or an instance, of a loss or of a measure, into a loss for the task."""
    known = known_losses(task)
    if isinstance(loss, Loss) and loss.task == task:
        return loss
    if isinstance(loss, str) and loss in known:
        return known[loss]()
    if task == "classification" and isinstance(loss, (str, Measure)):
        return risk_of(loss, known)
    raise unknown_choice("loss", loss, known, hint=f"a {task} loss instance")


def measure_of(loss: Any) -> Measure | None:
    """Return the measure that a loss is, given by its text or as an instance; None for others.

    Examples
    --------
    >>> from handful.losses import Multivariate, measure_of
    >>> from handful.measures import FBeta
    >>> measure_of("f1"), measure_of(Multivariate(FBeta(2))), measure_of("logistic")
    (FBeta(beta=1.0), FBeta(beta=2), None)
    """
    if isinstance(loss, str) and loss in known_losses():
        return None
    return find_measure(loss.measure if isinstance(loss, Multivariate) else loss)


def risk_of(measure: Any, others: Any = ()) -> Multivariate:
    """Return the risk of a measure given by text or instance; ``others`` would have done too."""
    found = find_measure(measure)
    if found is not None:
        return Multivariate(found)
    known = [*others, *measure_texts()]
    raise unknown_choice("loss", measure, known, hint="an instance of one of these")
