"""The lemmas and theorems of 000 (measures), on problems small enough to list every labeling."""

from __future__ import annotations

import time
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from handful import FGMClassifier, SVMPerfClassifier
from handful.measures import FBeta, PrecisionAtK, RecallAtK
from harness.data import Source
from harness.growth import exponent
from harness.measure import timed

from .claim import Figures
from .convex import shares

Array = np.ndarray
ROWS, COLUMNS, BUDGET, C = 10, 6, 2, 0.3


def small(rows: int = ROWS, columns: int = COLUMNS, seed: int = 0) -> tuple[Array, Array]:
    """Draw a few noisy rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, np.where(X[:, 0] + 0.7 * rng.standard_normal(rows) > 0.2, 1.0, -1.0)


def cuts(y: Array, measure: FBeta) -> tuple[Array, Array]:
    """Return ``y - y'`` and the cost of every labeling."""
    labelings = np.array(list(product((-1.0, 1.0), repeat=len(y))))
    return y - labelings, np.array([measure.delta(y, labels) for labels in labelings])


def _solve(problem: Any) -> float:
    import cvxpy as cp

    return float(problem.solve(solver=cp.CLARABEL))


def lemma_1(source: Source) -> Figures:
    """The least eigenvalue of the Hessian of |w|^p / d over many points, for several p."""
    rng = np.random.default_rng(0)
    found: Figures = {"size": "2,000 points", "least": {}}
    for p in (1.0, 1.5, 1.9, 2.0, 2.5, 3.0):
        worst = np.inf
        for w, d in zip(rng.uniform(0.1, 2, 2000), rng.uniform(0.05, 1, 2000), strict=True):
            mixed = -p * w ** (p - 1) / d**2
            hessian = np.array([[2 * w**p / d**3, mixed], [mixed, p * (p - 1) * w ** (p - 2) / d]])
            worst = min(worst, float(np.linalg.eigvalsh(hessian)[0] / np.abs(hessian).max()))
        found["least"][str(p)] = worst
    return found


def blocks(source: Source) -> Figures:
    """Proposition 1 and Corollary 1: the primal over blocks and its dual, with all labelings of ten samples."""
    import cvxpy as cp

    X, y = small()
    a, delta = cuts(y, FBeta())
    pulls = [a @ X[:, ids] for ids in ([0, 1], [0, 2], [3, 4])]
    weights, slack = [cp.Variable(2) for _ in pulls], cp.Variable(nonneg=True)
    scores = sum(pull @ w for pull, w in zip(pulls, weights, strict=True))
    length = cp.sum(cp.hstack([cp.norm(w) for w in weights]))
    primal = cp.Problem(cp.Minimize(0.5 * cp.square(length) + C * slack), [slack >= delta - scores])
    alpha, theta = cp.Variable(len(delta), nonneg=True), cp.Variable()
    limits = [0.5 * cp.sum_squares(pull.T @ alpha) <= theta for pull in pulls]
    dual = cp.Problem(cp.Maximize(delta @ alpha - theta), [*limits, cp.sum(alpha) <= C])
    size = f"{ROWS} x {COLUMNS}, all {len(delta):,} labelings"
    return {"size": size, "primal": _solve(primal), "dual": _solve(dual)}


def two_layers(source: Source) -> Figures:
    """Theorems 2 and 3: plain FGM under F1 against the whole problem with every labeling."""
    import cvxpy as cp

    size = f"{ROWS} x {COLUMNS}, B = {BUDGET}, 10 draws"
    found: Figures = {"size": size, "away": [], "gap": [], "broken": 0, "statuses": []}
    plain: dict[str, Any] = {"refit": False, "fit_intercept": False}
    model = FGMClassifier(budget=BUDGET, C=C, loss="f1", tol=1e-3, max_rounds=60, **plain)
    for seed in range(10):
        X, y = small(seed=seed)
        a, delta = cuts(y, FBeta())
        slack = cp.Variable(nonneg=True)
        w, size_of_w, limits = shares(COLUMNS, BUDGET)
        limits.append(slack >= delta - (a @ X) @ w)
        best = _solve(cp.Problem(cp.Minimize(size_of_w + C * slack), limits))
        model.fit(X, y)
        found["away"].append(model.objective_ / best - 1)
        found["gap"].append(model.dual_gap_ / model.objective_)
        found["broken"] += sum(
            not r.bound <= best * (1 + 1e-6) <= r.objective * (1 + 2e-6) for r in model.history_
        )
        found["statuses"].append(model.status_.name)
    return found


