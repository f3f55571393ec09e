"""Several targets from each format: by name, by position, by pattern; and what is refused."""

import numpy as np
import pytest

from handful.io import InputError, read_table

X = np.array([[1.5, 2.0], [2.5, 3.0], [3.5, 5.0]])
Y = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]])
NAMES = ("label_a", "label_b", "other")


@pytest.fixture
def csv_file(tmp_path):
    rows = [[x[0], y[0], x[1], y[1], y[2]] for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    header = ["height", "label_a", "weight", "label_b", "other"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")
    return path


@pytest.fixture
def parquet_file(tmp_path, csv_file):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    assert pa.__version__
    pq.write_table(pc.read_csv(csv_file), path)
    return path


@pytest.fixture(params=["csv", "tsv", "parquet"])
def table_file(request, tmp_path, csv_file):
    if request.param == "csv":
        return csv_file
    if request.param == "parquet":
        return request.getfixturevalue("parquet_file")
    path = tmp_path / "a.tsv"
    path.write_text(csv_file.read_text().replace(",", "\t"))
    return path


@pytest.mark.parametrize(
    ("targets", "found"),
    [
        ("label_a,label_b", ("label_a", "label_b")),
        ("label_*", ("label_a", "label_b")),
        ("other,label_*", ("other", "label_a", "label_b")),
        (["label_b", "label_*"], ("label_b", "label_a")),
        ("1,3,-1", NAMES),
        (" label_a , other ", ("label_a", "other")),
        ("*_b", ("label_b",)),
    ],
)
def test_columns(table_file, targets, found):
    table = read_table(table_file, targets=targets)
    assert table.target_names == found
    assert table.target_name is None
    columns = [NAMES.index(name) for name in found]
    np.testing.assert_array_equal(table.y, Y[:, columns])
    assert table.y.dtype == np.int64
    assert set(table.feature_names) == {"height", "weight", *NAMES} - set(found)
    np.testing.assert_array_equal(table.X[:, [0]], X[:, [0]])


def test_all_targets_leave_the_features(table_file):
    table = read_table(table_file, targets="label_*,other")
    assert table.feature_names == ("height", "weight")
    np.testing.assert_array_equal(table.X, X)
    table = read_table(table_file, targets="label_*", drop=["other"])
    assert table.feature_names == ("height", "weight")


def test_real_targets_stay_real_and_truth_is_a_number(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y1,y2,y3\n1,0.5,true,"TRUE"\n2,2,False,false\n')
    table = read_table(path, targets="y*")
    np.testing.assert_array_equal(table.y, [[0.5, 1, 1], [2, 0, 0]])


def test_no_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,0,5\n2,1,6\n")
    table = read_table(path, targets="1,2", header=False)
    np.testing.assert_array_equal(table.y, [[0, 5], [1, 6]])
    assert table.target_names == ("1", "2")


@pytest.mark.parametrize(
    ("targets", "complaint"),
    [
        ("label_a,nothing", "there is no target column 'nothing'"),
        ("tag_*", r"no column fits the target 'tag_\*'"),
        ("7", "there is no target column 7; columns are numbered 0 to 4"),
        (" , ", "--targets names no target; give names, or a pattern such as 'label_"),
        ("*", "no column is left to select from"),
    ],
)
def test_targets_that_are_not_there(table_file, targets, complaint):
    with pytest.raises(InputError, match=complaint):
        read_table(table_file, targets=targets)


def test_not_beside_a_target(csv_file):
    with pytest.raises(InputError, match="either --target or --targets can be given, not both"):
        read_table(csv_file, "other", targets="label_*")


@pytest.mark.parametrize("field", ["maybe", "nan", "inf", ""])
def test_a_bad_field_is_named(tmp_path, field):
    path = tmp_path / "a.csv"
    path.write_text(f"x,y1,y2\n1,0,1\n2,{field},0\n3,1,1\n")
    complaint = f"line 3, column 'y1': expected a finite number for a target, found {field!r}"
    with pytest.raises(InputError, match=complaint) as caught:
        read_table(path, targets="y*")
    is_told_how = str(caught.value).endswith("; labels are written as 0 and 1 or as true and false")
    assert is_told_how == (field in ("maybe", "inf"))


def test_text_in_parquet_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1.0, 2.0], "y1": ["a", "b"], "y2": [True, False]}), path)
    with pytest.raises(InputError, match="the target 'y1' holds text; several targets must be num"):
        read_table(path, targets="y1,y2")
    table = read_table(path, targets="y2", drop=["y1"])
    np.testing.assert_array_equal(table.y, [[1], [0]])
    pq.write_table(pa.table({"x": [1.0, 2.0], "y1": [1, None], "y2": [True, False]}), path)
    with pytest.raises(InputError, match="row 2: the target 'y1' is missing"):
        read_table(path, targets="y*")


