"""Probabilities and ids in ``predictions.csv``."""

import csv
import io
import json

import numpy as np
import pytest
from genes import FAST, NAMES, write_csv
from scipy.io import mmwrite
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from handful import FGMClassifier
from handful.io import load_model


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def select(run, data, path, *options, k=3):
    assert run("select", data, *FAST, "-t", "outcome", "-k", k, "-o", path, *options).code == 0
    return path


@pytest.fixture
def calibrated(run, csv_file, tmp_path):
    return select(run, csv_file, tmp_path / "calibrated.handful", "--calibrate")


def test_calibration_is_scikit_learns(calibrated, numbers):
    X, score = numbers
    y = np.where(score > 0, "well", "ill")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = load_model(calibrated)
    theirs = CalibratedClassifierCV(FGMClassifier(3, C="fast"), cv=folds, ensemble=False)
    theirs.fit(X, y)
    named = X[:, model.support_ids_]
    import pandas as pd

    frame = pd.DataFrame(named, columns=[NAMES[j] for j in model.support_ids_])
    np.testing.assert_allclose(model.predict_proba(frame), theirs.predict_proba(X), rtol=1e-9)


def test_predict_writes_probabilities(run, calibrated, csv_file, tmp_path):
    rows = rows_of(run("predict", calibrated, csv_file).out)
    names = ["row", "prediction", "decision", "probability ill", "probability well"]
    assert list(rows[0]) == names
    assert [row["row"] for row in rows] == [str(i) for i in range(80)]
    slope, offset = load_model(calibrated).calibration_[0]
    assert slope > 0
    for row in rows:
        expected = 1 / (1 + np.exp(-(slope * float(row["decision"]) + offset)))
        assert float(row["probability well"]) == pytest.approx(expected)
        assert float(row["probability ill"]) == pytest.approx(1 - expected)


def test_it_is_said(run, calibrated):
    assert "calibrated on held-out rows" in run("inspect", calibrated).out


def test_three_classes(run, three_classes, tmp_path, numbers):
    path = select(run, three_classes, tmp_path / "m.handful", "--calibrate")
    rows = rows_of(run("predict", path, three_classes).out)
    values = np.array([[float(row[f"probability {label}"]) for label in range(3)] for row in rows])
    np.testing.assert_allclose(values.sum(axis=1), 1.0)
    assert log_loss(np.digitize(numbers[1], [-2, 2]), values) < 0.9


def test_the_logistic_loss_needs_no_calibration(run, csv_file, tmp_path):
    path = select(run, csv_file, tmp_path / "m.handful", "--loss", "logistic")
    for row in rows_of(run("predict", path, csv_file).out):
        sigmoid = 1 / (1 + np.exp(-float(row["decision"])))
        assert float(row["probability well"]) == pytest.approx(sigmoid)


def test_a_measure_has_its_score_beside_probabilities(run, csv_file, tmp_path):
    path = select(run, csv_file, tmp_path / "m.handful", "--loss", "roc_auc", "--calibrate")
    assert "roc_auc" in run("predict", path, csv_file).err


@pytest.mark.parametrize("method", ["greedy-rls", "direct", "rfs"])
def test_other_methods(run, csv_file, tmp_path, method):
    path = tmp_path / "m.handful"
    options = ("-t", "outcome", "-k", 3, "--method", method, "--calibrate", "-o", path)
    assert run("select", csv_file, *options).code == 0
    assert "probability well" in rows_of(run("predict", path, csv_file).out)[0]


def test_an_interrupt_leaves_the_model_without(run, csv_file, tmp_path, monkeypatch):
    fit, count = FGMClassifier.fit, iter(range(1, 100))

    def interrupted(self, *args, **kwargs):
        if next(count) > 1:  # the model itself is the first
            raise KeyboardInterrupt
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(FGMClassifier, "fit", interrupted)
    path = tmp_path / "m.handful"
    result = run("select", csv_file, *FAST, "-t", "outcome", "-k", 3, "--calibrate", "-o", path)
    assert result.code == 130
    assert "not calibrated: the model has no probabilities" in result.err
    assert not hasattr(load_model(path), "predict_proba")


def test_stores(run, csv_file, tmp_path):
    store, path = tmp_path / "genes.store", tmp_path / "m.handful"
    assert run("convert", csv_file, store, "--target", "outcome").code == 0
    options = ("-k", 3, *FAST, "--calibrate", "-o", path)
    assert run("select", store, *options).code == 0
    assert "probability well" in rows_of(run("predict", path, store).out)[0]


def test_quantities_have_no_probabilities(refused, quantities):
    sentence = refused("select", quantities, *FAST, "-t", "outcome", "--calibrate")
    assert "--calibrate" in sentence
    assert "probabilities are for one target that is classes" in sentence


def test_a_class_of_one_row(refused, numbers, tmp_path):
    labels = ["lonely", *["ill", "well"] * 39, "ill"]
    path = write_csv(tmp_path / "lonely.csv", numbers[0], labels)
    assert "the class lonely has one of the rows" in refused(
        "select", path, *FAST, "-t", "outcome", "--calibrate"
    )


