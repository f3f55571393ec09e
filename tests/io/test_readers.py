"""Every format gives the same table; every unusable file gets one sentence."""

import builtins
import bz2
import gzip
import lzma

import numpy as np
import pytest
import scipy.io
from annotated import write_h5ad
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from handful.io import FORMATS, InputError, read_table
from handful.spaces import resolve_space

X = np.array([[1.5, 0.0, -2.0, 0.0], [0.0, 3.0, 0.0, 1e-3], [7.0, 0.0, 0.0, 4.0]])
Y = np.array([1, -1, 1])
NAMES = ("a", "b", "c", "d")


def write_svmlight(path):
    dump_svmlight_file(X, Y, str(path), zero_based=False)


def write_csv(path, separator=","):
    rows = [
        separator.join([*map(repr, row), str(label)])
        for row, label in zip(X.tolist(), Y, strict=True)
    ]
    path.write_text("\n".join([separator.join([*NAMES, "y"]), *rows]) + "\n")


def write_tsv(path):
    write_csv(path, "\t")


def write_parquet(path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    columns = {name: X[:, j] for j, name in enumerate(NAMES)}
    pq.write_table(pa.table({**columns, "y": Y}), path, row_group_size=2)


def write_npz(path):
    np.savez(path, X=X, y=Y, feature_names=np.array(NAMES))


def write_mtx(path):
    scipy.io.mmwrite(path, sparse.csr_matrix(X))
    (path.parent / "labels.txt").write_text("1\n-1\n1\n")


WRITERS = {
    "svmlight": (write_svmlight, None),
    "csv": (write_csv, "y"),
    "tsv": (write_tsv, "y"),
    "parquet": (write_parquet, "y"),
    "npz": (write_npz, None),
    "mtx": (write_mtx, "labels.txt"),
    "h5ad": (lambda path: write_h5ad(path, X, NAMES, y=Y), "y"),
}
CASES = [(name, suffix) for name, kind in FORMATS.items() for suffix in kind.suffixes]
PACKED = [(name, suffix) for name, suffix in CASES if FORMATS[name].compressible]


def test_every_format_is_tested():
    assert WRITERS.keys() == FORMATS.keys()


def write_and_read(folder, name, suffix, pack=None):
    write, target = WRITERS[name]
    canonical = folder / f"data{FORMATS[name].suffixes[0]}"
    write(canonical)
    path = folder / f"data{suffix}"
    canonical.rename(path)
    if pack is not None:
        packed = path.with_name(path.name + pack[0])
        packed.write_bytes(pack[1](path.read_bytes()))
        path = packed
    if name == "mtx":
        target = str(folder / target)
    return read_table(path, target)


def check(table, name):
    values = table.X.toarray() if sparse.issparse(table.X) else table.X
    if name == "h5ad":  # stays on the disk
        values = resolve_space(table.X).columns(np.arange(4))
    assert sparse.issparse(table.X) == (name in ("svmlight", "mtx"))
    np.testing.assert_array_equal(values, X)
    assert values.dtype == np.float64
    np.testing.assert_array_equal(table.y, Y)
    assert table.y.dtype == np.int64
    assert table.feature_names == (None if name in ("svmlight", "mtx") else NAMES)


@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_formats_agree(tmp_path, name, suffix):
    check(write_and_read(tmp_path, name, suffix), name)


@pytest.mark.parametrize(("name", "suffix"), PACKED)
@pytest.mark.parametrize(
    "pack", [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_formats_agree(tmp_path, name, suffix, pack):
    check(write_and_read(tmp_path, name, suffix, pack), name)


def test_the_format_can_be_said(tmp_path):
    write_svmlight(tmp_path / "a9a.t")
    table = read_table(tmp_path / "a9a.t", file_format="svmlight")
    np.testing.assert_array_equal(table.X.toarray(), X)
    with pytest.raises(InputError, match=r"the format 'arff' is unknown; known are svmlight, csv"):
        read_table(tmp_path / "a9a.t", file_format="arff")


def test_unknown_suffix_lists_the_known(tmp_path):
    (tmp_path / "data.sav").write_text("x")
    with pytest.raises(InputError, match=r"data\.sav: the suffix '\.sav'.*known are \.svm .*\.mtx"):
        read_table(tmp_path / "data.sav", "y")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("data.xlsx", "data.xlsx is a spreadsheet; save the sheet that is meant as csv"),
        ("data.csv.zip", "data.csv.zip is packed; unpack the table in it"),
        ("data.tar.gz", "data.tar.gz is packed; unpack the table in it"),
        ("data.RData", "data.RData is a file of R; write the table with write.csv"),
    ],
)
def test_files_that_others_read_say_what_to_do(tmp_path, name, sentence):
    (tmp_path / name).write_text("x")
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / name, "y")
    assert str(caught.value).endswith(sentence)


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.csv does not exist"):
        read_table(tmp_path / "nothing.csv", "y")


