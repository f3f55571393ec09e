"""How often each feature was selected: as a table, for machines, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import make_table
from handful.cli.outputs import write_picture
from handful.cli.problem import FeatureNames
from handful.validation.plural import plural

if TYPE_CHECKING:
    from rich.console import Console


#: Features beyond the stable ones that the table shows.
RUNNERS_UP = 10


@dataclass(frozen=True)
class Report:
    """A fitted StabilitySelection as it is told; features the most often selected first.

    Attributes
    ----------
    model : StabilitySelection
    method : str
    ids, names, shares, is_selected
        Of every feature that was ever selected, or of the first thousands of very many.
    paths : ndarray
        In which share of the halves each was among the first k.
    """

    model: Any
    method: str
    ids: np.ndarray
    names: Sequence[str]
    shares: np.ndarray
    is_selected: np.ndarray
    paths: np.ndarray


def report_of(model: Any, X: Any, names: FeatureNames, method: str) -> Report:
    """Take from a fitted StabilitySelection what is told of it."""
    path = model.stability_path_
    ids, shares = path["ids"], model.selection_probabilities_.data
    order = np.lexsort([ids, -shares])
    space = getattr(model.estimator, "space", None)
    if space is None:
        called = [names[int(j)] for j in ids[order]]
    else:
        called = list(space.on(X).names(ids[order], names.names))
    ids, shares, paths = ids[order], shares[order], path["frequency"][order]
    return Report(model, method, ids, called, shares, np.isin(ids, model.support_ids_), paths)


def describe(report: Report) -> dict[str, Any]:
    """Return all figures for machines."""
    model = report.model
    columns = zip(report.ids, report.names, report.shares, report.is_selected, strict=True)
    fields = ("id", "name", "share", "selected")
    features = [dict(zip(fields, column, strict=True)) for column in columns]
    for feature, path in zip(features, report.paths, strict=True):
        feature["path"] = path
    return {
        "method": report.method,
        "n_features": model.selection_probabilities_.shape[1],
        "n_selected_in_each_half": model.n_selected_,
        "n_resamples": model.n_resamples_,
        "threshold": model.threshold_,
        "pfer_bound": model.pfer_bound_,
        "aggregate": bool(model.aggregate),
        "stability": asdict(model.stability_),
        "selected": [feature["name"] for feature in features if feature["selected"]],
        "path_k": model.stability_path_["k"],
        "features": features,
    }


def print_report(console: Console, report: Report) -> None:
    """Print the features most often selected, and what may be false among the stable ones."""
    model, n_features = report.model, report.model.selection_probabilities_.shape[1]
    n_halves, n_stable = 2 * model.n_resamples_, int(report.is_selected.sum())
    by = "" if report.method == "fgm" else f" by {report.method}"
    console.print(
        f"{n_halves} halves, {model.n_selected_:g} of {n_features} features selected{by} in each",
        style="bold",
    )
    last = int(np.flatnonzero(report.is_selected)[-1]) + 1 if n_stable else 0
    rows = [
        (report.names[j], f"{report.shares[j]:.0%}", "yes" if report.is_selected[j] else "")
        for j in range(min(len(report.ids), last + RUNNERS_UP))
    ]
    kept = "agreed" if model.aggregate else "stable"
    console.print(make_table(("feature", "halves", kept), rows, texts=("feature", kept)))
    if model.aggregate:
        line = f"{plural(n_stable, 'feature')} agreed on, each selected in {model.threshold_:.0%} of the halves or more"
    else:
        line = f"{plural(n_stable, 'feature')} selected in {model.threshold_:.1%} of the halves or more"
    most = min(model.pfer_bound_, n_stable)  # more than there are cannot be false
    console.print(f"{line}; at most {most:.3g} false ones expected", soft_wrap=True)
    console.print(f"stability {model.stability_} (1: all halves agree, 0: chance)", soft_wrap=True)


def draw(report: Report, path: Path, title: str) -> None:
    """Write how the share of halves grows with the number of features, the stable ones by name."""
    from handful.inspection.stability import StabilityDisplay

    model = report.model
    display = StabilityDisplay(
        report.names,
        report.shares,
        report.is_selected,
        k=model.stability_path_["k"],
        paths=report.paths,
        threshold=model.threshold_,
    )
    write_picture(lambda axes: display.plot(axes, kind="path", title=title), path, (7.6, 4.6))
