"""How many features, how sure, and how good: choices over folds and resamples, for any selector."""

from handful.model_selection.agreement import StabilityIndex, stability_index
from handful.model_selection.error_bounds import ErrorBound, error_bound
from handful.model_selection.resampled import Resample
from handful.model_selection.stability_selection import StabilitySelection

__all__ = [
    "ErrorBound",
    "Resample",
    "StabilityIndex",
    "StabilitySelection",
    "error_bound",
    "stability_index",
]
