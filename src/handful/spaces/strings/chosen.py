"""Strings that were chosen: what finds them in other documents, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from handful.kernels import matching
from handful.spaces.strings.symbols import Alphabet, Reading
from handful.validation.strings import damaged, not_among

Array = np.ndarray


class Occurrence(NamedTuple):
    """A chosen string in a document: the feature, the string, where it begins, and where it ends."""

    feature: int
    string: str
    start: int
    stop: int


@dataclass(frozen=True)
class ChosenStrings:
    """A few substrings of the training documents.

    Attributes
    ----------
    ids : ndarray of int64, ascending
        Their numbers among all features of the training documents.
    strings : list of str, bytes, or tuples of words
    shortest : list
        For each the shortest string that occurs in the same training documents.
    frequency : ndarray of int64
        In how many training documents each occurs.
    n_features : int
        How many features there were.
    n_documents : int
        How many training documents.
    kind : {"str", "bytes", "words"}
    """

    ids: Array
    strings: list[Any]
    shortest: list[Any]
    frequency: Array
    n_features: int
    n_documents: int
    kind: str

    def positions(self, ids: Array) -> Array:
        """Return where ids are among the chosen; ValueError for others."""
        ids = np.asarray(ids, dtype=np.int64)
        found = np.searchsorted(self.ids, ids).clip(max=len(self.ids) - 1)
        missing = self.ids[found] != ids
        if missing.any():
            raise not_among(int(ids[np.argmax(missing)]))
        return found

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols of the strings."""
        return Alphabet.of(self.strings, self.kind)

    @cached_property
    def lengths(self) -> Array:
        """How many symbols each string has."""
        return np.array([len(string) for string in self.strings], dtype=np.int64)

    @cached_property
    def automaton(self) -> tuple[Array, ...]:
        """What finds all strings in one pass."""
        text, _ = self.alphabet.encode(self.strings)
        starts = np.concatenate([[0], np.cumsum(self.lengths)])
        symbols = text[text > 0].astype(np.int64)
        return matching.build_automaton(symbols, starts, len(self.alphabet.symbols) + 1)

    def counts(self, segments: Sequence[Any], owners: Array, n_documents: int) -> sp.csc_array:
        """Return how often each string occurs in each document."""
        text, starts = self.alphabet.encode(segments)
        counted = matching.count_matches(
            self.automaton, text, starts, owners, n_documents, len(self.strings)
        )
        shape = (n_documents, len(self.strings))
        return sp.csc_array(sp.csr_array(counted, shape=shape))

    def matches(self, segment: Any) -> tuple[Array, Array]:
        """Return which strings occur in a segment, and at which symbol each begins."""
        text, _ = self.alphabet.encode([segment])
        return matching.find_matches(self.automaton, self.lengths, text)

    def occurrences(self, document: Any, reading: Reading) -> list[Occurrence]:
        """Return where the strings occur in a document that is read so, in the order in which they end."""
        found = []
        for start, segment, is_reversed in reading.placed_segments(document):
            numbers, places = self.matches(segment)
            for number, place in zip(numbers.tolist(), places.tolist(), strict=True):
                length = int(self.lengths[number])
                first = len(segment) - place - length if is_reversed else place
                name = shown(self.strings[number])
                begin = start + first
                found.append(Occurrence(int(self.ids[number]), name, begin, begin + length))
        # What reads the same on both strands is found on both, in one place.
        return sorted(dict.fromkeys(found), key=lambda one: (one.stop, one.start))

    def pack(self) -> dict[str, Array]:
        """Return plain arrays."""
        return {
            "ids": self.ids,
            "frequency": self.frequency,
            "totals": np.array([self.n_features, self.n_documents], dtype=np.int64),
            "kind": np.array([self.kind]),
            **_packed("strings", self.strings, self.kind),
            **_packed("shortest", self.shortest, self.kind),
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, Array]) -> ChosenStrings:
        """Return what was packed; ValueError or KeyError when the arrays do not fit together."""
        ids, frequency = arrays["ids"], arrays["frequency"]
        n_features, n_documents = arrays["totals"].tolist()
        (kind,) = arrays["kind"].tolist()
        if kind not in ("str", "bytes", "words"):
            raise damaged("are of no known kind")
        strings, shortest = (_unpacked(name, arrays, kind) for name in ("strings", "shortest"))
        fits = (
            ids.dtype == frequency.dtype == np.int64
            and ids.shape == frequency.shape == (len(strings),) == (len(shortest),)
            and type(n_features) is type(n_documents) is int
        )
        if not fits or not len(ids) or (np.diff(ids, prepend=-1) <= 0).any():
            raise damaged("do not belong to their ids")
        if ids[-1] >= n_features or frequency.min() < 1 or frequency.max() > n_documents:
            raise damaged("have numbers that cannot be")
        if not all(strings) or len(set(strings)) < len(strings):
            raise damaged("are empty or the same")
        return cls(ids, strings, shortest, frequency, n_features, n_documents, kind)


def _packed(name: str, strings: Sequence[Any], kind: str) -> dict[str, Array]:
    """Text is kept as it is, bytes as text with a character for each, words one by one."""
    sizes = np.array([len(string) for string in strings], dtype=np.int64)
    texts: list[str] = list(strings)
    if kind == "bytes":
        texts = [string.decode("latin-1") for string in strings]
    if kind == "words":
        texts = [word for string in strings for word in string]
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return {name: array, f"{name}_sizes": sizes}


def _unpacked(name: str, arrays: Mapping[str, Array], kind: str) -> list[Any]:
    texts, sizes = arrays[name], arrays[f"{name}_sizes"]
    if sizes.dtype != np.int64 or sizes.ndim != 1 or sizes.min(initial=1) < 1:
        raise damaged("have lengths that cannot be")
    if texts.ndim != 1 or not all(isinstance(text, str) for text in texts):
        raise damaged("are not text")
    if kind == "words":
        if sizes.sum() != len(texts):
            raise damaged("have lengths that do not add up")
        return [tuple(part) for part in np.split(texts, np.cumsum(sizes)[:-1])]
    if [len(text) for text in texts] != sizes.tolist():
        raise damaged("have lengths that do not add up")
    return [text.encode("latin-1") if kind == "bytes" else text for text in texts]


def shown(string: Any) -> str:
    """Return a string as a name: words with blanks between, bytes that are no text as escapes."""
    if isinstance(string, tuple):
        return " ".join(string)
    return string.decode("utf-8", "backslashreplace") if isinstance(string, bytes) else str(string)
