"""Bags from files give the models that the same bags in memory give."""

import numpy as np
import polars as pl
import pytest

from handful import DictionaryMILClassifier, MILESClassifier
from handful.datasets import make_bags
from handful.io import read_bags

DATA = make_bags(n_bags=40, mean_size=4, n_features=3, n_test_bags=0, random_state=1)
IDS = np.repeat(np.arange(40), DATA.bags.sizes)
MODELS = [
    MILESClassifier(4, C="fast"),
    DictionaryMILClassifier(4, loss="squared_hinge", max_iter=3, random_state=0),
]


def write(path):
    """A row for each instance, the bags mixed; text has all digits."""
    order = np.argsort(IDS % 3, kind="stable")
    instances, ids = DATA.bags.instances[order], IDS[order]
    labels = np.repeat(DATA.y, DATA.bags.sizes)[order]
    if path.suffix == ".npz":
        np.savez(path, X=instances, bag=ids, kind=labels)
        return
    frame = pl.DataFrame(instances, schema=["a", "b", "c"]).with_columns(
        bag=pl.Series(ids), kind=pl.Series(labels)
    )
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")


@pytest.mark.parametrize("model", MODELS, ids=["miles", "dictionary"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "npz"])
def test_a_file_gives_the_same_model(model, kind, tmp_path):
    path = tmp_path / f"bags.{kind}"
    write(path)
    read = read_bags(path, "bag", "kind")
    np.testing.assert_array_equal(read.y, DATA.y)
    one = model.fit(DATA.bags, DATA.y).decision_function(DATA.bags)
    other = model.fit(read.bags, read.y).decision_function(read.bags)
    np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-7)
