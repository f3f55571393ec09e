"""Other parameters that are tried with each number of features."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from handful.model_selection._scoring import check_response
from handful.model_selection._wrapped import count_parameter, judged
from handful.validation import model_selection as checks


def points_of_grid(param_grid: Any, estimator: Any, scorer: Any) -> list[dict[str, Any]]:
    """Return every set of parameters, one that is empty without a grid.

    ValueError where a set says how many features, or gives a model that the scorer cannot ask.
    """
    points = [dict(point) for point in ParameterGrid(param_grid or {})]
    count = count_parameter(estimator)
    for point in points:
        if count in point:
            raise checks.number_in_grid(count)
        variant = clone(estimator).set_params(**clone(point, safe=False))
        check_response(judged(variant), scorer)
    return points
