"""Greedy regularised least squares for one label or many (Naula et al. 2014)."""

from handful.methods.greedy.engine import fit
from handful.methods.greedy.search import Options

__all__ = ["Options", "fit"]
