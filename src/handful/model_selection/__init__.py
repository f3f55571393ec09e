"""How many features, how sure, and how good: choices over folds and resamples, for any selector."""

from handful.model_selection.agreement import StabilityIndex, stability_index
from handful.model_selection.error_bounds import ErrorBound, error_bound

__all__ = ["ErrorBound", "StabilityIndex", "error_bound", "stability_index"]
