"""The index of all substrings against all substrings written down."""

import numpy as np
import pytest
from all_substrings import features, random_documents

from handful.spaces.strings.building import build_index, sorted_suffixes
from handful.spaces.strings.index import Limits
from handful.spaces.strings.symbols import Alphabet, Reading

SORTS = {
    "int32": lambda text: sorted_suffixes(text).astype(np.int32),
    "int64": lambda text: sorted_suffixes(text).astype(np.int64),
}
every_weight = pytest.mark.parametrize("weight", ["presence", "count", "log"])


def index_of(documents, weight="presence", sort="int32", **limits):
    wanted = {"min_df": 2, "max_df": len(documents), "min_length": 1, "max_length": 10**9, **limits}
    segments, owners = Reading().segments(documents)
    alphabet = Alphabet.of(segments, "str")
    return build_index(
        segments, owners, len(documents), alphabet, Limits(**wanted), weight, sort=SORTS[sort]
    )


def check_case(rng, weight, sort):
    """One random case: strings, columns, frequencies, sums of squares and scores."""
    n_letters = int(rng.choice([1, 2, 3, 5, 20]))
    documents = random_documents(rng, n_letters)
    limits = {
        "min_df": int(rng.integers(1, 4)),
        "max_df": int(rng.choice([len(documents), max(1, len(documents) - 1)])),
        "min_length": int(rng.integers(1, 3)),
        "max_length": int(rng.choice([10**9, 3, 2])),
    }
    expected = features(documents, weight, **limits)
    if not expected:
        with pytest.raises(ValueError, match=r"no substring|all strings of X are empty"):
            index_of(documents, weight, sort, **limits)
        return
    index = index_of(documents, weight, sort, **limits)
    where = f"{documents} {weight} {limits}"
    assert [index.string(j) for j in range(len(index))] == [one.name for one in expected], where
    assert index.frequency.tolist() == [one.frequency for one in expected], where
    assert index.short_length.tolist() == [one.shortest for one in expected], where
    data, indices, indptr = index.columns(np.arange(len(index)))
    columns = np.zeros((len(documents), len(index)))
    for j, one in enumerate(expected):
        part = slice(indptr[j], indptr[j + 1])
        assert (np.diff(indices[part]) > 0).all(), where
        columns[indices[part], j] = data[part]
        assert index.shortest(j) in one.members, where
    np.testing.assert_allclose(
        columns.T, [one.column for one in expected], atol=1e-12, err_msg=where
    )
    np.testing.assert_allclose(index.squares, (columns**2).sum(axis=0), err_msg=where)
    for n_outputs in (1, 3):
        a = rng.standard_normal((len(documents), n_outputs))
        scores = ((columns.T @ a) ** 2).sum(axis=1)
        np.testing.assert_allclose(index.scores(a), scores, atol=1e-12, err_msg=where)


@every_weight
@pytest.mark.parametrize("sort", SORTS)
def test_everything_equals_brute_force(weight, sort):
    rng = np.random.default_rng([len(weight), len(sort), sort == "int64"])
    for _ in range(400):
        check_case(rng, weight, sort)


@pytest.mark.exhaustive
@every_weight
@pytest.mark.parametrize("seed", range(5))
def test_everything_equals_brute_force_more_often(weight, seed):
    rng = np.random.default_rng([seed, len(weight)])
    for _ in range(2000):
        check_case(rng, weight, "int32")


def test_documents_never_run_into_each_other():
    index = index_of(["ab", "cab", "abc"], min_df=1)
    strings = {index.string(j) for j in range(len(index))}
    assert strings == {"ab", "abc", "cab", "c"}


def test_one_long_repetition():
    """Suffixes of one letter share almost all they have: nothing may take the square of that."""
    documents = ["a" * 20_000, "a" * 30_000]
    index = index_of(documents)
    assert len(index) == 1
    assert index.length.tolist() == [20_000]
    counted = index_of(documents, "count", min_df=2, max_length=3)
    data, _, _ = counted.columns(np.arange(3))
    assert data.reshape(3, 2).tolist() == [[20_000, 30_000], [19_999, 29_999], [19_998, 29_998]]


def test_more_symbols_than_a_byte_has():
    """Words and rare characters are written with several bytes each before they are sorted."""
    rng = np.random.default_rng(0)
    for n_symbols in (200, 300, 70_000):
        text = rng.integers(1, n_symbols, 3000).astype(np.uint32)
        text[::7] = text[0]
        text[-1] = n_symbols
        suffixes = sorted_suffixes(text)
        by_hand = sorted(range(len(text)), key=lambda i: text[i:].tolist())
        assert suffixes.tolist() == by_hand


def test_the_index_says_how_far_it_is():
    news = []
    segments, owners = Reading().segments(["abc", "bcd"])
    limits = Limits(2, 2, 1, 10)
    build_index(segments, owners, 2, Alphabet.of(segments, "str"), limits, "count", news.append)
    assert news[0] == "sorting the suffixes of 6 symbols"
    assert news[-1] == "1 features, 2 entries"
