"""``--bags``: labels on bags of rows, from select to predict."""

import csv
import io
import json
import re

import numpy as np
import polars as pl
import pytest
from genes import FAST

from handful import DictionaryMILClassifier, MILESClassifier
from handful.datasets import make_bags
from handful.io import load_model, read_bags

DATA = make_bags(n_bags=40, mean_size=4, n_features=4, random_state=0)
NAMES = [f"m{b:02}" for b in range(40)]
LABELS = np.where(DATA.y > 0, "musk", "other")


def rows_frame():
    """A row for each instance, in an order that mixes the bags."""
    sizes = DATA.bags.sizes
    frame = pl.DataFrame(DATA.bags.instances, schema=["a", "b", "c", "d"], orient="row")
    frame = frame.with_columns(
        molecule=pl.Series(np.repeat(NAMES, sizes)), kind=pl.Series(np.repeat(LABELS, sizes))
    )
    return frame.sort(pl.col("molecule").str.slice(2), maintain_order=True)


@pytest.fixture(params=["csv", "tsv", "parquet"])
def table(request, tmp_path):
    path = tmp_path / f"musk.{request.param}"
    if request.param == "parquet":
        rows_frame().write_parquet(path)
    else:
        rows_frame().write_csv(path, separator="\t" if request.param == "tsv" else ",")
    return path


@pytest.fixture
def csv_table(tmp_path):
    path = tmp_path / "musk.csv"
    rows_frame().write_csv(path)
    return path


def select(run, table, *options, **expected):
    result = run("select", table, "--bags", "molecule", "-t", "kind", "-k", 3, *options)
    assert result.code == 0, result.err
    return result


def test_select_and_predict(run, table, tmp_path):
    model = tmp_path / "model.handful"
    result = select(run, table, *FAST, "-o", model)
    assert f"40 bags of {DATA.bags.n_instances} rows, 4 columns" in result.err
    assert f"3 of {DATA.bags.n_instances} instances of 4 columns" in result.out
    read = read_bags(table, "molecule", "kind")
    assert read.y.tolist() == LABELS.tolist()
    plain = MILESClassifier(3, C="fast").fit(read.bags, LABELS)
    saved = load_model(model)
    assert saved.selected_instances_ == plain.selected_instances_
    assert saved.selected_instances_[0][0] in NAMES
    np.testing.assert_array_equal(saved.predict(read.bags), plain.predict(read.bags))
    np.testing.assert_allclose(
        np.concatenate(saved.instance_scores(read.bags)),
        np.concatenate(plain.instance_scores(read.bags)),
    )
    answer = run("predict", model, table)
    assert answer.code == 0, answer.err
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert [row["bag"] for row in rows] == NAMES
    assert [row["prediction"] for row in rows] == plain.predict(read.bags).tolist()
    assert "accuracy" in answer.err


def test_bags_have_probabilities_and_are_their_ids(run, refused, csv_table, tmp_path):
    model = tmp_path / "model.handful"
    select(run, csv_table, *FAST, "--calibrate", "-o", model)
    rows = list(csv.DictReader(io.StringIO(run("predict", model, csv_table).out)))
    first, second = (f"probability {label}" for label in sorted(set(LABELS)))
    assert list(rows[0]) == ["bag", "prediction", "decision", first, second]
    assert all(float(row[first]) + float(row[second]) == pytest.approx(1.0) for row in rows)
    sentence = refused("predict", model, csv_table, "--id", "molecule")
    assert "predicts a label for each bag, which is named in its place" in sentence


def test_predict_needs_neither_target_nor_order(run, csv_table, tmp_path):
    model = tmp_path / "model.handful"
    select(run, csv_table, "-o", model, "--loss", "f1")
    whole = run("predict", model, csv_table)
    other = tmp_path / "other.csv"
    rows_frame().select("d", "molecule", "b", "a", "c").rename({"molecule": "who"}).write_csv(other)
    moved = run("predict", model, other, "--bags", "who")
    assert moved.code == 0, moved.err
    assert moved.out == whole.out
    assert "f1" in whole.err
    assert "f1" not in moved.err