def test_optional_targets(table_file):
    found = read_table(table_file, targets=NAMES, target_optional=True, only=["weight"])
    np.testing.assert_array_equal(found.y, Y)
    absent = read_table(
        table_file, targets=["label_a", "gone"], target_optional=True, only=["weight"]
    )
    assert absent.y is None
    assert absent.target_names is None


def write_npz(path, **arrays):
    np.savez(path, X=X, **arrays)
    return path


def test_npz_matrix_and_vectors(tmp_path):
    path = write_npz(tmp_path / "a.npz", Y=Y, y1=Y[:, 0], y2=[0.5, 1.0, 2.0])
    table = read_table(path, targets="Y")
    np.testing.assert_array_equal(table.y, Y)
    assert table.target_names == ("Y0", "Y1", "Y2")
    table = read_table(path, targets="y*")
    assert table.target_names == ("y1", "y2")
    np.testing.assert_array_equal(table.y, np.column_stack([Y[:, 0], [0.5, 1, 2]]))


def test_npz_label_names(tmp_path):
    path = write_npz(tmp_path / "a.npz", Y=Y, label_names=list(NAMES))
    assert read_table(path, targets="Y").target_names == NAMES
    table = read_table(path, targets="label_*")
    assert table.target_names == ("label_a", "label_b")
    np.testing.assert_array_equal(table.y, Y[:, :2])
    again = read_table(path, targets=NAMES, target_optional=True)
    np.testing.assert_array_equal(again.y, Y)
    assert read_table(path, targets=["gone"], target_optional=True).y is None


def test_npz_refuses(tmp_path):
    path = write_npz(tmp_path / "a.npz", Y=Y, short=[1, 2], words=["a", "b", "c"])
    with pytest.raises(InputError, match="has no target 'y'"):
        read_table(path, targets="y")
    with pytest.raises(InputError, match=r"short has the shape \(2,\), expected 3 rows of targets"):
        read_table(path, targets="short")
    with pytest.raises(InputError, match="the target 'words' holds text; several targets must be"):
        read_table(path, targets="words")
    path = write_npz(tmp_path / "b.npz", Y=np.where(Y == 1, np.nan, 0.0))
    with pytest.raises(InputError, match="row 1: the target 'Y0' is NaN or infinite"):
        read_table(path, targets="Y")


LINES = "1,3 1:2 2:1\n2:5\n# note\n3 1:1\n10,2 qid:4 1:4 2:2\n"


@pytest.fixture
def svm_file(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text(LINES)
    return path


def test_svmlight_labels(svm_file):
    table = read_table(svm_file, targets="*")
    assert table.target_names == ("1", "2", "3", "10")
    expected = [[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]]
    np.testing.assert_array_equal(table.y, expected)
    np.testing.assert_array_equal(table.X.toarray(), [[2, 1], [0, 5], [1, 0], [4, 2]])
    some = read_table(svm_file, targets="3,1")
    np.testing.assert_array_equal(some.y, [[1, 1], [0, 0], [1, 0], [0, 0]])


def test_svmlight_labels_of_a_model(svm_file):
    table = read_table(svm_file, targets=["3", "7"], target_optional=True)
    np.testing.assert_array_equal(table.y, [[1, 0], [0, 0], [1, 0], [0, 0]])
    svm_file.write_text("1:1\n2:1\n")
    assert read_table(svm_file, targets=["3", "7"], target_optional=True).y is None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1,x 1:1", "expected numbers with commas as the labels, found '1,x'"),
        ("1,nan 1:1", "expected numbers with commas as the labels, found '1,nan'"),
        ("1,,2 1:1", "expected numbers with commas as the labels, found '1,,2'"),
        ("1,2 1:x", "expected a finite number after the colon, found '1:x'"),
        ("2:1 1:1", "the index 1 follows 2; indices must rise along a line"),
    ],
)
def test_a_malformed_line_is_named(svm_file, line, complaint):
    svm_file.write_text(f"1,2 1:1\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_table(svm_file, targets="*")
    assert str(caught.value) == f"{svm_file}, line 2: {complaint}"


def test_svmlight_labels_that_no_row_has(svm_file):
    with pytest.raises(InputError, match="no row has the label '7'; it has the labels '1', '2', "):
        read_table(svm_file, targets="1,7")
    svm_file.write_text("1:1\n2:1\n")
    with pytest.raises(InputError, match=r"no label fits the target '\*'"):
        read_table(svm_file, targets="*")


def test_mtx_has_none(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix array real general\n1 1\n1\n")
    with pytest.raises(InputError, match="--targets is for csv, tsv, parquet, npz and svmlight"):
        read_table(path, targets="y1,y2")
