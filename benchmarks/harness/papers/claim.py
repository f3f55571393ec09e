"""What a paper says, what is run to see whether it is so, and how the verdict follows from the figures.

An experiment is a function of a :class:`~harness.data.Source` that returns figures, plain enough for JSON. Several claims may
rest on one. A claim has a judge: it reads those figures and says what ours are and which of the five words holds. So
neither a figure nor a verdict is ever written by hand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.child import Answer, limited
from harness.data import Source

Figures = dict[str, Any]
Experiment = Callable[[Source], Figures]

REPRODUCED, BETTER, REFUTED = "reproduced", "better", "refuted"
NOT_REPRODUCED, NOT_HERE, NOT_RUN = "not reproduced", "not reproducible here", "not run"
VERDICTS = {
    REPRODUCED: "our run shows what the paper says",
    BETTER: "it does, and ours is faster, smaller or more accurate than what the paper has",
    REFUTED: "a counter-example, or a figure that contradicts a general statement",
    NOT_REPRODUCED: "our run, on the data named, came out otherwise",
    NOT_HERE: "the data or programs are not to be had here; the nearest figure is given where there is one",
}


@dataclass(frozen=True)
class Found:
    """What our figures say, in a few words, and the verdict."""

    ours: str
    verdict: str


def when(met: bool, ours: str, otherwise: str = NOT_REPRODUCED, word: str = REPRODUCED) -> Found:
    """Choose the word by whether a condition on the figures is met."""
    return Found(ours, word if met else otherwise)


def mean(values: Sequence[float]) -> float:
    """Return the mean of figures."""
    return sum(values) / len(values)


def span(values: Sequence[float]) -> str:
    """Tell the least and the largest of some differences."""
    if not values:
        return "nowhere to compare"
    return f"{min(values):+.3f} to {max(values):+.3f}"


@dataclass(frozen=True)
class Claim:
    """One row: the place in the paper, what is said there in our words, their figure, and how ours is had.

    ``why`` is the reason where nothing can be run.
    """

    name: str
    place: str
    says: str
    theirs: str
    experiment: Experiment | None = None
    judge: Callable[[Figures], Found] | None = None
    why: str = ""

    def found(self, figures: Figures | None) -> Found:
        """Judge the figures of the experiment; without any there is no verdict."""
        if self.experiment is None or self.judge is None:
            return Found(self.why, NOT_HERE)
        if figures is None:
            return Found("", NOT_RUN)
        return self.judge(figures)


@dataclass(frozen=True)
class Paper:
    """A paper, its page, and its claims; ``about`` opens the page, ``larger`` names studies of the same at full size."""

    number: str
    title: str
    cited: str
    page: str
    about: str
    larger: tuple[str, ...]
    claims: tuple[Claim, ...]

    @property
    def experiments(self) -> dict[str, Experiment]:
        """Every experiment once, by name."""
        return {
            claim.experiment.__name__: claim.experiment
            for claim in self.claims
            if claim.experiment is not None
        }


def measured(experiment: Experiment, source: Source, timeout: float) -> Answer:
    """Run one experiment under a limit of time, in the process that this is called in."""
    started, worked = time.perf_counter(), time.process_time()
    with limited(timeout):
        figures = experiment(source)
    # What other work on the machine leaves alone.
    figures["cpu_seconds"] = time.process_time() - worked
    return {"status": "ok", "figures": figures, "seconds": time.perf_counter() - started}
