"""``handful predict``: columns are matched, rows are scored, files are whole."""

import csv
import io
import json

import numpy as np
import pytest
import scipy.io
from genes import FAST, NAMES, write_csv

from handful.io import load_model


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def expected(model, numbers):
    estimator = load_model(model)
    X, _ = numbers
    import pandas as pd

    frame = pd.DataFrame(X, columns=list(NAMES))
    return estimator.predict(frame), estimator.decision_function(frame)


def check(text, expected):
    labels, decision = expected
    rows = rows_of(text)
    assert [row["prediction"] for row in rows] == labels.tolist()
    np.testing.assert_allclose(
        [float(row["decision"]) for row in rows], decision, rtol=1e-12, atol=1e-12
    )


def test_stdout(run, model, csv_file, expected):
    result = run("predict", model, csv_file)
    assert result.code == 0
    check(result.out, expected)
    assert result.err.startswith("handful: accuracy ")
    assert " on 80 rows; always guessing " in result.err


def test_file(run, model, csv_file, expected, tmp_path):
    path = tmp_path / "predictions.csv"
    result = run("predict", model, csv_file, "-o", path)
    assert (result.code, result.out) == (0, "")
    check(path.read_text(), expected)


def test_json(run, model, csv_file, expected, tmp_path):
    report = json.loads(run("predict", model, csv_file, "--json").out)
    assert report["predictions"]["prediction"] == expected[0].tolist()
    assert report["n_rows"] == 80
    assert report["score"]["accuracy"] > 0.8
    path = tmp_path / "p.csv"
    report = json.loads(run("predict", model, csv_file, "--json", "-o", path).out)
    assert report["output"] == str(path)
    assert "predictions" not in report


def test_other_order_more_columns_and_no_target(run, model, numbers, expected, tmp_path):
    X, _ = numbers
    order = np.random.default_rng(1).permutation(len(NAMES))
    names = ["comment", *(NAMES[j] for j in order)]
    rows = [",".join(["text", *map(repr, row)]) for row in X[:, order].tolist()]
    path = tmp_path / "new.csv"
    path.write_text("\n".join([",".join(names), *rows]))
    result = run("predict", model, path)
    assert (result.code, result.err) == (0, "")
    check(result.out, expected)


def test_only_the_selected_columns_are_needed(run, model, numbers, expected, tmp_path):
    X, _ = numbers
    ids = load_model(model).support_ids_
    path = write_csv(tmp_path / "few.csv", X[:, ids], ["ill"] * 80, [NAMES[j] for j in ids])
    check(run("predict", model, path).out, expected)


def test_missing_columns_are_named(refused, model, numbers, tmp_path):
    X, _ = numbers
    path = write_csv(tmp_path / "new.csv", X[:, [0, 2]], ["ill"] * 80, ["gene 0", "gene 2"])
    assert refused("predict", model, path) == f"{path} lacks the columns 'gene 5', 'gene 9'"


def test_names_in_another_spelling_are_told(refused, model, numbers, tmp_path):
    X, _ = numbers
    names = ["gene 0", "Gene.2", "gene 9", "gene-5", "other"]
    path = write_csv(tmp_path / "new.csv", X[:, [0, 2, 9, 5, 1]], ["ill"] * 80, names)
    said = refused("predict", model, path)
    assert said.startswith(f"{path} lacks the columns 'gene 2', 'gene 5'; names are compared")
    assert said.endswith("and it has the columns 'Gene.2', 'gene-5'")


def test_names_are_needed_when_the_model_has_them(refused, model, svm_file):
    sentence = refused("predict", model, svm_file)
    assert "has no column names, so the columns 'gene 2', 'gene 5', 'gene 9' cannot be" in sentence


def test_another_target_name(run, refused, model, numbers, tmp_path):
    X, score = numbers
    path = write_csv(tmp_path / "new.csv", X, np.where(score > 0, "well", "ill"), target="health")
    assert run("predict", model, path).err == ""
    assert "accuracy" in run("predict", model, path, "--target", "health").err
    assert "did you mean 'health'?" in refused("predict", model, path, "--target", "helth")


def test_a_column_that_the_model_looks_at_is_no_target(refused, run, model, csv_file, tmp_path):
    sentence = "is a column that the model predicts from"
    assert f"--target: 'gene 2' {sentence}" in refused("predict", model, csv_file, "-t", "gene 2")
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("size,town,ill\n" + "1,Ulm,0\n2,Bonn,1\n4,,1\n3,Ulm,0\n" * 5)
    asked = ("-t", "ill", "-k", 1, *FAST, "--missing", "mean", "-o", tmp_path / "mixed.handful")
    assert run("select", mixed, *asked).code == 0
    said = refused("predict", tmp_path / "mixed.handful", mixed, "-t", "town")
    assert f"--target: 'town' {sentence}" in said