def test_npz_with_a_label_for_each_bag(run, tmp_path):
    sizes, path, model = DATA.bags.sizes, tmp_path / "musk.npz", tmp_path / "m"
    ids = np.repeat(np.arange(40), sizes)
    np.savez(path, X=DATA.bags.instances, bag=ids, bag_y=DATA.y, y=np.repeat(DATA.y, sizes))
    for target in ("bag_y", "y"):
        result = run(
            "select", path, "--bags", "bag", "-t", target, "-k", 3, *FAST, "-o", model, "--json"
        )
        assert result.code == 0, result.err
        found = json.loads(result.out)
        plain = MILESClassifier(3, C="fast").fit(DATA.bags, DATA.y)
        assert [tuple(place) for place in found["instances"]] == plain.selected_instances_
        assert found["features"][0]["name"] == plain.get_feature_names_out()[0]
        answer = run("predict", model, path)
        assert "accuracy" in answer.err


def test_inspect(run, csv_table, tmp_path):
    model = tmp_path / "model.handful"
    select(run, csv_table, *FAST, "-o", model, "--gamma", 0.2)
    shown = run("inspect", model)
    assert shown.code == 0
    assert "MILESClassifier" in shown.out
    assert load_model(model).selected_instances_[0][0] in shown.out


def test_a_dictionary_from_select_to_inspect(run, table, tmp_path):
    model, names = tmp_path / "model.handful", tmp_path / "atoms.txt"
    options = ("--method", "dictionary", "--loss", "accuracy", "--gamma", 0.2, "--C", 2)
    result = select(run, table, *options, "-o", model, "--features-out", names)
    assert "3 atoms in 4 columns" in result.out
    assert re.search(
        r"objective [\d.]+ at the start, [\d.]+ after \d+ steps; gamma 0.2", result.out
    )
    assert names.read_text().split() == ["atom0", "atom1", "atom2"]
    read = read_bags(table, "molecule", "kind")
    plain = DictionaryMILClassifier(3, loss="accuracy", gamma=0.2, C=2.0, random_state=0)
    plain.fit(read.bags, read.y)
    saved = load_model(model)
    np.testing.assert_allclose(saved.dictionary_, plain.dictionary_)
    assert saved.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    answer = run("predict", model, table)
    assert answer.code == 0, answer.err
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert [row["bag"] for row in rows] == NAMES
    assert [row["prediction"] for row in rows] == plain.predict(read.bags).tolist()
    np.testing.assert_allclose(
        [float(row["decision"]) for row in rows], plain.decision_function(read.bags)
    )
    assert "accuracy" in answer.err
    shown = run("inspect", model)
    assert shown.code == 0, shown.err
    assert "DictionaryMILClassifier" in shown.out
    assert "3 atoms in 4 columns" in shown.out


def test_more_atoms_than_instances_are_a_warning(run, csv_table, tmp_path):
    options = ("--bags", "molecule", "-t", "kind", "--method", "dictionary", "-k", 5000)
    result = run("select", csv_table, *options, "-o", tmp_path / "model.handful")
    assert result.code == 0, result.err
    assert "handful: warning: -k 5000 is more than the" in result.err


def test_a_dictionary_for_machines(run, csv_table, tmp_path):
    model = tmp_path / "model.handful"
    report = json.loads(select(run, csv_table, "--method", "dictionary", "-o", model, "--json").out)
    again = json.loads(run("inspect", model, "--json").out)
    assert again["parameters"]["n_atoms"] == 3
    saved = load_model(model)
    for found in (report, again):
        assert found["estimator"] == "DictionaryMILClassifier"
        np.testing.assert_allclose([atom["values"] for atom in found["atoms"]], saved.dictionary_)
        np.testing.assert_allclose([atom["weights"] for atom in found["atoms"]], saved.weights_.T)
        assert found["objective_path"] == sorted(found["objective_path"], reverse=True)


