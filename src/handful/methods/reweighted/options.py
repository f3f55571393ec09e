"""The settings of direct sparsity and of robust feature selection."""

from __future__ import annotations

from dataclasses import dataclass

from handful.spaces.base import Array, Unit

#: Which margins are tried, one after the other, until one can be kept.
ORDERS = {
    "hard": ("hard", "projected", "soft"),
    "projected": ("projected", "soft"),
    "soft": ("soft",),
}
#: The automatic C is the first over the number of samples, so that the mean of squared slacks counts that often,
#: but not below the second: the more samples, the more rows they are worth.
SLACKS, LEAST_C = 50.0, 0.05


@dataclass(frozen=True)
class Options:
    """The settings, as the estimators' parameters of the same names.

    Attributes
    ----------
    n_keep : int or None
        How many features; None is all whose rows are not zero.
    margin : str or None
        Which margins direct sparsity keeps; None for robust feature selection, whose loss is the
        lengths of residuals.
    p : float
        Of ``sum_i |W_i|^p``; 1 for robust feature selection.
    alpha : float
        Factor of that sum; 1 for direct sparsity.
    unit : {None, "norm", "std"}
        What is made one of every column.
    refit : bool or "auto"
        Whether the selected columns get a model of their own; "auto": where they are not those with weights.
    refit_by : {"margins", "residuals"}
        Whether that model is a support vector machine, or the same problem of residuals again.
    """

    n_keep: int | None
    margin: str | None = None
    p: float = 1.0
    alpha: float = 1.0
    C: float | str = "auto"
    penalize_intercept: bool = False
    unit: Unit | None = None
    refit: bool | str = "auto"
    refit_by: str = "margins"
    max_iter: int = 100
    tol: float = 1e-4

    def margins(self, *, is_wide: bool) -> tuple[str, ...]:
        """Return the margins to try; hard ones are a matter of wide data."""
        if self.margin == "auto":
            return ORDERS["hard" if is_wide else "soft"]
        return ORDERS[str(self.margin)]

    def slack_weight(self, weight: Array) -> float:
        """Return C, as given or for these weights of samples."""
        if isinstance(self.C, str):
            return max(SLACKS / float(weight.sum()), LEAST_C)
        return float(self.C)
