"""Solvers for the problem restricted to the active columns; one file each."""

from __future__ import annotations

from typing import TypeVar

from handful.losses.base import Loss
from handful.methods.fgm.solvers.apg import APG
from handful.methods.fgm.solvers.base import RidgeSolver, Solution, Solver, Subproblem, Target
from handful.methods.fgm.solvers.bundle import Bundle, RidgeBundle
from handful.methods.fgm.solvers.ksupport import KSupport
from handful.methods.fgm.solvers.newton import Newton
from handful.methods.fgm.solvers.simple_mkl import SimpleMKL
from handful.registry import named_subclasses
from handful.validation import solver_of_other_losses

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
    "convex_solver",
    "known_solvers",
    "ridge_solver",
]

Made = TypeVar("Made", bound=Solver)


def known_solvers() -> dict[str, type[Solver]]:
    """Return the solvers of the convex problem that can be asked for by name: the one for losses with cuts need not be."""
    return {
        name: cls
        for name, cls in named_subclasses(Solver).items()
        if not issubclass(cls, RidgeSolver) and "curvature" in cls.requires
    }


def ridge_solver(loss: Loss) -> RidgeSolver:
    """Return what fits a plain squared penalty to a loss."""
    return _first_for(loss, (Newton, RidgeBundle))


def convex_solver(loss: Loss, name: str = "auto") -> Solver:
    """Return what solves the convex problem for a loss: the one that is named, or the best there is."""
    if name == "auto":
        return _first_for(loss, (KSupport, Bundle))
    solver = known_solvers()[name]()
    if not solver.requires <= loss.provides:
        raise solver_of_other_losses(name, loss)
    return solver


def _first_for(loss: Loss, solvers: tuple[type[Made], ...]) -> Made:
    return next(solver() for solver in solvers if solver.requires <= loss.provides)
