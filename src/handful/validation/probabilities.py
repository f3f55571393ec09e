"""What is said where probabilities cannot be had."""

from __future__ import annotations

from typing import Any


def no_probabilities(estimator: Any) -> AttributeError:
    """Return the error for a model whose scores are no log-odds, with what to do."""
    loss, own = getattr(estimator, "loss", None), getattr(estimator, "_asked", None)
    hint = "" if loss is None else f" (loss={loss!r} has none; loss='logistic' has)"
    if own is not None:
        hint = f" (the {type(own).__name__} given as refit has none)"
    return AttributeError(
        f"a {type(estimator).__name__} gives scores, not probabilities{hint}; calibrate it with "
        "sklearn.calibration.CalibratedClassifierCV(model, ensemble=False).fit(X, y), or with "
        "CalibratedClassifierCV(FrozenEstimator(model)) on rows that it was not fitted on."
    )
