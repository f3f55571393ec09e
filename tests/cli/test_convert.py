"""``handful convert``: a store that the other commands read as they read the file."""

import json

import numpy as np
import pytest
from genes import FAST

from handful import open_store


@pytest.fixture
def store(run, csv_file, tmp_path):
    result = run("convert", csv_file, tmp_path / "genes.store", "--target", "outcome")
    assert result.code == 0, result.err
    return tmp_path / "genes.store"


def selected(result):
    assert result.code == 0, result.err
    answer = json.loads(result.out)
    return [feature["name"] for feature in answer["features"]]


@pytest.mark.parametrize(
    "options",
    [
        [*FAST],
        [*FAST, "--pairs"],
        ["--loss", "f1"],
        [*FAST, "--scale", "norm"],
        ["--method", "greedy-rls"],
    ],
    ids=str,
)
def test_select_reads_a_store_like_the_file(run, csv_file, store, options):
    of_store = run("select", store, "-k", 3, *options, "--json")
    of_file = run("select", csv_file, "--target", "outcome", "-k", 3, *options, "--json")
    assert selected(of_store) == selected(of_file)


def test_predict_takes_either(run, csv_file, store, tmp_path):
    model = tmp_path / "model.handful"
    assert run("select", store, *FAST, "-k", 3, "-o", model).code == 0
    of_file, of_store = (run("predict", model, data) for data in (csv_file, store))
    assert of_file.code == of_store.code == 0
    assert of_file.out == of_store.out
    assert of_file.err == of_store.err
    assert "accuracy" in of_store.err


def test_path_picks_rows_of_a_store(run, csv_file, store):
    tables = [
        json.loads(run("path", *data, *FAST, "-k", "1,3", "--cv", 3, "--json").out)
        for data in ([store], [csv_file, "--target", "outcome"])
    ]
    for table in tables:
        table.pop("seconds", None)
    assert tables[0]["best_k"] == tables[1]["best_k"]


def test_what_it_says(run, csv_file, store, tmp_path):
    options = ["--drop", "outcome", "--dtype", "float32", "--sparse", "--json"]
    result = run("convert", csv_file, tmp_path / "b", *options)
    answer = json.loads(result.out)
    assert answer["dtype"] == "float32"
    assert answer["storage"] == "sparse"
    assert not answer["has_target"]
    checked = run("convert", "--check", store)
    assert checked.code == 0
    assert "all checksums fit" in checked.err


def test_a_check_finds_what_was_altered(refused, store):
    path = store / "dense.npy"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    assert "dense.npy was altered" in refused("convert", "--check", store)
    assert "dense.npy was altered" in refused("select", store, "-k", 3)


def test_bad_options_are_one_line(refused, csv_file, store, tmp_path):
    place = tmp_path / "new.store"
    assert "STORE" in refused("convert", csv_file)
    assert "is there already" in refused("convert", csv_file, store)
    assert "500M" in refused("convert", csv_file, place, "--memory", "much")
    assert "float64" in refused("convert", csv_file, place, "--dtype", "int8")
    assert "outcme" in refused("convert", csv_file, place, "--target", "outcme")
    assert "text" in refused("convert", csv_file, place)  # the target among the features
    assert "does not exist" in refused("convert", tmp_path / "no.csv", place)
    assert "does not exist" in refused("convert", csv_file, tmp_path / "no" / "store")
    assert "is not a store" in refused("convert", "--check", tmp_path)
    assert "no target 'age'" in refused("select", store, "--target", "age", "-k", 3)
    assert "--exclude" in refused("select", store, "--drop", "age", "-k", 3)
    assert "is not in memory" in refused("select", store, "-k", 3, "--method", "direct")
    assert "X is not there" in refused("select", store, "-k", 3, "--space", "gaussian")


def test_a_store_without_a_target(run, refused, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((20, 4)))
    assert run("convert", tmp_path / "a.npz", tmp_path / "a.store").code == 0
    assert open_store(tmp_path / "a.store").y is None
    assert "holds no target" in refused("select", tmp_path / "a.store", "-k", 2)
