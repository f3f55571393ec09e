"""The multi-task lasso with the l1/l-infinity penalty, down to a wanted number of features."""

from handful.methods.lasso_inf.engine import Options, fit

__all__ = ["Options", "fit"]
