"""Whether greedy RLS and RLScore select the same features with the same leave-one-out errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Console
from sklearn.preprocessing import StandardScaler

from handful import GreedyRLSRegressor
from harness.data import Source
from harness.targets import Target

from .data import load
from .methods import dense

SETS = ("emotions", "scene", "yeast")
STEPS, ALPHA = 40, 1.0
SAME = 1e-8  # relative, between errors of two programs that add in another order


@dataclass(frozen=True)
class Agreement:
    """How many steps chose the same feature, and the largest relative difference of an error.

    ``n_same`` is None, and ``why`` says so, where RLScore is not installed.
    """

    dataset: str
    n_same: int | None = None
    difference: float | None = None
    why: str = ""


def compare(name: str, source: Source) -> Agreement:
    """Run both without an intercept: RLScore's is a penalised constant, ours is not penalised."""
    try:
        from rlscore.learner import GreedyRLS
    except ImportError:
        return Agreement(name, why="RLScore is not installed")
    data = load(name, source)
    X = StandardScaler().fit_transform(dense(data.X))
    ours = GreedyRLSRegressor(STEPS, alpha=ALPHA, fit_intercept=False).fit(X, data.Y)
    theirs = GreedyRLS(X, data.Y, STEPS, regparam=ALPHA, bias=0.0)
    errors = np.asarray(theirs.performances)
    same = int(np.sum(ours.selection_order_ == np.asarray(theirs.selected)))
    return Agreement(name, same, float(np.max(np.abs(ours.loo_errors_ / errors - 1))))


def run_agreement(console: Console, source: Source) -> list[Agreement]:
    """Compare on every set and print a line each."""
    found = [compare(name, source) for name in SETS]
    for one in found:
        console.print(_text(one))
    return found


def _text(one: Agreement) -> str:
    if one.n_same is None:
        return f"{one.dataset}: {one.why}"
    return (
        f"{one.dataset}: {one.n_same} of {STEPS} steps as RLScore, "
        f"leave-one-out errors within {one.difference:.1e}"
    )


def agreement_targets(found: list[Agreement]) -> list[Target]:
    """Every step and every error must be RLScore's."""
    targets = []
    for one in found:
        known = one.n_same is not None and one.difference is not None
        met = one.n_same == STEPS and one.difference < SAME if known else None
        targets.append(Target(f"{one.dataset}: selection and errors of RLScore", _text(one), met))
    return targets
