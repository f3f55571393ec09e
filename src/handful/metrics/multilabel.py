"""Measures of multi-label predictions: each sample has a set of labels, predicted or ranked.

Labels are matrices of 0 and 1 (or -1 and 1, or False and True), one column for each label, dense or sparse.
Three measures compare the predicted sets, four the order in which scores put the labels (Naula, Airola,
Salakoski and Pahikkala 2014, appendix A). The rank of a label is the number of labels that score at
least as high as it: a tie is never counted as a success. The scorers of losses give them with a minus
sign, as scikit-learn's do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import label_ranking_loss, roc_auc_score

from handful.metrics.two_classes import RANKING_METHODS, Scorer, scorer
from handful.validation.multi_output import label_matrix, label_scores, no_label_of_both_kinds


def zero_one_loss(y_true: Any, y_pred: Any) -> float:
    """Share of samples whose predicted set of labels is not exactly theirs.

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of shape (n_samples, n_labels)

    Returns
    -------
    float
        From 0 to 1, the lower the better; :func:`sklearn.metrics.zero_one_loss`.

    Examples
    --------
    >>> from handful.metrics import zero_one_loss
    >>> zero_one_loss([[1, 0, 1], [0, 1, 0]], [[1, 0, 1], [0, 1, 1]])
    0.5
    """
    true, predicted = label_matrix("y_true", y_true), label_matrix("y_pred", y_pred, like=y_true)
    return float((true != predicted).any(axis=1).mean())


def hamming_loss(y_true: Any, y_pred: Any) -> float:
    """Share of wrong entries in the matrix of labels: too many and too few alike.

    Parameters are those of :func:`zero_one_loss`; the same as :func:`sklearn.metrics.hamming_loss`.

    Examples
    --------
    >>> from handful.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 1, 0]], [[1, 0, 0, 0]])
    0.25
    """
    true, predicted = label_matrix("y_true", y_true), label_matrix("y_pred", y_pred, like=y_true)
    return float((true != predicted).mean())


def multilabel_accuracy(y_true: Any, y_pred: Any) -> float:
    """Mean over samples of ``|true and predicted| / |true or predicted|``, the Jaccard index.

    A sample without labels for which none is predicted counts as 1. Parameters are those of
    :func:`zero_one_loss`; the same as ``sklearn.metrics.jaccard_score(average="samples", zero_division=1)``.

    Examples
    --------
    >>> from handful.metrics import multilabel_accuracy
    >>> multilabel_accuracy([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    0.75
    """
    true, predicted = label_matrix("y_true", y_true), label_matrix("y_pred", y_pred, like=y_true)
    either = (true | predicted).sum(axis=1)
    both = (true & predicted).sum(axis=1)
    return float(np.where(either > 0, both / np.maximum(either, 1), 1.0).mean())


def one_error(y_true: Any, y_score: Any) -> float:
    """Share of samples whose highest-ranked label is not one of theirs.

    Where several labels share the highest score, all of them must be the sample's own.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_samples, n_labels)
    y_score : array-like of shape (n_samples, n_labels)
        The higher, the more likely the label.

    Returns
    -------
    float
        From 0 to 1, the lower the better.

    Examples
    --------
    >>> from handful.metrics import one_error
    >>> one_error([[1, 0, 1], [0, 1, 0]], [[0.9, 0.1, 0.2], [0.7, 0.6, 0.1]])
    0.5
    """
    true, scores = label_matrix("y_true", y_true), label_scores(y_score, y_true)
    at_top = scores == scores.max(axis=1, keepdims=True)
    return float((at_top & ~true).any(axis=1).mean())


def coverage(y_true: Any, y_score: Any) -> float:
    """How far down the ranked labels one must go to meet all of a sample's own, less one; the mean.

    ``mean over samples of  max over own labels of rank - 1``, and 0 for a sample without labels.
    Parameters are those of :func:`one_error`. Where every sample has a label, this is
    :func:`sklearn.metrics.coverage_error` less one.

    Examples
    --------
    >>> from handful.metrics import coverage
    >>> coverage([[1, 0, 1], [0, 1, 0]], [[0.9, 0.1, 0.2], [0.7, 0.6, 0.1]])
    1.0
    """
    true, scores = label_matrix("y_true", y_true), label_scores(y_score, y_true)
    lowest = np.where(true, scores, np.inf).min(axis=1, keepdims=True)
    ranks = (scores >= lowest).sum(axis=1)
    return float(np.maximum(ranks - 1, 0).mean())


def ranking_loss(y_true: Any, y_score: Any) -> float:
    """Share of a sample's pairs (own label, other label) in the wrong order or tied; the mean.

    A sample with all labels or none has no pairs and counts as 0. Parameters are those of
    :func:`one_error`; the same as :func:`sklearn.metrics.label_ranking_loss`.

    Examples
    --------
    >>> from handful.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0], [1, 0, 0]], [[0.5, 0.5, 0.2], [0.9, 0.1, 0.2]])
    0.25
    """
    true, scores = label_matrix("y_true", y_true), label_scores(y_score, y_true)
    if true.shape[1] == 1:
        return 0.0  # no pairs; scikit-learn would not call one column multi-label
    return float(label_ranking_loss(true, scores))


def macro_auc(y_true: Any, y_score: Any) -> float:
    """Area under the ROC curve of each label, the mean of those for which it is defined.

    A label that all samples have, or none, is left out. Parameters are those of :func:`one_error`; the
    same as ``sklearn.metrics.roc_auc_score(average="macro")`` where none is left out.

    Examples
    --------
    >>> from handful.metrics import macro_auc
    >>> macro_auc([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.4, 0.2], [0.3, 0.5]])
    0.5
    """
    true, scores = label_matrix("y_true", y_true), label_scores(y_score, y_true)
    usable = np.flatnonzero(true.any(axis=0) & ~true.all(axis=0))
    if not len(usable):
        raise no_label_of_both_kinds("macro_auc")
    return float(np.mean([roc_auc_score(true[:, j], scores[:, j]) for j in usable]))


def zero_one_loss_scorer() -> Scorer:
    """Return a scorer for minus :func:`zero_one_loss`."""
    return scorer(zero_one_loss, "predict", greater_is_better=False)


def hamming_loss_scorer() -> Scorer:
    """Return a scorer for minus :func:`hamming_loss`."""
    return scorer(hamming_loss, "predict", greater_is_better=False)


def multilabel_accuracy_scorer() -> Scorer:
    """Return a scorer for :func:`multilabel_accuracy`."""
    return scorer(multilabel_accuracy, "predict")


def one_error_scorer() -> Scorer:
    """Return a scorer for minus :func:`one_error`."""
    return scorer(one_error, RANKING_METHODS, greater_is_better=False)


def coverage_scorer() -> Scorer:
    """Return a scorer for minus :func:`coverage`."""
    return scorer(coverage, RANKING_METHODS, greater_is_better=False)


def ranking_loss_scorer() -> Scorer:
    """Return a scorer for minus :func:`ranking_loss`."""
    return scorer(ranking_loss, RANKING_METHODS, greater_is_better=False)


def macro_auc_scorer() -> Scorer:
    """Return a scorer for :func:`macro_auc`."""
    return scorer(macro_auc, RANKING_METHODS)


def multilabel_scorers() -> dict[str, Scorer]:
    """Return all seven scorers by name, for :func:`sklearn.model_selection.cross_validate`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> from handful.metrics import multilabel_scorers
    >>> X, Y = make_multilabel_classification(200, random_state=0)
    >>> model = OneVsRestClassifier(LogisticRegression())
    >>> found = cross_validate(model, X, Y, scoring=multilabel_scorers())
    >>> sorted(found)[2:5]
    ['test_macro_auc', 'test_multilabel_accuracy', 'test_neg_coverage']
    """
    return {
        "neg_zero_one_loss": zero_one_loss_scorer(),
        "neg_hamming_loss": hamming_loss_scorer(),
        "multilabel_accuracy": multilabel_accuracy_scorer(),
        "neg_one_error": one_error_scorer(),
        "neg_coverage": coverage_scorer(),
        "neg_ranking_loss": ranking_loss_scorer(),
        "macro_auc": macro_auc_scorer(),
    }