def test_folder(tmp_path):
    with pytest.raises(InputError, match="is a folder; give the name of a file"):
        read_table(tmp_path, "y")


@pytest.mark.parametrize("suffix", [suffix for _, suffix in CASES])
def test_empty_file(tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    path.touch()
    with pytest.raises(InputError, match="is empty"):
        read_table(path, "y")


@pytest.mark.parametrize("packer", [gzip, bz2, lzma])
@pytest.mark.parametrize(
    ("name", "suffix"), [("svmlight", ".svm"), ("csv", ".csv"), ("mtx", ".mtx")]
)
def test_damaged_compression(tmp_path, packer, name, suffix):
    write, target = WRITERS[name]
    write(tmp_path / f"data{suffix}")
    content = (tmp_path / f"data{suffix}").read_bytes() * 200
    ending = {gzip: ".gz", bz2: ".bz2", lzma: ".xz"}[packer]
    path = tmp_path / f"data{suffix}{ending}"
    target = str(tmp_path / target) if name == "mtx" else target
    for broken in (packer.compress(content)[:-20], b"this is not compressed at all"):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=rf"data{suffix}{ending} is not a complete"):
            read_table(path, target)


@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_formats_that_compress_themselves(tmp_path, suffix):
    path = tmp_path / f"data{suffix}.gz"
    path.write_bytes(gzip.compress(b"x"))
    with pytest.raises(InputError, match="compress themselves; unpack it first"):
        read_table(path, "y")


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_text_that_is_not_utf8(tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    path.write_bytes("é,y\n1,2\n".encode("latin-1"))
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_table(path, "y")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "data.csv"
    write_csv(path)

    def refuse(file, *args, **kwargs):
        if file == path:  # root may read whatever the mode says
            raise PermissionError(13, "Permission denied")
        return opened(file, *args, **kwargs)

    opened = builtins.open
    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(InputError, match=r"cannot read .*data\.csv: permission denied"):
        read_table(path, "y")


def spoil(content, rng):
    """Cut, change, insert or remove a few bytes."""
    spoilt, at = bytearray(content), int(rng.integers(len(content)))
    match rng.integers(4):
        case 0:
            del spoilt[max(at, 1) :]
        case 1:
            for place in rng.integers(len(content), size=rng.integers(1, 6)):
                spoilt[place] = rng.integers(256)
        case 2:
            spoilt[at:at] = rng.bytes(rng.integers(1, 9))
        case _:
            del spoilt[at : at + int(rng.integers(1, 9))]
    return bytes(spoilt)


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "h5ad"])
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path, name):
    """Nothing but InputError ever comes out of a reader, whatever the bytes.

    (An h5ad file is read as it is used: its own tests spoil it.)
    """
    write, target = WRITERS[name]
    path = tmp_path / f"data{FORMATS[name].suffixes[0]}"
    write(path)
    content, rng = path.read_bytes(), np.random.default_rng(7)
    target = str(tmp_path / target) if name == "mtx" else target
    sentences = []
    for _ in range(300):
        path.write_bytes(spoil(content, rng))
        try:
            table = read_table(path, target)
        except InputError as error:
            sentences.append(str(error))
        else:
            assert np.all(np.isfinite(table.X.data if sparse.issparse(table.X) else table.X))
    assert len(sentences) > 100
    assert all(str(tmp_path) in sentence and "\n" not in sentence for sentence in sentences)
