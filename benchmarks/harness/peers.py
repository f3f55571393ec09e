"""One function per selector: training data and k in, ids of the features kept out.

Ours is one of them. A selector imports its package itself, so that a missing package shows up as
"not installed" in the table and nowhere else. Settings are each package's own defaults unless a
comment says why not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .problem import Ids, Matrix

Array = NDArray[Any]
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Selection:
    """Ids kept, and what else is known of how.

    ``fits`` counts the models a search needed and ``penalty`` is the C it ended with; ``rounds``
    counts our passes over X and ``active`` the most features our model held at any time. A ``model``
    can be scored on the test part.
    """

    ids: Ids
    fits: int = 1
    rounds: int | None = None
    active: int | None = None
    penalty: float | None = None
    objective: float | None = None
    model: Any = None


Call = Callable[[], Selection]
Selector = Callable[[Matrix, Array, int], Selection]


def strongest(scores: Scores, k: int) -> Ids:
    """Ascending ids of the k largest positive scores."""
    order = np.argsort(-scores, kind="stable")[:k]
    return np.sort(order[scores[order] > 0]).astype(np.int64)


def feature_strength(coef: Scores) -> Scores:
    """One number per feature from the weights of one or more classes."""
    strength: Scores = np.sqrt(np.square(np.atleast_2d(coef)).sum(axis=0))
    return strength


def _usefulness(count: int, k: int) -> tuple[int, int]:
    """Rank models by size: just above k, then below, last far above (often not converged)."""
    if k <= count <= 1.5 * k:
        return (2, -count)
    return (1, count) if 0 < count < k else (0, -count)


def search_to_k(
    strength_at: Callable[[float], Scores],
    start: float,
    k: int,
    *,
    slack: float = 0.1,
    max_fits: int = 15,
) -> Selection:
    """Features of an l1 model whose penalty is searched until it keeps k to k * (1 + slack).

    Raises C from ``start``, four times while far from k and twice when near, until at least k
    features are in, then narrows the bracket by interpolating log(count) over log(C). A model
    with somewhat more than k features is cut to its k strongest; where there is none, the largest
    below k is taken as it is.
    """
    low, high = None, None  # (log C, number of features)
    best: tuple[int, Scores, float] | None = None
    log_c, target = np.log(start), k * (1 + slack / 2)
    fits = 0
    while fits < max_fits:
        fits += 1
        strength = strength_at(float(np.exp(log_c)))
        count = int(np.count_nonzero(strength))
        if best is None or _usefulness(best[0], k) < _usefulness(count, k):
            best = (count, strength, float(np.exp(log_c)))
        if k <= count <= k * (1 + slack):
            break
        if count < k:
            low = (log_c, count)
        else:
            high = (log_c, count)
        if high is None:
            log_c += np.log(4 if count < k / 4 else 2)
        elif low is None:
            log_c -= np.log(2)
        else:
            span = np.log(high[1]) - np.log(max(low[1], 1))
            share = (np.log(target) - np.log(max(low[1], 1))) / max(span, 1e-9)
            log_c = low[0] + (high[0] - low[0]) * float(np.clip(share, 0.1, 0.9))
    assert best is not None
    return Selection(strongest(best[1], k), fits=fits, penalty=best[2])


def fgm(X: Matrix, y: Array, **settings: Any) -> Selection:
    """Fit ours; its features, or groups where they are selected."""
    from handful import FGMClassifier

    model = FGMClassifier(**settings).fit(X, y)
    return Selection(
        np.asarray(getattr(model, "group_support_", model.support_ids_)),
        rounds=sum(record.phase in ("generate", "swap") for record in model.history_),
        active=max((record.n_active for record in model.history_), default=None),
        objective=float(model.objective_),
        model=model,
    )


def _rfe(X: Matrix, y: Array, k: int, C: float) -> Selection:
    from sklearn.feature_selection import RFE
    from sklearn.svm import LinearSVC

    found = RFE(LinearSVC(dual=True, C=C, random_state=0), n_features_to_select=k, step=0.5)
    return Selection(np.flatnonzero(found.fit(X, y).support_).astype(np.int64))


def rfe(X: Matrix, y: Array, k: int) -> Selection:
    return _rfe(X, y, k, C=1.0)


def l1_svm(X: Matrix, y: Array, k: int) -> Selection:
    from sklearn.svm import LinearSVC, l1_min_c

    def strength_at(C: float) -> Scores:
        model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y)
        return feature_strength(model.coef_)

    return search_to_k(strength_at, 2 * l1_min_c(X, y), k)


def logistic_c_min(X: Matrix, y: Array) -> float:
    """Smallest C of l1 logistic regression (C times the summed loss) at which a weight can move."""
    classes = np.unique(y)
    signs = [np.where(y == c, 1.0, -1.0) for c in (classes[1:] if len(classes) == 2 else classes)]
    return 2 / max(float(np.abs(X.T @ (s - s.mean())).max()) for s in signs)


def skglm(X: Matrix, y: Array, k: int) -> Selection:
    from skglm import SparseLogisticRegression

    columns = X.tocsc() if sp.issparse(X) else np.asfortranarray(X)  # its solver walks columns

    # No warm start: version 0.5 then stops at once, with the features of the weaker penalty's model.
    def strength_at(C: float) -> Scores:
        model = SparseLogisticRegression(alpha=1 / (C * X.shape[0])).fit(columns, y)
        return feature_strength(model.coef_)

    return search_to_k(strength_at, 2 * logistic_c_min(X, y), k)


def celer(X: Matrix, y: Array, k: int) -> Selection:
    from celer import LogisticRegression

    def strength_at(C: float) -> Scores:
        return feature_strength(LogisticRegression(C=C).fit(X, y).coef_)  # it has no intercept

    return search_to_k(strength_at, 2 * logistic_c_min(X, y), k)


def abess(X: Matrix, y: Array, k: int) -> Selection:
    from abess import LogisticRegression, MultinomialRegression

    if len(np.unique(y)) == 2:
        coef = LogisticRegression(support_size=[k]).fit(X, y).coef_
    else:
        coef = MultinomialRegression(support_size=[k]).fit(X, y).coef_.T
    return Selection(np.flatnonzero(feature_strength(coef)).astype(np.int64))


def select_k_best(X: Matrix, y: Array, k: int) -> Selection:
    from sklearn.feature_selection import SelectKBest, f_classif

    model = SelectKBest(f_classif, k=k).fit(X, y)
    return Selection(np.flatnonzero(model.get_support()).astype(np.int64))


def one_pass(X: Matrix, y: Array, k: int) -> Selection:
    """Measure the floor: one product X'v, by BLAS when dense and by SciPy when sparse."""
    v = np.linspace(-1, 1, X.shape[0]).astype(X.dtype)
    X.T @ v
    return Selection(np.empty(0, dtype=np.int64))


