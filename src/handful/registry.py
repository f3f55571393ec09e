"""Families of classes that are known by name: a subclass with a name of its own belongs, however deep."""

from __future__ import annotations

from typing import Any


def named_subclasses(family: type[Any]) -> dict[str, Any]:
    """Return this package's classes under ``family`` that have a ``name``, by that name, in its order."""
    found: dict[str, Any] = {}
    waiting = [family]
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        for cls in below:
            if "name" in vars(cls) and cls.__module__.startswith("handful."):
                found[vars(cls)["name"]] = cls
    return dict(sorted(found.items()))
