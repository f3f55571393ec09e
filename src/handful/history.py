"""What happened in each round: the one source for printing, plots, reports and files."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, overload

from handful.markup import paragraph, table
from handful.validation.schema import Field, check_fields, count, one_of, parse_json

_number = Field("a number", lambda value: type(value) in (int, float))
_SCHEMA = {
    "number": count,
    # Printed as it is: nothing that could steer a terminal.
    "phase": Field("a word", lambda x: isinstance(x, str) and len(x) < 40 and x.isprintable()),
    "n_active": count,
    "objective": _number,
    "bound": one_of(None, _number),
    "seconds": _number,
}

TITLES = ("round", "phase", "active", "objective", "gap", "seconds")
#: Rounds in a table for readers.
MOST_SHOWN, FIRST_SHOWN = 40, 10


@dataclass(frozen=True)
class Round:
    """One round of a selection.

    Attributes
    ----------
    number : int
        Rounds are counted from 1, across phases.
    phase : str
        "generate" (features are added), "eliminate" (features are dropped), "swap" (features
        are added to exactly k, to be dropped again), "undo" (a swap that did not help is taken
        back), "final" (the features that are left solved closely: what is certified), "reselect" (the
        features of another loss, which unseen rows want, solved so), "certify" (the
        model stays, and a better bound is looked for), "refit" (the features again with less
        shrinkage: what predicts), or another engine's own word.
    n_active : int
        Features in the model after the round.
    objective : float
        Value of the convex objective at the current model: an upper bound on its optimum. A refit
        has one of its own, with a larger C.
    bound : float
        Best certified lower bound found so far; minus infinity when there is none.
    seconds : float
        Wall time since the start of the fit.
    """

    number: int
    phase: str
    n_active: int
    objective: float
    bound: float
    seconds: float

    @property
    def gap(self) -> float:
        """Certified distance ``objective - bound``, never below zero."""
        return max(self.objective - self.bound, 0.0)

    @property
    def relative_gap(self) -> float:
        """``gap`` as a fraction of the objective."""
        if self.gap == 0.0:
            return 0.0
        return self.gap / abs(self.objective) if self.objective else math.inf

    def __str__(self) -> str:
        gap = f"gap {self.relative_gap:.2%}  " if math.isfinite(self.bound) else ""
        return (
            f"round {self.number:3d}  {self.phase:<9s}  active {self.n_active:5d}  "
            f"objective {self.objective:.6g}  {gap}{self.seconds:.2f} s"
        )


def cells_of(record: Round) -> tuple[str, ...]:
    """One round as texts; a refit has no bound, and so no gap."""
    gap = f"{record.relative_gap:.2%}" if math.isfinite(record.bound) else ""
    return (
        *(str(record.number), record.phase, str(record.n_active)),
        *(f"{record.objective:.6g}", gap, f"{record.seconds:.2f}"),
    )


class History(Sequence[Round]):
    """The rounds of one fit, in order.

    Examples
    --------
    >>> from handful.history import History, Round
    >>> history = History([Round(1, "generate", 10, 4.0, 3.0, 0.1)])
    >>> history[-1].gap
    1.0
    >>> History.from_json(history.to_json()) == history
    True
    """

    def __init__(self, rounds: Sequence[Round] = ()) -> None:
        self._rounds = list(rounds)

    def append(self, record: Round) -> None:
        """Add a round at the end."""
        self._rounds.append(record)

    def record(
        self, phase: str, n_active: int, objective: float, started: float, bound: float = -math.inf
    ) -> None:
        """Write down the round that has just ended; ``started`` is when the fit was, by ``perf_counter``."""
        seconds = time.perf_counter() - started
        self.append(Round(len(self) + 1, phase, n_active, objective, bound, seconds))

    def certify(self, bound: float) -> None:
        """Give the last round a better bound, found after it was written down."""
        if self._rounds and bound > self._rounds[-1].bound:
            self._rounds[-1] = replace(self._rounds[-1], bound=bound)

    def in_phase(self, phase: str) -> int:
        """Count the rounds of one phase."""
        return sum(record.phase == phase for record in self)

    @overload
    def __getitem__(self, index: int) -> Round: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Round]: ...

    def __getitem__(self, index: int | slice) -> Round | Sequence[Round]:
        return self._rounds[index]

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and self._rounds == other._rounds

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"History({len(self)} rounds)" if len(self) != 1 else "History(1 round)"

    def rows(self) -> list[tuple[str, ...]]:
        """Return the rows of a table under ``TITLES``; of very many rounds the first and the last."""
        rows = [cells_of(record) for record in self]
        if len(rows) <= MOST_SHOWN:
            return rows
        return [*rows[:FIRST_SHOWN], ("…",) * len(TITLES), *rows[FIRST_SHOWN - MOST_SHOWN :]]

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return paragraph(repr(self)) + table(TITLES, self.rows(), n_texts=2)

    def to_records(self) -> list[dict[str, Any]]:
        """Return the rounds as plain dictionaries, with infinite bounds as None."""
        records = [asdict(record) for record in self]
        for record in records:
            if not math.isfinite(record["bound"]):
                record["bound"] = None
        return records

    def to_json(self) -> str:
        """Return the rounds as a JSON array."""
        return json.dumps(self.to_records())

    @classmethod
    def from_json(cls, text: str) -> History:
        """Read what :meth:`to_json` wrote; ValueError for anything else."""
        return cls.from_records(parse_json(text))

    @classmethod
    def from_records(cls, records: Any) -> History:
        """Read what :meth:`to_records` gave, which may have been in a stranger's file since."""
        if not isinstance(records, list):
            raise ValueError("rounds are not a list")
        for record in records:
            check_fields(record, _SCHEMA)
        unbounded = {"bound": -math.inf}
        return cls(
            [Round(**record | (unbounded if record["bound"] is None else {})) for record in records]
        )
