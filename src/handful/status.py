"""How a fit ended. The value of each member is the sentence the user reads."""

from __future__ import annotations

from enum import Enum

from handful.markup import paragraph


class _InNotebooks:
    """An enumeration has no such method of its own, but may inherit it."""

    name: str
    value: str

    def _repr_html_(self) -> str:
        return paragraph(f"{self.name}: {self.value}")


class Status(_InNotebooks, Enum):
    """Outcome of a fit; ``str(status)`` is a sentence."""

    CONVERGED = "Converged: the certified gap is below the tolerance."
    STALLED = (
        "Stopped because neither the objective nor its certified gap changed by more than the tolerance in the "
        "last round; lower tol, or set certify=True, for a tighter certificate."
    )
    MAX_ROUNDS = (
        "Stopped after max_rounds rounds with the certified gap still above the tolerance; "
        "raise max_rounds for a tighter certificate."
    )
    SELECTED = (
        "Selected exactly as many as asked for; "
        "the gap bounds how much better any other choice could be."
    )
    CUT = (
        "No alpha found gives the number of features asked for: of the nearest larger selection the "
        "strongest were kept and fitted anew; the gap is that of alpha_ with all features."
    )
    CHOSEN = (
        "Selected as many as asked for, one after the other, each the best for the leave-one-out "
        "error beside those before it."
    )
    SPENT = "Stopped because what is left of max_cost buys nothing more."
    EXHAUSTED = (
        "No further feature carries any signal: every feature that lowers the loss is in the model."
    )
    INTERRUPTED = (
        "Interrupted: the model is the best found up to then; fit again (with the same checkpoint "
        "if one was set) to continue."
    )
    CROSS_VALIDATED = "Chosen by the rule from the scores of all folds."
    SOME_FOLDS = (
        "Interrupted: chosen by the rule from the scores of the folds that were complete by then."
    )
    SOME_OUTER_FOLDS = (
        "Chosen by the rule from the scores of all folds; interrupted: a nested score is that of the outer "
        "folds that were complete by then."
    )
    RESAMPLED = "Selected by how often each feature was selected in all resamples."
    SOME_RESAMPLES = (
        "Interrupted: selected by how often each feature was selected in the resamples that were "
        "finished by then."
    )
    FLAT = "Converged: the last steps lowered the objective by less than tol of it."
    MAX_MOVES = (
        "Stopped after max_iter steps while the objective still fell; raise max_iter to go on."
    )
    MAX_STEPS = "The inner solver used all its steps; the certified gap says how far it got."

    SETTLED = "Converged: the last reweighting lowered the objective by less than tol of it."
    MAX_ITER = "Stopped after max_iter reweightings while the objective still fell; raise max_iter to go on."
    PROJECTED = (
        "No weights keep all margins (classes overlap, or equal samples have different labels), so "
        "the margins were replaced by their least-squares projection."
    )
    SOFTENED = (
        "No weights keep all margins (classes overlap, or equal samples have different labels), so "
        "the margins were made soft."
    )

    def __str__(self) -> str:
        return self.value
