"""The space of all substrings: what it is on documents, against all substrings written down."""

import pickle

import numpy as np
import pytest
from all_substrings import WEIGHTS, features, parts_of, random_documents

from handful.spaces import Documents, Substrings

TEXTS = ["banana split", "ananas", "Bandana!", "mango banana", "", "a man"]


def draw(rng, reading):
    """Random documents in which words, strands or cases matter."""
    if reading.get("reverse_complement"):
        return ["".join(rng.choice(list("ACGT"), rng.integers(0, 9))) for _ in range(5)]
    if reading:
        letters = [*"aAb  _", "é", "\n"]
        return ["".join(rng.choice(letters, rng.integers(0, 12))) for _ in range(5)]
    return random_documents(rng, 3)


READINGS = [
    {},
    {"unit": "byte"},
    {"unit": "word"},
    {"unit": "word", "case": "lower"},
    {"case": "lower"},
    {"boundary": "word"},
    {"boundary": "word", "unit": "byte"},
    {"reverse_complement": True},
]


@pytest.mark.parametrize("reading", READINGS, ids=str)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_top_equals_brute_force(reading, weight):
    rng = np.random.default_rng(len(str(reading)))
    for case in range(40):
        documents = draw(rng, reading)
        rarity = [0.0, 0.5, 1.0][case % 3]
        expected = features(documents, weight, **reading)
        if not expected:
            continue
        space = Substrings(weight=weight, rarity=rarity, **reading).on(documents)
        columns = np.array([one.column for one in expected]).T
        columns = columns / np.linalg.norm(columns, axis=0) ** rarity
        ids = np.arange(len(expected))
        assert space.n_features == len(expected)
        np.testing.assert_allclose(space.columns(ids).toarray(), columns, atol=1e-12)
        a = rng.standard_normal((len(documents), int(rng.integers(1, 4))))
        exclude = ids[rng.random(len(ids)) < 0.2]
        scores = ((columns.T @ a) ** 2).sum(axis=1)
        scores[exclude] = 0.0
        best, found = space.top(a, 5, exclude=exclude)
        order = np.lexsort((ids, -np.round(scores, 9)))[:5]
        order = order[scores[order] > 1e-12]
        np.testing.assert_allclose(found[: len(order)], scores[order], atol=1e-10)
        assert not np.isin(best, exclude).any()
        assert best.dtype == np.int64


def test_ties_go_to_the_first_string():
    documents = ["abx", "cdx", "ab", "cd"]
    space = Substrings(rarity=0.0).on(documents)
    ids, scores = space.top(np.array([1.0, 1.0, 1.0, 1.0]), 3)
    assert space.names(ids) == ["ab", "cd", "x"]
    assert scores.tolist() == [4.0, 4.0, 4.0]


def test_names_of_words_and_bytes():
    words = Substrings(unit="word").on(["to be or not to be", "let it be or not"])
    assert words.names(np.arange(words.n_features)) == ["be or not"]
    spaced = Substrings(unit="byte").on(["\x00é", "é!"])
    assert spaced.names(np.arange(1)) == ["é"]
    half = Substrings(unit="byte").on([b"\xc3z", b"\xc3y"])
    assert half.names(np.arange(1)) == ["\\xc3"]


def test_a_unit_of_ones_own():
    space = Substrings(unit=lambda line: line.split("/")).on(["usr/lib/x", "home/usr/lib", "lib"])
    assert space.names(np.arange(space.n_features)) == ["lib", "usr lib"]


@pytest.mark.parametrize("reading", READINGS, ids=str)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_columns_of_new_documents(reading, weight):
    """What was remembered finds the strings in other documents, and in the same as before."""
    rng = np.random.default_rng(7)
    documents = draw(rng, reading) + draw(rng, reading) + draw(rng, reading)
    others = draw(rng, reading) + draw(rng, reading)
    space = Substrings(weight=weight, rarity=0.5, **reading)
    bound = space.on(documents)
    ids = np.arange(0, bound.n_features, 2)
    kept = space.remembering(bound, ids)
    again = kept.on(documents).columns(ids).toarray()
    np.testing.assert_allclose(again * bound.column_scale(ids), bound.columns(ids).toarray())
    expected = np.zeros((len(others), len(ids)))
    strings = kept.chosen.strings
    for i, document in enumerate(others):
        for part in parts_of(document, **reading):
            for j, string in enumerate(strings):
                expected[i, j] += sum(
                    part[at : at + len(string)] == string for at in range(len(part))
                )
    nonzero = expected > 0
    expected[nonzero] = [WEIGHTS[weight](c) for c in expected[nonzero]]
    np.testing.assert_allclose(kept.on(others).columns(ids).toarray(), expected)
    assert kept.sized(1).names(ids) == bound.names(ids)
    assert kept.on(others).columns(ids[::-1]).shape == (len(others), len(ids))


def test_a_string_and_its_other_strand_are_one_feature():
    space = Substrings(reverse_complement=True, min_length=4).on(["AACGG", "CCGTTA", "TTTTT"])
    ids, _ = space.top(np.array([1.0, 1.0, 0.0]), 1)
    assert space.names(ids) == ["AACGG"]
    assert (space.columns(ids).toarray().ravel() > 0).tolist() == [True, True, False]


def test_what_a_feature_knows():
    space = Substrings()
    bound = space.on(TEXTS)
    ids = np.array(bound.find("anan", None))
    kept = space.remembering(bound, ids).chosen
    assert kept.strings == ["anan"]  # called as it was asked for
    assert bound.index.string(int(ids[0])) == "anana"
    assert kept.shortest == ["nan"]
    assert kept.frequency.tolist() == [3]


