"""Performance-optimal dictionaries for bags of instances (Wang et al. 2016)."""

from handful.methods.dictionary.engine import Options, fit

__all__ = ["Options", "fit"]
