"""The feature generating machine (Tan, Tsang and Wang 2014), also for multivariate measures (Mao and Tsang 2013)."""

from handful.methods.fgm.engine import fit
from handful.methods.fgm.path import fit_path
from handful.methods.fgm.plan import Options

__all__ = ["Options", "fit", "fit_path"]
