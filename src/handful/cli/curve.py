"""A measure against the number of features: as a table, for machines, and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.cli.console import make_table
from handful.cli.outputs import write_picture
from handful.model_selection.k_path import KPath

if TYPE_CHECKING:
    from rich.console import Console

    from handful.inspection.path import PathDisplay
    from handful.model_selection import StabilityIndex
    from handful.model_selection._honesty import Honesty


@dataclass(frozen=True)
class Curve:
    """Scores of every fold (rows) at every number of features (columns)."""

    scoring: str
    ks: tuple[int, ...]
    test: np.ndarray
    train: np.ndarray
    n_selected: np.ndarray
    seconds: np.ndarray
    interrupted: bool = False
    counted: str = "features"
    method: str = "fgm"
    cases: str = "rows"
    rule: str = "one_se"
    honesty: Honesty | None = None
    stability: list[StabilityIndex] | None = None
    frequency: Any = None

    @property
    def path(self) -> KPath:
        """The test scores as rules see them."""
        return KPath(np.array(self.ks), self.test)

    @property
    def mean(self) -> np.ndarray:
        """Mean test score at each number of features."""
        return self.path.mean

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of the test score over the folds."""
        return self.test.std(axis=0, ddof=1) if len(self.test) > 1 else np.zeros(len(self.ks))

    @property
    def best(self) -> int:
        """Position of the best mean score, the fewest features among equals."""
        return self.path.position(self.path.choose("best"))

    @property
    def one_standard_error(self) -> int:
        """Position of the fewest features within one standard error of the best score."""
        return self.path.position(self.path.choose("one_se"))

    @property
    def chosen(self) -> int:
        """Position of what the rule chooses."""
        return self.path.position(self.path.choose(self.rule))

    def display(self) -> PathDisplay:
        """Return what can be drawn of it."""
        from handful.inspection.path import PathDisplay

        return PathDisplay(
            self.path,
            self.ks[self.chosen],
            train_mean=self.train.mean(axis=0),
            nested=None if self.honesty is None else self.honesty.nested,
            score_name=self.scoring,
            counted=self.counted,
            cases=self.cases,
        )


def describe(curve: Curve, names: Any) -> dict[str, Any]:
    """Return all figures for machines; ``names`` are those of the features."""
    columns = zip(
        curve.ks,
        curve.n_selected.T,
        curve.test.T,
        curve.mean,
        curve.std,
        curve.train.mean(axis=0),
        curve.seconds.sum(axis=0),
        strict=True,
    )
    fields = ("k", "n_selected", "test_scores", "mean", "std", "train_mean", "seconds")
    path = [dict(zip(fields, column, strict=True)) for column in columns]
    for place, point in enumerate(path):
        point["stability"] = None if curve.stability is None else asdict(curve.stability[place])
    return {
        "method": curve.method,
        "scoring": curve.scoring,
        "n_folds": len(curve.test),
        "path": path,
        "best_k": curve.ks[curve.best],
        "one_standard_error_k": curve.ks[curve.one_standard_error],
        "rule": curve.rule,
        "chosen_k": curve.ks[curve.chosen],
        "score_of_chosen_k": None if curve.honesty is None else _describe_honesty(curve.honesty),
        "features_of_chosen_k": _describe_frequency(curve, names),
        "interrupted": curve.interrupted,
    }


def _describe_honesty(honesty: Honesty) -> dict[str, Any]:
    nested = honesty.nested
    told: dict[str, Any] = {
        "same_folds": {"mean": honesty.same_folds, "standard_error": honesty.same_folds_error},
        "other_folds": {"mean": honesty.other_folds, "standard_error": honesty.other_folds_error},
        "nested": None,
    }
    if nested is not None:
        told["nested"] = {
            "mean": nested.mean,
            "standard_error": nested.standard_error,
            "scores": nested.scores,
            "k": nested.k,
        }
    return told


def _describe_frequency(curve: Curve, names: Any) -> list[dict[str, Any]] | None:
    """Return in which share of the folds each feature was chosen, the most frequent first."""
    if curve.frequency is None:
        return None
    start, end = curve.frequency.indptr[curve.chosen : curve.chosen + 2]
    ids, shares = curve.frequency.indices[start:end], curve.frequency.data[start:end]
    own = curve.frequency.shape[1] == names.n_features  # pairs have no names before a fit
    return [
        {"id": int(ids[j]), "name": names[int(ids[j])] if own else None, "frequency": shares[j]}
        for j in np.lexsort([ids, -shares])
    ]


def print_curve(console: Console, curve: Curve) -> None:
    """Print the table, the best number and the fewest that are about as good."""
    by = "" if curve.method == "fgm" else f" by {curve.method}"
    title = f"{curve.scoring}, {len(curve.test)} folds, selection{by} inside each fold"
    titles = [curve.counted, f"held-out {curve.cases}", f"training {curve.cases}", "seconds"]
    rows = [
        [
            *(str(k), f"{curve.mean[j]:.4f} ± {curve.std[j]:.4f}"),
            *(f"{curve.train[:, j].mean():.4f}", f"{curve.seconds[:, j].sum():.2f}"),
        ]
        for j, k in enumerate(curve.ks)
    ]
    if curve.stability is not None:
        titles.insert(3, "stability")
        for row, index in zip(rows, curve.stability, strict=True):
            row.insert(3, f"{index.value:.2f}")
    console.print(title, style="bold")
    console.print(make_table(titles, rows))
    console.print(f"best: {curve.ks[curve.best]} {curve.counted}")
    console.print(
        f"fewest within one standard error of the best: "
        f"{curve.ks[curve.one_standard_error]} {curve.counted}"
    )
    if curve.honesty is not None:
        for line in _honest_lines(curve, curve.honesty):
            console.print(line, soft_wrap=True)


def _honest_lines(curve: Curve, honesty: Honesty) -> Iterator[str]:
    """Say what the chosen number scores, and how far that figure is to be believed."""
    yield (
        f"{curve.scoring} with {honesty.k} {curve.counted} (--rule {curve.rule}), in the mean ± its standard "
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


def draw(curve: Curve, path: Path, title: str) -> None:
    """Write the held-out score with its standard error, the training score, and what was chosen."""
    display = curve.display()
    write_picture(lambda axes: display.plot(axes, title=title), path, (6.8, 4.4))
