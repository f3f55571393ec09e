"""How many features, how sure, and how good: choices over resamples of the data."""

from handful.model_selection.agreement import StabilityIndex, stability_index

__all__ = ["StabilityIndex", "stability_index"]
