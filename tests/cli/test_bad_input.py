"""Every wrong input gets one sentence, exit code 2, and nothing half-written."""

import errno
import os

import numpy as np
import pytest
from genes import FAST, NAMES, write_csv

LABELS = ["ill", "well"] * 40


@pytest.fixture
def save(tmp_path, numbers):
    """Save the features, changed, as csv."""

    def save(change=lambda X: None, y=LABELS, rows=80):
        X = numbers[0].copy()
        change(X)
        return write_csv(tmp_path / "data.csv", X[:rows], list(y)[:rows])

    return save


def put(value, row=6, column=4):
    def change(X):
        X[row, column] = value

    return change


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one(refused, save, k):
    assert str(k) in refused("select", save(), "-t", "outcome", "-k", k)


def test_k_above_the_features(refused, save):
    sentence = refused("select", save(), "-t", "outcome", "-k", 13)
    assert "12" in sentence
    assert "13" in sentence


def test_one_class(refused, save):
    assert "class" in refused("select", save(y=["ill"] * 80), "-t", "outcome", "-k", 3)


def test_one_row(refused, save):
    assert refused("select", save(rows=1), "-t", "outcome", "-k", 3)


def test_all_zero(refused, save):
    assert "zero" in refused("select", save(lambda X: X.fill(0.0)), "-t", "outcome", "-k", 3)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite(refused, save, value):
    assert "line 8, column 'gene 4'" in refused(
        "select", save(put(value)), "-t", "outcome", "-k", 3
    )


def test_unknown_loss_lists_the_known(refused, save):
    sentence = refused("select", save(), "-t", "outcome", "-k", 3, "--loss", "hinge")
    assert "squared_hinge" in sentence
    assert "logistic" in sentence


@pytest.mark.parametrize(
    ("option", "value"),
    [("--solver", "magic"), ("--scale", "max"), ("--C", "-1"), ("--budget", "0")],
)
def test_wrong_parameters(refused, save, option, value):
    sentence = refused("select", save(), "-t", "outcome", "-k", 3, option, value)
    assert value.lstrip("-") in sentence


def test_constant_and_duplicate_columns_are_fine(run, save):
    def change(X):
        X[:, 0] = 7.0
        X[:, 1] = X[:, 2]

    result = run("select", save(change), "-t", "outcome", *FAST, "-k", 3)
    assert result.code == 0
    assert "gene 0" not in result.out


def test_malformed_svmlight(refused, tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1 1:1 2:2\n-1 1:1 2=2\n")
    assert refused("select", path, "-k", 1) == f"{path}, line 2: expected index:value, found '2=2'"


def test_unknown_target(refused, save):
    path = save()
    assert refused("select", path, "-t", "outcom", "-k", 3) == (
        f"{path}: there is no target column 'outcom'; did you mean 'outcome'?"
    )


def test_text_columns(refused, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("city,age,y\nRome,1,0\nOslo,2,1\n")
    assert refused("convert", path, tmp_path / "a.store", "-t", "y") == (
        f"{path}: the column 'city' holds text; encode as numbers or leave out with --drop NAME"
    )


def test_what_is_to_be_kept_and_never_taken_is_named_as_it_was_typed(refused, csv_file):
    asked = ("select", csv_file, "-t", "outcome", "-k", 2, "--include", "gene 5", "--exclude")
    assert refused(*asked, "gene 5").endswith(
        "--exclude: 'gene 5' is named by --include too; take it out of one"
    )
    # One feature by two words.
    assert "feature 5 is in include and in exclude" in refused(*asked, 5)


@pytest.mark.parametrize("option", ["--include", "--exclude"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gene 22", "there is no feature 'gene 22'; did you mean 'gene 2'"),
        ("12", "numbered 0 to 11"),
    ],
)
def test_unknown_feature(refused, save, option, name, words):
    assert words in refused("select", save(), "-t", "outcome", "-k", 3, option, name)


def test_text_is_no_quantity(refused, save):
    sentence = refused("select", save(), "-t", "outcome", "-k", 3, "--regression")
    assert sentence == "the target is text such as 'ill'; regression needs numbers"


@pytest.mark.parametrize("option", ["-o", "--features-out", "--checkpoint"])
def test_output_folder_missing_is_told_before_the_work(refused, tmp_path, option):
    sentence = refused("select", "not even looked at", "-k", 3, option, tmp_path / "no" / "file")
    assert sentence == (
        f"cannot write {tmp_path / 'no' / 'file'}: "
        f"the folder {tmp_path / 'no'} does not exist; create it first"
    )


def test_output_folder_missing_for_predictions(refused, model, csv_file, tmp_path):
    sentence = refused("predict", model, csv_file, "-o", tmp_path / "no" / "p.csv")
    assert "does not exist; create it first" in sentence


def full(*args):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_full_disk_while_saving_the_model(run, save, tmp_path, monkeypatch):
    data = save()
    monkeypatch.setattr(os, "fsync", full)
    result = run("select", data, "-t", "outcome", *FAST, "-k", 3, "-o", tmp_path / "m.handful")
    assert (result.code, result.out) == (2, "")
    expected = f"handful: cannot write {tmp_path / 'm.handful'}: no space left on device"
    assert result.err.splitlines()[-1] == expected
    assert os.listdir(tmp_path) == ["data.csv"]


def test_full_disk_keeps_the_old_model(run, model, csv_file, tmp_path, monkeypatch):
    before = model.read_bytes()
    monkeypatch.setattr(os, "replace", full)
    assert run("select", csv_file, "-t", "outcome", *FAST, "-k", 2, "-o", model).code == 2
    assert model.read_bytes() == before


def test_full_disk_while_writing_predictions(refused, model, csv_file, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "p.csv"
    assert refused("predict", model, csv_file, "-o", path) == (
        f"cannot write {path}: no space left on device"
    )


def test_a_really_full_disk(refused, run, small_disk, model, tmp_path):
    """Predictions that do not fit on a file system of 256 KiB."""
    X = np.random.default_rng(0).standard_normal((20_000, len(NAMES)))
    np.savez(tmp_path / "many.npz", X=X, feature_names=np.array(NAMES))
    path = small_disk / "p.csv"
    sentence = refused("predict", model, tmp_path / "many.npz", "-o", path)
    assert sentence == f"cannot write {path}: no space left on device"
    assert os.listdir(small_disk) == []
