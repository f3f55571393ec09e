"""Rows of weights that vanish, by reweighting: direct l2,p sparsity (Peng and Fan 2016) and robust selection (Nie et al. 2010)."""

from handful.methods.reweighted.engine import fit, fit_path, is_much_shrunk
from handful.methods.reweighted.state import Options

__all__ = ["Options", "fit", "fit_path", "is_much_shrunk"]
