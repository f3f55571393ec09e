"""No command writes over what it reads, nor twice to one place."""

import json
import os
import shutil

import numpy as np
import pytest
import scipy.io
import stores
from genes import FAST

from handful import FGMClassifier


@pytest.fixture
def kept(refused, tmp_path):
    """Run a command that must be refused, and see that every file is as it was."""

    def contents():
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def kept(*arguments):
        before = contents()
        sentence = refused(*arguments)
        assert contents() == before
        return sentence

    return kept


READ = "the same command reads it; give another name"
SELECT = ("--target", "outcome", "-k", 2, *FAST)


def test_a_dash_is_no_file(kept, csv_file):
    for option in ("-o", "--features-out"):
        assert "- is no name of a file here; give one" in kept(
            "select", csv_file, *SELECT, option, "-"
        )


@pytest.mark.parametrize("option", ["-o", "--features-out", "--checkpoint"])
def test_select_keeps_its_data(kept, csv_file, option):
    assert READ in kept("select", csv_file, *SELECT, option, csv_file)


def test_by_whatever_name(kept, csv_file, tmp_path, monkeypatch):
    os.symlink(csv_file, tmp_path / "link")
    os.link(csv_file, tmp_path / "twin")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("link", "twin", "genes.csv", "./genes.csv", "folder/../genes.csv"):
        assert READ in kept("select", csv_file, *SELECT, "-o", name)


def test_select_keeps_its_groups_and_labels(kept, csv_file, tmp_path, numbers):
    groups = tmp_path / "groups.csv"
    groups.write_text("gene0,a\n")
    assert READ in kept("select", csv_file, *SELECT, "--groups", groups, "-o", groups)
    X, score = numbers
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"{int(s > 0)}\n" for s in score))
    np.savez(tmp_path / "a.npz", X=X)
    scipy.io.mmwrite(tmp_path / "a.mtx", X)
    for data in ("a.npz", "a.mtx"):
        command = ("select", tmp_path / data, "--target", labels, "-k", 2, "-o", labels)
        assert READ in kept(*command)


def test_predict_keeps_its_data_and_its_model(kept, model, csv_file):
    for place in (model, csv_file):
        assert READ in kept("predict", model, csv_file, "-o", place)


def test_path_keeps_its_data(kept, csv_file, tmp_path):
    drawing = tmp_path / "genes.png"
    csv_file.rename(drawing)
    command = ("path", drawing, "--format", "csv", "--target", "outcome", "-k", "1,2")
    assert READ in kept(*command, "--plot", drawing)


def test_nothing_is_written_into_a_store(kept, tmp_path, numbers):
    X, score = numbers
    np.savez(tmp_path / "a.npz", X=X, y=(score > 0).astype(int))
    stores.convert_file(tmp_path / "a.npz", tmp_path / "a.store")
    for name in ("dense.npy", "model.handful"):
        sentence = kept("select", tmp_path / "a.store", "-k", 2, "-o", tmp_path / "a.store" / name)
        assert "the same command reads the folder that it is in" in sentence


@pytest.mark.parametrize(
    ("one", "two"),
    [("-o", "--features-out"), ("-o", "--checkpoint"), ("--features-out", "--checkpoint")],
)
def test_one_place_is_written_once(kept, csv_file, tmp_path, one, two, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "out"
    sentence = kept("select", csv_file, *SELECT, one, place, two, "./out")
    assert f"{one.replace('-o', '--output') if one == '-o' else one} and {two} both" in sentence


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs /dev/null")
def test_nowhere_may_be_written_twice(run, csv_file):
    places = ("-o", "/dev/null", "--features-out", "/dev/null")
    assert run("select", csv_file, *SELECT, *places).code == 0


def test_an_old_model_may_be_replaced(run, csv_file, model):
    assert run("select", csv_file, *SELECT, "-o", model).code == 0
    assert json.loads(run("inspect", model, "--json").out)["n_selected"] == 2


def test_demo_replaces_only_its_own_files(run, kept, demo, tmp_path, monkeypatch):
    (tmp_path / "new_genes.npz").write_text("my own")
    assert "new_genes.npz is there already and is not of this demo" in kept(
        "demo", "--keep", tmp_path
    )
    for name in ("genes.npz", "new_genes.npz"):
        shutil.copy(demo[1] / name, tmp_path)
    monkeypatch.setattr(FGMClassifier, "fit", stop)
    assert run("demo", "--keep", tmp_path).code == 130  # after the files
    for name in ("genes.npz", "new_genes.npz"):
        assert (tmp_path / name).read_bytes() == (demo[1] / name).read_bytes()


def stop(*_):
    raise KeyboardInterrupt


def test_names_that_are_too_long(kept, csv_file, model, tmp_path):
    """Said before anything is computed, and without a traceback."""
    name = "n" * 300
    commands = [
        ("inspect", name),
        ("select", f"{name}.csv"),
        ("select", csv_file, *SELECT, "--groups", name),
        ("select", csv_file, *SELECT, "-o", tmp_path / name),
        ("predict", model, csv_file, "-o", tmp_path / name),
        ("path", csv_file, *SELECT[:2], "-k", "1,2", "--plot", tmp_path / f"{name}.png"),
        ("convert", csv_file, tmp_path / name),
        ("convert", name, tmp_path / "a.store"),
    ]
    for command in commands:
        assert kept(*command).endswith("file name too long")


def test_the_longest_name_there_is(run, csv_file, tmp_path):
    """Names are counted in bytes, and the temporary one may not be longer than the system allows."""
    place = tmp_path / ("字" * 84)
    assert run("select", csv_file, *SELECT, "-o", place).code == 0
    assert place.is_file()
