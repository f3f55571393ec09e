"""Performance-optimal dictionaries for bags of instances (Wang et al. 2016)."""

from handful.methods.dictionary.engine import fit
from handful.methods.dictionary.options import Options

__all__ = ["Options", "fit"]
