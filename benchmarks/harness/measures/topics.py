"""The tasks: one topic against the rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.data import BUILDERS, Source, reuters_topics
from harness.problem import Problem

REUTERS, NEWS20 = "reuters", "news20"
DATASETS = (REUTERS, NEWS20)


def _reuters(source: Source) -> Iterator[Problem]:
    """Every topic with at least one positive document in either part, the most frequent first."""
    whole, names = reuters_topics(source)
    positives = (whole.y > 0).sum(axis=0)
    in_both = (positives > 0) & (whole.y_test > 0).any(axis=0)
    for column in np.argsort(-positives, kind="stable"):
        if in_both[column]:
            y, y_test = whole.y[:, column], whole.y_test[:, column]
            yield Problem(names[column], whole.X, y, whole.X_test, y_test)


def _news20(source: Source) -> Iterator[Problem]:
    """Each of the 20 groups against the others."""
    whole = BUILDERS[NEWS20](source)
    for label in np.unique(whole.y):
        y, y_test = (np.where(labels == label, 1, -1) for labels in (whole.y, whole.y_test))
        yield Problem(str(label), whole.X, y, whole.X_test, y_test)


def topics_of(dataset: str, source: Source, names: list[str] | None) -> Iterator[Problem]:
    """Yield the topics of a data set, or those named; ``None`` names all."""
    for problem in {REUTERS: _reuters, NEWS20: _news20}[dataset](source):
        if names is None or problem.name in names:
            yield problem
