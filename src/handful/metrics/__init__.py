"""Measures that scikit-learn lacks, as functions and as scorers.

A scorer goes wherever scikit-learn takes ``scoring``: :class:`~sklearn.model_selection.GridSearchCV`,
:func:`~sklearn.model_selection.cross_val_score` and the like.
"""

from handful.metrics.multilabel import (
    coverage,
    coverage_scorer,
    hamming_loss,
    hamming_loss_scorer,
    macro_auc,
    macro_auc_scorer,
    multilabel_accuracy,
    multilabel_accuracy_scorer,
    multilabel_scorers,
    one_error,
    one_error_scorer,
    ranking_loss,
    ranking_loss_scorer,
    zero_one_loss,
    zero_one_loss_scorer,
)
from handful.metrics.two_classes import (
    macro_measure_score,
    measure_score,
    measure_scorer,
    prbep,
    prbep_scorer,
    precision_at_k,
    precision_at_k_scorer,
    recall_at_k,
    recall_at_k_scorer,
)

__all__ = [
    "coverage",
    "coverage_scorer",
    "hamming_loss",
    "hamming_loss_scorer",
    "macro_auc",
    "macro_auc_scorer",
    "macro_measure_score",
    "measure_score",
    "measure_scorer",
    "multilabel_accuracy",
    "multilabel_accuracy_scorer",
    "multilabel_scorers",
    "one_error",
    "one_error_scorer",
    "prbep",
    "prbep_scorer",
    "precision_at_k",
    "precision_at_k_scorer",
    "ranking_loss",
    "ranking_loss_scorer",
    "recall_at_k",
    "recall_at_k_scorer",
    "zero_one_loss",
    "zero_one_loss_scorer",
]