OURS, FLOOR = "handful", "one pass"
SELECTORS: dict[str, Selector] = {
    OURS: lambda X, y, k: fgm(X, y, n_features_to_select=k),
    # Without any C tried on held-out rows, as large data are fitted in any case.
    "handful C=fast": lambda X, y, k: fgm(X, y, n_features_to_select=k, C="fast"),
    "rfe": rfe,
    # Dense data of many columns wants a smaller C than the default: RFE at its better setting.
    "rfe C=.01": partial(_rfe, C=0.01),
    "l1-svm": l1_svm,
    "skglm": skglm,
    "celer": celer,
    "abess": abess,
    "kbest": select_k_best,
    FLOOR: one_pass,
}

# The paper's own algorithm, for the section on its claims; "k" is the budget of a round.
PLAIN_FGM, MKL_FGM = "plain FGM", "plain FGM, MKL"
CLAIMS: dict[str, Selector] = {
    PLAIN_FGM: lambda X, y, budget: fgm(X, y, budget=budget, refit=False),
    MKL_FGM: lambda X, y, budget: fgm(X, y, budget=budget, refit=False, solver="mkl"),
}


def _unprepared(select: Selector) -> Callable[[Matrix, Array, int], Call]:
    """Nothing is done before: all of it is timed."""
    return lambda X, y, k: partial(select, X, y, k)


FAMILIES = {
    family: {name: _unprepared(select) for name, select in methods.items()}
    for family, methods in (("linear", SELECTORS), ("claims", CLAIMS))
}
