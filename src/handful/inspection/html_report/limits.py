"""How much goes into a report, so that it can be mailed."""

from __future__ import annotations

from dataclasses import dataclass

#: Bytes of a report, at most.
LARGEST = 2_000_000


@dataclass(frozen=True)
class Limits:
    """What is left out of a large report.

    Attributes
    ----------
    n_rows : int
        Features in the table.
    n_pictures : int
        Features with a picture.
    longest_name : int
        Characters of a name.
    n_classes : int
        Classes or labels in tables.
    """

    n_rows: int = 5000
    n_pictures: int = 40
    longest_name: int = 12_000
    n_classes: int = 1000


#: Tried in this order, until the report is small enough.
STEPS = (
    Limits(),
    Limits(n_pictures=30, longest_name=400),
    Limits(n_pictures=20, longest_name=120, n_classes=200),
    Limits(n_rows=2000, n_pictures=20, longest_name=120, n_classes=100),
    Limits(n_rows=500, n_pictures=10, longest_name=120, n_classes=50),
)
