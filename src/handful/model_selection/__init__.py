"""How many features, how sure, and how good: choices over folds and resamples, for any selector."""

from handful.model_selection.agreement import StabilityIndex, stability_index
from handful.model_selection.error_bounds import ErrorBound, error_bound
from handful.model_selection.k_path import KPath
from handful.model_selection.nested import NestedScore, nested_score
from handful.model_selection.resampled import Resample
from handful.model_selection.select_k_cv import SelectKCV
from handful.model_selection.stability_selection import StabilitySelection

__all__ = [
    "ErrorBound",
    "KPath",
    "NestedScore",
    "Resample",
    "SelectKCV",
    "StabilityIndex",
    "StabilitySelection",
    "error_bound",
    "nested_score",
    "stability_index",
]
