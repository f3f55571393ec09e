"""The theorems of 003 (FGM) on problems small enough to be solved in other ways, and what its scans cost."""

from __future__ import annotations

import itertools
import time
from functools import partial
from typing import Any

import numpy as np

from handful import FGMClassifier
from handful.kernels.groups import tree_top
from handful.methods.fgm.solvers.apg import shrink_together
from handful.spaces import HistogramIntersection
from handful.spaces.groups.membership import make_groups
from harness.data import Source
from harness.growth import doubled, exponent
from harness.scans import SCANS, scan_seconds

from . import convex
from .claim import Figures

ROWS, COLUMNS, BUDGET, C = 60, 40, 5, 1.0
CLOSE = 1e-7  # relative gap of fits that are called solved
MOST_ROUNDS = 400
GROUPED = "groups of 10"
#: What is scanned, which size is doubled twice, and where it begins.
SCANNED = (
    (GROUPED, "n", 1000),
    (GROUPED, "m", 5000),
    (GROUPED, "B", 20),
    ("intersection", "n", 20_000),
)


def small(rows: int = ROWS, columns: int = COLUMNS, seed: int = 0) -> tuple[Any, Any]:
    """Draw columns of which the first five decide, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, np.where(X[:, :5].sum(axis=1) + rng.standard_normal(rows) > 0, 1.0, -1.0)


def plain(X: Any, y: Any, solver: str, **settings: Any) -> FGMClassifier:
    """Solve the convex problem closely."""
    settings = {"budget": BUDGET, "C": C, "tol": CLOSE, "max_rounds": MOST_ROUNDS, **settings}
    return FGMClassifier(solver=solver, refit=False, fit_intercept=False, **settings).fit(X, y)


def duality(source: Source) -> Figures:
    """Both sides of Proposition 1 and Theorem 1, with and without the linear term; all choices of B columns."""
    X, y = small()
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(COLUMNS)) * BUDGET
    fixed_min, fixed_max = convex.with_shares(X, y, np.minimum(shares, 1.0), C)
    value, alpha = convex.dual(X, y, BUDGET, C)
    model = plain(X, y, "ksupport")
    slack = np.maximum(0.0, 1.0 - y * model.decision_function(X))
    few, signs = small(30, 8, seed=2)
    return {
        "size": f"{ROWS} x {COLUMNS}, B = {BUDGET}",
        "fixed": [fixed_min, fixed_max],
        "primal": convex.relaxed(X, y, BUDGET, C),
        "dual": value,
        "without_linear_term": convex.dual(X, y, BUDGET, C, linear=False)[0],
        "alpha_error": float(np.abs(C * slack - alpha).max() / np.abs(alpha).max()),
        "subset": [convex.relaxed(few, signs, 3, C), convex.best_subset(few, signs, 3, C)],
    }


def convergence(source: Source) -> Figures:
    """The two sequences of Theorem 2, the end of Theorem 3, and what three solvers of (17) come to."""
    X, y = small()
    best = convex.relaxed(X, y, BUDGET, C)
    found: Figures = {"size": f"{ROWS} x {COLUMNS}, B = {BUDGET}", "optimum": best}
    for solver in ("apg", "ksupport", "mkl"):
        # SimpleMKL hands over a whole fit in each round: a looser end keeps this to seconds.
        model = plain(X, y, solver, **({"tol": 1e-4, "max_rounds": 60} if solver == "mkl" else {}))
        rounds = list(model.history_)
        found[solver] = {
            "objective": model.objective_,
            "gap": model.dual_gap_ / model.objective_,
            "rounds": len(rounds),
            "rounds_to_1e-2": _rounds_to(rounds, 1e-2),
            "rounds_to_1e-4": _rounds_to(rounds, 1e-4),
            "features": len(model.support_ids_),
            "rises": _rises([r.objective for r in rounds]),
            "falls_of_bound": _rises([-r.bound for r in rounds]),
            "outside": sum(
                not r.bound - 1e-6 * best <= best <= r.objective * (1 + 1e-6) for r in rounds
            ),
        }
    return found


def _rounds_to(rounds: Any, gap: float) -> int | None:
    return next((r.number for r in rounds if r.relative_gap <= gap), None)


def _rises(values: Any) -> int:
    """How often a sequence rises by more than what rounding explains."""
    return sum(b > a + 1e-9 * abs(a) for a, b in itertools.pairwise(values))


def prox(source: Source) -> Figures:
    """Algorithm 3 against CVXPY, and the bound of Theorem 5 on accelerated steps with a constant length."""
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(30):
        lengths, tau = rng.exponential(size=6), float(rng.uniform(0.2, 5.0))
        ours = shrink_together(lengths, tau) * lengths
        errors.append(float(np.abs(ours - convex.together(lengths, tau)).max()))
    return {"size": "30 draws of 6 lengths", "prox_error": max(errors), **_accelerated()}


def _accelerated(n_blocks: int = 6, steps: int = 300) -> Figures:
    """Steps of Algorithm 4 on blocks of the size that FGM makes; the bound with eta = 1, where it is smallest."""
    X, y = small()
    order = np.argsort(-np.abs(X.T @ y))
    blocks = [order[BUDGET * t : BUDGET * (t + 1)] for t in range(n_blocks)]
    columns = np.hstack([X[:, ids] for ids in blocks]) * y[:, None]
    owner = np.repeat(np.arange(n_blocks), BUDGET)
    constant = C * float(np.linalg.norm(columns, 2) ** 2)

    def lengths(w: Any) -> Any:
        return np.sqrt(np.bincount(owner, w * w))

    def objective(w: Any) -> float:
        slack = np.maximum(0.0, 1.0 - columns @ w)
        return 0.5 * float(lengths(w).sum() ** 2) + 0.5 * C * float(slack @ slack)

    def step(v: Any) -> Any:
        slope = -C * (columns.T @ np.maximum(0.0, 1.0 - columns @ v))
        g = v - slope / constant
        return g * shrink_together(lengths(g), constant)[owner]

    path, now, before, momentum = [], np.zeros(len(owner)), np.zeros(len(owner)), 1.0
    for _ in range(40 * steps):
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = now + (momentum - 1.0) / following * (now - before)
        before, now, momentum = now, step(ahead), following
        path.append(objective(now))
    least, distance = min(path), float(now @ now)
    shares = [
        (value - least) * (k + 2) ** 2 / (2.0 * constant * distance)
        for k, value in enumerate(path[:steps])
    ]
    return {"largest_share_of_bound": max(shares), "steps": steps}


# ------------------------------------------------------------------ what scans cost


def scans(source: Source) -> Figures:
    """Powers of n, p and B that the oracle's time grows with, and the intersection kernel's exactness."""
    powers = {}
    for scan, size, first in SCANNED:
        make, base = SCANS[scan]
        base = {"n": 1000, "m": 5000, "B": 20} if scan == GROUPED else base
        seconds_of = partial(scan_seconds, make, n_threads=1, clock=time.process_time)
        powers[f"{scan}, {size}"] = [*doubled({**base, size: first}, size, 2, seconds_of).values()]
    rng = np.random.default_rng(0)
    X = np.abs(rng.standard_normal((80, 30))) * (rng.random((80, 30)) < 0.6)
    a = rng.standard_normal(80)
    by_pairs = np.array([a @ np.minimum(x[:, None], x) @ a for x in X.T])
    ids, scores = HistogramIntersection().on(X).top(a, 30)
    error = np.abs(scores - by_pairs[ids]).max() / by_pairs.max()
    n, m = (powers[f"{GROUPED}, {size}"][0][-1] for size in "nm")
    size = f"n up to {n:,}, m up to {m:,}"
    return {"size": size, "powers": powers, "intersection_error": float(error)}


def trees(source: Source) -> Figures:
    """Groups that the pruned walk scores, in binary trees: a few leaves decide, or the weights undo the sizes."""
    depths = (8, 10, 12, 14) if source.quick else (8, 10, 12, 14, 16)
    found: Figures = {
        "size": f"binary trees of up to {2 ** (depths[-1] + 1) - 1:,} groups, B = 10",
        "equal": True,
    }
    sizes = []
    counted: dict[str, list[int]] = {"strong leaf": [], "weights 1/sqrt(size)": []}
    rng = np.random.default_rng(0)
    for depth in depths:
        leaves = 2**depth
        nested = [
            np.arange(at, at + 2**level)
            for level in range(depth, -1, -1)
            for at in range(0, leaves, 2**level)
        ]
        sizes.append(len(nested))
        strong = rng.exponential(size=leaves) * 1e-3
        strong[rng.integers(leaves)] = 100.0
        for name, scores, weights in (
            ("strong leaf", strong, None),
            ("weights 1/sqrt(size)", 1.0 + 1e-3 * rng.random(leaves), "size"),
        ):
            groups = make_groups(nested, weights, leaves)
            _ids, best, n_scored = _walk(groups, scores)
            flat = np.array([scores[ids].sum() for ids in nested]) * groups.factors**2
            found["equal"] &= bool(np.allclose(best, np.sort(flat)[::-1][:10]))
            counted[name].append(int(n_scored))
    found |= {"groups": sizes, "scored": counted}
    found["powers"] = {name: exponent(sizes, counts) for name, counts in counted.items()}
    return found


def _walk(groups: Any, scores: Any) -> Any:
    passed = np.zeros(len(groups), dtype=np.bool_)
    parts = (groups.members, groups.starts, groups.stops, groups.factors**2)
    return tree_top(scores, *parts, groups.walk, groups.ends, groups.ceilings, 10, passed)
