"""mtx: matrices from scipy, labels beside them."""

import numpy as np
import pytest
import scipy.io
from scipy import sparse

from handful.io import InputError, read_table

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])


@pytest.fixture
def files(tmp_path):
    scipy.io.mmwrite(tmp_path / "data.mtx", sparse.coo_matrix(DENSE))
    (tmp_path / "labels.txt").write_text("cat\ndog\n")
    return tmp_path / "data.mtx", tmp_path / "labels.txt"


def refused(path, target, **options):
    with pytest.raises(InputError) as caught:
        read_table(path, None if target is None else str(target), **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_sparse_and_dense(files):
    path, labels = files
    table = read_table(path, str(labels))
    assert isinstance(table.X, sparse.csr_matrix)
    np.testing.assert_array_equal(table.X.toarray(), DENSE)
    assert table.y.tolist() == ["cat", "dog"]
    scipy.io.mmwrite(path, DENSE)
    np.testing.assert_array_equal(read_table(path, str(labels)).X, DENSE)


def test_the_target_is_needed_unless_optional(files):
    path, labels = files
    assert read_table(path, str(labels), target_optional=True).y is None  # maybe of other rows
    assert "holds no target; give --target FILE with one label per line" in refused(path, None)
    assert read_table(path, target_optional=True).y is None
    assert read_table(path, "gone.txt", target_optional=True).y is None
    assert refused(path, "gone.txt") == "gone.txt does not exist"


def test_labels_of_another_length(files):
    path, labels = files
    labels.write_text("1\n2\n3\n")
    assert refused(path, labels) == f"{labels} has 3 labels but {path} has 2 rows"


def test_a_missing_label_is_named(files):
    path, labels = files
    labels.write_text("1\n\n")
    told = f"{labels}, line 2: the label is missing; fill it in or remove the row"
    assert refused(path, labels) == told


def test_labels_from_npy(files, tmp_path):
    path, _ = files
    np.save(tmp_path / "y.npy", np.array([[1, 2]]))
    assert "shape (1, 2), expected one dimension" in refused(path, tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", np.array([{}, {}]), allow_pickle=True)
    assert "is not a plain npy array" in refused(path, tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", np.array([1.5, 2]))
    assert read_table(path, str(tmp_path / "y.npy")).y.tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    "content",
    [
        "no header\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.0\n9 9 1.0\n",
        "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.0\n",
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 abc\n",
        "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1E-",
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\x00\n",
    ],
)
def test_malformed(files, content):
    path, labels = files
    path.write_text(content)
    assert "is not a readable mtx file" in refused(path, labels)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ("array real general\n0 3\n", "its shape is 0 x 3"),  # on which scipy's parser crashes
        ("array real general\n2 0\n", "its shape is 2 x 0"),
        (f"array real general\n{10**9} {10**9}\n1\n", "more than the memory of this machine"),
        (f"coordinate real general\n{10**12} 3 1\n1 1 1\n", "more than the memory"),
        (f"coordinate real general\n2 3 {10**14}\n1 1 1\n", "more than the memory"),
        (f"coordinate real general\n2 {10**30} 1\n1 1 1\n", "is not a readable mtx file"),
        ("coordinate real symmetric\n2 3 1\n1 3 1\n", "symmetric and not square"),
        ("array real general\n2 3\n1\n2\n", "is not a readable mtx file"),
    ],
)
def test_sizes_are_looked_at_before_anything_is_made(files, sizes, words):
    path, labels = files
    path.write_text("%%MatrixMarket matrix " + sizes)
    assert words in refused(path, labels)


@pytest.mark.parametrize("kind", ["symmetric", "skew-symmetric"])
def test_a_dense_matrix_by_its_half(files, kind):
    path, labels = files
    lower = "1\n2\n3\n" if kind == "symmetric" else "2\n"
    path.write_text(f"%%MatrixMarket matrix array real {kind}\n2 2\n{lower}")
    expected = [[1, 2], [2, 3]] if kind == "symmetric" else [[0, -2], [2, 0]]
    np.testing.assert_array_equal(read_table(path, str(labels)).X, expected)


def test_complex_values(files):
    path, labels = files
    scipy.io.mmwrite(path, sparse.coo_matrix(DENSE * 1j))
    assert "holds complex128 values, expected numbers" in refused(path, labels)


def test_columns_have_no_names(files):
    path, labels = files
    assert "has no column names" in refused(path, labels, drop=["a"])
