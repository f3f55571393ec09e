"""Mixed tables: what a column is, what it becomes, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mixed_tables import NUMBERS, TEXTS, by_hand, make_table, write_csv

from handful.io import InputError
from handful.io.mixed import encoding_of, notes_of, read_mixed_table, read_new_rows
from handful.io.table import Request

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (the extra 'files')")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow (the extra 'files')")

RULES = ["mean", "median", "category"]


def dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def as_frame(table):
    return pd.DataFrame(dense(table.X), columns=table.feature_names)


def same(table, expected):
    found = as_frame(table)
    assert set(found.columns) == set(expected.columns)
    np.testing.assert_allclose(found[expected.columns], expected, rtol=1e-14)


def text_file(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def message_of(path, target="y", **options):
    with pytest.raises(InputError) as caught:
        read_mixed_table(path, target, **options)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


@pytest.fixture(params=["csv", "tsv", "parquet", "parquet with dictionaries", "polars"])
def written(request, tmp_path):
    """Write a table in one of the formats."""

    def write(table):
        if request.param == "csv":
            return write_csv(table, tmp_path / "data.csv")
        if request.param == "tsv":
            return write_csv(table, tmp_path / "data.tsv", sep="\t")
        path = tmp_path / "data.parquet"
        if request.param == "polars":
            pl = pytest.importorskip("polars", reason="needs polars")
            pl.from_pandas(table).write_parquet(path)
        elif request.param == "parquet":
            table.to_parquet(path)
        else:
            table.astype(dict.fromkeys(TEXTS, "category")).to_parquet(path)
        return path

    return write


@pytest.mark.parametrize("rule", RULES)
def test_features_are_those_of_pandas_and_scikit_learn(written, rule):
    table = make_table()
    read = read_mixed_table(written(table), "kind", missing=rule)
    same(read.table, by_hand(table, table, rule))
    assert read.table.y.tolist() == table["kind"].tolist()
    kinds = dict(zip(read.encoding.names, read.encoding.kinds, strict=True))
    assert {name: kinds[name] for name in (*NUMBERS, *TEXTS)} == {
        **dict.fromkeys(NUMBERS, "number"),
        **dict.fromkeys(TEXTS, "text"),
    }
    assert kinds["smoker"] in ("boolean", "number")  # parquet has them as a type of numbers


@pytest.mark.parametrize("rule", RULES)
def test_what_is_filled_in_comes_from_the_training_rows(written, rule):
    table = make_table()
    read = read_mixed_table(written(table), "kind", missing=rule)
    train, test = np.arange(40), np.arange(40, 60)
    made = read.split(train, test)
    layout = read.table.feature_names
    expected = by_hand(table.iloc[train], table, rule)
    for rows, X in zip((train, test), made, strict=True):
        found = pd.DataFrame(dense(X), columns=layout)
        np.testing.assert_allclose(found[expected.columns], expected.iloc[rows], rtol=1e-14)
        # A category that no training row has is an empty column.
        others = found.drop(columns=expected.columns)
        assert not others.to_numpy().any()
    whole = by_hand(table, table, rule)
    assert not np.allclose(expected["weight"], whole["weight"])


def test_rows_with_gaps_are_left_out(written):
    table = make_table()
    read = read_mixed_table(written(table), "kind", missing="drop-rows")
    left = table.dropna()
    assert 0 < len(left) < len(table)
    same(read.table, by_hand(left, left, "mean"))
    assert read.table.y.tolist() == left["kind"].tolist()
    assert read.notes == (
        f"left out {len(table) - len(left)} of 60 rows, in which a value is missing",
    )


def test_error_names_the_first_gap(written):
    table = make_table()
    path = written(table)
    gaps = table[[*NUMBERS, *TEXTS]].isna().any(axis=1)
    row = int(gaps.to_numpy().argmax())
    place = f"row {row + 1}" if path.suffix == ".parquet" else f"line {row + 2}"
    said = message_of(path, "kind")
    assert said.startswith(f", {place}, column ")
    assert "--missing mean, median, category or drop-rows" in said


def test_a_table_of_numbers_needs_no_encoding(tmp_path):
    read = read_mixed_table(text_file(tmp_path, "a,b,y\n1,2,0\n3,4,1\n"), "y")
    assert read.encoding is None
    np.testing.assert_array_equal(read.table.X, [[1, 2], [3, 4]])


def test_many_categories_are_sparse(tmp_path):
    lines = "".join(f"{j},c{j % 200},{j % 2}\n" for j in range(600))
    read = read_mixed_table(text_file(tmp_path, f"a,b,y\n{lines}"), "y")
    assert sp.issparse(read.table.X)
    assert read.table.X.shape == (600, 201)


class TestKinds:
    """The rule that decides what a column is."""

    def kind(self, tmp_path, cells, **options):
        lines = "".join(f"{j},{cell},{j % 2}\n" for j, cell in enumerate(cells))
        options.setdefault("missing", "mean")
        read = read_mixed_table(text_file(tmp_path, f"a,b,y\n{lines}"), "y", **options)
        return "number" if read.encoding is None else read.encoding.kinds[1]

    @pytest.mark.parametrize(
        ("cells", "kind"),
        [
            (["1", "2.5", "-1e3"], "number"),
            (["1", "", "NA", "3"], "number"),
            (["TRUE", "false", "?"], "boolean"),
            (["true", "1", "x", "y"], "text"),
            (["yes", "no"], "text"),
            (["1", "x", "y"], "text"),
            (["2020-01-01", "x", "y"], "text"),
            (["1_000", "2_000"], "text"),
        ],
    )
    def test_cells_decide(self, tmp_path, cells, kind):
        assert self.kind(tmp_path, cells) == kind

    def test_half_numbers_have_a_mistake(self, tmp_path):
        path = text_file(tmp_path, "a,b,y\n1,2,0\n1,2 kg,0\n1,x,1\n1,3,1\n")
        said = message_of(path)
        assert said.startswith(", line 3, column 'b': expected a finite number, found '2 kg'")
        assert self.kind(tmp_path, ["2", "2 kg", "x", "3"], text=["b"]) == "text"

    @pytest.mark.parametrize(
        "cells", [["1,5", "2,25", "-3,0e2"], ["1", "2", "2,5"], ["1,5", ",5", "x"]]
    )
    def test_commas_for_points(self, tmp_path, cells):
        lines = "".join(f'1,"{cell}",{row % 2}\n' for row, cell in enumerate(cells))
        said = message_of(text_file(tmp_path, f"a,b,y\n{lines}"))
        first = next(cell for cell in cells if "," in cell)
        assert said == (
            f": the column 'b' holds numbers with a comma such as {first!r}; write them with a decimal point, leave "
            "the column out with --drop, or take it for text with --text"
        )

    def test_some_commas_are_text(self, tmp_path):
        lines = "".join(f"1;{cell};{row % 2}\n" for row, cell in enumerate(["x", "y", "1,5"]))
        path = text_file(tmp_path, f"a;b;y\n{lines}")
        assert read_mixed_table(path, "y").table.X.shape == (3, 4)

    def test_one_bad_cell_among_many(self, tmp_path):
        cells = [str(j / 7) for j in range(3000)]
        cells[2500] = "oops"
        with pytest.raises(InputError, match=r"line 2502, column 'b'.*found 'oops'"):
            self.kind(tmp_path, cells)

    @pytest.mark.parametrize("cell", ["inf", "-Infinity"])
    def test_infinity_is_named(self, tmp_path, cell):
        with pytest.raises(InputError, match="line 3, column 'b': expected a finite number"):
            self.kind(tmp_path, ["1", cell, "", "2"])

    @pytest.mark.parametrize(
        "cell",
        ["2020-01-31", "2020-1-5 10:30", "31.12.1999", "1/2/20", "2020-01-31T10:30:00Z", "10:30"],
    )
    def test_dates_are_refused(self, tmp_path, cell):
        path = text_file(tmp_path, f"a,when it was,y\n1,{cell},0\n2,,1\n3,{cell},1\n")
        said = message_of(path, missing="mean")
        assert said.startswith(": the column 'when it was' holds dates or times such as")
        assert said.endswith("or leave it out with --drop")

    def test_versions_are_no_dates(self, tmp_path):
        assert self.kind(tmp_path, ["1.2.3", "1.10.0", "2.0.1"]) == "text"

    def test_postcodes_can_be_text(self, tmp_path):
        assert self.kind(tmp_path, ["8001", "8001", "01234"], text=["b"]) == "text"

    @pytest.mark.parametrize("rule", ["error", *RULES, "drop-rows"])
    def test_no_value_at_all(self, tmp_path, rule):
        path = text_file(tmp_path, "a,b,y\n1,,0\n2,NA,1\n")
        said = message_of(path, missing=rule)
        assert said == ": the column 'b' holds no value at all; leave it out with --drop"

    def test_sequences_lead_to_their_substrings(self, tmp_path):
        rng = np.random.default_rng(0)
        rows = [f"{''.join(rng.choice(list('ACGT'), 60))},{i % 2}" for i in range(50)]
        path = text_file(tmp_path, "\n".join(["seq,y", *rows]) + "\n")
        said = message_of(path)
        assert "the column 'seq' looks like text or sequences" in said
        assert "select from its substrings with --strings" in said

    def test_identifiers(self, tmp_path):
        lines = "".join(f"1,id-{j},{j % 2}\n" for j in range(100))
        path = text_file(tmp_path, f"a,who,y\n{lines}")
        assert message_of(path) == (
            ": the column 'who' looks like an identifier, with 100 different texts in 100 rows; leave it out "
            "with --drop, or keep all of them with --text"
        )
        assert len(read_mixed_table(path, "y", text=["who"]).table.feature_names) == 101
        assert read_mixed_table(path, "y", drop=["who"]).encoding is None

    @pytest.mark.parametrize("spell", ["{}%", "{} mg", "€ {}.50", "<{}", "1 {:03d}"])
    def test_quantities_with_more_than_a_number(self, tmp_path, spell):
        lines = "".join(f"1,{spell.format(j)},{j % 2}\n" for j in range(100))
        said = message_of(text_file(tmp_path, f"a,dose,y\n{lines}"))
        assert "leave it out with --drop, write quantities as numbers alone, or keep" in said

    def test_few_rows_may_all_differ(self, tmp_path):
        assert self.kind(tmp_path, list("abcdefgh")) == "text"


class TestParquetTypes:
    @pytest.fixture
    def write(self, tmp_path):
        def write(columns):
            path = tmp_path / "data.parquet"
            pq.write_table(pa.table(columns), path)
            return path

        return write

    @pytest.mark.parametrize(
        ("number", "kind"),
        [
            (pa.int32(), pa.date32()),
            (pa.int32(), pa.time32("s")),
            (pa.int64(), pa.timestamp("ms")),
            (pa.int64(), pa.duration("s")),
        ],
        ids=str,
    )
    def test_dates_are_refused(self, write, number, kind):
        when = pa.array([1, 2], number).cast(kind)
        path = write({"a": [1.0, 2.0], "when": when, "y": [0, 1]})
        assert message_of(path).startswith(": the column 'when' holds dates or times (its type is")

    def test_no_value_at_all(self, write):
        path = write({"a": [1.0, 2.0], "b": pa.nulls(2), "y": [0, 1]})
        assert "the column 'b' holds no value at all" in message_of(path, missing="mean")

    @pytest.mark.parametrize("cell", [[1, 2], {"p": 1}, b"raw"])
    def test_other_types_are_refused(self, write, cell):
        said = message_of(write({"a": [1.0], "b": [cell], "y": [0]}))
        assert "the column 'b' is of the type" in said
        assert said.endswith("which is neither numbers nor text; leave it out with --drop")

    def test_numbers_and_truth_with_nulls(self, write):
        path = write(
            {
                "a": pa.array([1, None, 3], pa.int8()),
                "b": pa.array([True, None, False]),
                "c": pa.array(["u", "", None]),
                "y": [0, 1, 0],
            }
        )
        read = read_mixed_table(path, "y", missing="mean")
        assert as_frame(read.table).to_dict("list") == {
            "a": [1, 2, 3],
            "b": [1, 0.5, 0],
            "c=u": [1, 0, 0],
        }

    def test_numbers_as_text(self, write):
        path = write({"a": pa.array([1.0, None, 2.5]), "b": [7, 7, 8], "y": [0, 1, 0]})
        read = read_mixed_table(path, "y", text=["a", "b"], missing="category")
        assert read.table.feature_names == ("a=1", "a=2.5", "a=(missing)", "b=7", "b=8")

    def test_infinity_is_named(self, write):
        path = write({"a": [1.0, np.inf, 2.0], "b": ["u", "v", "u"], "y": [0, 1, 0]})
        assert message_of(path).startswith(", row 2, column 'a': expected a finite number, found")


class TestNames:
    def test_two_features_of_one_name(self, tmp_path):
        path = text_file(tmp_path, "c,c=red,y\nred,1,0\nblue,2,1\n")
        assert message_of(path) == ": two columns are called 'c=red'; rename one"

    def test_two_columns_of_one_name(self, tmp_path):
        path = text_file(tmp_path, "c,c,y\nred,1,0\nblue,2,1\n")
        assert message_of(path) == ": two columns are called 'c'; rename one"

    def test_no_such_column_to_take_as_text(self, tmp_path):
        path = text_file(tmp_path, "city,a,y\nx,1,0\n")
        said = message_of(path, text=["cty"])
        assert said == ": there is no column 'cty' to take as text; did you mean 'city'?"

    def test_positions_stand_for_names(self, tmp_path):
        path = text_file(tmp_path, "1,red,0\n2,blue,1\n,red,1\n")
        read = read_mixed_table(path, "2", missing="mean", header=False)
        assert read.table.feature_names == ("0", "1=blue", "1=red")


@pytest.mark.parametrize("gap", ["", "NA", "n/a", "#N/A", "NaN", "null", "None", "?", "."])
def test_words_for_no_value(tmp_path, gap):
    path = text_file(tmp_path, f"a,y\n1,0\n{gap} ,1\n3,1\n")
    assert read_mixed_table(path, "y", missing="mean").table.X.tolist() == [[1], [2], [3]]


def test_other_formats_and_rules(tmp_path):
    with pytest.raises(InputError, match="are for csv, tsv, parquet"):
        read_mixed_table(text_file(tmp_path, "1 1:2\n", "a.svm"), "y")
    with pytest.raises(InputError, match="missing is 'zero', which is none of error, mean"):
        read_mixed_table(text_file(tmp_path, "a,y\n1,2\n"), "y", missing="zero")


def test_other_trouble_is_told_as_ever(tmp_path):
    assert message_of(text_file(tmp_path, "a,b,y\n1,x,0\n1,x\n")) == (
        ", line 3: expected 3 fields, found 2"
    )
    assert message_of(text_file(tmp_path, "a,b,y\n1,2,0\n1,3,\n")) == (
        ", line 3: the target 'y' is missing; fill it in or remove the row"
    )
    assert message_of(text_file(tmp_path, "a,b,y\n1,x,0\n1,z,\n")) == (
        ", line 3: the target 'y' is missing; fill it in or remove the row"
    )


class TestNewRows:
    @pytest.mark.parametrize("rule", RULES)
    def test_they_are_made_as_the_old_ones(self, written, rule):
        old, new = make_table(), make_table(seed=1)
        new.loc[3, "colour"] = "never seen"
        read = read_mixed_table(written(old), "kind", missing=rule)
        encoding = encoding_of(notes_of(read.encoding))
        shuffled = new[new.columns[::-1]].assign(more="x")
        every = range(len(encoding.names))
        table, warnings = read_new_rows(
            written(shuffled), encoding, every, Request(target="kind", target_optional=True)
        )
        expected = by_hand(old, new, rule)
        if rule == "category":  # pandas takes an unknown category for a missing one
            expected.loc[3, "colour=(missing)"] = 0.0
        same(table, expected)
        assert table.y.tolist() == new["kind"].tolist()
        assert warnings == [
            "column 'colour': 1 row has a text that the model has not seen, which counts as no category: "
            "text 'never seen'"
        ]

    def test_only_columns_in_use_are_looked_at(self, tmp_path):
        read = read_mixed_table(text_file(tmp_path, "a,b,y\n1,u,0\n2,v,1\n"), "y")
        new = text_file(tmp_path, "b,a\nv,oops\n", "new.csv")
        table, _ = read_new_rows(new, read.encoding, [1], Request(target_optional=True))
        assert as_frame(table).to_dict("list") == {"b=u": [0], "b=v": [1]}
        with pytest.raises(InputError, match="line 2, column 'a': expected a finite number"):
            read_new_rows(new, read.encoding, [0, 1], Request(target_optional=True))

    def test_a_gap_without_a_rule(self, tmp_path):
        read = read_mixed_table(text_file(tmp_path, "a,b,y\n1,u,0\n2,v,1\n"), "y")
        new = text_file(tmp_path, "a,b\n1,u\n,u\n", "new.csv")
        with pytest.raises(InputError, match="line 3, column 'a': the value is missing, and the"):
            read_new_rows(new, read.encoding, [0, 1], Request(target_optional=True))

    def test_positions(self, tmp_path):
        path = text_file(tmp_path, "1,red,0\n2,blue,1\n")
        read = read_mixed_table(path, "2", header=False)
        for lines in ("5,blue\n", "5,blue,1\n"):
            new = text_file(tmp_path, lines, "new.csv")
            request = Request(target="2", target_optional=True, header=False)
            table, _ = read_new_rows(new, read.encoding, [1], request)
            assert as_frame(table).to_dict("list") == {"1=blue": [1], "1=red": [0]}
        new = text_file(tmp_path, "5,blue,1,2\n", "new.csv")
        with pytest.raises(
            InputError, match="has 4 columns, the model was fitted on 2 of features"
        ):
            read_new_rows(new, read.encoding, [1], request)
