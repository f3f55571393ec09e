"""From files of every format to stores: the numbers, the names, the targets, the bytes."""

import gzip
import json
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from stores import convert_file, save_npz

from handful import open_store
from handful.files import OutputError
from handful.io import InputError, read_table
from handful.io.errors import NoRoomError
from handful.spaces import resolve_space
from handful.validation.store import StoreError

N_ROWS, N_COLUMNS = 120, 45


def draw_sparse():
    rng = np.random.default_rng(0)
    X = sp.random_array((N_ROWS, N_COLUMNS), density=0.15, rng=rng, format="csr")
    X.data = np.round(X.data, 4)
    return X, rng.integers(0, 3, N_ROWS)


def draw_dense():
    rng = np.random.default_rng(1)
    return np.round(rng.standard_normal((N_ROWS, 11)), 4), rng.integers(0, 2, N_ROWS)


def write_svmlight(path):
    X, y = draw_sparse()
    dump_svmlight_file(X, y, str(path), zero_based=False)


def write_packed(path):
    write_svmlight(path.with_suffix(""))
    path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))


def write_table(path):
    X, y = draw_dense()
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    frame["kind"] = np.where(y, "cat", "dog")
    if path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=50)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")


WRITERS = {
    "a.svm": write_svmlight,
    "a.svm.gz": write_packed,
    "sparse.npz": lambda path: save_npz(path, *draw_sparse()),
    "csc.npz": lambda path: sp.save_npz(path, draw_sparse()[0].tocsc()),
    "csr.npz": lambda path: sp.save_npz(path, draw_sparse()[0], compressed=False),
    "dense.npz": lambda path: save_npz(path, draw_dense()[0].astype(np.float32), draw_dense()[1]),
    "column-major.npz": lambda path: save_npz(path, np.asfortranarray(draw_dense()[0])),
    "integers.npz": lambda path: save_npz(path, np.arange(3000, dtype=np.int16).reshape(300, 10)),
    "coordinates.mtx": lambda path: scipy.io.mmwrite(path, draw_sparse()[0]),
    "array.mtx": lambda path: scipy.io.mmwrite(path, draw_dense()[0]),
    "a.csv": write_table,
    "a.tsv": write_table,
    "a.parquet": write_table,
}


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("name", WRITERS)
def test_a_store_holds_what_the_file_holds(name, tmp_path):
    path = tmp_path / name
    WRITERS[name](path)
    target = "kind" if name.startswith("a.") and "svm" not in name else None
    table = read_table(path, target, target_optional=target is None)
    little, much = (
        convert_file(path, tmp_path / f"{memory}.store", target=target, memory=memory)
        for memory in (10_000, 2**30)
    )
    columns = resolve_space(little).columns(np.arange(little.shape[1]))
    dense = [part.toarray() if sp.issparse(part) else part for part in (columns, table.X)]
    np.testing.assert_array_equal(*dense)
    assert little.dtype == table.X.dtype
    assert (little.about.storage == "sparse") == sp.issparse(table.X)
    if table.y is None:
        assert little.y is None
    else:
        np.testing.assert_array_equal(little.y, table.y)
        assert little.y.dtype == table.y.dtype
    names = None if table.feature_names is None else list(table.feature_names)
    assert (
        (little.feature_names is None) if names is None else (list(little.feature_names) == names)
    )
    again = read_table(tmp_path / "10000.store", target, target_optional=target is None)
    assert again.first_index == table.first_index
    assert again.target_name == table.target_name
    little.verify()
    assert len(little.starts) > 2
    assert contents(little.path) == contents(much.path)
    assert not list(tmp_path.glob("*.part"))


def test_anyone_can_read_the_files(tmp_path):
    write_svmlight(tmp_path / "a.svm")
    store = convert_file(tmp_path / "a.svm", tmp_path / "a.store", dtype="float32")
    data, indices, indptr = (
        np.load(tmp_path / "a.store" / f"{name}.npy", mmap_mode="r")
        for name in ("data", "indices", "indptr")
    )
    assert (data.dtype, indices.dtype, indptr.dtype) == (np.float32, np.int32, np.int64)
    X = sp.csc_array((data, indices, indptr), shape=store.shape)
    assert (draw_sparse()[0].astype(np.float32) != X).nnz == 0
    assert json.loads((tmp_path / "a.store" / "store.json").read_text())["version"] == 1