class TestIds:
    @pytest.fixture
    def patients(self, tmp_path, csv_file):
        lines = csv_file.read_text().splitlines()
        ids = ["patient", *(f"{i:03d}" for i in range(len(lines) - 1))]
        path = tmp_path / "patients.csv"
        path.write_text("\n".join(f"{one},{line}" for one, line in zip(ids, lines, strict=True)))
        return path

    def test_they_come_first_as_they_are_written(self, run, model, patients):
        rows = rows_of(run("predict", model, patients, "--id", "patient").out)
        assert list(rows[0]) == ["patient", "prediction", "decision"]
        assert [row["patient"] for row in rows] == [f"{i:03d}" for i in range(80)]

    def test_json(self, run, model, patients):
        report = json.loads(run("predict", model, patients, "--id", "patient", "--json").out)
        assert report["predictions"]["patient"][7] == "007"

    def test_a_key_of_an_archive(self, run, model, numbers, tmp_path):
        path = tmp_path / "new.npz"
        who = np.array([f"p{i}" for i in range(80)])
        np.savez(path, X=numbers[0], feature_names=np.array(NAMES), who=who)
        rows = rows_of(run("predict", model, path, "--id", "who").out)
        assert [row["who"] for row in rows] == who.tolist()

    @pytest.mark.parametrize("suffix", [".npz", ".mtx"])
    def test_beside_columns_without_names(self, run, refused, numbers, tmp_path, suffix):
        X, score = numbers
        data, labels, ids = tmp_path / f"new{suffix}", tmp_path / "y.txt", tmp_path / "ids.txt"
        labels.write_text("".join(f"{int(s > 0)}\n" for s in score))
        ids.write_text("".join(f"{i:03d}\n" for i in range(80)))
        if suffix == ".mtx":
            mmwrite(data, X)
        else:
            np.savez(data, X=X, who=np.array([f"p{i}" for i in range(80)]))
        model = tmp_path / "of_numbers.handful"
        run("select", data, *FAST, "-t", labels, "-k", 3, "-o", model)
        rows = rows_of(run("predict", model, data, "--id", ids).out)
        assert [row[str(ids)] for row in rows] == [f"{i:03d}" for i in range(80)]
        assert "the same command reads it" in refused(
            "predict", model, data, "--id", ids, "-o", ids
        )
        if suffix == ".npz":
            rows = rows_of(run("predict", model, data, "--id", "who").out)
            assert rows[7]["who"] == "p7"
            sentence = refused("predict", model, data, "--id", "whom")
            assert "has no id 'whom', nor is there a file" in sentence

    @pytest.mark.parametrize("mixed", [False, True])
    def test_positions_in_a_file_without_names(self, run, numbers, tmp_path, mixed):
        X, score = numbers
        colour = [["red", "blue"][i % 2] for i in range(80)] if mixed else [1] * 80
        rows = zip(X.tolist(), colour, score > 0, strict=True)
        cells = [[f"{i:03d}", *x, text, int(y)] for i, (x, text, y) in enumerate(rows)]
        whole, bare = tmp_path / "whole.csv", tmp_path / "bare.csv"
        for path, end in ((whole, None), (bare, -1)):
            path.write_text("\n".join(",".join(map(str, row[:end])) for row in cells))
        model = tmp_path / "positions.handful"
        how = ("--no-header", "-t", -1, "--drop", 0, "-k", 3, *FAST)
        assert run("select", whole, *how, "-o", model).code == 0
        result = run("predict", model, whole, "--no-header", "--id", 0)
        assert "accuracy" in result.err
        expected = rows_of(result.out)
        assert [row["0"] for row in expected] == [f"{i:03d}" for i in range(80)]
        assert rows_of(run("predict", model, bare, "--no-header", "--id", 0).out) == expected
        numbered = rows_of(run("predict", model, whole, "--no-header").out)
        assert [row["decision"] for row in numbered] == [row["decision"] for row in expected]

    def test_formulas_are_escaped(self, run, model, csv_file, tmp_path):
        first, *lines = csv_file.read_text().splitlines()
        path = tmp_path / "evil.csv"
        path.write_text("\n".join([f"=id,{first}", *(f"=1+1,{line}" for line in lines)]))
        out = run("predict", model, path, "--id", "=id", "--escape-formulas").out
        assert rows_of(out)[0]["'=id"] == "'=1+1"

    def test_no_such_column(self, refused, model, patients):
        assert "there is no id column 'patent'; did you mean 'patient'?" in refused(
            "predict", model, patients, "--id", "patent"
        )

    def test_files_without_ids(self, run, refused, svm_file, tmp_path):
        path = tmp_path / "svm.handful"
        run("select", svm_file, *FAST, "-k", 3, "-o", path)
        assert "has no column of ids" in refused("predict", path, svm_file, "--id", "a")

    def test_a_name_that_the_predictions_have(self, refused, model, patients):
        text = patients.read_text().replace("patient", "decision", 1)
        patients.write_text(text)
        assert "have a column 'decision' too" in refused(
            "predict", model, patients, "--id", "decision"
        )
