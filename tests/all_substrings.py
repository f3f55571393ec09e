"""Every substring written down, with its column: slow and plain, for tests to compare with."""

from dataclasses import dataclass

import numpy as np

WEIGHTS = {"presence": lambda c: 1.0, "count": float, "log": np.log1p}
OTHER_STRAND = {"A": "T", "C": "G", "G": "C", "T": "A"}


@dataclass
class Feature:
    """Substrings with one column: the first of the longest, how short the shortest is, and all of them."""

    name: object
    shortest: int
    members: set
    column: np.ndarray
    frequency: int


def parts_of(document, unit="character", boundary=None, case="keep", reverse_complement=False):
    """What of a document substrings are looked for in."""
    text = document.lower() if case == "lower" else document
    if unit == "byte":
        text = text.encode()
    if unit == "word":
        words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
        return [tuple(words)]
    parts = [text]
    if boundary == "word":
        parts = [
            text[:0] + (b" " + w + b" " if unit == "byte" else " " + w + " ") for w in text.split()
        ]
    if reverse_complement:
        parts += ["".join(OTHER_STRAND.get(c, c) for c in reversed(part)) for part in parts]
    return parts


def features(
    documents, weight="presence", min_df=2, max_df=None, min_length=1, max_length=10**9, **reading
):
    """All features in their order."""
    counts = {}
    for number, document in enumerate(documents):
        for part in parts_of(document, **reading):
            for i in range(len(part)):
                for j in range(i + 1, len(part) + 1):
                    row = counts.setdefault(part[i:j], np.zeros(len(documents)))
                    row[number] += 1
    classes = {}
    for string, row in counts.items():
        frequency = np.count_nonzero(row)
        if not min_df <= frequency <= (max_df or len(documents)):
            continue
        if min_length <= len(string) <= max_length:
            column = np.array([WEIGHTS[weight](c) if c else 0.0 for c in row])
            classes.setdefault(tuple(column), []).append(string)
    found = [
        Feature(
            min(strings, key=lambda s: (-len(s), s)),
            min(map(len, strings)),
            set(strings),
            np.array(column),
            np.count_nonzero(column),
        )
        for column, strings in classes.items()
    ]
    return sorted(found, key=lambda feature: feature.name)


def random_documents(rng, n_letters, most=7, longest=9):
    """Few short strings; some empty, some equal, some of one letter."""
    documents = [
        "".join(chr(97 + c) for c in rng.integers(0, n_letters, rng.integers(0, longest)))
        for _ in range(rng.integers(1, most))
    ]
    if rng.random() < 0.3:
        documents[0] = documents[-1]
    if rng.random() < 0.2:
        documents[-1] = "a" * int(rng.integers(0, longest))
    return documents