def test_limits_as_shares():
    counted = Substrings(min_df=3, max_df=4).on(TEXTS)
    shares = Substrings(min_df=0.5, max_df=0.7).on(TEXTS)
    ids = np.arange(counted.n_features)
    assert counted.names(ids) == shares.names(ids)
    assert set(counted.index.frequency) == {3, 4}


def test_the_index_is_made_once():
    news = []
    documents = Documents(TEXTS)
    for rarity in (0.0, 0.5):
        space = Substrings(rarity=rarity)
        space.tell = news.append
        space.on(documents)
    assert len([line for line in news if line.startswith("sorting")]) == 1
    other = Substrings(min_df=3)
    other.tell = news.append
    other.on(documents)
    assert len([line for line in news if line.startswith("sorting")]) == 2


def test_rows_of_documents():
    documents = Documents(TEXTS)
    assert documents[np.array([2, 0])].texts == [TEXTS[2], TEXTS[0]]
    assert documents[1:3].texts == TEXTS[1:3]
    assert documents[np.ones(len(TEXTS), dtype=bool)] is documents
    assert len(pickle.loads(pickle.dumps(documents))) == len(TEXTS)
    some = documents[np.array([2, 0, 0])][1:]
    assert some.whole is documents
    assert some.rows.tolist() == [0, 0]
    with pytest.raises(ValueError, match="row 1 is 3, a int"):
        Documents(["a", 3])


def test_ids_do_not_depend_on_the_order_of_documents():
    a, b = Substrings().on(TEXTS), Substrings().on(TEXTS[::-1])
    ids = np.arange(a.n_features)
    assert a.names(ids) == b.names(ids)


def test_occurrences_are_places_in_the_document():
    space = Substrings()
    bound = space.on(TEXTS)
    kept = space.remembering(bound, np.sort([bound.find(one, None)[0] for one in ("an", "man")]))
    text = "a man, a plan"
    found = kept.occurrences(text)
    assert [one.string for one in found] == ["man", "an", "an"]
    assert all(text[one.start : one.stop] == one.string for one in found)
    wordy = Substrings(boundary="word", case="lower")
    bound = wordy.on(["The cat", "the dog", "a cat"])
    kept = wordy.remembering(bound, np.array(bound.find("cat ", None)))
    ((_, _, start, stop),) = kept.occurrences("  Cat, \n CAT\tx ")
    assert "  Cat, \n CAT\tx "[start:stop] == "CAT\t"
    strand = Substrings(reverse_complement=True)
    bound = strand.on(["AACG", "CGTT"])
    kept = strand.remembering(bound, np.array(bound.find("AACG", None)))
    assert [(one.start, one.stop) for one in kept.occurrences("TCGTTA")] == [(1, 5)]
    bound = strand.on(["ACGCGA", "GCGCGG"])
    kept = strand.remembering(bound, np.array(bound.find("CGCG", None)))  # the same on both strands
    assert [(one.start, one.stop) for one in kept.occurrences("TTCGCGTT")] == [(2, 6)]


def test_strings_that_are_no_features():
    bound = Substrings().on(TEXTS)
    with pytest.raises(ValueError, match=r"'mango' occurs in 1 of the 6 strings and is outside"):
        bound.find("mango", None)
    with pytest.raises(ValueError, match=r"'zebra' occurs in 0 of the 6 strings"):
        bound.find("zebra", None)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"unit": "letter"}, "unit must be one of 'byte', 'character', 'word'"),
        ({"weight": "tf"}, "weight must be one of"),
        ({"rarity": 2.0}, "rarity must be a number from 0 to 1 or 'idf'; got 2.0"),
        ({"min_df": 0}, "min_df must be a whole number"),
        ({"max_df": 1.5}, "max_df must be a number above 0 and at most 1"),
        ({"min_length": 3, "max_length": 2}, "max_length must be a whole number of at least 3"),
        ({"unit": "word", "boundary": "word"}, "words have no parts"),
        ({"unit": "word", "reverse_complement": True}, "give sequences of bases"),
        ({"case": "upper"}, "case must be one of 'keep', 'lower'"),
        ({"unit": lambda text: [1]}, "unit gave 1 for the string in row 0"),
        ({"min_df": 6}, r"no substring of the 6 strings is within the limits min_df=6"),
    ],
)
def test_parameters_without_a_meaning(parameters, message):
    with pytest.raises(ValueError, match=message):
        Substrings(**parameters).on(TEXTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": np.array(["words"])}, "lengths that do not add up"),
        ({"kind": np.array(["letters"])}, "of no known kind"),
        ({"ids": np.array([5, 3])}, "do not belong to their ids"),
        ({"ids": np.array([0, 10**6])}, "numbers that cannot be"),
        ({"ids": np.array([0])}, "do not belong to their ids"),
        ({"frequency": np.array([0, 1])}, "numbers that cannot be"),
        (
            {"strings": np.array(["a", "a"], dtype=object), "strings_sizes": np.array([1, 1])},
            "or the same",
        ),
        ({"strings_sizes": np.array([0, 1])}, "lengths that cannot be"),
        ({"strings": np.array([1, 2])}, "are not text"),
    ],
)
def test_arrays_of_strangers_are_refused(change, message):
    space = Substrings()
    bound = space.on(TEXTS)
    state = space.remembering(bound, np.array([0, 1])).state()
    assert space.restore(state).chosen.strings == bound.names(np.array([0, 1]))
    with pytest.raises(ValueError, match=message):
        space.restore(state | change)
    with pytest.raises(KeyError):
        space.restore({"ids": state["ids"]})
    with pytest.raises(ValueError, match="of another unit"):
        Substrings(unit="byte").restore(state)
