"""Two columns of one name: refused wherever columns are found by name, never one taken for the other."""

import json
import shutil

import annotated
import numpy as np
import pytest
import stores

from handful import FGMClassifier, open_store
from handful.cli import main
from handful.io import InputError, read_table, save_model
from handful.validation.store import StoreError

NAMES = ["a", "b", "a", "c"]


def draw():
    X = np.random.default_rng(0).standard_normal((60, 4))
    return X, (X[:, 0] > 0).astype(int)


def write_h5ad(path, X, y):
    annotated.write_h5ad(path, X, NAMES, y=y)


def write_csv(path, X, y):
    rows = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join([",".join([*NAMES, "y"]), *rows]) + "\n")


WRITERS = {
    "a.csv": write_csv,
    "a.npz": lambda path, X, y: stores.save_npz(path, X, y, NAMES),
    "a.h5ad": write_h5ad,
}


@pytest.fixture(params=WRITERS)
def file(request, tmp_path):
    WRITERS[request.param](tmp_path / request.param, *draw())
    return tmp_path / request.param


def test_no_reader_takes_them(file, tmp_path):
    with pytest.raises(InputError, match="two columns are called 'a'; rename one"):
        read_table(file, "y")
    with pytest.raises(InputError, match="two columns are called 'a'"):
        read_table(file, "y", only=["c", "a"])
    with pytest.raises(InputError, match="two columns are called 'a'"):
        stores.convert_file(file, tmp_path / "a.store", target="y")
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_columns_that_nobody_asks_for_do_no_harm(file):
    np.testing.assert_array_equal(read_table(file, "y", only=["c", "b"]).X, draw()[0][:, [3, 1]])


@pytest.fixture
def store(tmp_path):
    """A store as versions that did not look wrote it: sizes and checksums fit."""
    X, y = draw()
    folder = shutil.copytree(stores.stored(X, y, ["a", "b", "d", "c"]).path, tmp_path / "a.store")
    stores.replace_small(folder, "feature_names.json", json.dumps(NAMES).encode())
    return folder


def test_a_store_with_them_is_not_opened(store):
    with pytest.raises(StoreError, match="calls two columns 'a'; rename one and convert"):
        open_store(store)
    with pytest.raises(InputError, match="calls two columns 'a'"):
        read_table(store, only=["c"])


def test_a_model_of_them_does_not_guess(tmp_path, capsys):
    """Fitted in Python to a file of AnnData, where columns are known by their place."""
    X, y = draw()
    write_h5ad(tmp_path / "a.h5ad", X, y)
    cells = open_store(tmp_path / "a.h5ad")
    stores.save_npz(tmp_path / "new.npz", X, y, ["a", "b", "d", "c"])
    command = ["predict", str(tmp_path / "m.handful"), str(tmp_path / "new.npz")]
    save_model(FGMClassifier(1, C="fast").fit(cells, y), tmp_path / "m.handful")
    assert main(command) == 2
    assert "on two columns called 'a', which cannot be told apart" in capsys.readouterr().err
    save_model(FGMClassifier(1, C="fast").fit(cells, X[:, 3] > 0), tmp_path / "m.handful")
    assert main(command) == 0


def test_a_choice_by_name_is_of_one_column(tmp_path):
    X, y = draw()
    write_h5ad(tmp_path / "a.h5ad", X, y)
    cells = open_store(tmp_path / "a.h5ad")
    for choice in ("include", "exclude"):
        with pytest.raises(ValueError, match=f"{choice} has 'a', the name of two features"):
            FGMClassifier(2, **{choice: ["a"]}).fit(cells, y)
    assert 3 in FGMClassifier(2, include=["c"], C="fast").fit(cells, y).support_ids_


def test_labels_are_not_taken_for_keys(tmp_path):
    """A column of Y called as a key of the file: the key is the key."""
    X, y = draw()
    Y = np.column_stack([1 - y, y])
    np.savez(tmp_path / "a.npz", X=X, Y=Y, a=y, label_names=["a", "b"])
    np.testing.assert_array_equal(read_table(tmp_path / "a.npz", targets="a").y[:, 0], y)
    assert read_table(tmp_path / "a.npz", targets="Y").target_names == ("Y0", "Y1")
