"""How many features and why: the path of held-out scores, and how honest the score of the chosen number is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.inspection._fitted import chooser_in
from handful.inspection.html_report.charts import Chart, chart_of
from handful.inspection.html_report.subject import Subject, plural
from handful.inspection.path import PathDisplay
from handful.model_selection.k_path import Honesty

_RULES = {
    "one_se": "the fewest whose mean score is within one standard error of the best",
    "best": "the best mean score",
}


@dataclass(frozen=True)
class TriedNumbers:
    """Several numbers of features, judged on held-out rows: a drawn path, the rule that chose, and honest scores.

    ``agreed`` if the features are those that the folds agree on, and not the choice of one fit; ``search`` is what
    tried them.
    """

    display: PathDisplay
    rule: Any
    honesty: Honesty | None
    agreed: bool = False
    search: Any = None

    @classmethod
    def of(cls, search: Any) -> TriedNumbers:
        """Return what a fitted SelectKCV tried."""
        path, agreed = PathDisplay.from_cv(search), bool(search.aggregate)
        return cls(path, search.rule, search.honesty_, agreed, search)


@dataclass(frozen=True)
class HowMany:
    """Everything that the section shows."""

    sentences: Sequence[str]
    honest: Sequence[str]
    chart: Chart | None


def how_many(subject: Subject, tried: TriedNumbers | None) -> HowMany:
    """Say where the number comes from."""
    if tried is not None:
        return _tried(tried)
    chooser = chooser_in(subject.estimator)
    if hasattr(chooser, "stability_path_"):
        return _stable(chooser, subject.selection.names.grouped)
    return _given(subject)


def _stable(stability: Any, grouped: str) -> HowMany:
    """Say why so many are stable; ``grouped`` is what groups are called."""
    count, n_features = stability.n_features_, stability.selection_probabilities_.shape[1]
    n_fits = (2 if stability.complementary else 1) * stability.n_resamples_
    if stability.aggregate:
        told = (
            f"The number was given: {count}. Of {plural(n_features, 'features')} these are the ones that {n_fits} fits to "
            "halves of the rows agree on most."
        )
        return HowMany([told], [], None)
    choices, n_stable = stability._choices, stability._n_stable
    counted = choices.called(grouped)
    verb = "was" if n_stable == 1 else "were"
    told = (
        f"{n_stable} of {plural(choices.n_all, counted)} {verb} chosen in {stability.threshold_:.1%} or more of {n_fits} fits to "
        f"halves of the rows. In each fit {choices.n_chosen:g} were chosen."
    )
    why = "That threshold was given."
    if isinstance(stability.threshold, str):
        one, is_or_are = (counted, "are") if stability.pfer != 1 else (counted[:-1], "is")
        why = f"That threshold is the least with which no more than {stability.pfer:g} false {one} {is_or_are} expected."
    return HowMany([told, why], [], None)


def _given(subject: Subject) -> HowMany:
    parameters = subject.selector.get_params(deep=False)
    asked = parameters.get("n_features_to_select", parameters.get("n_atoms"))
    if asked is None:
        told = "No number was asked for: the method itself found how many it needs."
    elif isinstance(asked, float) and asked < 1:
        told = f"The number was given, as a share of all: {asked:g}."
    else:
        told = f"The number was given: {asked}."
    hint = "No other number was tried. SelectKCV in Python, or handful path on the shell, compares several on held-out rows."
    return HowMany([told, hint], [], None)


def _tried(tried: TriedNumbers) -> HowMany:
    display = tried.display
    path, counted = display.path, display.counted
    best = path.position(path.choose("best"))
    by = "a rule of your own" if callable(tried.rule) else _RULES[tried.rule]
    ks = ", ".join(str(k) for k in path.k)
    sentences = [
        f"{plural(display.chosen, counted)}, chosen among {ks} by {path.n_folds} folds: {by}.",
        f"The best mean {display.score_name} is {path.mean[best]:.4f} ± {path.standard_error[best]:.4f}, with {path.k[best]}.",
    ]
    if tried.agreed:
        sentences.append(
            f"Which {counted} these are, the folds decided together: they agree on them most."
        )
    honest = (
        [] if tried.honesty is None else tried.honesty.told(counted).replace("+-", "±").split("\n")
    )
    place = path.position(display.chosen)
    alt = (
        f"{display.score_name} on held-out {display.cases} against the number of {counted}: {path.mean[0]:.3g} with {path.k[0]}, "
        f"{path.mean[place]:.3g} with {display.chosen}, which was chosen, {path.mean[-1]:.3g} with {path.k[-1]}."
    )
    titles = [f"number of {counted}", f"mean {display.score_name}", "standard error"]
    columns: list[Any] = [path.k, path.mean, path.standard_error]
    if display.train_mean is not None:
        titles.append(f"training {display.cases}")
        columns.append(np.asarray(display.train_mean))
    rows = [[str(k), *(f"{x:.4f}" for x in figures)] for k, *figures in zip(*columns, strict=True)]
    return HowMany(sentences, honest, chart_of(display, "path", alt, titles, rows))
