"""The spaces that are known by name: those that a model file can bring back."""

from __future__ import annotations

import inspect

from handful.registry import subclasses
from handful.spaces.base import FeatureSpace


def _known_spaces() -> dict[str, type[FeatureSpace]]:
    """Return the spaces of this package whose features are made of X: each has an ``on`` of its own."""
    return {
        space.__name__: space
        for space in sorted(subclasses(FeatureSpace), key=lambda space: space.__name__)
        if not inspect.isabstract(space) and space.on is not FeatureSpace.on
    }


# The package that this file is in has imported every space by now.
KNOWN_SPACES = _known_spaces()
