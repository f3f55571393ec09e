"""What precision at k and recall at k share: the k."""

from __future__ import annotations

from typing import ClassVar, Self

from handful.measures.base import decimal
from handful.measures.fixed_count import FixedCount
from handful.validation.measures import read_k, samples_at_k


class AtK(FixedCount):
    """A measure of the k best-scoring samples."""

    #: what stands before k in the text form, as in "prec@100"
    prefix: ClassVar[str]

    def __init__(self, k: int | float | str) -> None:
        read_k(k)
        self.k = k

    def n_predicted(self, n_samples: int, n_positive: int) -> int:
        return samples_at_k(self.k, n_samples, n_positive)

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        return cls(text.removeprefix(cls.prefix)) if text.startswith(cls.prefix) else None

    @classmethod
    def example_texts(cls) -> tuple[str, ...]:
        return tuple(f"{cls.prefix}{k}" for k in ("100", "10%", "2p"))

    def __str__(self) -> str:
        return f"{self.prefix}{decimal(self.k) if isinstance(self.k, float) else self.k}"
