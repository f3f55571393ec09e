"""The experiments of 003 (FGM), sections 6 and 7: synthetic data, text, pairs, groups and additive kernels."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from handful import FGMClassifier
from handful.datasets import make_grouped_linear, make_sparse_linear
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial
from harness.data import BUILDERS, Source, newsgroups, synthetic
from harness.groups import skglm_logistic
from harness.measure import timed
from harness.problem import Ids, Problem, tiny
from harness.spaces import GROUP_SIZE, expanded_l1_svm, members, mnist, scan_first

from .claim import Figures, listed
from .curves import PAPER_C, all_features, exact_curve, l1_curve, l1_path, plain_curve

TYPES = ("I", "II", "III")
BUDGETS = (4, 10, 20, 40)


def _synthetic(rows: int, columns: int, source: Source, **settings: Any) -> Problem:
    made = make_sparse_linear(rows, columns, random_state=source.seed, **settings)
    return synthetic("synthetic", made)


def _size(problem: Problem) -> str:
    return "{:,} x {:,}".format(*problem.X.shape)


# -------------------------------------------------------------- section 6.2


def rounds(source: Source) -> Figures:
    """Figure 1: the objective by rounds, for rising B."""
    side = 1024 if source.quick else 4096
    problem = _synthetic(side, side, source)
    budgets = (10, 50, 100, 200, 500)
    settings: dict[str, Any] = {"solver": "apg", "C": PAPER_C, "refit": False, "max_rounds": 60}
    found: Figures = {"size": _size(problem), "budgets": list(budgets), "objectives": []}
    for budget in budgets:
        model = FGMClassifier(budget=budget, **settings).fit(problem.X, problem.y)
        found["objectives"].append([round(r.objective, 6) for r in model.history_])
    found["kept"] = len(model.support_ids_)
    return found


def x1(source: Source) -> Figures:
    """Figures 2 to 5: three kinds of weights, plain FGM, exactly k and l1."""
    side = 2048 if source.quick else 4096
    found: Figures = {"size": f"{side:,} x {side:,}", "types": {}}
    for kind in TYPES:
        problem = _synthetic(side, side, source, weighting=kind)
        plain = plain_curve(problem, BUDGETS, debias=True)
        found["types"][kind] = {
            "FGM": plain,
            "SLR": plain_curve(problem, (10,), loss="logistic"),
            "exactly k": exact_curve(problem, [point["kept"] for point in plain]),
            "l1": l1_curve(problem, debias=True),
            "all": all_features(problem),
        }
    return found


def race(source: Source) -> Figures:
    """Figure 5, the solvers: blocks by accelerated steps against SimpleMKL."""
    rows, columns = (256, 1024) if source.quick else (1024, 4096)
    problem = _synthetic(rows, columns, source)
    found: Figures = {"size": _size(problem)}
    for solver in ("ksupport", "apg", "mkl"):
        model = FGMClassifier(solver=solver, budget=10, C=PAPER_C, refit=False)
        model.fit(*tiny(problem.X[:60], problem.y[:60]))
        _, seconds = timed(partial(model.fit, problem.X, problem.y), time.process_time)
        accuracy = float(model.score(problem.X_test, problem.y_test))
        about = {"seconds": seconds, "objective": model.objective_}
        found[solver] = {**about, "accuracy": accuracy}
    return found


def x2(source: Source) -> Figures:
    """Figure 6: many more columns than rows."""
    rows, columns = (2048, 16384) if source.quick else (4096, 65536)
    problem = _synthetic(rows, columns, source)
    plain = plain_curve(problem, (5, 10, 20))
    return {
        "size": _size(problem),
        "FGM": plain,
        "exactly k": exact_curve(problem, [point["kept"] for point in plain]),
        "l1": l1_curve(problem, (1.3, 1.6, 2.0, 2.5)),
    }


def densities(source: Source) -> Figures:
    """Figure 7: the same with most entries zero."""
    rows, columns = (1024, 12_500) if source.quick else (8192, 100_000)
    found: Figures = {"size": f"{rows:,} x {columns:,}", "densities": {}}
    for density in (0.005, 0.01, 0.05, 0.1, 0.5, 1.0):
        problem = _synthetic(rows, columns, source, density=density)
        found["densities"][str(density)] = {
            "FGM": plain_curve(problem, (5, 20)),
            "exactly k": exact_curve(problem, (50, 150)),
            "l1": l1_path(problem, 150),
        }
    return found


# -------------------------------------------------------------- section 6.3


def text(source: Source) -> Figures:
    """Figures 8 to 10 on the text at hand: words and word pairs of 20 newsgroups, and a topic of Reuters."""
    found: Figures = {"sets": {}}
    budgets = (2, 5, 10, 20) if source.quick else (2, 5, 10, 20, 40)
    for name in ("newsgroups", "reuters-acq"):
        problem = BUILDERS[name](Source(source.data))
        plain = plain_curve(problem, budgets, debias=True)
        found["sets"][name] = {
            "size": _size(problem),
            "FGM": plain,
            "exactly k": exact_curve(problem, [point["kept"] for point in plain]),
            "l1": l1_path(problem, 170, debias=True),
            "all": all_features(problem),
        }
    found["size"] = listed("{0} {1[size]}", found["sets"], "; ")
    return found


# -------------------------------------------------------------- section 6.4


def pairs(source: Source) -> Figures:
    """Figures 13 and 14: squares and products of pixels, and of words, against single ones."""
    problem = mnist(Source(source.data, quick=source.quick))
    k = 50
    found: Figures = {"size": f"mnist {_size(problem)}", "mnist": {}, "text": {}}
    for name, space in (("single", None), ("pairs", Polynomial())):
        found["mnist"][name] = exact_curve(problem, (k,), space=space)[0]
        plain = plain_curve(problem, (5,), space=space, solver="auto", C="fast")
        found["mnist"][f"{name}, plain"] = plain[0]
    found["mnist"]["l1 on the expansion"] = _expanded(problem, k)
    words = newsgroups(Source(source.data), 1)
    found["text"]["size"] = _size(words)
    for name, space in (("single", None), ("pairs", Polynomial())):
        found["text"][name] = exact_curve(words, (k,), space=space)[0]
    found["scan"] = _scan(source)
    return found


def _expanded(problem: Problem, k: int) -> Figures:
    """LIBLINEAR on all products written down, its C searched for k of them."""
    found, seconds = timed(expanded_l1_svm(problem.X, problem.y, k))
    X, X_test = (Polynomial().on(X).columns(found.ids) for X in (problem.X, problem.X_test))
    accuracy = float(LinearSVC(dual=False).fit(X, problem.y).score(X_test, problem.y_test))
    return {"kept": len(found.ids), "seconds": seconds, "accuracy": accuracy}


def _scan(source: Source) -> Figures:
    """The exact 20 best of all pairs of words and word pairs, once prepared."""
    whole = newsgroups(Source(source.data), 2)
    scan = scan_first(whole.X, whole.y, 20)
    scan()
    m = whole.X.shape[1]
    return {"seconds": timed(scan)[1], "features": m * (m + 3) // 2, "columns": m}


# ---------------------------------------------------------------- section 7


def _grouped(rows: int, n_groups: int, n_true: int, source: Source) -> Problem:
    sizes = (rows, n_groups, GROUP_SIZE, n_true)
    made = make_grouped_linear(*sizes, dtype=np.float32, random_state=source.seed)
    return synthetic("groups", made)


def _group_fit(problem: Problem, **settings: Any) -> Figures:
    labels = np.arange(problem.X.shape[1]) // GROUP_SIZE
    model = FGMClassifier(**{"loss": "logistic", "groups": labels, **settings})
    _, seconds = timed(lambda: model.fit(problem.X, problem.y))
    accuracy = float(model.score(problem.X_test, problem.y_test))
    return {**_found(problem, model.group_support_, seconds, accuracy), "rounds": model.n_iter_}


def _found(problem: Problem, ids: Ids, seconds: float, accuracy: float) -> Figures:
    true = int(np.isin(ids, problem.truth).sum())
    return {"seconds": seconds, "groups": len(ids), "true": true, "accuracy": accuracy}


def groups(source: Source) -> Figures:
    """Figures 15 and 16: groups of ten columns; B = 1 is the active-set method, skglm a group lasso."""
    rows, count, n_true = (1024, 1000, 50) if source.quick else (4096, 2000, 100)
    problem = _grouped(rows, count, n_true, source)
    plain: dict[str, Any] = {"refit": False, "tol": 1e-3}
    most = 2 * n_true  # groups at most, whatever B is
    wide = _grouped(1024 if source.quick else 2048, 4000 if source.quick else 20000, n_true, source)
    exact: dict[str, Any] = {"n_features_to_select": n_true, "C": "fast"}
    return {
        "size": f"{_size(problem)}, {count:,} groups",
        "true": n_true,
        "FGM": {
            str(B): _group_fit(problem, budget=B, max_rounds=most // B, C=PAPER_C, **plain)
            for B in (1, 2, 5, 10)
        },
        "C": {
            str(C): _group_fit(problem, budget=10, max_rounds=60, C=C, **plain)
            for C in (0.01, 0.1, 1.0)
        },
        "exactly k": _group_fit(problem, **exact),
        "group lasso": _group_lasso(problem, n_true),
        "wide": {"size": _size(wide), **_group_fit(wide, **exact)},
    }


def _group_lasso(problem: Problem, k: int) -> Figures:
    found, seconds = timed(skglm_logistic(problem.X, problem.y, k))
    columns = members(found.ids)
    model = LogisticRegression(C=0.01, max_iter=500).fit(problem.X[:, columns], problem.y)
    accuracy = float(model.score(problem.X_test[:, columns], problem.y_test))
    return _found(problem, found.ids, seconds, accuracy)


def additive(source: Source) -> Figures:
    """Figures 17 and 18 and Table 3: each pixel expanded by a kernel, never written down before it is chosen."""
    problem = mnist(Source(source.data, quick=source.quick))
    k, spaces = 25, {}
    kinds = {"single": None, "intersection": HistogramIntersection()}
    for name, space in {**kinds, "gaussian": AdditiveKernel("gaussian")}.items():
        [spaces[name]] = exact_curve(problem, (k,), space=space, loss="logistic")
    settings = {"space": HistogramIntersection(), "loss": "logistic", "C": "fast"}
    for name, B in (("B = 1 (active set)", 1), ("B = 5", 5)):
        rounds = k // B
        [spaces[name]] = plain_curve(problem, (B,), solver="auto", max_rounds=rounds, **settings)
    levels = np.ceil(problem.X[problem.X > 0] / problem.X.max() * 100)
    storage = {"gaussian": 11.0, "intersection": float(levels.mean())}
    return {"size": f"mnist {_size(problem)}, 25 pixels", "spaces": spaces, "storage": storage}
