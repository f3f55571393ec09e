"""The experiments of 003 (FGM), sections 6 and 7: synthetic data, text, pairs, groups and additive kernels."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from handful import FGMClassifier
from handful.datasets import make_grouped_linear, make_sparse_linear
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial
from harness.data import BUILDERS, Source, newsgroups
from harness.groups import skglm_logistic
from harness.problem import Problem, tiny
from harness.spaces import GROUP_SIZE, expanded_l1_svm, mnist, scan_first

from .claim import Figures
from .curves import PAPER_C, all_features, exact_curve, l1_curve, l1_path, plain_curve

TYPES = ("I", "II", "III")
BUDGETS = (4, 10, 20, 40)


def _synthetic(rows: int, columns: int, source: Source, **settings: Any) -> Problem:
    made = make_sparse_linear(rows, columns, random_state=source.seed, **settings)
    return Problem("synthetic", made.X_train, made.y_train, made.X_test, made.y_test, made.true_ids)


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
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
    settings: dict[str, Any] = {"budget": 10, "C": PAPER_C, "refit": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for solver in ("ksupport", "apg", "mkl"):
            FGMClassifier(solver=solver, **settings).fit(*tiny(problem.X[:60], problem.y[:60]))
            started = time.process_time()
            model = FGMClassifier(solver=solver, **settings).fit(problem.X, problem.y)
            seconds = time.process_time() - started
            accuracy = float(model.score(problem.X_test, problem.y_test))
            found[solver] = {
                "seconds": seconds,
                "objective": model.objective_,
                "accuracy": accuracy,
            }
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
    for name in ("newsgroups", "reuters-acq"):
        problem = BUILDERS[name](Source(source.data))
        plain = plain_curve(
            problem, (2, 5, 10, 20) if source.quick else (2, 5, 10, 20, 40), debias=True
        )
        counts = [point["kept"] for point in plain]
        found["sets"][name] = {
            "size": _size(problem),
            "FGM": plain,
            "exactly k": exact_curve(problem, counts),
            "l1": l1_path(problem, 170, debias=True),
            "all": all_features(problem),
        }
    found["size"] = "; ".join(f"{name} {of['size']}" for name, of in found["sets"].items())
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
    started = time.perf_counter()
    found = expanded_l1_svm(problem.X, problem.y, k)()
    seconds = time.perf_counter() - started
    columns = [Polynomial().on(X).columns(found.ids) for X in (problem.X, problem.X_test)]
    from sklearn.svm import LinearSVC

    svm = LinearSVC(dual=False).fit(columns[0], problem.y)
    return {
        "kept": len(found.ids),
        "seconds": seconds,
        "accuracy": float(svm.score(columns[1], problem.y_test)),
    }


def _scan(source: Source) -> Figures:
    """The exact 20 best of all pairs of words and word pairs, once prepared."""
    whole = newsgroups(Source(source.data), 2)
    scan = scan_first(whole.X, whole.y, 20)
    scan()
    started = time.perf_counter()
    scan()
    m = whole.X.shape[1]
    return {"seconds": time.perf_counter() - started, "features": m * (m + 3) // 2, "columns": m}


# ---------------------------------------------------------------- section 7


def _grouped(rows: int, n_groups: int, n_true: int, source: Source) -> Problem:
    made = make_grouped_linear(
        rows, n_groups, GROUP_SIZE, n_true, dtype=np.float32, random_state=source.seed
    )
    return Problem("groups", made.X_train, made.y_train, made.X_test, made.y_test, made.true_groups)


def _group_fit(problem: Problem, **settings: Any) -> Figures:
    labels = np.arange(problem.X.shape[1]) // GROUP_SIZE
    settings = {"loss": "logistic", "groups": labels, **settings}
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FGMClassifier(**settings).fit(problem.X, problem.y)
    return {
        "seconds": time.perf_counter() - started,
        "groups": len(model.group_support_),
        "true": int(np.isin(model.group_support_, problem.truth).sum()),
        "accuracy": float(model.score(problem.X_test, problem.y_test)),
        "rounds": model.n_iter_,
    }


def groups(source: Source) -> Figures:
    """Figures 15 and 16: groups of ten columns; B = 1 is the active-set method, skglm a group lasso."""
    rows, count, n_true = (1024, 1000, 50) if source.quick else (4096, 2000, 100)
    problem = _grouped(rows, count, n_true, source)
    found: Figures = {
        "size": f"{_size(problem)}, {count:,} groups",
        "true": n_true,
        "FGM": {},
        "C": {},
    }
    most = 2 * n_true  # groups at most, whatever B is
    for B in (1, 2, 5, 10):
        found["FGM"][str(B)] = _group_fit(
            problem, budget=B, max_rounds=most // B, C=PAPER_C, refit=False, tol=1e-3
        )
    for C in (0.01, 0.1, 1.0):
        found["C"][str(C)] = _group_fit(
            problem, budget=10, max_rounds=60, C=C, refit=False, tol=1e-3
        )
    found["exactly k"] = _group_fit(problem, n_features_to_select=n_true, C="fast")
    found["group lasso"] = _group_lasso(problem, n_true)
    wide = _grouped(1024 if source.quick else 2048, 4000 if source.quick else 20000, n_true, source)
    found["wide"] = {"size": _size(wide), **_group_fit(wide, n_features_to_select=n_true, C="fast")}
    return found


def _group_lasso(problem: Problem, k: int) -> Figures:
    call = skglm_logistic(problem.X, problem.y, k)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = call()
    seconds = time.perf_counter() - started
    columns = (found.ids[:, None] * GROUP_SIZE + np.arange(GROUP_SIZE)).ravel()
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=0.01, max_iter=500).fit(problem.X[:, columns], problem.y)
    return {
        "seconds": seconds,
        "groups": len(found.ids),
        "true": int(np.isin(found.ids, problem.truth).sum()),
        "accuracy": float(model.score(problem.X_test[:, columns], problem.y_test)),
    }


def additive(source: Source) -> Figures:
    """Figures 17 and 18 and Table 3: each pixel expanded by a kernel, never written down before it is chosen."""
    problem = mnist(Source(source.data, quick=source.quick))
    k, found = 25, {"size": f"mnist {_size(problem)}, 25 pixels", "spaces": {}}
    spaces = {
        "single": None,
        "intersection": HistogramIntersection(),
        "gaussian": AdditiveKernel("gaussian"),
    }
    for name, space in spaces.items():
        found["spaces"][name] = exact_curve(problem, (k,), space=space, loss="logistic")[0]
    for name, B in (("B = 1 (active set)", 1), ("B = 5", 5)):
        settings = {
            "space": HistogramIntersection(),
            "max_rounds": k // B,
            "loss": "logistic",
            "C": "fast",
        }
        found["spaces"][name] = plain_curve(problem, (B,), solver="auto", **settings)[0]
    values = problem.X[problem.X > 0]
    levels = np.ceil(values / problem.X.max() * 100)
    found["storage"] = {"gaussian": 11.0, "intersection": float(levels.mean())}
    return found