def whole_features(source: Source) -> Figures:
    """Lemma 2 and section 6.3: the relaxed problem against the best choice of B whole columns, for Hamming loss."""
    size = f"{ROWS} x {COLUMNS}, B = {BUDGET}, 10 draws"
    found: Figures = {"size": size, "relaxed": [], "subset": [], "used": []}
    for seed in range(10):
        X, y = small(seed=seed)
        value, used = _least(X, y, relaxed=True)
        found["relaxed"].append(value)
        found["used"].append(used)
        choices = combinations(range(COLUMNS), BUDGET)
        found["subset"].append(min(_least(X[:, list(ids)], y, relaxed=False)[0] for ids in choices))
    return found


def _least(columns: Array, y: Array, *, relaxed: bool) -> tuple[float, int]:
    """The least objective with shares of columns, or with all of those given whole, and how many are used."""
    import cvxpy as cp

    m = columns.shape[1]
    w, size, limits = shares(m, BUDGET if relaxed else m)
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, columns @ w)))
    value = _solve(cp.Problem(cp.Minimize(size + 2 * C * hinge), limits))
    return value, int((np.abs(w.value) > 1e-5).sum())


def hamming_is_svm(source: Source) -> Figures:
    """With the Hamming loss SVMperf is the SVM: its objective against that of the hinge loss."""
    import cvxpy as cp

    X, y = small(80, 20)
    w = cp.Variable(20)
    value = 0.5 * cp.sum_squares(w) + 2 * C * cp.sum(cp.pos(1 - cp.multiply(y, X @ w)))
    best = _solve(cp.Problem(cp.Minimize(value)))
    model = SVMPerfClassifier("accuracy", C=C, tol=1e-7).fit(X, y)
    return {"size": "80 x 20", "svmperf": model.objective_, "svm": best}


def cutting_planes(source: Source) -> Figures:
    """Theorem 1: cuts until the gap is epsilon, against the bound; one feature a block, so that R is known exactly."""
    rng = np.random.default_rng(0)
    n, m = 40, 12
    X = rng.standard_normal((n, m)) / n
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(n) / n > 0, 1.0, -1.0)
    pulled = 2 * y[:, None] * X
    up, down = np.maximum(pulled, 0).sum(axis=0), np.maximum(-pulled, 0).sum(axis=0)
    squared = float(np.maximum(up, down).max() ** 2)
    found: Figures = {"size": f"{n} x {m}, {m} blocks", "cases": [], "step": _step_of_the_proof()}
    for c, share in product((1.0, 10.0, 100.0), (1.0, 0.1, 0.01)):
        epsilon = 4 * squared * c * share
        first = max(0, np.ceil(np.log2(100 / (4 * squared * c))))
        bound = int(first + np.ceil(16 * squared * c / epsilon))
        used = _count_cuts(X, y, c, epsilon, min(bound, 120) + 1)
        found["cases"].append({"C": c, "epsilon": epsilon, "cuts": used, "bound": bound})
    return found