def test_regression(run, quantities, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", quantities, *FAST, "-t", "outcome", "-k", 3, "-o", path).code == 0
    result = run("predict", path, quantities)
    assert rows_of(result.out)[0].keys() == {"row", "prediction"}
    assert float(result.err.split()[2]) > 0.9
    assert result.err.startswith("handful: r2 ")


def test_three_classes(run, three_classes, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", three_classes, *FAST, "-t", "outcome", "-k", 3, "-o", path).code == 0
    rows = rows_of(run("predict", path, three_classes).out)
    assert rows[0].keys() == {"row", "prediction", "decision 0", "decision 1", "decision 2"}
    for row in rows:
        values = [float(row[f"decision {label}"]) for label in range(3)]
        assert row["prediction"] == str(int(np.argmax(values)))


@pytest.mark.parametrize("suffix", [".npz", ".mtx"])
def test_labels_in_a_file_are_those_of_the_training_rows_alone(run, numbers, tmp_path, suffix):
    X, score = numbers
    data, new = tmp_path / f"old{suffix}", tmp_path / f"new{suffix}"
    write = scipy.io.mmwrite if suffix == ".mtx" else lambda path, X: np.savez(path, X=X)
    files = [tmp_path / "old.txt", tmp_path / "new.txt"]
    for file, labels in zip(files, (score > 0, score[::-1] > 0), strict=True):
        file.write_text("".join(f"{int(label)}\n" for label in labels))
    write(data, X)
    model = tmp_path / "of_a_file.handful"
    assert run("select", data, "-t", files[0], "-k", 3, *FAST, "-o", model).code == 0
    for rows in (X[:30], X[::-1]):  # of as many rows too nothing says that the labels are theirs
        write(new, rows)
        result = run("predict", model, new)
        assert (result.code, result.err) == (0, "")
        assert len(rows_of(result.out)) == len(rows)
    assert "accuracy" in run("predict", model, new, "-t", files[1]).err


class TestSvmlight:
    @pytest.fixture
    def svm_model(self, run, svm_file, tmp_path):
        path = tmp_path / "svm.handful"
        assert run("select", svm_file, *FAST, "-k", 3, "-o", path).code == 0
        return path

    def test_rows_with_fewer_columns(self, run, svm_model, tmp_path):
        path = tmp_path / "new.svm"
        path.write_text("1 3:2.0\n-1 3:-2.0\n")
        result = run("predict", svm_model, path)
        assert [row["prediction"] for row in rows_of(result.out)] == ["1", "-1"]
        assert result.err == "handful: accuracy 1.0000 on 2 rows; always guessing -1 has 0.5000\n"

    def test_rows_of_one_class_are_told_by_what_guessing_has(self, run, svm_model, tmp_path):
        path = tmp_path / "new.svm"
        path.write_text("-1 3:-1.0\n-1 3:-2.0\n-1 3:-3.0\n")
        result = run("predict", svm_model, path)
        assert result.err == "handful: accuracy 1.0000 on 3 rows; always guessing -1 has 1.0000\n"

    def test_the_first_index_is_the_models(self, refused, svm_model, tmp_path):
        path = tmp_path / "new.svm"
        path.write_text("1 0:1 3:2.0\n")
        assert "line 1: the index 0 is below 1, the first one" in refused(
            "predict", svm_model, path
        )

    def test_features_that_training_rows_lacked_are_left_out_and_told(
        self, run, svm_model, tmp_path
    ):
        path = tmp_path / "new.svm"
        path.write_text("1 3:2.0 13:5\n-1 3:-2.0 13:5 99:1\n")
        result = run("predict", svm_model, path)
        path.write_text("1 3:2.0\n-1 3:-2.0\n")
        assert result.out == run("predict", svm_model, path).out
        assert result.err == (
            f"handful: {path}: the model was fitted on 12 features; 2 others beyond these in the file, left out\n"
            "handful: accuracy 1.0000 on 2 rows; always guessing -1 has 0.5000\n"
        )

    def test_a_report_tells_too_what_test_rows_have_beyond(
        self, run, svm_model, svm_file, tmp_path
    ):
        path = tmp_path / "new.svm"
        path.write_text("1 3:2.0 13:5\n-1 3:-2.0 99:1\n")
        page = tmp_path / "page.html"
        result = run("report", svm_model, svm_file, "-o", page, "--test", path)
        assert (result.code, page.exists()) == (0, True)
        assert "2 others beyond these in the file, left out" in result.err

    def test_of_training_rows_nothing_is_left_out(
        self, run, refused, svm_model, svm_file, tmp_path
    ):
        path = tmp_path / "more.svm"
        path.write_text(svm_file.read_text() + "1 3:2.0 13:5\n")
        message = refused("report", svm_model, path, "-o", tmp_path / "page.html")
        assert "13" in message
        assert "12" in message
        result = run("convert", path, tmp_path / "store", "--json")
        assert json.loads(result.out)["n_features"] == 13
        assert "left out" not in result.err

    def test_another_number_of_columns(self, refused, svm_model, tmp_path):
        path = tmp_path / "new.npz"
        np.savez(path, X=np.ones((2, 5)))
        assert refused("predict", svm_model, path) == (
            f"{path} has 5 columns of features, the model was fitted on 12"
        )
