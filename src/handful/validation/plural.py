"""A count and what it counts, as one says it."""

from __future__ import annotations


def plural(count: int, what: str, several: str | None = None) -> str:
    """Return ``1 row`` or ``2 rows``; ``several`` where an s is not enough.

    Examples
    --------
    >>> plural(1, "row"), plural(0, "row"), plural(3, "class", "classes")
    ('1 row', '0 rows', '3 classes')
    """
    return f"{count} {what if count == 1 else several or f'{what}s'}"