def _step_of_the_proof() -> list[float]:
    """What one more cut adds to the optimum, and what the proof says it adds at least: two blocks of one feature.

    With the first cut alone every (-5 s, 5 - 5 s) is optimal. The second is violated at s = 1/2 and not at s = 1.
    """
    import cvxpy as cp

    c, pulls, costs = 10.0, np.array([[-1.0, 1.0], [-2.0, -1.0]]), np.array([5.0, 5.0])

    def least(count: int) -> float:
        w, slack = cp.Variable(2), cp.Variable(nonneg=True)
        value = 0.5 * cp.square(cp.norm1(w)) + c * slack
        return _solve(cp.Problem(cp.Minimize(value), [slack >= costs[:count] - pulls[:count] @ w]))

    w = np.array([-2.5, 2.5])
    violation = float(costs[1] - pulls[1] @ w - max(0.0, costs[0] - pulls[0] @ w))
    needed = min(c * violation / 2, violation**2 / (8 * float((pulls**2).max())))
    return [least(2) - least(1), needed]


def _count_cuts(X: Array, y: Array, c: float, epsilon: float, most: int) -> int | None:
    """Algorithm 1 with blocks of one feature; None when it needs more than ``most`` cuts."""
    import cvxpy as cp

    a, delta = FBeta().most_violated(y, np.zeros(len(y)))
    best, pulls, costs = c * max(0.0, delta), [], []  # of no weights
    for count in range(1, most + 1):
        pulls.append(X.T @ a)
        costs.append(delta)
        weights, slack = cp.Variable(X.shape[1]), cp.Variable(nonneg=True)
        limits = [slack >= np.array(costs) - np.array(pulls) @ weights]
        problem = cp.Problem(cp.Minimize(0.5 * cp.square(cp.norm1(weights)) + c * slack), limits)
        lower = _solve(problem)
        w = np.asarray(weights.value)
        a, delta = FBeta().most_violated(y, X @ w)
        best = min(best, 0.5 * float(np.abs(w).sum() ** 2) + c * max(0.0, delta - a @ (X @ w)))
        if best - lower <= epsilon:
            return count
    return None


def most_violated(source: Source) -> Figures:
    """Section 5.4: the most violated labeling for F1, by all (a, b) and by ours; how ours grows."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.3, 1.0, -1.0)
    z = y + 20 * rng.standard_normal(300)
    up, down = np.sort(z[y > 0]), np.sort(z[y < 0])[::-1]
    kept = np.arange(len(up) + 1)[:, None]
    added = np.arange(len(down) + 1)
    f1 = 2 * kept / (kept + added + len(up))
    missed_sum = np.append(0, np.cumsum(up))[len(up) - kept]
    table = 100 * (1 - f1) - 2 * missed_sum + 2 * np.append(0, np.cumsum(down))[added]
    sizes = [200_000, 400_000, 800_000, 1_600_000]
    seconds = []
    for n in sizes:
        labels = np.where(rng.random(n) < 0.1, 1.0, -1.0)
        find = partial(FBeta().most_violated, labels, 0.01 * (labels + rng.standard_normal(n)))
        seconds.append(min(timed(find, time.process_time)[1] for _ in range(7)))
    error = abs(FBeta().risk(y, z) - max(0.0, float(table.max())))
    power = exponent(sizes, seconds)
    return {"size": f"n up to {sizes[-1]:,}", "error": error, "seconds": seconds, "power": power}


def at_k(source: Source) -> Figures:
    """Section 5.4: how often the published risk of precision and recall at k is below the loss, or moves with a constant."""
    rng = np.random.default_rng(0)
    draws = 2000
    found: Figures = {"size": f"{draws:,} draws of up to 12 samples", "draws": draws}
    for risk in ("paper", "shared"):
        below = moved = 0
        for _ in range(draws):
            y = np.where(rng.random(int(rng.integers(3, 13))) < 0.4, 1.0, -1.0)
            y[0] = 1.0
            z, k = 20 * rng.standard_normal(len(y)), int(rng.integers(1, len(y)))
            measure = (PrecisionAtK, RecallAtK)[int(rng.integers(2))](k, risk=risk)
            best, value = measure.value(y, y), measure.value(y, z)
            below += int(measure.risk(y, z) < 100 * (best - value) - 1e-9)
            moved += int(abs(measure.risk(y, z + 30.0) - measure.risk(y, z)) > 1e-6)
        found[risk] = {"below": below, "moved": moved}
    return found
