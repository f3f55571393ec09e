"""Features that are selected, or not, whatever the data: no fit has a say in them."""

from __future__ import annotations

from typing import Any

from handful import validation
from handful.estimators._spaces import wanted_ids
from handful.model_selection._wrapped import Samples, as_matrix, selector_in, takes_strings

CHOICES = ("include", "exclude")


def n_settled(estimator: Any, samples: Samples, names: Any) -> tuple[int, int]:
    """Return how many features are included and how many excluded; of groups, none.

    ``names`` are those of the columns; features that are made of columns have theirs from these.
    """
    selector = selector_in(estimator)
    include, exclude = (getattr(selector, choice, None) for choice in CHOICES)
    if getattr(selector, "groups", None) is not None or (include is None and exclude is None):
        return 0, 0
    if getattr(selector, "space", None) is not None:
        space = selector.space.on(as_matrix(samples.X))
        named = () if takes_strings(estimator) else names
        must, must_not = wanted_ids(include, exclude, space, named, are_made=True)
    else:
        n_columns = samples.X.shape[1]
        must = validation.feature_ids("include", include, n_columns, names)
        must_not = validation.feature_ids("exclude", exclude, n_columns, names)
    return len(must), len(must_not)
