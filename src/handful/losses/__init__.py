"""What is wanted: losses on raw predictions. A new loss is one file with one class."""

from __future__ import annotations

from handful.losses.base import Loss
from handful.losses.logistic import Logistic
from handful.losses.squared import Squared
from handful.losses.squared_hinge import SquaredHinge
from handful.validation import unknown_choice

__all__ = ["Logistic", "Loss", "Squared", "SquaredHinge", "known_losses", "resolve_loss"]


def known_losses(task: str | None = None) -> dict[str, type[Loss]]:
    """Return the losses by name, optionally only those for one task."""
    found = {
        cls.name: cls for cls in Loss.__subclasses__() if cls.__module__.startswith("handful.")
    }
    return {name: cls for name, cls in sorted(found.items()) if task in (None, cls.task)}


def resolve_loss(loss: str | Loss, task: str) -> Loss:
    """Turn a name or an instance into a loss for the task."""
    if isinstance(loss, Loss):
        if loss.task != task:
            raise unknown_choice("loss", loss, known_losses(task), hint=f"a {task} loss instance")
        return loss
    known = known_losses(task)
    if not isinstance(loss, str) or loss not in known:
        raise unknown_choice("loss", loss, known, hint=f"a {task} loss instance")
    return known[loss]()
