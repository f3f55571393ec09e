"""From strings to numbers: documents are cut into segments, and these into symbols."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.validation import strings as checks

Array = np.ndarray
WORDS = re.compile(r"\w+")
_BASES = ("ACGTUNRYSWKMBVDH", "TGCAANYRSWMKVBHD")
COMPLEMENTS = str.maketrans(
    _BASES[0] + _BASES[0].lower(), _BASES[1] + _BASES[1].lower()
)  # the letters of IUPAC; all others stay what they are


@dataclass(frozen=True)
class Reading:
    """How documents are read.

    Attributes
    ----------
    unit : {"byte", "character", "word"} or callable
        What a symbol is; a callable takes a document and gives a list of str.
    boundary : {None, "word"}
        "word": a segment is what lies between white space, with a blank on either side.
    case : {"keep", "lower"}
    reverse_complement : bool
        The other strand of a document is a segment of it too.
    """

    unit: str | Callable[[str], Sequence[str]] = "character"
    boundary: str | None = None
    case: str = "keep"
    reverse_complement: bool = False

    @property
    def has_words(self) -> bool:
        """Whether a symbol is more than one byte or character."""
        return self.unit not in ("byte", "character")

    def segments(self, documents: Iterable[Any]) -> tuple[list[Any], Array]:
        """Return the segments of all documents, and the number of the document that each is from.

        Segments are str, bytes, or lists of words.
        """
        documents = list(documents)
        if self == Reading() and all(isinstance(document, str) for document in documents):
            return documents, np.arange(len(documents), dtype=np.int32)
        segments: list[Any] = []
        sizes = []
        for number, document in enumerate(documents):
            before = len(segments)
            segments.extend(self.segments_of(document, number))
            sizes.append(len(segments) - before)
        return segments, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def segments_of(self, document: Any, number: int = 0) -> list[Any]:
        """Return the segments of one document."""
        text = self._text(document, number)
        if callable(self.unit):
            return [checks.checked_words(self.unit(text), number)]
        if self.unit == "word":
            return [WORDS.findall(text)]
        parts = [text]
        if self.boundary == "word":
            parts = [
                b" %b " % word if isinstance(text, bytes) else f" {word} " for word in text.split()
            ]
        if self.reverse_complement:
            parts = [strand for part in parts for strand in (part, other_strand(part))]
        return parts

    def placed_segments(self, document: Any) -> Iterator[tuple[int, Any, bool]]:
        """Give where each segment begins in a document, the segment, and whether it is of the other strand."""
        starts, n_strands = [0], 2 if self.reverse_complement else 1
        if self.boundary == "word" and not self.has_words:
            text = self._text(document, 0)
            words = re.finditer(rb"\S+" if isinstance(text, bytes) else r"\S+", text)
            starts = [word.start() - 1 for word in words]
        for number, segment in enumerate(self.segments_of(document)):
            yield starts[number // n_strands], segment, number % n_strands == 1

    def pattern(self, string: Any) -> Any:
        """Return what a string that the user names is a segment of symbols of: as it would be found in a document."""
        return tuple(self.segments_of(string)[0]) if self.has_words else self._text(string, 0)

    def _text(self, document: Any, number: int) -> Any:
        """Return a document as bytes, or as text, in the case that it is read in."""
        if self.unit == "byte":
            is_text = not isinstance(document, bytes)
            text = document.encode("utf-8", "surrogatepass") if is_text else document
        else:
            text = checks.decoded(document, number) if isinstance(document, bytes) else document
        return text.lower() if self.case == "lower" else text


def other_strand(sequence: Any) -> Any:
    """Return the reverse complement of a sequence of bases."""
    if isinstance(sequence, bytes):
        return other_strand(sequence.decode("latin-1")).encode("latin-1")
    return sequence.translate(COMPLEMENTS)[::-1]


@dataclass(frozen=True)
class Alphabet:
    """The symbols there are, in order; the number of a symbol is its position, from 1 on.

    Attributes
    ----------
    symbols : ndarray of code points, or list of words
        Ascending.
    kind : {"str", "bytes", "words"}
    """

    symbols: Any
    kind: str

    @classmethod
    def of(cls, segments: Sequence[Any], kind: str) -> Alphabet:
        """Return the symbols that occur in some segments."""
        if kind == "words":
            return cls(sorted({word for segment in segments for word in segment}), kind)
        return cls(np.flatnonzero(np.bincount(_codes(segments, kind))), kind)

    @property
    def dtype(self) -> Any:
        """The smallest type that has all numbers."""
        return np.min_scalar_type(len(self.symbols))

    def encode(self, segments: Sequence[Any]) -> tuple[Array, Array]:
        """Return the numbers of all symbols with a zero after each segment, and where segments begin, and the end.

        Symbols that are not in the alphabet are zero too.
        """
        lengths = np.fromiter(map(len, segments), dtype=np.int64, count=len(segments))
        starts = np.concatenate([[0], np.cumsum(lengths + 1)])
        text = np.zeros(starts[-1], dtype=self.dtype)
        is_symbol = np.ones(len(text), dtype=bool)
        is_symbol[starts[1:] - 1] = False
        text[is_symbol] = self._numbers(segments, int(lengths.sum()))
        return text, starts

    def _numbers(self, segments: Sequence[Any], count: int) -> Array:
        if self.kind == "words":
            number = {word: i for i, word in enumerate(self.symbols, start=1)}
            words = (number.get(word, 0) for segment in segments for word in segment)
            return np.fromiter(words, dtype=self.dtype, count=count)
        codes = _codes(segments, self.kind)
        table = np.zeros(
            max(int(codes.max(initial=0)), int(self.symbols.max(initial=0))) + 1, self.dtype
        )
        table[self.symbols] = np.arange(1, len(self.symbols) + 1)
        return table[codes]

    def decode(self, numbers: Array) -> Any:
        """Return the str, bytes or tuple of words that numbers stand for."""
        if self.kind == "words":
            return tuple(self.symbols[number - 1] for number in numbers)
        codes = self.symbols[numbers.astype(np.int64) - 1]
        return bytes(codes.tolist()) if self.kind == "bytes" else "".join(map(chr, codes))


def _codes(segments: Sequence[Any], kind: str) -> Array:
    """Return the code points of segments end to end."""
    if kind == "bytes":
        return np.frombuffer(b"".join(segments), dtype=np.uint8)
    joined = "".join(segments)
    if joined.isascii():
        return np.frombuffer(joined.encode("ascii"), dtype=np.uint8)
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