def test_a_dense_file_by_its_nonzeros(tmp_path):
    X = np.where(draw_dense()[0] > 1, draw_dense()[0], 0.0)
    save_npz(tmp_path / "a.npz", X)
    store = convert_file(tmp_path / "a.npz", tmp_path / "a.store", as_sparse=True)
    assert store.about.n_entries == np.count_nonzero(X)
    np.testing.assert_array_equal(resolve_space(store).columns(np.arange(11)).toarray(), X)


def test_mirrored_and_repeated_entries(tmp_path):
    """Entries of one column come in many pieces, some of them twice."""
    rng = np.random.default_rng(2)
    lines = [f"{i} {j} {v}" for i, j, v in zip(*rng.integers(1, 41, (3, 900)), strict=True)]
    for kind, mirror in [("general", 0), ("symmetric", 1), ("skew-symmetric", -1)]:
        some = [line for line in lines if int(line.split()[0]) > int(line.split()[1])]
        head = f"%%MatrixMarket matrix coordinate integer {kind}\n% a comment\n40 40 {len(some)}\n"
        path = tmp_path / f"{kind}.mtx"
        path.write_text(head + "\n".join(some) + "\n")
        rows, columns, values = np.array([line.split() for line in some], dtype=float).T
        X = sp.csc_array((values, (rows.astype(int) - 1, columns.astype(int) - 1)), shape=(40, 40))
        expected = X + mirror * X.T
        store = convert_file(path, tmp_path / f"{kind}.store", memory=3000)
        found = resolve_space(store).columns(np.arange(40))
        np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_several_targets_and_dropped_columns(tmp_path):
    frame = pd.DataFrame(draw_dense()[0], columns=[f"c{j}" for j in range(11)])
    frame.to_csv(tmp_path / "a.csv", index=False)
    convert_file(
        tmp_path / "a.csv", tmp_path / "a.store", targets=("c1", "c2"), drop=("c0",), memory=5000
    )
    table = read_table(tmp_path / "a.store", targets="c2")
    np.testing.assert_array_equal(table.y, frame[["c2"]])
    assert table.feature_names == tuple(f"c{j}" for j in range(3, 11))


