"""Rows that are given as held out and were among those that a model was fitted to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

Array = np.ndarray
#: Figures of the same row differ by rounding only.
DIGITS = 9
#: As often as this many times the share of twins among the fitted rows new rows may be like one of them by chance.
BY_CHANCE = 3


def n_seen(fitted: Sequence[Array], held_out: Sequence[Array]) -> int:
    """Return how many held-out rows have all figures of a fitted row, its target among them; 0 if that may be chance.

    Each sequence has arrays with an entry, or a line of entries, for each row. Where few columns with few values were
    chosen many rows are alike: the fitted rows themselves tell how many.
    """
    known, new = _keys(fitted), _keys(held_out)
    counts = Counter(known)
    n_twins = sum(count for count in counts.values() if count > 1)
    found = sum(key in counts for key in new)
    return found if found * len(known) > BY_CHANCE * n_twins * len(new) else 0


def _keys(figures: Sequence[Array]) -> list[tuple[str, ...]]:
    columns = [np.asarray(one, dtype=np.float64).reshape(len(one), -1) for one in figures]
    return [tuple(f"{x + 0.0:.{DIGITS}g}" for x in row) for row in np.hstack(columns).tolist()]
