"""What one is judged by: measures of all samples together. A new measure is one file, one class."""

from __future__ import annotations

from typing import Any

from handful.measures.accuracy import Accuracy
from handful.measures.average_precision import AveragePrecision
from handful.measures.base import Measure
from handful.measures.fbeta import FBeta
from handful.measures.prbep import PRBEP
from handful.measures.precision_at_k import PrecisionAtK
from handful.measures.recall_at_k import RecallAtK
from handful.measures.roc_auc import RocAuc
from handful.registry import named_subclasses
from handful.validation import unknown_choice

__all__ = [
    "PRBEP",
    "Accuracy",
    "AveragePrecision",
    "FBeta",
    "Measure",
    "PrecisionAtK",
    "RecallAtK",
    "RocAuc",
    "find_measure",
    "known_measures",
    "resolve_measure",
]


def known_measures() -> dict[str, type[Measure]]:
    """Return the measures by name."""
    return named_subclasses(Measure)


def measure_texts() -> list[str]:
    """Return what measures may be called, for those who have to guess."""
    return [text for cls in known_measures().values() for text in cls.example_texts()]


def find_measure(measure: Any) -> Measure | None:
    """Return the measure that a text or an instance means, or None if it means no measure."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        for cls in known_measures().values():
            found = cls.from_text(measure)
            if found is not None:
                return found
    return None


def resolve_measure(measure: str | Measure) -> Measure:
    """Turn a text such as "f1", "prec@100" or "rec@2p", or an instance, into a measure.

    Examples
    --------
    >>> from handful.measures import resolve_measure
    >>> resolve_measure("rec@2p"), resolve_measure("f0.5"), resolve_measure("prbep")
    (RecallAtK(k='2p'), FBeta(beta=0.5), PRBEP())
    """
    found = find_measure(measure)
    if found is not None:
        return found
    raise unknown_choice("measure", measure, measure_texts(), hint="a measure instance")
