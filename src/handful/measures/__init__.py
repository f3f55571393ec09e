"""What one is judged by: measures of all samples together. A new measure is one file, one class."""

from __future__ import annotations

from handful.measures.accuracy import Accuracy
from handful.measures.base import Measure

__all__ = ["Accuracy", "Measure", "known_measures"]


def known_measures() -> dict[str, type[Measure]]:
    """Return the measures by name."""
    found = {
        cls.name: cls for cls in Measure.__subclasses__() if cls.__module__.startswith("handful.")
    }
    return dict(sorted(found.items()))
