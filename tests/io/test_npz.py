"""npz: its three layouts, and files that are not what they should be."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from handful.io import InputError, read_table

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
CSR = sparse.csr_matrix(DENSE)
PARTS = {"X_data": CSR.data, "X_indices": CSR.indices, "X_indptr": CSR.indptr, "X_shape": CSR.shape}


@pytest.fixture
def write(tmp_path):
    def write(**arrays):
        np.savez(tmp_path / "data.npz", **arrays)
        return tmp_path / "data.npz"

    return write


def refused(path, target=None, **options):
    with pytest.raises(InputError) as caught:
        read_table(path, target, **options)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        (np.uint8, np.float32),
        (np.int16, np.float32),
        (np.bool_, np.float32),
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.int64, np.float64),
        (np.float64, np.float64),
    ],
)
def test_types(write, stored, read):
    table = read_table(write(X=DENSE.astype(stored), y=[0, 1]))
    assert table.X.dtype == read
    np.testing.assert_array_equal(table.X, DENSE.astype(stored).astype(float))
    assert (table.target_name, table.feature_names) == ("y", None)


@pytest.mark.parametrize("index_type", [np.uint16, np.int32, np.int64])
def test_parts_of_a_sparse_matrix(write, index_type):
    parts = {**PARTS, "X_indices": CSR.indices.astype(index_type)}
    table = read_table(write(**parts, y=np.array(["a", "b"])))
    assert isinstance(table.X, sparse.csr_matrix)
    np.testing.assert_array_equal(table.X.toarray(), DENSE)
    assert table.y.tolist() == ["a", "b"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_scipys_own_layout(tmp_path, form):
    path = tmp_path / "data.npz"
    sparse.save_npz(path, CSR.asformat(form))
    np.save(tmp_path / "y.npy", np.array([5, 7]))
    table = read_table(path, str(tmp_path / "y.npy"))
    assert table.X.format == "csr"
    np.testing.assert_array_equal(table.X.toarray(), DENSE)
    assert table.y.tolist() == [5, 7]
    assert read_table(path, target_optional=True).y is None
    assert read_table(path, str(tmp_path / "y.npy"), target_optional=True).y is None


def test_another_key_is_the_target(write):
    assert read_table(write(X=DENSE, outcome=[3, 4]), "outcome").y.tolist() == [3, 4]


def test_names_drop_and_only(write):
    path = write(X=DENSE, y=[0, 1], feature_names=np.array(["a", "b", "c"]))
    assert read_table(path, drop=["b"]).feature_names == ("a", "c")
    np.testing.assert_array_equal(read_table(path, only=["c", "a"]).X, DENSE[:, [2, 0]])


def test_unknown_target_suggests(write):
    message = refused(write(X=DENSE, label=[0, 1]), "labels")
    assert (
        "has no target 'labels', nor is there a file of this name; did you mean 'label'?" in message
    )
    assert "it has the keys 'X', 'foo'" in refused(write(X=DENSE, foo=[0, 1]))


def test_no_matrix(write):
    assert "has the keys a, b; expected X and y" in refused(write(a=1, b=2))


def test_shapes(write):
    assert "y has the shape (3,), expected (2,)" in refused(write(X=DENSE, y=[0, 1, 1]))
    assert "X has the shape (3,), expected two dimensions" in refused(write(X=np.ones(3), y=[1]))
    assert "its shape is 0 x 3" in refused(write(X=np.ones((0, 3)), y=[]))
    assert "2 feature_names for 3 columns" in refused(
        write(X=DENSE, y=[0, 1], feature_names=["a", "b"])
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite(write, bad):
    spoilt = DENSE.copy()
    spoilt[1, 1] = bad
    message = "row 2, column 1: the value is NaN or infinite"
    assert message in refused(write(X=spoilt, y=[0, 1]))
    assert message in refused(write(**{**PARTS, "X_data": np.array([1.0, 2.0, bad])}, y=[0, 1]))
    assert "row 2: the target 'y' is NaN" in refused(write(X=DENSE, y=[0.5, bad]))


@pytest.mark.parametrize("indices", [[0, 2, 7], [0, -1, 1]])
def test_indices_outside_the_matrix_are_refused(write, indices):
    assert "is not a usable npz file" in refused(write(**{**PARTS, "X_indices": indices}, y=[0, 1]))


def test_bad_indices_in_scipys_layout(write):
    assert "is not a usable npz file" in refused(
        write(format=b"csc", data=[1.0], indices=[9], indptr=[0, 1, 1], shape=[2, 2])
    )


def test_nothing_is_unpickled(tmp_path, write):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "exploded"), "w"))

    hidden = np.empty((1, 1), dtype=object)
    hidden[0, 0] = Bomb()
    assert "is not a usable npz file" in refused(write(X=hidden, y=[1]))
    path = tmp_path / "pickle.npz"
    path.write_bytes(pickle.dumps(Bomb()))
    assert "is not a usable npz file" in refused(path)
    assert not (tmp_path / "exploded").exists()


def test_text_as_features(write):
    assert "X holds <U1 values, expected numbers" in refused(write(X=[["a"], ["b"]], y=[0, 1]))


def test_truncated_and_foreign(tmp_path, write):
    path = write(X=DENSE, y=[0, 1])
    path.write_bytes(path.read_bytes()[:-30])
    assert "is not a usable npz file" in refused(path)
    np.save(tmp_path / "single.npy", DENSE)
    single = tmp_path / "single.npz"
    (tmp_path / "single.npy").rename(single)
    assert "is not a usable npz file" in refused(single)
