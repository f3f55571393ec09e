"""``--targets``: several targets at once, for the estimators that share their features among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def several_targets(y: np.ndarray, wanted: bool | None) -> tuple[bool, str]:
    """Decide whether the targets are quantities or labels, and say it in a sentence.

    Nothing but 0 and 1, or -1 and 1, are labels that a row has or has not.
    """
    import numpy as np

    from handful.io import InputError

    values = np.unique(y)
    is_binary = set(values.tolist()) <= {0, 1} or set(values.tolist()) <= {-1, 1}
    regression = not is_binary if wanted is None else wanted
    n_targets = f"{y.shape[1]} target{'s' if y.shape[1] > 1 else ''}"
    if regression:
        return True, f"regression on {n_targets}"
    if not is_binary:
        odd = next(value for value in values.tolist() if value not in (-1, 0, 1))
        raise InputError(
            f"the targets hold {odd:g}; labels are 0 and 1 or -1 and 1 (--regression for quantities)"
        )
    share = float((y == 1).sum(axis=1).mean())
    return False, f"{n_targets} as labels, {share:.3g} for a row on average"


def predict_targets(
    estimator: Any, prediction: np.ndarray, X: Any, names: Sequence[str]
) -> dict[str, Any]:
    """Return the columns of the output: predictions, then decision values and probabilities of labels."""
    columns = {f"prediction {name}": prediction[:, j] for j, name in enumerate(names)}
    if hasattr(estimator, "classes_"):
        decision = estimator.decision_function(X).reshape(len(prediction), -1)
        columns |= {f"decision {name}": decision[:, j] for j, name in enumerate(names)}
    if hasattr(estimator, "predict_proba"):
        probability = estimator.predict_proba(X)[:, -len(names) :]  # of yes
        columns |= {f"probability {name}": probability[:, j] for j, name in enumerate(names)}
    return columns


def score_targets(
    y: np.ndarray, columns: Mapping[str, Any], names: Sequence[str]
) -> dict[str, float]:
    """Return how good the predictions are: of labels Hamming loss and more, else the mean r2."""
    import numpy as np
    from sklearn.metrics import r2_score

    from handful import metrics

    prediction = np.column_stack([columns[f"prediction {name}"] for name in names])
    if f"decision {names[0]}" not in columns:
        return {"r2": float(r2_score(y.astype(float), prediction))}
    y, prediction = y == 1, prediction == 1
    decision = np.column_stack([columns[f"decision {name}"] for name in names])
    score = {
        "hamming_loss": metrics.hamming_loss(y, prediction),
        "multilabel_accuracy": metrics.multilabel_accuracy(y, prediction),
    }
    if (y.any(axis=0) & ~y.all(axis=0)).any():
        score["macro_auc"] = metrics.macro_auc(y, decision)
    return score
