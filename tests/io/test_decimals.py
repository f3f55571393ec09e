"""Files with decimal commas are read as the same files with points; what may mean either is refused."""

import csv

import numpy as np
import pytest

from handful.io import InputError, read_bags, read_mixed_table, read_strings, read_table
from handful.io.decimals import find_decimal, is_grouped
from handful.io.readers import read_ids
from handful.io.turned import turn_table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)) * [1, 1e-7, 1e4, 1e20]
Y = X[:, 0] * 2 + 0.25
NAMES = ["a", "b", "c", "d"]


def rows_of_numbers():
    return [
        [*map(repr, map(float, row)), str(i), repr(float(y))]
        for i, (row, y) in enumerate(zip(X, Y, strict=True))
    ]


def write(path, rows, separator=";", header=(*NAMES, "count", "y")):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows([header, *rows] if header else rows)
    return path


def with_commas(rows):
    return [[cell.replace(".", ",") for cell in row] for row in rows]


def assert_same(one, other):
    np.testing.assert_array_equal(one.X, other.X, strict=True)
    np.testing.assert_array_equal(one.y, other.y, strict=True)
    assert one.feature_names == other.feature_names


@pytest.fixture
def both(tmp_path):
    """Write rows twice; return the file with points and that with commas."""

    def both(rows, suffix=".csv", separator=";", **options):
        return (
            write(tmp_path / f"points{suffix}", rows, separator, **options),
            write(tmp_path / f"commas{suffix}", with_commas(rows), separator, **options),
        )

    return both


@pytest.mark.parametrize(("suffix", "separator"), [(".csv", ";"), (".csv", "|"), (".tsv", "\t")])
def test_numbers(both, suffix, separator):
    points, commas = (read_table(path, "y") for path in both(rows_of_numbers(), suffix, separator))
    assert_same(commas, points)
    assert_same(commas, read_mixed_table(both(rows_of_numbers(), suffix, separator)[1], "y").table)
    np.testing.assert_array_equal(commas.X[:, :4], X)
    np.testing.assert_array_equal(commas.y, Y)
    assert commas.X[:, 4].tolist() == list(range(30))


def test_without_a_header(both):
    points, commas = (read_table(path, "5") for path in both(rows_of_numbers(), header=None))
    assert commas.X.shape == (30, 5)
    assert_same(commas, points)


