"""The experiments of 002 (direct sparsity): its theorems on small problems, table 1, and the effect of p."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful import DirectSparsityClassifier
from harness.classes import cell, load, splits
from harness.data import Source
from harness.ranked import L1, MRMR, OURS, POWERS, RELIEF, RFS, direct, judge

from .claim import Figures, listed

Array = np.ndarray
SETS = ("lung", "warpAR10P", "UMIST", "semeion", "isolet")


def small(seed: int = 0) -> tuple[Array, Array, Array]:
    """Draw 24 rows of three classes in 40 columns; labels, and one against the rest as -1 and 1."""
    rng = np.random.default_rng(seed)
    labels = np.arange(24) % 3
    X = rng.standard_normal((24, 40))
    X[:, :3] += 1.5 * np.eye(3)[labels]
    return X, labels, np.where(labels[:, None] == np.arange(3), 1.0, -1.0)


def _size(W: Array, p: float) -> float:
    return float((np.linalg.norm(W, axis=1) ** p).sum())


def theorems(source: Source) -> Figures:
    """Theorems 1 and 2: descent for every p, margins, and at p = 1 the optimum of CVXPY."""
    X, labels, Y = small()
    best = _optimum(X, Y, bias=True)
    found: Figures = {"size": "24 x 40, 3 classes", "optimum": best, "powers": {}}
    found["lemma_1"] = _equal_though_different()
    model = DirectSparsityClassifier(40, margin="hard", refit=False, tol=1e-9, max_iter=500)
    for p in POWERS:
        path = np.asarray(model.set_params(p=p).fit(X, labels).objective_path_)
        margins = Y * model.decision_function(X)
        found["powers"][str(p)] = {
            "rises": _rises(path),
            "steps": len(path),
            "objective": float(path[-1]),
            "margin": float(margins.min()),
            "rows": int((model.scores_ > 1e-6 * model.scores_.max()).sum()),
        }
    return found


def _rises(path: Any) -> int:
    return int((np.diff(path) > 1e-9 * np.asarray(path)[:-1]).sum())


def _equal_though_different(draws: int = 200) -> list[float]:
    """The largest difference of the two sides of (15), relative, for vectors of one length that are not equal; how far those are apart."""
    rng = np.random.default_rng(0)
    worst, nearest = 0.0, np.inf
    for theta in rng.uniform(0.05, 0.95, draws):
        a, b = rng.standard_normal((2, 3))
        b *= np.linalg.norm(a) / np.linalg.norm(b)
        left = (1 - theta) * (a @ a) + theta * (b @ b)
        right = (a @ a) ** (1 - theta) * (b @ b) ** theta
        worst = max(worst, abs(left / right - 1))
        nearest = min(nearest, float(np.linalg.norm(a - b)))
    return [worst, nearest]


def paper_algorithm(source: Source) -> Figures:
    """Algorithm 1 as the paper has it, by half-steps, with P as printed and with its sign put right, against joint steps."""
    X, labels, Y = small()
    X[:, -1] = 1.0  # the constant is one more column, penalised as the others are
    found: Figures = {"size": "24 x 40, 3 classes, p = 0.5, 40 steps"}
    for name, sign in (("printed", 1.0), ("corrected", -1.0)):
        W, path, residual = _half_steps(X, Y, 0.5, sign)
        about = {"residual": residual, "objective": path[-1], "rises": _rises(path)}
        found[name] = {**about, "margin": float((Y * (X @ W)).min())}
    settings: dict[str, Any] = {"p": 0.5, "margin": "hard", "penalize_intercept": True}
    model = DirectSparsityClassifier(39, max_iter=40, tol=1e-12, refit=False, **settings)
    found["joint"] = float(model.fit(X[:, :-1], labels).objective_path_[-1])
    _, path, _ = _half_steps(X, Y, 1.0, -1.0, 600)
    ends = {"half": path[-1], "last_change": path[-2] - path[-1]}
    return {**found, "convex": {**ends, "optimum": _optimum(X, Y, bias=False)}}


def _optimum(X: Array, Y: Array, *, bias: bool) -> float:
    """The least sum of row lengths with margins of one, by CVXPY; ``bias`` adds constants that cost nothing."""
    import cvxpy as cp

    W, b = cp.Variable((X.shape[1], Y.shape[1])), cp.Variable((1, Y.shape[1]))
    scores = X @ W + np.ones((len(X), 1)) @ b if bias else X @ W
    problem = cp.Problem(cp.Minimize(cp.sum(cp.norm(W, axis=1))), [cp.multiply(Y, scores) >= 1])
    return float(problem.solve(solver=cp.CLARABEL))


def _half_steps(
    X: Array, Y: Array, p: float, sign: float, steps: int = 40
) -> tuple[Array, list[float], float]:
    """Alternate between U and E; ``sign`` is that of M in P = [sign M; I]."""
    from scipy.optimize import nnls

    n_rows = len(X)
    inverse = np.linalg.inv(X[:, :n_rows])
    M, N, L = inverse @ X[:, n_rows:], inverse @ Y, inverse
    P = np.vstack([sign * M, np.eye(M.shape[1])])
    E, scale = np.zeros_like(Y), np.ones(X.shape[1])
    path, residual = [], 0.0
    for _ in range(steps):
        G = np.vstack([N + L @ E, np.zeros((M.shape[1], Y.shape[1]))])
        U = np.linalg.lstsq(scale[:, None] * P, -scale[:, None] * G, rcond=None)[0]
        V = P @ U + G
        weight = np.linalg.norm(V[:n_rows], axis=1) ** (p / 2 - 1)
        H = sign * M @ U + N
        for k in range(Y.shape[1]):
            signed = weight[:, None] * L * Y[:, k]
            E[:, k] = Y[:, k] * nnls(signed, -weight * H[:, k], maxiter=10_000)[0]
        W = P @ U + np.vstack([N + L @ E, np.zeros((M.shape[1], Y.shape[1]))])
        residual = max(residual, float(np.abs(X @ W - Y - E).max()))
        scale = np.maximum(np.linalg.norm(W, axis=1), 1e-9) ** (p / 2 - 1)
        path.append(_size(W, p))
    return W, path, residual


def table_1(source: Source) -> Figures:
    """Table 1 and Figure 2: five of the six sets, accuracy of the judge at 10 to 100 features."""
    n_splits = 2 if source.quick else 10
    found: Figures = {"splits": n_splits, "sets": {}, "rows": {}}
    for name in SETS[: 3 if source.quick else 5]:
        found["rows"][name] = len(load(name, source)[1])
        found["sets"][name] = {}
        for method in (OURS, RFS, MRMR, RELIEF, L1):
            *_, last = cell(source, name, method, 0, n_splits, 900.0)
            found["sets"][name][method] = {
                "means": {k: float(np.mean(v)) for k, v in last["values"].items()},
                "deviation": float(np.std(last["values"]["100"], ddof=1)),
                "seconds": float(np.mean(last["seconds"])),
            }
    return {**found, "size": f"{n_splits} splits; rows: {listed('{} {}', found['rows'])}"}


def powers(source: Source) -> Figures:
    """Figure 1: accuracy by p and number of features on lung and UMIST."""
    counts = [10, 50, 100]
    found: Figures = {"size": "one split", "k": counts, "sets": {}}
    for name in ("lung", "UMIST"):
        problem = next(splits(name, source, 1))
        found["sets"][name] = {}
        for p in (0.1, 0.5, 1.0) if source.quick else POWERS:
            chosen = direct(problem.X, problem.y, p=p)
            accuracies = judge(problem, {k: chosen[k] for k in counts})
            found["sets"][name][str(p)] = [accuracies[k] for k in counts]
    return found
