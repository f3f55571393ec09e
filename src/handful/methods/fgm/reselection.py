"""The features that another loss chooses, where the model on them is clearly better for rows not seen.

Under F features are chosen by a convex risk that is an upper bound of F's cost. Where labels can hardly be told apart, or features
are many for each of them, that bound is a poor guide, and the squared hinge chooses better features. So the
squared hinge selects as many, the last fit is made on either choice, and held-out rows decide, for all outputs together.

Both choices were made on all rows. That flatters both, and the choice by the measure itself no less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.history import History
from handful.methods.fgm.beginning import Beginning, begin
from handful.methods.fgm.folds import Judge
from handful.methods.fgm.last_fit import LastFit, fit_for_good, solve_closely
from handful.methods.fgm.plan import Options
from handful.methods.fgm.state import State
from handful.methods.fgm.unseen import Folds
from handful.methods.problem import Problem
from handful.spaces.base import Array
from handful.spaces.groups.space import activate

FEWEST = 30  # positives, and negatives, of all outputs together: what fewer say is chance


def begin_with_surrogate(beginning: Beginning) -> Beginning | None:
    """The beginning of a selection by the surrogate of the loss; None where it has no say."""
    problem, options = beginning.problem, beginning.options
    surrogate = problem.loss.parts[0].surrogate
    if surrogate is None or not options.may_reselect or not problem.fit_intercept:
        return None
    if beginning.state.penalty.budget == 0 or not _are_enough(problem.y, problem.weight):
        return None
    plain = replace(options, C="fast", checkpoint=None, candidates=None)
    loss = surrogate.of_outputs(problem.y, problem.weight)
    return begin(replace(problem, loss=loss), plain)


def reselect(
    problem: Problem, options: Options, state: State, ids: Array | None
) -> tuple[State, LastFit | None]:
    """Return the state on the features that unseen rows want, its own or those given, and its last fit if that was made.

    Parameters
    ----------
    problem : Problem
    options : Options
    state : State
        Of a selection that is complete; ``more`` is told who chose, all else stays as it is.
    ids : ndarray of int64 or None
        As many other features; None if there is nothing to compare with.
    """
    state.more["selection_loss_"] = str(problem.loss.parts[0])
    if ids is None or len(ids) != len(state.active) or np.isin(ids, state.active.ids).all():
        return state, None
    folds = Folds.of(problem, state)
    if not folds.outputs:
        return state, None
    other = _on_features(problem, state, ids)
    own, rival = (fit_for_good(problem, options, one, folds) for one in (state, other))
    outputs = folds.outputs
    targets, shares = [state.target.outputs[c] for c in outputs], state.target.weight[0, outputs]
    judge = Judge(targets, shares, problem.weight, folds.of_rows)
    ours, theirs = ([one.adjusted.unseen[c] for c in outputs] for one in (own, rival))
    if not judge.is_clearly_better(theirs, ours):
        return state, own
    solve_closely(other)
    other.record("reselect")
    other.more["selection_loss_"] = str(problem.loss.parts[0].surrogate)
    return other, rival


def _are_enough(y: Array, weight: Array) -> bool:
    return min(float((weight @ (y > 0)).sum()), float((weight @ (y < 0)).sum())) >= FEWEST


def _on_features(problem: Problem, state: State, ids: Array) -> State:
    """All weights at zero on other features of the same problem, of which the bound speaks too."""
    active = activate(problem.space, problem.include, problem.weight)
    active.add(ids)
    nothing = State.start(state.target, state.penalty, active)
    kept = {name: getattr(state, name) for name in ("bound", "started", "candidate_ids", "more")}
    return replace(nothing, history=History(state.history), **kept)
