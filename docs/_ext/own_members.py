"""The reference describes what handful defines, and leaves scikit-learn's own methods to scikit-learn."""

from __future__ import annotations

import inspect

from sphinx.application import Sphinx


def skip(_: Sphinx, what: str, __: str, member: object, skipped: bool, ___: object) -> bool | None:
    """Leave out members of a class that come from another package."""
    if what != "class":
        return None
    if isinstance(member, property):
        member = member.fget
    module = getattr(inspect.unwrap(member) if callable(member) else member, "__module__", None)
    is_foreign = module is not None and not module.startswith("handful")
    return True if is_foreign or skipped else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Say when Sphinx calls what."""
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
