"""What wrong bags get: one sentence that names what is wrong."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from handful import Bags, MILESClassifier
from handful.datasets import make_bags
from handful.spaces.bags import as_bags

DATA = make_bags(n_bags=20, mean_size=3, n_features=2, random_state=0)
ONE = np.zeros((2, 3))


def fit(X=DATA.bags, y=DATA.y, k=2, **options):
    return MILESClassifier(k, **options).fit(X, y)


def with_nan(make=np.asarray):
    bags = [np.array(bag) for bag in DATA.bags]
    bags[3][-1, 0] = np.nan
    return [make(bag) for bag in bags]


WRONG_BAGS = {
    "an empty bag": (lambda: as_bags([ONE, np.zeros((0, 3))]), "bag 1 is empty"),
    "an empty list": (lambda: as_bags([ONE, []]), "bag 1 is empty"),
    "an empty sparse bag": (lambda: as_bags([ONE, sp.csr_array((0, 3))]), "bag 1 is empty"),
    "an empty cell": (
        lambda: as_bags(pl.DataFrame({"who": ["a", "b"], "f": [[1.0], []]}), bag_column="who"),
        "bag 'b' is empty",
    ),
    "an empty cube": (lambda: as_bags(np.zeros((2, 0, 3))), "bag 0 is empty"),
    "no bags": (lambda: as_bags([]), "there are no bags"),
    "different widths": (
        lambda: as_bags([ONE, ONE, np.zeros((1, 4))]),
        "bag 2 has instances of 4 columns, but bag 0 has 3",
    ),
    "different widths in a table": (
        lambda: as_bags(pl.DataFrame({"bag": [[[1.0, 2.0]], [[1.0, 2.0], [3.0]]]})),
        "bag 1 has instances of 1 columns, but bag 0 has 2",
    ),
    "lists of different lengths": (
        lambda: as_bags(pl.DataFrame({"f": [[1.0], [2.0, 3.0]], "g": [[1.0], [2.0]]})),
        "bag 1 has 1 values in column 'g', but 2 in 'f'",
    ),
    "too few ids": (
        lambda: Bags(ONE, [1]),
        "bag_ids must hold one id for each of the 2 instances; got 1",
    ),
    "ids of two dimensions": (lambda: Bags(ONE, ONE), r"got shape \(2, 3\)"),
    "a missing id": (lambda: Bags(ONE, ["a", None]), "bag_ids has no id for instance 1"),
    "a missing number": (lambda: Bags(ONE, [np.nan, 1]), "bag_ids has no id for instance 0"),
    "a vector": (lambda: as_bags([ONE, np.zeros(3)]), r"bag 1 is of 1 dimension\(s\)"),
    "a ragged bag": (lambda: as_bags([[[1.0, 2.0], [3.0]]]), "bag 0 is ragged"),
    "four dimensions": (lambda: as_bags(np.zeros((2, 2, 2, 2))), "expected a 2-D array"),
    "text": (
        lambda: as_bags([np.array([["a", "b"]])]),
        "instances must be numbers; got 'a' in row 0, column 0",
    ),
    "no columns": (lambda: as_bags([np.zeros((2, 0))]), "bag 0 is empty"),
    "NaN": (
        lambda: as_bags(with_nan()),
        r"row \d of bag 3 holds NaN or an infinite number in column 0",
    ),
    "NaN in sparse": (lambda: as_bags(with_nan(sp.csr_array)), "of bag 3 holds NaN"),
    "infinity": (
        lambda: Bags([[0.0], [np.inf]], ["x", "y"]),
        "row 0 of bag 'y' holds NaN or an inf",
    ),
    "no such column": (
        lambda: as_bags(pd.DataFrame({"f": [1.0]}), bag_column="bag"),
        "there is no bag column 'bag'; the columns begin with 'f'",
    ),
    "a column of no frame": (
        lambda: as_bags([ONE], bag_column="b"),
        "is for data frames; got list",
    ),
    "a bag twice": (
        lambda: as_bags(pl.DataFrame({"who": ["a", "a"], "f": [[1.0], [2.0]]}), bag_column="who"),
        "bag 'a' comes more than once",
    ),
    "too many names": (
        lambda: Bags(ONE, [0, 1], feature_names=["a"]),
        "feature_names has 1 names for the 3 columns",
    ),
    "labels that disagree": (
        lambda: Bags(np.zeros((3, 1)), ["a", "b", "a"]).per_bag([1, 1, 2]),
        "must be the same for all instances of a bag; row 1 of bag 'a' has another value",
    ),
    "labels of bags for instances": (
        lambda: Bags(np.zeros((3, 1)), ["a", "b", "a"]).per_bag([1, 1]),
        "y must hold one value for each of the 3 instances",
    ),
}
WRONG_FITS = {
    "labels of instances": (
        lambda: fit(y=np.repeat(DATA.y, DATA.bags.sizes)),
        rf"y has a label for each of the {DATA.bags.n_instances} instances, but labels belong to "
        "the 20 bags",
    ),
    "too few labels": (
        lambda: fit(y=DATA.y[:5]),
        "y must hold one label for each of the 20 bags; got 5",
    ),
    "one class": (lambda: fit(y=np.ones(20)), r"y has one class only \(1.0\)"),
    "one bag": (lambda: fit(DATA.bags[:1], [1]), "there is 1 bag, and at least 2 are needed"),
    "gamma of zero": (lambda: fit(gamma=0), "gamma must be a number above 0 or 'scale'; got 0"),
    "negative gamma": (lambda: fit(gamma=-1.0), "gamma must be a number above 0"),
    "gamma of a word": (lambda: fit(gamma="auto"), "or 'scale'; got 'auto'"),
    "scale": (lambda: fit(scale=1), "scale must be one of None, 'raw', 'norm', 'std'"),
    "scale, lengths": (lambda: fit(scale="norm"), "scale='norm' is not for bags: .*choose 'std'"),
    "no candidates": (lambda: fit(n_candidates=0), "n_candidates must be a whole number"),
    "a seed": (lambda: fit(random_state=-1), "random_state must be a whole number"),
    "a word as seed": (lambda: fit(random_state="x"), "random_state must be a whole number"),
    "a draw that is not made again": (
        lambda: fit(n_candidates=5, checkpoint="fit.npz"),
        "give a number as random_state beside n_candidates",
    ),
    "more than instances": (
        lambda: fit(k=999),
        f"n_features_to_select=999 is more than the {DATA.bags.n_instances} different instances",
    ),
    "more than candidates": (
        lambda: fit(k=9, n_candidates=5),
        "n_features_to_select=9 is more than the 5 different instances to choose from",
    ),
    "NaN": (lambda: fit(with_nan()), "of bag 3 holds NaN"),
    "an unknown row": (lambda: fit(include=[10_000]), "include has the feature id 10000"),
    "other columns": (
        lambda: fit().predict([np.zeros((2, 5))]),
        "X has 5 features, but MILESClassifier is expecting 2 features",
    ),
    "NaN in new bags": (lambda: fit().predict(with_nan()), "of bag 3 holds NaN"),
    "an empty new bag": (lambda: fit().predict([np.zeros((0, 2))]), "bag 0 is empty"),
}


@pytest.mark.parametrize("case", [*WRONG_BAGS])
def test_wrong_bags(case):
    make, sentence = WRONG_BAGS[case]
    with pytest.raises(ValueError, match=sentence) as caught:
        make()
    assert_is_a_sentence(str(caught.value))


@pytest.mark.parametrize("case", [*WRONG_FITS])
def test_wrong_fits(case):
    call, sentence = WRONG_FITS[case]
    with pytest.raises(ValueError, match=sentence) as caught:
        call()
    assert_is_a_sentence(str(caught.value))


def assert_is_a_sentence(text):
    assert text.endswith(".")
    assert "\n" not in text
    assert ". " not in text


def test_a_constant_similarity_says_nothing():
    with pytest.raises(ValueError, match="No feature carries any signal"):
        fit([ONE] * 6, [0, 1] * 3, k=1)
