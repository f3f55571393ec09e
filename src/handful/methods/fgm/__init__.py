"""The feature generating machine (Tan, Tsang and Wang 2014), also for multivariate measures (Mao and Tsang 2013)."""

from handful.methods.fgm.engine import fit
from handful.methods.fgm.options import Options
from handful.methods.fgm.path import fit_path

__all__ = ["Options", "fit", "fit_path"]
