"""Solvers for the problem restricted to the active columns; one file each."""

from __future__ import annotations

from typing import Any

from handful.methods.fgm.solvers.apg import APG
from handful.methods.fgm.solvers.base import RidgeSolver, Solution, Solver, Subproblem, Target
from handful.methods.fgm.solvers.bundle import Bundle, RidgeBundle
from handful.methods.fgm.solvers.ksupport import KSupport
from handful.methods.fgm.solvers.newton import Newton
from handful.methods.fgm.solvers.simple_mkl import SimpleMKL

__all__ = [
    "APG",
    "Bundle",
    "KSupport",
    "Newton",
    "RidgeBundle",
    "RidgeSolver",
    "SimpleMKL",
    "Solution",
    "Solver",
    "Subproblem",
    "Target",
    "known_solvers",
    "ridge_solver",
]


def known_solvers() -> dict[str, type[Solver]]:
    """Return the solvers of the convex problem by name."""
    return {cls.name: cls for cls in (APG, KSupport, SimpleMKL)}


def ridge_solver(loss: Any) -> RidgeSolver:
    """Return what fits a plain squared penalty to a loss, smooth or with kinks."""
    return Newton() if loss.is_smooth else RidgeBundle()
