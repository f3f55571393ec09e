"""Names of columns: one column each, wherever columns are found by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

__all__ = ["first_repeated"]


def first_repeated(names: Iterable[Any], wanted: Iterable[Any] | None = None) -> str | None:
    """Return the first name, of all or of those wanted, that two columns have; None when none is."""
    counts = Counter(str(name) for name in names)
    looked_at = counts if wanted is None else map(str, wanted)
    return next((name for name in looked_at if counts[name] > 1), None)
