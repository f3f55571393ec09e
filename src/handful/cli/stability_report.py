"""How often each feature was selected: as a table, for machines, and drawn."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import make_table
from handful.cli.feature_names import FeatureNames
from handful.cli.row_groups import RowGroups, described
from handful.inspection.stability import StabilityDisplay
from handful.spaces import Substrings
from handful.validation.plural import plural

if TYPE_CHECKING:
    from rich.console import Console


#: Features beyond the stable ones that the table shows.
RUNNERS_UP = 10


def display_of(model: Any, X: Any, names: FeatureNames) -> StabilityDisplay:
    """Return what a fitted StabilitySelection counted, of every feature that was ever selected."""
    ids, space = model.stability_path_["ids"], getattr(model.estimator, "space", None)
    if space is None:
        return StabilityDisplay._of_counts(model, [names[int(j)] for j in ids])
    return StabilityDisplay._of_counts(model, space.on(X).names(ids, names.names))


def describe(
    model: Any, display: StabilityDisplay, method: str, row_groups: RowGroups | None
) -> dict[str, Any]:
    """Return all figures for machines, features the most often selected first."""
    features = [
        {
            "id": model.stability_path_["ids"][j],
            "name": display.names[j],
            "share": display.shares[j],
            "selected": display.is_selected[j],
            "path": display.paths[j],
        }
        for j in display.order
    ]
    return {
        "method": method,
        "n_features": model.selection_probabilities_.shape[1],
        "n_selected_in_each_half": model.n_selected_,
        "n_resamples": model.n_resamples_,
        "row_groups": described(row_groups),
        "threshold": model.threshold_,
        "pfer_bound": model.pfer_bound_,
        "aggregate": bool(model.aggregate),
        "stability": asdict(model.stability_),
        "selected": [feature["name"] for feature in features if feature["selected"]],
        "path_k": model.stability_path_["k"],
        "features": features,
    }


def print_report(
    console: Console,
    model: Any,
    display: StabilityDisplay,
    method: str,
    grouped: str,
    row_groups: RowGroups | None,
) -> None:
    """Print the features most often selected, and what may be false among the stable ones.

    ``grouped`` is what groups of features are called.
    """
    n_stable, choices = model.n_features_, model._choices
    counted = choices.called(grouped)
    by = "" if method == "fgm" else f" by {method}"
    together = "" if row_groups is None else f" {row_groups.kept}"
    console.print(
        f"{2 * model.n_resamples_} halves{together}, {choices.n_chosen:g} of {choices.n_all} {counted} selected{by} in each",
        style="bold",
        soft_wrap=True,
    )
    order = display.order
    last = int(np.flatnonzero(display.is_selected[order])[-1]) + 1 if n_stable else 0
    are_strings = isinstance(getattr(model.estimator, "space", None), Substrings)
    named = [repr(name) for name in display.names] if are_strings else display.names  # blanks count
    digits = ".0%" if model.aggregate else ".1%"  # as many as the threshold has below
    rows = [
        (named[j], f"{display.shares[j]:{digits}}", "yes" if display.is_selected[j] else "")
        for j in order[: last + RUNNERS_UP]
    ]
    kept = "agreed" if model.aggregate else "stable"
    console.print(make_table(("feature", "halves", kept), rows, texts=("feature", kept)))
    if model.aggregate:
        line = f"{plural(n_stable, 'feature')} agreed on, each selected in {model.threshold_:.0%} of the halves or more"
    else:
        line = f"{plural(model._n_stable, counted[:-1])} selected in {model.threshold_:.1%} of the halves or more"
    console.print(f"{line}; at most {model._most_false:.3g} false ones expected", soft_wrap=True)
    console.print(f"stability {model.stability_} (1: all halves agree, 0: chance)", soft_wrap=True)
