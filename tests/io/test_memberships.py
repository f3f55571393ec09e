"""The file of groups: one line per membership, however it is written."""

import gzip

import pytest

from handful.cli.feature_names import read_memberships
from handful.io import InputError

EXPECTED = [("gene 1", "a"), ("gene 2", "a"), ("gene 2", "b")]


def read(tmp_path, text, name="groups.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_memberships(path)


@pytest.mark.parametrize(
    "text",
    [
        "feature,group\ngene 1,a\ngene 2,a\ngene 2,b\n",
        "gene 1,a\ngene 2,a\ngene 2,b",
        "\ngene 1 , a\n\ngene 2,a\n , \ngene 2,b\n\n",
        "Feature\tGroup\r\ngene 1\ta\r\ngene 2\ta\r\ngene 2\tb\r\n",
        "gene 1;a\ngene 2;a\ngene 2;b\n",
        '"gene 1","a"\n"gene 2",a\ngene 2,"b"\n',
        "\ufefffeature|group\ngene 1|a\ngene 2|a\ngene 2|b\n",
    ],
)
def test_ways_to_write_it(tmp_path, text):
    assert [row[1:] for row in read(tmp_path, text)] == EXPECTED


def test_white_space_where_there_is_no_other_separator(tmp_path):
    rows = read(tmp_path, "feature group\n1  a\n2\ta\n", "groups.txt")
    assert rows == [(2, "1", "a"), (3, "2", "a")]


def test_a_separator_inside_quotes(tmp_path):
    assert read(tmp_path, 'feature,group\n"height, cm","the, body"\n') == [
        (2, "height, cm", "the, body")
    ]


def test_compressed(tmp_path):
    rows = read(tmp_path, gzip.compress(b"gene 1,a\ngene 2,a\ngene 2,b\n"), "groups.csv.gz")
    assert [row[1:] for row in rows] == EXPECTED


def test_line_numbers_are_those_of_the_file(tmp_path):
    assert [row.line for row in read(tmp_path, "\nfeature,group\n\nx,a\n\ny,a\n")] == [4, 6]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n", "holds no line such as feature,group"),
        ("feature,group\n", "holds no line such as feature,group"),
        ("x,a\ny\n", "line 2: expected a feature and a group, found 1 field"),
        ("x,a\ny,a,b\n", "line 2: expected a feature and a group, found 3 fields"),
        ("x\n", "line 1: expected a feature and a group, found 1 field"),
        ("x,a\n,a\n", "line 2: the feature is missing"),
        ("x,a\ny,\n", "line 2: the group is missing"),
        (b"x,a\n\xff,a\n", "is not UTF-8 text"),
        ("x,a\n" + "y" * 200_000 + ",a\n", "line 2: field larger than field limit"),
    ],
)
def test_bad_lines(tmp_path, text, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "groups.csv"))
    assert "\n" not in str(caught.value)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_memberships(tmp_path / "groups.csv")
