"""A measure against the number of features: as a table, for machines, and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import make_table, printable
from handful.cli.row_groups import RowGroups, described
from handful.model_selection import SelectKCV
from handful.model_selection._folds import FoldFigures
from handful.model_selection._samples import Samples
from handful.model_selection.agreement import chosen_at
from handful.model_selection.k_path import Honesty, KPath, Rule
from handful.status import Status
from handful.validation.plural import plural

if TYPE_CHECKING:
    from rich.console import Console

    from handful.inspection.path import PathDisplay


@dataclass(frozen=True)
class Curve:
    """What a search over numbers of features found: the scores of its folds, and what it was fitted to."""

    search: SelectKCV
    #: Whoever holds out other rows repeats the search on these.
    samples: Samples
    #: Those that are in the figures.
    folds: Sequence[FoldFigures]
    #: The name of the score, of the method, of what there are so many of, and of what has a label each.
    scoring: str
    method: str
    counted: str
    cases: str
    #: Rows that stay in one fold.
    row_groups: RowGroups | None = None
    #: What the score is without any feature, where that is known.
    beside: str | None = None

    @property
    def path(self) -> KPath:
        """The test scores as rules see them."""
        return self.search.k_path_

    def of_folds(self, name: str) -> np.ndarray:
        """Return figures of every fold (rows) at every number of features (columns)."""
        return np.array([getattr(one, name) for one in self.folds])

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C came before all folds were complete."""
        return self.search.status_ in (Status.SOME_FOLDS, Status.SOME_OUTER_FOLDS)

    def chosen(self, rule: Rule | None = None) -> int:
        """Return the number of features that a rule chooses, by default that of the search."""
        return self.path.choose(self.search.rule if rule is None else rule)

    def display(self) -> PathDisplay:
        """Return what can be drawn of it."""
        from handful.inspection.path import PathDisplay

        return PathDisplay(
            self.path,
            self.chosen(),
            train_mean=self.of_folds("train").mean(axis=0),
            nested=self.search.honesty_.nested,
            score_name=self.scoring,
            counted=self.counted,
            cases=self.cases,
        )


def describe(curve: Curve, names: Any) -> dict[str, Any]:
    """Return all figures for machines; ``names`` are those of the features."""
    path, stability = curve.path, curve.search.stability_
    columns = zip(
        path.k,
        curve.of_folds("n_selected").T,
        path.scores.T,
        path.mean,
        path.scores.std(axis=0, ddof=1) if path.n_folds > 1 else np.zeros(len(path.k)),
        curve.of_folds("train").mean(axis=0),
        curve.of_folds("fit_seconds").sum(axis=0),
        [None] * len(path.k) if stability is None else map(asdict, stability),
        strict=True,
    )
    fields = ("k", "n_selected", "test_scores", "mean", "std", "train_mean", "seconds", "stability")
    return {
        "method": curve.method,
        "scoring": curve.scoring,
        "n_folds": path.n_folds,
        "row_groups": described(curve.row_groups),
        "path": [dict(zip(fields, column, strict=True)) for column in columns],
        "best_k": curve.chosen("best"),
        "one_standard_error_k": curve.chosen("one_se"),
        "rule": curve.search.rule,
        "chosen_k": curve.chosen(),
        "score_of_chosen_k": _describe_honesty(curve.search.honesty_),
        "features_of_chosen_k": _describe_frequency(curve, names),
        "interrupted": curve.is_interrupted,
    }


def _describe_honesty(honesty: Honesty) -> dict[str, Any]:
    fields, nested = ("mean", "standard_error", "scores", "k"), honesty.nested
    return {
        "same_folds": {"mean": honesty.same_folds, "standard_error": honesty.same_folds_error},
        "other_folds": {"mean": honesty.other_folds, "standard_error": honesty.other_folds_error},
        "nested": None if nested is None else {name: getattr(nested, name) for name in fields},
    }


def _describe_frequency(curve: Curve, names: Any) -> list[dict[str, Any]] | None:
    """Return in which share of the folds each feature was chosen, the most frequent first."""
    table = curve.search.selection_frequency_
    if table is None:
        return None
    ids, shares = chosen_at(table, curve.path.position(curve.chosen()))
    own = table.shape[1] == names.n_features  # pairs have no names before a fit
    return [
        {"id": int(ids[j]), "name": names[int(ids[j])] if own else None, "frequency": shares[j]}
        for j in np.lexsort([ids, -shares])
    ]


def print_curve(console: Console, curve: Curve) -> None:
    """Print the table, the best number and the fewest that are about as good."""
    path, counted = curve.path, curve.counted
    by = "" if curve.method == "fgm" else f" by {curve.method}"
    together = "" if curve.row_groups is None else f" {curve.row_groups.kept}"
    title = f"{curve.scoring}, {path.n_folds} folds{together}, selection{by} inside each fold: mean ± its standard error"
    titles = [counted, f"held-out {curve.cases}", f"training {curve.cases}", "seconds"]
    error, train = path.standard_error, curve.of_folds("train").mean(axis=0)
    seconds = curve.of_folds("fit_seconds").sum(axis=0)
    rows = [
        [str(k), f"{path.mean[j]:.4f} ± {error[j]:.4f}", f"{train[j]:.4f}", f"{seconds[j]:.2f}"]
        for j, k in enumerate(path.k)
    ]
    if curve.search.stability_ is not None:
        titles.insert(3, "stability")
        for row, index in zip(rows, curve.search.stability_, strict=True):
            row.insert(3, f"{index.value:z.2f}")
    console.print(title, style="bold", soft_wrap=True)
    console.print(make_table(titles, rows))
    best, fewest = (plural(curve.chosen(rule), *_nouns(counted)) for rule in ("best", "one_se"))
    console.print(f"best: {best}")
    console.print(f"fewest within one standard error of the best: {fewest}")
    for line in _honest_lines(curve, curve.search.honesty_):
        console.print(line, soft_wrap=True)
    if curve.beside is not None:
        console.print(printable(curve.beside), soft_wrap=True)


def _honest_lines(curve: Curve, honesty: Honesty) -> Iterator[str]:
    """Say what the chosen number scores, and how far that figure is to be believed."""
    yield (
        f"{curve.scoring} with {plural(honesty.k, *_nouns(curve.counted))} (--rule {curve.search.rule}), in the mean ± its standard "
        "error:"
    )
    yield (
        f"  {honesty.same_folds:.4f} ± {honesty.same_folds_error:.4f} on the folds that chose this number: "
        "optimistic"
    )
    if np.isfinite(honesty.other_folds):
        yield (
            f"  {honesty.other_folds:.4f} ± {honesty.other_folds_error:.4f} with each fold at the number that "
            "the other folds choose"
        )
    nested = honesty.nested
    if nested is None:
        yield "  --nested 5 repeats the whole choice inside outer folds"
        return
    ks = ", ".join(str(k) for k in nested.k)
    yield (
        f"  {nested.mean:.4f} ± {nested.standard_error:.4f} nested: the choice repeated inside "
        f"{len(nested.scores)} outer folds, which took {ks}"
    )


def _nouns(counted: str) -> tuple[str, str]:
    """Return what one and what several of the counted are called."""
    return counted.removesuffix("s"), counted
