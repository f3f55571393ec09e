"""Means of tables 2 and 3 of Naula, Airola, Salakoski and Pahikkala (2014), and whether RLScore, their program, agrees."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

from handful import GreedyRLSRegressor

from .data import Source
from .labels import dense, load
from .study import Run, Target

ORDER = (
    *("zero_one_loss", "hamming_loss", "multilabel_accuracy"),
    *("one_error", "coverage", "ranking_loss", "macro_auc"),
)
GREEDY, LASSO = "paper: ML-gRLS", "paper: MT-lasso"

#: (set, budget, method) -> the seven measures in ``ORDER``.
TABLES: dict[tuple[str, str, str], tuple[float, ...]] = {
    ("scene", "low", GREEDY): (0.600, 0.118, 0.431, 0.285, 0.582, 0.100, 0.910),
    ("scene", "med", GREEDY): (0.529, 0.106, 0.505, 0.246, 0.520, 0.087, 0.923),
    ("scene", "high", GREEDY): (0.535, 0.106, 0.498, 0.246, 0.515, 0.086, 0.924),
    ("scene", "low", LASSO): (0.990, 0.178, 0.010, 0.369, 0.717, 0.126, 0.864),
    ("scene", "med", LASSO): (0.724, 0.133, 0.292, 0.257, 0.528, 0.089, 0.916),
    ("scene", "high", LASSO): (0.537, 0.106, 0.492, 0.239, 0.502, 0.083, 0.926),
    ("yeast", "low", GREEDY): (0.881, 0.210, 0.466, 0.237, 6.574, 0.182, 0.654),
    ("yeast", "med", GREEDY): (0.851, 0.200, 0.494, 0.221, 6.386, 0.170, 0.693),
    ("yeast", "high", GREEDY): (0.853, 0.200, 0.496, 0.225, 6.374, 0.171, 0.699),
    ("yeast", "low", LASSO): (0.987, 0.232, 0.339, 0.249, 6.551, 0.195, 0.630),
    ("yeast", "med", LASSO): (0.931, 0.214, 0.420, 0.248, 6.387, 0.181, 0.670),
    ("yeast", "high", LASSO): (0.872, 0.203, 0.477, 0.238, 6.349, 0.172, 0.691),
    ("emotions", "low", GREEDY): (0.752, 0.213, 0.459, 0.323, 1.915, 0.189, 0.815),
    ("emotions", "med", GREEDY): (0.730, 0.202, 0.512, 0.282, 1.839, 0.173, 0.833),
    ("emotions", "high", GREEDY): (0.740, 0.203, 0.493, 0.268, 1.819, 0.167, 0.832),
    ("emotions", "low", LASSO): (0.891, 0.255, 0.238, 0.375, 2.064, 0.218, 0.788),
    ("emotions", "med", LASSO): (0.731, 0.202, 0.459, 0.270, 1.829, 0.168, 0.828),
    ("emotions", "high", LASSO): (0.732, 0.192, 0.499, 0.256, 1.791, 0.161, 0.839),
    ("CAL500", "low", GREEDY): (1.000, 0.240, 0.226, 0.121, 75.40, 0.275, 0.575),
    ("CAL500", "med", GREEDY): (1.000, 0.239, 0.228, 0.118, 75.50, 0.274, 0.576),
    ("CAL500", "high", GREEDY): (1.000, 0.239, 0.226, 0.121, 75.88, 0.274, 0.568),
    ("CAL500", "low", LASSO): (1.000, 0.239, 0.210, 0.118, 76.35, 0.277, 0.572),
    ("CAL500", "med", LASSO): (1.000, 0.238, 0.219, 0.121, 75.48, 0.269, 0.594),
    ("CAL500", "high", LASSO): (1.000, 0.238, 0.227, 0.118, 75.18, 0.269, 0.590),
    ("delicious", "100", GREEDY): (1.000, 0.027, 0.174, 0.355, 533.3, 0.109, 0.770),
    ("delicious", "100", LASSO): (1.000, 0.030, 0.114, 0.596, 540.8, 0.130, 0.747),
    ("tmc2007_500", "50", GREEDY): (0.793, 0.078, 0.486, 0.288, 3.526, 0.074, 0.882),
    ("tmc2007_500", "50", LASSO): (0.869, 0.095, 0.389, 0.422, 4.637, 0.115, 0.845),
}


def figures(dataset: str, budget: str) -> dict[str, dict[str, float]]:
    """Return what the paper says of a set and budget, by method and measure."""
    return {
        method: dict(zip(ORDER, values, strict=True))
        for (known, title, method), values in TABLES.items()
        if (known, title) == (dataset, budget)
    }


# ---------------------------------------------------------- agreement with RLScore

AGREEMENT_SETS = ("emotions", "scene", "yeast")
STEPS, ALPHA = 40, 1.0
SAME = 1e-8  # relative, between errors of two programs that add in another order


def run_agreement(run: Run) -> None:
    """Compare on every set; every step and every error must be RLScore's.

    Both without an intercept: RLScore's is a penalised constant, ours is not penalised.
    """
    found = []
    for name in AGREEMENT_SETS:
        same, difference, why, met = None, None, "", None
        try:
            same, difference = compare(name, run.source)
        except ImportError:
            why = "RLScore is not installed"
            text = f"{name}: {why}"
        else:
            met = same == STEPS and difference < SAME
            text = f"{name}: {same} of {STEPS} steps as RLScore, leave-one-out errors within {difference:.1e}"
        run.console.print(text)
        run.targets.append(Target(f"{name}: selection and errors of RLScore", text, met))
        found.append({"dataset": name, "n_same": same, "difference": difference, "why": why})
    run.report.add(agreement=found)


def compare(name: str, source: Source) -> tuple[int, float]:
    """How many steps are the same, and the largest relative difference of an error."""
    from rlscore.learner import GreedyRLS

    X, Y = load(name, source)
    X = StandardScaler().fit_transform(dense(X))
    ours = GreedyRLSRegressor(STEPS, alpha=ALPHA, fit_intercept=False).fit(X, Y)
    theirs = GreedyRLS(X, Y, STEPS, regparam=ALPHA, bias=0.0)
    same = int(np.sum(ours.selection_order_ == np.asarray(theirs.selected)))
    return same, float(np.max(np.abs(ours.loo_errors_ / np.asarray(theirs.performances) - 1)))
