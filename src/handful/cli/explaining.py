"""Why a string is predicted as it is: which substrings occur in it, where, and what they add."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.cli.console import printable
from handful.io import InputError
from handful.spaces import Substrings


def explanations(estimator: Any, X: Any, *, as_json: bool) -> np.ndarray:
    """Return what was found in each string.

    A text such as ``12-16 'free' +0.8``; of several classes the weight of each. For JSON a list of dictionaries.
    """
    space = getattr(estimator, "space_", None)
    if not isinstance(space, Substrings):
        raise InputError("--explain is for models of strings, and this one is of numbers")
    weights = dict(zip(estimator.support_ids_.tolist(), estimator.weights_.T.tolist(), strict=True))
    explained = np.empty(len(X), dtype=object)
    for row, text in enumerate(X):
        found = space.occurrences(text)
        if as_json:
            explained[row] = [one._asdict() | {"weights": weights[one.feature]} for one in found]
            continue
        parts = [
            f"{one.start}-{one.stop} {one.string!r} {'/'.join(f'{w:+.3g}' for w in weights[one.feature])}"
            for one in found
        ]
        explained[row] = printable("; ".join(parts))
    return explained
