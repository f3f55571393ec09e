"""Quotes that are never closed, and files that are one endless line: refused early, in one sentence."""

import bz2
import gzip
import io
import lzma
import tracemalloc

import numpy as np
import pytest
import stores

from handful.cli.feature_names import read_memberships
from handful.io import InputError, opening, read_table
from handful.sizes import changed_sizes

PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def test_a_stray_quote_is_named_by_its_line(tmp_path):
    """In 2 MB of rows, which took minutes when the text was counted anew for every line."""
    rows = [f"{j},{j % 7},{j % 2}" for j in range(200_000)]
    rows[4] = '5,"3,1'
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n" + "\n".join(rows) + "\n")
    complaint = r"a\.csv, line 6: a quotation mark is opened here and never closed"
    with pytest.raises(InputError, match=complaint):
        read_table(path, "y")
    with pytest.raises(InputError, match=complaint):
        stores.convert_file(path, tmp_path / "a.store", target="y", memory=10**6)


def test_the_quote_that_stays_open_is_the_one_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,note,y\n1,"two\nlines",0\n2,"three\nlines","0\n3,x,1\n')
    with pytest.raises(InputError, match=r"a\.csv, line 5: a quotation mark"):
        read_table(path, "y", drop=["note"])


def test_no_more_is_read_than_a_field_may_hold():
    file = io.StringIO('a,b\n1,"2\n' + "3,4\n" * 1000)
    with pytest.raises(InputError, match="line 2"):
        list(opening.quoted_lines("it", file, ",", longest=30))
    assert file.tell() < 60


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ('1,5" pipe\n2,6" pipe\n3,7" pipe\n', ['5" pipe', '6" pipe', '7" pipe']),
        ('1,a "b\n2,c\n', ['a "b', "c"]),
        ('1,"a ""b"\n2,"""c"\n', ['a "b', '"c']),
        ('1,""\n2,"x"\n', None),
        ('1,"a\nb"\n2,"c\n""d""\ne"\n', ["a\nb", 'c\n"d"\ne']),
    ],
)
def test_quotes_as_the_csv_module_has_them(tmp_path, text, labels):
    """Only at the beginning of a field do they mean anything."""
    path = tmp_path / "a.csv"
    path.write_text("a,y\n" + text)
    if labels is None:
        with pytest.raises(InputError, match="line 2: the target 'y' is missing"):
            read_table(path, "y")
    else:
        assert read_table(path, "y").y.tolist() == labels


def test_a_stray_quote_among_groups(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text('feature,group\nx,a\n "y,b\n' + "z,c\n" * 100_000)
    with pytest.raises(InputError, match=r"groups\.csv, line 3: a quotation mark"):
        read_memberships(path)
    path.write_text('x,5" pipe\n"y, z", "two\nlines"\nw,c\n')
    assert read_memberships(path) == [(1, "x", '5" pipe'), (2, "y, z", "two\nlines"), (4, "w", "c")]


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("kind", [".svm", ".csv", ".tsv", ".mtx"])
@changed_sizes(longest_line=2**20)
def test_a_bomb_of_zeros_is_not_unpacked(tmp_path, kind, suffix):
    """A few kilobytes that unpack into one line of 24 MB."""
    head = b"%%MatrixMarket matrix array real general\n2 2\n" if kind == ".mtx" else b""
    path = tmp_path / f"a{kind}{suffix}"
    path.write_bytes(PACKED[suffix](head + bytes(24 * 2**20)))
    target = "0" if kind in (".csv", ".tsv") else None

    def read():
        read_table(path, target, target_optional=kind == ".mtx")

    def convert():
        stores.convert_file(path, tmp_path / "a.store", target=target, memory=2**21)

    for use in (read, convert):
        tracemalloc.start()
        try:
            with pytest.raises(InputError, match="a line is longer than 1048576 bytes") as caught:
                use()
            assert tracemalloc.get_traced_memory()[1] < 12 * 2**20
        finally:
            tracemalloc.stop()
        assert str(path) in str(caught.value)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@changed_sizes(longest_line=2**20)
def test_a_bomb_of_labels(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.ones((2, 2)))
    (tmp_path / "y.txt.gz").write_bytes(gzip.compress(b"1" * (24 * 2**20)))
    with pytest.raises(InputError, match=r"y\.txt\.gz, line 1: a line is longer"):
        read_table(tmp_path / "a.npz", str(tmp_path / "y.txt.gz"))
