"""The reference describes what handful defines, plain values too, and leaves scikit-learn's own methods to scikit-learn."""

from __future__ import annotations

import inspect

from sphinx.application import Sphinx

VALUES = {
    "handful.datasets.RandomState": "What ``random_state`` may be: a seed, a generator, or None for another draw each time.",
    "handful.datasets.Weighting": 'How unequal the weights are: ``"I"``, ``"II"`` or ``"III"``.',
    "handful.io.FORMATS": "The formats of files by name: how each is read, the endings of its files, and whether they may be compressed.",
}


def skip(_: Sphinx, what: str, __: str, member: object, skipped: bool, ___: object) -> bool | None:
    """Leave out members of a class that come from another package."""
    if what != "class":
        return None
    if isinstance(member, property):
        member = member.fget
    module = getattr(inspect.unwrap(member) if callable(member) else member, "__module__", None)
    is_foreign = module is not None and not module.startswith("handful")
    return True if is_foreign or skipped else None


def describe(_: Sphinx, what: str, name: str, __: object, ___: object, lines: list[str]) -> None:
    """Say of a plain value what it is for: it has no docstring of its own, only that of its type."""
    if what == "data" and name in VALUES:
        lines[:] = [VALUES[name], ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Say when Sphinx calls what."""
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", describe, priority=400)  # before numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