ARRAY = "%%MatrixMarket matrix array real general\n"
COORDINATES = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.svm", "1 1:2\n2 3:x\n", "line 2: expected a finite number after the colon"),
        ("a.svm", "1 1:2\n1 2:nan\n", "line 2: expected a finite number"),
        ("a.csv", "a,b,y\n1,2,3\n1,2\n", "line 3: expected 3 fields, found 2"),
        ("a.csv", "a,b,y\n1,2,3\n1,,3\n", "line 3, column 'b': the value is missing"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "holds 1"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "outside"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n", "not numbers"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "3 numbers"),
        ("a.mtx", "1 1 1\n", "expected a first line"),
        ("a.mtx", f"{ARRAY}3 2\n1\n2\n", "announces 6 entries and holds 2"),
        ("a.mtx", f"{ARRAY}3 2\n", "announces 6 entries and holds 0"),
        ("a.mtx", f"{ARRAY}{10**12} 10\n1\n", "more than the memory of this machine"),
        ("a.mtx", f"{COORDINATES}{10**12} 2 1\n1 1 1\n", "more than the memory of this machine"),
        ("a.mtx", f"{COORDINATES}2 {10**12} 1\n1 1 1\n", "more than the memory of this machine"),
        ("a.mtx", f"{COORDINATES}2 {10**22} 1\n1 1 1\n", "and a line of sizes"),
        ("a.mtx", f"{COORDINATES}0 2 0\n", "its shape is 0 x 2"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 3 1\n", "not square"),
        ("a.mtx", "%%MatrixMarket matrix array pattern general\n2 1\n1\n1\n", "expected a first"),
        ("a.npz", "PK", "is not a usable npz file"),
        ("a.xyz", "1", "suffix"),
        ("a.csv", "", "empty"),
    ],
)
def test_bad_files_leave_nothing(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        convert_file(tmp_path / name, tmp_path / "a.store", memory=30)
    assert [path.name for path in tmp_path.iterdir()] == [name]


class Failing:
    """A source that raises an error after its first piece."""

    def __init__(self, source, error):
        self._source, self._error = source, error

    def __getattr__(self, name):
        return getattr(self._source, name)

    def pieces(self, *arguments):
        yield next(self._source.pieces(*arguments))
        raise self._error


def test_whoever_complains_of_the_data_nothing_is_left(tmp_path):
    """Errors of other libraries too; only what can be gone on with is kept."""
    save_npz(tmp_path / "a.npz", draw_dense()[0])
    for error, raised in [
        (ValueError("odd"), ValueError),
        (OverflowError("far too large"), OverflowError),
        (StoreError("spoilt"), StoreError),
        (MemoryError(), OutputError),
        (NoRoomError("too large"), OutputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ]:
        with pytest.raises(raised):
            convert_file(
                *(tmp_path / "a.npz", tmp_path / "a.store"),
                memory=2000,
                through=partial(Failing, error=error),
            )
        is_left = (tmp_path / "a.store.part").exists()
        assert is_left == isinstance(error, (MemoryError, KeyboardInterrupt))


@pytest.mark.parametrize("layout", ["csr", "csc", "parts"])
def test_indices_in_any_order_and_twice(layout, tmp_path):
    """As select reads them."""
    X = sp.csr_array(
        (np.arange(1.0, 7.0), np.array([2, 0, 2, 1, 1, 0]), np.array([0, 3, 3, 6])), shape=(3, 3)
    )
    path = tmp_path / "a.npz"
    if layout == "parts":
        save_npz(path, X, np.array([0, 1, 1]))
    else:
        sp.save_npz(path, X if layout == "csr" else X.T)
    expected = X.toarray() if layout != "csc" else X.toarray().T
    store = convert_file(path, tmp_path / "a.store", memory=400)
    np.testing.assert_array_equal(resolve_space(store).columns(np.arange(3)).toarray(), expected)
    np.testing.assert_array_equal(read_table(path, target_optional=True).X.toarray(), expected)


def test_a_store_is_never_replaced(tmp_path):
    write_svmlight(tmp_path / "a.svm")
    convert_file(tmp_path / "a.svm", tmp_path / "a.store")
    with pytest.raises(OutputError, match="is there already"):
        convert_file(tmp_path / "a.svm", tmp_path / "a.store")


CHILD = """
import sys
from handful.io.conversion import Conversion, convert
from handful.io.conversion import open_source
from handful.io.table import Request
from pathlib import Path
import resource
data, store = map(Path, sys.argv[1:])
request = Request(target_optional=True)
warm = store.with_name("warm")
convert(Conversion(data.with_name("small.svm"), warm, request), open_source(data.with_name("small.svm"), request))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
convert(Conversion(data, store, request, memory=4 * 2**20), open_source(data, request))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
def test_memory_is_bounded(tmp_path):
    """A file many times larger than the limit: the process grows by the limit, not by the file."""
    write_svmlight(tmp_path / "small.svm")
    line = "1 " + " ".join(f"{j}:0.123456" for j in range(1, 20_000, 7)) + "\n"
    with open(tmp_path / "a.svm", "w") as file:
        for _ in range(500):
            file.write(line)
    assert (tmp_path / "a.svm").stat().st_size > 15 * 2**20
    arguments = [sys.executable, "-c", CHILD, tmp_path / "a.svm", tmp_path / "a.store"]
    grown = int(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)
    store = open_store(tmp_path / "a.store")
    assert store.shape == (500, 19_993)
    assert store.n_bytes > 3 * 4 * 2**20
    assert grown < 12 * 2**20