def test_a_dictionary_for_each_of_three_classes(run, tmp_path):
    frame = rows_frame()
    third = pl.col("molecule").is_in(NAMES[::3])
    path, model = tmp_path / "musk.csv", tmp_path / "model.handful"
    frame.with_columns(
        kind=pl.when(third).then(pl.lit("rose")).otherwise("kind"),
        a=pl.when(third).then(pl.col("a") + 20.0).otherwise("a"),
    ).write_csv(path)
    result = select(run, path, "--method", "dictionary", "--loss", "f1", "-o", model)
    assert "9 atoms in 4 columns: 3 for each of 3 classes" in result.out
    answer = run("predict", model, path)
    header = ["bag", "prediction", "decision musk", "decision other", "decision rose"]
    assert next(csv.reader(io.StringIO(answer.out))) == header
    assert "f1" in answer.err


def test_predict_names_a_column_that_is_missing(refused, run, csv_table, tmp_path):
    for method in ("miles", "dictionary"):
        model, other = tmp_path / f"{method}.handful", tmp_path / "other.csv"
        select(run, csv_table, "--method", method, "-o", model)
        rows_frame().drop("c").write_csv(other)
        assert "'c'" in refused("predict", model, other)


def test_a_label_for_each_instance_is_refused(refused, tmp_path):
    path = tmp_path / "musk.csv"
    frame = rows_frame().with_columns(kind=pl.Series(["a", "b"] * 100)[: len(rows_frame())])
    frame.write_csv(path)
    sentence = refused("select", path, "--bags", "molecule", "-t", "kind", "-k", 3)
    assert "the target 'kind' must be the same for all instances of a bag" in sentence
    assert str(path) in sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--bags", "molecul"], "there is no bag column 'molecul'; did you mean 'molecule'?"),
        (["--method", "miles"], "miles needs --bags"),
        (["--bags", "molecule", "--method", "fgm"], "it goes with --method miles"),
        (["--bags", "molecule", "--pairs"], "it goes with --method fgm, not with miles"),
        (["--bags", "molecule", "--gamma", "-1"], "gamma must be a number above 0"),
        (["--method", "dictionary"], "dictionary needs --bags"),
        (
            ["--bags", "molecule", "--method", "dictionary", "--budget", "3"],
            "it goes with --method fgm or miles, not with dictionary",
        ),
        (["--bags", "molecule", "--method", "dictionary", "-k", "0"], "-k must be"),
        (["--bags", "molecule", "--targets", "a,b"], "it cannot go with --targets"),
        (["--bags", "molecule", "--regression"], "regression needs numbers"),
    ],
)
def test_options_that_do_not_fit(refused, csv_table, options, sentence):
    target = [] if "--targets" in options else ["-t", "kind"]
    assert sentence in refused("select", csv_table, *target, "-k", 2, *options)


def test_quantities_are_refused(refused, csv_table):
    sentence = refused(
        "select", csv_table, "--bags", "molecule", "-t", "a", "-k", 2, "--drop", "kind"
    )
    assert "must be the same for all instances of a bag" in sentence


def test_files_without_names_are_refused(refused, tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:0.5\n0 1:0.1\n")
    assert "svmlight files have no columns with names" in refused("select", path, "--bags", "b")


def test_missing_values_are_named(refused, tmp_path):
    path = tmp_path / "musk.csv"
    path.write_text("molecule,a,kind\nx,1,yes\n,2,no\n")
    assert "line 3: the bag 'molecule' is missing" in refused(
        "select", path, "--bags", "molecule", "-t", "kind"
    )


def test_a_model_of_columns_takes_no_bags(run, refused, csv_table, tmp_path):
    model = tmp_path / "model.handful"
    plain = run(
        "select", csv_table, "-t", "kind", "--drop", "molecule", "-k", 2, *FAST, "-o", model
    )
    assert plain.code == 0
    sentence = refused("predict", model, csv_table, "--bags", "molecule")
    assert "the model was not fitted on bags" in sentence
