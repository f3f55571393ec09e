"""svmlight: what is accepted, and the line that is named when it is not."""

import numpy as np
import pytest
from scipy import sparse

from handful.io import InputError, read_table


def read(tmp_path, text, **options):
    path = tmp_path / "data.svm"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_table(path, **options)


def test_comments_query_ids_blank_and_empty_rows(tmp_path):
    table = read(tmp_path, "# head\n1 qid:3 1:2 3:.5 # note\n\n-1\r\n0\t2:1e3\n")
    assert isinstance(table.X, sparse.csr_matrix)
    assert table.X.indices.dtype == np.int32
    np.testing.assert_array_equal(table.X.toarray(), [[2, 0, 0.5], [0, 0, 0], [0, 1000, 0]])
    np.testing.assert_array_equal(table.y, [1, -1, 0])
    assert (table.first_index, table.feature_names, table.target_name) == (1, None, None)


def test_index_zero_makes_the_file_zero_based(tmp_path):
    table = read(tmp_path, "1 0:2\n-1 2:3\n")
    assert table.first_index == 0
    np.testing.assert_array_equal(table.X.toarray(), [[2, 0, 0], [0, 0, 3]])


def test_first_index_and_width_can_be_said(tmp_path):
    table = read(tmp_path, "1 1:2\n", first_index=0, n_features=5)
    np.testing.assert_array_equal(table.X.toarray(), [[0, 2, 0, 0, 0]])
    table = read(tmp_path, "1\n2\n", first_index=1, n_features=2)
    np.testing.assert_array_equal(table.X.toarray(), np.zeros((2, 2)))


def test_real_targets_stay_real(tmp_path):
    assert read(tmp_path, "1.5 1:1\n2 1:2\n").y.tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("spam 1:1", "expected a number as the label, found 'spam'"),
        ("1,2 1:1", "expected a number as the label, found '1,2'"),
        ("nan 1:1", "expected a number as the label, found 'nan'"),
        ("1 1:2 foo", "expected index:value, found 'foo'"),
        ("1 1: 2", "expected a finite number after the colon, found '1:'"),
        ("1 1:abc", "expected a finite number after the colon, found '1:abc'"),
        ("1 1:nan", "expected a finite number after the colon, found '1:nan'"),
        ("1 1:1e999", "expected a finite number after the colon, found '1:1e999'"),
        ("1 1.5:2", "expected a whole number before the colon, found '1.5:2'"),
        ("1 -1:2", "the index -1 is below 0, the first one"),
        ("1 3:1 2:1", "the index 2 follows 3; indices must rise along a line"),
        ("1 2:1 2:1", "the index 2 follows 2; indices must rise along a line"),
        ("1 99999999999:1", "the index 99999999999 is above 2147483646, the highest that can be"),
        ("1 1:1 qid:3", "'qid:3' must follow the label; put it there, or leave it out"),
        ("1,2 1:1", "found '1,2'; a row with several labels is read with --targets '*'"),
        ("ham\tsee you", "behind its label and a tab, are read with --format lines"),
        ("1 1:" + "x" * 99, "found '1:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"),
        (b"\xff\xfe 1:1", "expected a number as the label"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, complaint):
    line = line if isinstance(line, bytes) else line.encode()
    with pytest.raises(InputError) as caught:
        read(tmp_path, b"# comment\n1 1:1 2:1\n" + line + b"\n1 1:1\n")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'data.svm'}, line 3: ")
    assert complaint in message
    assert "\n" not in message


@pytest.mark.parametrize("several", [False, True])
def test_features_beyond_the_width_are_left_out_and_counted(tmp_path, several):
    options = {"targets": ["*"]} if several else {}
    text = "1 1:1 4:2 9:1\n0 4:1 5:1\n1 3:7\n"
    table = read(tmp_path, text, first_index=1, n_features=3, **options)
    np.testing.assert_array_equal(table.X.toarray(), [[1, 0, 0], [0, 0, 0], [0, 0, 7]])
    assert table.n_beyond == 3
    assert len(table.y) == 3
    assert read(tmp_path, text, **options).n_beyond == 0


def test_an_index_below_the_first_is_named(tmp_path):
    with pytest.raises(InputError, match=r"line 1: the index 0 is below 1, the first one"):
        read(tmp_path, "1 0:1\n", first_index=1, n_features=3)


def test_no_rows(tmp_path):
    with pytest.raises(InputError, match="holds no rows"):
        read(tmp_path, "# nothing\n\n")


def test_a_target_is_not_wanted(tmp_path):
    with pytest.raises(
        InputError, match="rows begin with their target; leave --target out, or say --format csv"
    ):
        read(tmp_path, "1 1:1\n", target="y")


def test_columns_have_no_names(tmp_path):
    with pytest.raises(
        InputError, match="has no column names, so the column 'age' cannot be dropped"
    ):
        read(tmp_path, "1 1:1\n", drop=["age"])
    with pytest.raises(
        InputError, match="has no column names, so the columns 'a', 'b' cannot be found"
    ):
        read(tmp_path, "1 1:1\n", only=["a", "b"])
