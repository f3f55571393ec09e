"""What a paper says, what is run to see whether it is so, and how the verdict follows from the figures.

An experiment is a function of a :class:`~harness.data.Source` that returns figures, plain enough for JSON. Several claims may
rest on one. A claim has a judge: it reads those figures and says what ours are and which of the five words holds. So
neither a figure nor a verdict is ever written by hand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
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


Judge = Callable[[Figures], Found]


def when(met: bool, ours: str, otherwise: str = NOT_REPRODUCED, *, better: bool = False) -> Found:
    """Choose the word by whether a condition on the figures is met, and whether ours does more than that."""
    return Found(ours, (BETTER if better else REPRODUCED) if met else otherwise)


def listed(words: str, items: Iterable[Any], by: str = ", ") -> str:
    """Tell every item of a list or a dictionary in these words.

    >>> listed("{} {:.1f} s", {"a": 0.25, "b": 3}), listed("{0[k]}", [{"k": 5}, {"k": 9}], " / ")
    ('a 0.2 s, b 3.0 s', '5 / 9')
    """
    pairs = items.items() if isinstance(items, dict) else items
    return by.join(
        words.format(*one) if isinstance(one, tuple) else words.format(one) for one in pairs
    )


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
    judge: Judge | None = None
    why: str = ""

    def found(self, figures: Figures | None) -> Found:
        """Judge the figures of the experiment; without any there is no verdict."""
        if self.experiment is None or self.judge is None:
            return Found(self.why, NOT_HERE)
        if figures is None:
            return Found("", NOT_RUN)
        return self.judge(figures)


class Claims(list[Claim]):
    """Claims in the order of their rows. One is written as its judge: the docstring is what the paper says there."""

    def claim(self, place: str, theirs: str, experiment: Experiment) -> Callable[[Judge], Judge]:
        """Add the judge below; ``figure_1a`` is that of the claim "figure-1a"."""

        def add(judge: Judge) -> Judge:
            name, says = judge.__name__.replace("_", "-"), (judge.__doc__ or "").rstrip(".")
            self.append(Claim(name, place, says, theirs, experiment, judge))
            return judge

        return add

    def not_here(self, name: str, place: str, says: str, why: str, theirs: str = "") -> None:
        """Add what cannot be run."""
        self.append(Claim(name, place, says, theirs, why=why))


@dataclass(frozen=True)
class Paper:
    """A paper, its page, and its claims; ``about`` opens the page, ``larger`` names studies of the same at full size."""

    number: str
    title: str
    cited: str
    page: str
    about: str
    larger: tuple[str, ...]
    claims: Claims

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
