"""The experiments of 004 (dictionaries for bags): its recurrences, comparisons, parameters and descent."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import ttest_rel
from sklearn.metrics import f1_score

from handful.measures import PRBEP
from harness.bags import MEASURES, METHODS, MILES, POD, load, path_of, run_method, trained_for
from harness.data import Source
from harness.growth import exponent
from harness.measure import timed

from .claim import Figures

Array = np.ndarray
SETS = ("musk1", "elephant")
COMPARED = (POD, MILES, "MILES, l1-SVM", "k-means, SVMperf", "mean, linear SVM")
WIDTHS = (0.25, 0.0625)


# -------------------------------------------------------- the formulas of section 2.2


def recurrences(source: Source) -> Figures:
    """How often (19), (21) and (22), as printed and with their signs put right, give what the sums give."""
    rng = np.random.default_rng(0)
    wrong = {name: {"printed": 0, "corrected": 0} for name in ("(19)", "(21)", "(22)")}
    draws, missed = 300, 0
    for _ in range(draws):
        n_pos, n_neg = (int(n) for n in rng.integers(3, 9, 2))
        p, n = (np.sort(rng.standard_normal(size) * 20)[::-1] for size in (n_pos, n_neg))
        for name, now, before, *said in _steps(p, n):
            for kind, step in zip(wrong[name], said, strict=True):
                wrong[name][kind] += int(abs(before - now - step) > 1e-9)
        y = np.append(np.ones(n_pos), -np.ones(n_neg))
        risk = PRBEP().risk(y, np.append(p, n))
        found, cost = _printed_prbep(p, n)
        value = cost - 2 * (p[len(p) - found :].sum() - n[:found].sum())
        missed += int(abs(value - risk) > 1e-9)
    by_formula = {"wrong": wrong, "algorithm_1_misses": missed, "f1_misses": _wrong_f1(draws, rng)}
    return {"size": f"{draws} draws", **by_formula, "search_power": _search_power(rng)}


def _wrong_f1(draws: int, rng: np.random.Generator) -> int:
    """How often a / (a + b + c) is not the F1 of scikit-learn."""
    wrong = 0
    for _ in range(draws):
        y, predicted = rng.integers(0, 2, (2, 20))
        hits, added = int((y & predicted).sum()), int((~y & predicted & 1).sum())
        printed = hits / max(1, int(y.sum()) + added)
        wrong += int(abs(printed - f1_score(y, predicted)) > 1e-9)
    return wrong


def _search_power(rng: np.random.Generator) -> float:
    """The power of n that the search over all (a, b) grows with when sums are carried along, as Joachims does."""
    sizes, seconds = [100, 200, 400, 800], []
    for n in sizes:
        p, g = np.sort(rng.standard_normal((2, n // 2)))[:, ::-1].tolist()
        seconds.append(timed(partial(_search, p, g), time.process_time)[1])
    return exponent(sizes, seconds)


def _search(p: list[float], g: list[float]) -> float:
    half, best, missed = len(p), 0.0, 0.0
    for kept in range(half, -1, -1):
        added = 0.0
        for extra in range(half + 1):
            f1 = 2 * kept / (kept + extra + half)
            best = max(best, 100 * (1 - f1) - 2 * missed + 2 * added)
            added += g[extra] if extra < half else 0.0
        missed += p[kept - 1] if kept else 0.0
    return best


def _steps(p: Array, n: Array) -> Any:
    """Yield a sum at some b or c, the same one step down, and what the paper and we say the step is."""
    n_pos, n_neg = len(p), len(n)
    unit, share = 100.0 / n_pos, 100.0 / (n_pos + n_neg)

    def theta(b: int) -> float:
        return unit * b + p[: n_pos - b].sum() + n[:b].sum() - p[n_pos - b :].sum() - n[b:].sum()

    def phi(b: int) -> float:
        return share * b + n[:b].sum() - n[b:].sum()

    def omega(c: int) -> float:
        return share * c + p[: n_pos - c].sum() - p[n_pos - c :].sum()

    b, c = min(n_pos, n_neg), n_pos
    turn = 2 * (p[n_pos - b] - n[b - 1])
    yield "(19)", theta(b), theta(b - 1), unit + turn, -unit + turn
    yield "(21)", phi(b), phi(b - 1), -share + 2 * n[b - 1], -share - 2 * n[b - 1]
    yield "(22)", omega(c), omega(c - 1), -share - 2 * p[n_pos - c], -share + 2 * p[n_pos - c]


def _printed_prbep(p: Array, n: Array) -> tuple[int, float]:
    """Algorithm 1 as printed: the number of errors it ends with, and their cost."""
    n_pos = len(p)
    b = min(n_pos, len(n))
    now = (
        100.0 * b / n_pos + p[: n_pos - b].sum() + n[:b].sum() - p[n_pos - b :].sum() - n[b:].sum()
    )
    best, at = now, b
    while b > 0:
        now += 100.0 / n_pos + 2 * (p[n_pos - b] - n[b - 1])
        b -= 1
        if now > best:
            best, at = now, b
    return at, 100.0 * at / n_pos


def gradient(source: Source) -> Figures:
    """(27) against differences of the dual objective (23) with alpha fixed: one atom, a few bags."""
    rng = np.random.default_rng(0)
    bags = [rng.standard_normal((4, 3)) for _ in range(12)]
    a = rng.standard_normal(12)  # sum over labelings of alpha (y - y')
    gamma, penalty = 0.5, 0.1
    ratios = []
    for _ in range(20):
        d = rng.standard_normal(3)

        def nearest(atom: Array) -> tuple[Array, Array]:
            rows = np.array([x[np.argmin(((x - atom) ** 2).sum(axis=1))] for x in bags])
            return rows, np.exp(-gamma * ((rows - atom) ** 2).sum(axis=1))

        def value(atom: Array) -> float:
            return -0.5 * float(a @ nearest(atom)[1]) ** 2 + 0.5 * penalty * float(atom @ atom)

        rows, s = nearest(d)
        w = a @ s
        pull = gamma * w * ((a * s) @ (rows - d))
        steps = 1e-6 * np.eye(3)
        truth = np.array([(value(d + e) - value(d - e)) / 2e-6 for e in steps])
        printed, doubled = -pull + penalty * d, -2 * pull + penalty * d
        size = np.linalg.norm(truth)
        ratios.append([float(np.linalg.norm(g - truth) / size) for g in (printed, doubled)])
    return {
        "size": "20 draws",
        "printed": min(r[0] for r in ratios),
        "doubled": max(r[1] for r in ratios),
    }


# ------------------------------------------------------------------ section 3


def sizes(source: Source) -> Figures:
    """Table 3: bags and instances of the sets at hand."""
    sets = {name: load(name, source) for name in ("musk1", "musk2", "elephant")}
    found = {name: [len(data.y), int(data.bags.n_instances)] for name, data in sets.items()}
    return {"size": "3 sets", "sets": found}


def compare(source: Source) -> Figures:
    """Figures 1, 2 and 4 and Tables 4 and 5: ways to classify bags, fold by fold."""
    n_folds, measures = (5, ["f1", "accuracy"]) if source.quick else (10, list(MEASURES))
    found: Figures = {"size": f"{n_folds} folds, settings chosen inside", "sets": {}, "p": {}}
    for name in SETS:
        data, rows = load(name, source), {}
        for title in COMPARED:
            every = METHODS[title].settings
            few = tuple(s for s in every if s.get("width", 0.25) in WIDTHS and s.get("C") == 1.0)
            method = replace(METHODS[title], settings=few)
            rows[title] = run_method(data, method, measures, n_folds, source.seed, 900.0)
        found["sets"][name] = {
            title: {
                "means": {m: row.mean(m) for m in measures},
                "seconds": float(np.median(row.seconds)),
            }
            for title, row in rows.items()
        }
        ours = rows.pop(POD).values
        found["p"][name] = {
            title: {m: _p_value(ours[m], row.values[m]) for m in measures}
            for title, row in rows.items()
        }
    return found


def _p_value(ours: list[float], theirs: list[float]) -> float:
    if np.allclose(ours, theirs):
        return 1.0
    return float(ttest_rel(ours, theirs).pvalue)


def parameters(source: Source) -> Figures:
    """Figure 3: C1, C2 and m one at a time, F1 on musk1 and elephant."""
    studied = {
        "dictionary_penalty": (0.0, 1e-3, 1e-1),
        "C": (0.1, 1.0, 10.0),
        "n_atoms": (10, 20, 40, 80),
    }
    found: Figures = {"size": "3 folds, F1", "sets": {}}
    for name in SETS:
        data, curves = load(name, source), {}
        for parameter, settings in studied.items():
            values = (trained_for(data, "f1", 3, source.seed, **{parameter: s}) for s in settings)
            means = [float(np.mean(one)) for one in values]
            curves[parameter] = [[float(s), m] for s, m in zip(settings, means, strict=True)]
        found["sets"][name] = curves
    return found


def paths(source: Source) -> Figures:
    """Figure 5: the joint objective step by step."""
    steps = 40 if source.quick else 100
    found: Figures = {"size": f"up to {steps} steps", "paths": []}
    for name in SETS:
        data = load(name, source)
        for measure in MEASURES:
            path = path_of(data, measure, steps)
            rises = int((np.diff(path) > 1e-9 * path[:-1]).sum())
            ends = (float(path[0]), float(path[-1]))
            found["paths"].append([name, measure, *ends, rises, len(path)])
    return found
