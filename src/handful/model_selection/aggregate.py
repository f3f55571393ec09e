"""The k features that many fits agree on."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.model_selection.votes import Votes

Array = np.ndarray


def agreed_ids(votes: Votes, k: int, columns: Any) -> Array:
    ids, totals = votes.totals()
    return np.sort(ids[np.argsort(-totals, kind="stable")[:k]])
