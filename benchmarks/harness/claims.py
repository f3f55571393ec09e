"""The paper's own claims about plain FGM, on its own data (section 6.2).

De-biasing is the paper's: an l2 SVM with C = 20 on the features selected. If a method's weights are
biased, de-biasing helps it; the paper finds that it helps l1 and not FGM.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.svm import LinearSVC

from handful.datasets import make_sparse_linear

from .cell import run_cell
from .data import BUILDERS, CACHE, Source
from .peers import MKL_FGM, PLAIN_FGM, l1_svm
from .problem import Ids, Problem, write_problem
from .refit import take_columns

BUDGET = 10
DEBIAS_C = 20.0
MKL_ROWS, MKL_COLUMNS = 1024, 4096


@dataclass(frozen=True)
class Debias:
    """Test accuracy of one method's own weights, and of an l2 SVM on the features it kept."""

    dataset: str
    method: str
    kept: int
    true_found: int
    own: float
    debiased: float

    @property
    def gain(self) -> float:
        """Accuracy that de-biasing adds."""
        return self.debiased - self.own


@dataclass(frozen=True)
class SolverRace:
    """Seconds of plain FGM with the default and with the MKL solver; None where it did not end."""

    rows: int
    columns: int
    default_seconds: float
    mkl_seconds: float | None
    mkl_status: str
    default_objective: float
    mkl_objective: float | None


def _debiased_accuracy(problem: Problem, ids: Ids) -> float:
    X, X_test = take_columns(problem.X, ids), take_columns(problem.X_test, ids)
    model = LinearSVC(dual=False, C=DEBIAS_C).fit(X, problem.y)
    return float(model.score(X_test, problem.y_test))


def _debias(problem: Problem, method: str, ids: Ids, own: float) -> Debias:
    assert problem.truth is not None
    found = int(np.isin(ids, problem.truth).sum())
    debiased = _debiased_accuracy(problem, ids)
    return Debias(problem.name, method, len(ids), found, own, debiased)


def debias_claim(source: Source) -> Iterator[Debias]:
    """Plain FGM, then l1 at the same number of features, for each weighting of X1."""
    from handful import FGMClassifier

    for name in ("x1-I", "x1-II", "x1-III"):
        problem = BUILDERS[name](source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fgm = FGMClassifier(budget=BUDGET, refit=False).fit(problem.X, problem.y)
            own = float(fgm.score(problem.X_test, problem.y_test))
            yield _debias(problem, "FGM", fgm.support_ids_, own)
            C = l1_svm(problem.X, problem.y, len(fgm.support_ids_)).penalty
            l1 = LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(problem.X, problem.y)
            own = float(l1.score(problem.X_test, problem.y_test))
            yield _debias(problem, "l1", np.flatnonzero(l1.coef_[0]).astype(np.int64), own)


def solver_race(source: Source, timeout: float, mkl_timeout: float) -> SolverRace:
    """Time both solvers on a problem that the MKL solver can finish."""
    rows, columns = (256, 1024) if source.quick else (MKL_ROWS, MKL_COLUMNS)
    made = make_sparse_linear(rows, columns, random_state=source.seed)
    problem = Problem("mkl", made.X_train, made.y_train, made.X_test, made.y_test, made.true_ids)
    CACHE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=CACHE) as scratch:
        write_problem(problem, Path(scratch))
        default = run_cell(Path(scratch), PLAIN_FGM, BUDGET, repeat=3, timeout=timeout)
        mkl = run_cell(Path(scratch), MKL_FGM, BUDGET, repeat=1, timeout=mkl_timeout)
    if default["status"] != "ok":
        raise RuntimeError(f"plain FGM: {default['status']}")
    return SolverRace(
        rows=rows,
        columns=columns,
        default_seconds=default["seconds"],
        mkl_seconds=mkl.get("seconds"),
        mkl_status=mkl["status"],
        default_objective=default["objective"],
        mkl_objective=mkl.get("objective"),
    )
