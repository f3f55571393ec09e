"""Checks and messages of estimators and measures of several outputs."""

from __future__ import annotations


def fewer_on_path(found: int, wanted: int) -> str:
    """Return the warning for a path of alphas that never reaches the features asked for."""
    return (
        f"Only {found} of the {wanted} features asked for have weights, however small alpha is; "
        f"{found} were selected."
    )
