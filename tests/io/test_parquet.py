"""parquet: types, missing values and messages."""

import builtins
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from handful.io import InputError, read_table
from handful.io.parquet import numeric_columns
from handful.io.table import Request

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (the extra 'files')")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow (the extra 'files')")


@pytest.fixture
def write(tmp_path):
    def write(columns, **options):
        path = tmp_path / "data.parquet"
        pq.write_table(pa.table(columns), path, **options)
        return path

    return write


def test_small_types_stay_float32(write):
    path = write(
        {
            "a": pa.array([1.5, 2.5], pa.float32()),
            "b": pa.array([1, 255], pa.uint8()),
            "c": pa.array([True, False]),
            "y": ["p", "n"],
        }
    )
    table = read_table(path, "y")
    assert table.X.dtype == np.float32
    np.testing.assert_array_equal(table.X, [[1.5, 1, 1], [2.5, 255, 0]])
    assert table.y.tolist() == ["p", "n"]


def test_wide_types_become_float64(write):
    path = write(
        {"a": [2**40, 1], "b.c": pa.array([1.25, 2]).cast(pa.decimal128(10, 2)), "y": [1, 0]}
    )
    table = read_table(path, "y")
    assert table.X.dtype == np.float64
    np.testing.assert_array_equal(table.X, [[2.0**40, 1.25], [1, 2]])


def test_many_row_groups_keep_their_order(write):
    values = np.arange(1000.0)
    table = read_table(write({"a": values, "y": values % 2}, row_group_size=7), "y")
    np.testing.assert_array_equal(table.X[:, 0], values)
    assert table.y.dtype == np.int64


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([True, False], [True, False]), ([0.5, 1.0], [0.5, 1.0])],
)
def test_target_types(write, labels, expected):
    assert read_table(write({"a": [1.0, 2.0], "y": labels}), "y").y.tolist() == expected


def test_categorical_target(write):
    path = write({"a": [1.0, 2.0], "y": pa.array(["u", "v"]).dictionary_encode()})
    assert read_table(path, "y").y.tolist() == ["u", "v"]


def test_only_and_order(write):
    path = write({"a": [1.0], "t": ["text"], "b": [2.0], "y": [0]})
    table = read_table(path, "y", only=["b", "a"])
    np.testing.assert_array_equal(table.X, [[2, 1]])


def refused(path, target="y", **options):
    with pytest.raises(InputError) as caught:
        read_table(path, target, **options)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_text_columns_are_named(write):
    path = write(
        {
            "city": ["Rome"],
            "when": np.array(["2020-01-01"], dtype="datetime64[s]"),
            "a": [1.0],
            "y": [1],
        }
    )
    assert "the columns 'city', 'when' hold text" in refused(path)
    assert read_table(path, "y", drop=["city", "when"]).feature_names == ("a",)


@pytest.mark.parametrize("bad", [None, np.nan, np.inf])
def test_missing_values_are_named(write, bad):
    path = write({"a": [1.0, 2.0, 3.0], "b": pa.array([1.0, bad, 3.0]), "y": [0, 1, 0]})
    assert "row 2, column 'b': the value is missing or not finite" in refused(path)


def test_missing_integers_are_named(write):
    path = write({"a": pa.array([1, 2, None], pa.int8()), "y": [0, 1, 0]})
    assert "row 3, column 'a'" in refused(path)


@pytest.mark.parametrize("bad", [None, np.nan])
def test_a_missing_target_is_named(write, bad):
    path = write({"a": [1.0, 2.0], "y": pa.array([0.5, bad])})
    assert "row 2: the target 'y' is" in refused(path)


def test_a_target_of_dates(write):
    path = write({"a": [1.0], "y": np.array(["2020-01-01"], dtype="datetime64[s]")})
    assert "the target 'y' holds neither numbers nor text" in refused(path)


def test_unknown_target(write):
    assert "did you mean 'label'?" in refused(write({"a": [1.0], "label": [1]}), "labl")


def test_no_rows(write):
    assert "holds no rows" in refused(
        write({"a": pa.array([], pa.float64()), "y": pa.array([], pa.int8())})
    )


def test_not_parquet_at_all(tmp_path, write):
    path = tmp_path / "foreign.parquet"
    path.write_text("a,b\n1,2\n")
    assert "is not a readable parquet file" in refused(path)
    whole = write({"a": [1.0], "y": [1]})
    whole.write_bytes(whole.read_bytes()[:-10])
    assert "is not a readable parquet file" in refused(whole)


def test_without_pyarrow(write, monkeypatch):
    path = write({"a": [1.0], "y": [1]})
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert refused(path).endswith("needs pyarrow; install it with: pip install 'handful[files]'")


def test_the_types_of_many_columns_are_asked_for_once():
    """Each time the schema makes a list of all of them: 20,000 columns took minutes."""

    class Schema:
        names = tuple(f"c{j}" for j in range(50))
        n_asked = 0

        @property
        def types(self):
            self.n_asked += 1
            return [pa.float64()] * len(self.names)

    schema = Schema()
    file = SimpleNamespace(schema_arrow=schema)
    found, _ = numeric_columns(file, Path("t.parquet"), Request(target="c0"))
    assert tuple(found.feature_names) == schema.names[1:]
    assert schema.n_asked == 1
