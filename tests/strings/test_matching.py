"""Many strings found in one pass, against searching for each."""

import numpy as np
import pytest

from handful.spaces.strings.chosen import ChosenStrings
from handful.spaces.strings.symbols import Reading


def chosen(strings, kind="str"):
    n = len(strings)
    return ChosenStrings(np.arange(n), list(strings), list(strings), np.ones(n, int), n, 1, kind)


def count(text, string):
    return sum(text[i : i + len(string)] == string for i in range(len(text) - len(string) + 1))


@pytest.mark.parametrize("n_letters", [1, 2, 4])
def test_counts_equal_those_of_each_string_alone(n_letters):
    rng = np.random.default_rng(n_letters)

    def draw(least, most):
        return "".join(chr(97 + c) for c in rng.integers(0, n_letters, rng.integers(least, most)))

    for _ in range(100):
        strings = sorted({draw(1, 5) for _ in range(8)})
        texts = [draw(0, 20) + rng.choice(["", "é"]) + draw(0, 5) for _ in range(6)]
        segments, owners = Reading().segments(texts)
        counts = chosen(strings).counts(segments, owners, len(texts)).toarray()
        assert counts.tolist() == [[count(text, string) for string in strings] for text in texts]
        for text in texts:
            found = zip(*(part.tolist() for part in chosen(strings).matches(text)), strict=True)
            places = [
                (j, i)
                for j, string in enumerate(strings)
                for i in range(len(text))
                if text.startswith(string, i)
            ]
            assert sorted(found) == places


def test_words_and_bytes():
    words = chosen([("a", "b"), ("b",), ("b", "a", "b")], "words")
    assert words.counts(
        [["a", "b", "x", "b", "a", "b"]], np.zeros(1, np.int32), 1
    ).toarray().tolist() == [[2, 3, 1]]
    some = chosen([b"\x00", b"\xff\x00"], "bytes")
    owners = np.array([0, 2], dtype=np.int32)
    assert some.counts([b"\xff\x00\x00", b"\xff"], owners, 3).toarray().tolist() == [
        [2, 1],
        [0, 0],
        [0, 0],
    ]


def test_strings_of_thousands_of_symbols():
    """The automaton is as large as its strings, whatever the alphabet."""
    long = "".join(chr(200 + i % 3000) for i in range(20_000))
    some = chosen([long, long[5:9], "x"])
    segments, owners = Reading().segments([long + "x", long[1:], ""])
    expected = [
        [count(text, string) for string in some.strings] for text in (long + "x", long[1:], "")
    ]
    assert some.counts(segments, owners, 3).toarray().tolist() == expected