def test_quotation_marks_signs_and_exponents(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a;b;y\n"-1,5e-3";+,5;1\n 2,5E2 ;3;0\n')
    assert read_table(path, "y").X.tolist() == [[-1.5e-3, 0.5], [250.0, 3.0]]


def test_several_targets(both):
    points, commas = (read_table(path, targets=["y", "c"]) for path in both(rows_of_numbers()))
    assert_same(commas, points)


@pytest.mark.parametrize("rule", ["mean", "category", "drop-rows"])
def test_gaps_and_text(both, rule):
    rows = [
        [
            "." if i % 7 == 3 else row[0],
            ["red", "blue", ""][i % 3],
            ["TRUE", "false"][i % 2],
            *row[1:],
        ]
        for i, row in enumerate(rows_of_numbers())
    ]
    header = ("a", "colour", "is", "b", "c", "d", "count", "y")
    points, commas = both(rows, header=header)
    # The gap is a point, which is none of a number.
    commas.write_text(
        "\n".join(
            ";".join("." if cell == "," else cell for cell in line.split(";"))
            for line in commas.read_text().splitlines()
        )
    )
    one, other = (read_mixed_table(path, "y", missing=rule) for path in (commas, points))
    assert_same(one.table, other.table)
    np.testing.assert_array_equal(one.rows, other.rows)


def test_text_stays_as_it_is_written(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;version;y;id\n1,5;1.2;1,5;1,50\n2,5;1.10;x.y;2.50\n3,5;1,2;1,5;3\n")
    mixed = read_mixed_table(path, "y", text=["version"], drop=["id"])
    assert mixed.table.feature_names == ("a", "version=1,2", "version=1.10", "version=1.2")
    assert mixed.table.X[:, 0].tolist() == [1.5, 2.5, 3.5]
    assert mixed.table.y.tolist() == ["1,5", "x.y", "1,5"]
    assert read_ids(path, "id").tolist() == ["1,50", "2.50", "3"]


def test_a_comma_between_fields_leaves_points(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b,y\n"1,5",2,0\n"2,5",3,1\n')
    with pytest.raises(InputError, match="the column 'a' holds text"):
        read_table(path, "y")


def test_bags_and_strings(both):
    rows = [
        [f"bag{i // 2}", "ACGT", *row[:-1], rows_of_numbers()[i // 2][-1]]
        for i, row in enumerate(rows_of_numbers())
    ]
    points, commas = both(rows, header=("bag", "text", *NAMES, "count", "y"))
    one, other = (read_bags(path, "bag", "y", drop=["text"]) for path in (commas, points))
    np.testing.assert_array_equal(one.y, other.y, strict=True)
    assert_same(one.table, other.table)
    one, other = (read_strings(path, "text", "y") for path in (commas, points))
    np.testing.assert_array_equal(one.y, other.y, strict=True)


class TestRefused:
    @pytest.mark.parametrize("late", [0, 150])
    @pytest.mark.parametrize("cell", ["2.5", "1.234"])
    def test_a_point_among_commas(self, tmp_path, late, cell):
        rows = [["1,5", "3", "0"]] * (late + 1) + [["2,5", cell, "1"]]
        path = write(tmp_path / "a.csv", rows, header=("a", "b", "y"))
        for read in (read_table, read_mixed_table):
            with pytest.raises(InputError) as caught:
                read(path, "y")
            if late:
                assert f"line {late + 3}, column 'b': found '{cell}', where other numbers" in str(
                    caught.value
                )
            elif read is read_mixed_table:
                assert "the column 'a' holds numbers with a comma such as '1,5'" in str(
                    caught.value
                )

    def test_a_column_of_points_below_the_rows_that_tell(self, tmp_path):
        rows = [["1,5", "3", "0"]] * 110 + [["2,5", "2.5", "1"]] * 300
        path = write(tmp_path / "a.csv", rows, header=("a", "b", "y"))
        with pytest.raises(InputError, match=r"line 112, column 'b': found '2\.5'"):
            read_mixed_table(path, "y")

    @pytest.mark.parametrize(
        "cell", ["1.234,5", "1,234.5", "1.234.567", "1,234,567", "1 234,5", "-1'234.5"]
    )
    @pytest.mark.parametrize("others", ["2,5", "2.5", "2"])
    def test_thousands(self, tmp_path, cell, others):
        rows = [[others, "3", "0"], [others, cell, "1"], [others, cell, "1"]]
        path = write(tmp_path / "a.csv", rows, header=("a", "b", "y"))
        for read in (read_table, read_mixed_table):
            with pytest.raises(InputError) as caught:
                read(path, "y")
            assert f"{path}, line 3, column 'b': {cell!r} has a separator of thousands" in str(
                caught.value
            )

    def test_what_may_be_thousands(self, tmp_path):
        rows = [["1,234", "3", "0"], ["12,345", "7", "1"]]
        path = write(tmp_path / "a.tsv", rows, "\t", header=("a", "b", "y"))
        with pytest.raises(InputError, match="the column 'a' holds numbers with a comma"):
            read_mixed_table(path, "y")
        write(path, [*rows, ["0,5", "2", "0"]], "\t", header=("a", "b", "y"))
        assert read_mixed_table(path, "y").table.X[:, 0].tolist() == [1.234, 12.345, 0.5]


def test_the_mark():
    assert find_decimal([["1", "1,5"], ["2,5", "x"]], [0, 1]) == ","
    assert find_decimal([["1", "1,5"], ["2.5", "x"]], [0, 1]) == "."
    assert find_decimal([["1", "1,5"], ["2.5", "x"]], [1]) == ","
    assert find_decimal([["1", "1,5"], ["x", "2"]], [0, 1], has_points=False) == ","
    assert find_decimal([["1", "3"], ["2,5,6", "1,2 kg"]], [0, 1]) == "."


@pytest.mark.parametrize(
    "cell", ["1,5", "1.234", "1,234", "1234,5", "31.12.1999", "", "1.5e3", "1.234.56"]
)
def test_these_are_not_grouped(cell):
    assert not is_grouped(cell)


class TestTurned:
    def test_it_gets_points(self, tmp_path):
        table = write(
            tmp_path / "t.csv",
            [["g1", "1,5", "-2,5e-3"], ["g2", "3", "1,25"]],
            header=("", "s1", "s2"),
        )
        sheet = write(
            tmp_path / "s.csv",
            [["s1", "36,6", "x,y"], ["s2", "37", "z"]],
            header=("sample", "t", "note"),
        )
        turned = turn_table(table, sheet)
        assert turned.of_sheet == [["36.6", "x,y"], ["37", "z"]]
        assert [row.tolist() for row in turned.features] == [[b"1.5", b"-2.5e-3"], [b"3", b"1.25"]]

    def test_a_point_is_refused(self, tmp_path):
        rows = [[f"g{i}", "1,5", "2"] for i in range(120)]
        table = write(
            tmp_path / "t.csv", [*rows, ["last", "1,5", "1.234"]], header=("", "s1", "s2")
        )
        with pytest.raises(InputError, match=r"line 122, column 's2': found '1\.234'"):
            turn_table(table)
