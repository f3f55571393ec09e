"""csv and tsv: what is accepted, and the line and column that are named when it is not."""

import numpy as np
import pytest

from handful.io import InputError, read_table


def read(tmp_path, text, target="y", suffix=".csv", **options):
    path = tmp_path / f"data{suffix}"
    path.write_text(text, encoding="utf-8", newline="")
    return read_table(path, target, **options)


def message_of(tmp_path, text, target="y", **options):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, target, **options)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "data.csv"))
    assert "\n" not in message
    return message.removeprefix(str(tmp_path / "data.csv"))


class TestAccepted:
    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    def test_separators_are_found(self, tmp_path, separator):
        text = "a,b,y\n1,2,0\n3,4,1\n".replace(",", separator)
        table = read(tmp_path, text)
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
        assert table.feature_names == ("a", "b")

    @pytest.mark.parametrize("separator", [",", "\t", " "])
    def test_rows_that_begin_with_a_name_below_names_of_columns_alone(self, tmp_path, separator):
        text = '"a b","c","y"\n"s1",1,2,0\n"s2",3,4,1\n'.replace(",", separator)
        table = read(tmp_path, text, drop=["0"])
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
        assert table.feature_names == ("a b", "c")
        assert table.y.tolist() == [0, 1]
        assert "column 0 has no name" in message_of(tmp_path, text)

    def test_remarks_above_the_header_are_left_out(self, tmp_path):
        table = read(tmp_path, "# made by hand, 2 rows\n#again\n\na,b,y\n1,2,0\n3,4,1\n")
        assert table.feature_names == ("a", "b")
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])

    @pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "sep=;;"])
    def test_excels_line_with_the_separator_is_no_header(self, tmp_path, first):
        table = read(tmp_path, f"{first}\r\na, kg;b;y\r\n1;2;0\r\n3;4;1\r\n")
        assert table.feature_names == ("a, kg", "b")
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])

    def test_a_header_may_begin_as_remarks_do(self, tmp_path):
        table = read(tmp_path, "##version 4\n#chrom,b,y\n1,2,0\n3,4,1\n")
        assert table.feature_names == ("#chrom", "b")

    def test_blanks_in_the_only_name_are_part_of_it(self, tmp_path):
        table = read(tmp_path, "my gene\n1\n2\n", None, target_optional=True)
        assert table.feature_names == ("my gene",)

    def test_quotes_blank_lines_crlf_bom_and_spaces(self, tmp_path):
        text = '\ufeff"a, b" , c ,y\r\n"1", 2 ,"no, ""never"""\r\n\r\n3,4,yes\r\n'
        table = read(tmp_path, text)
        assert table.feature_names == ("a, b", "c")
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
        assert table.y.tolist() == ['no, "never"', "yes"]

    def test_a_line_break_inside_quotes(self, tmp_path):
        table = read(tmp_path, 'a,note,y\n1,"two\nlines",0\n2,x,1\n', drop=["note"])
        np.testing.assert_array_equal(table.X, [[1], [2]])

    def test_no_newline_at_the_end_and_one_row(self, tmp_path):
        table = read(tmp_path, "a,y\n1,2")
        assert table.X.shape == (1, 1)

    def test_target_by_position(self, tmp_path):
        for target, name in [("0", "y"), ("-3", "y"), ("-1", "b"), ("2", "b")]:
            assert read(tmp_path, "y,a,b\n1,2,3\n4,5,6\n", target).target_name == name

    def test_a_name_wins_over_a_position(self, tmp_path):
        table = read(tmp_path, "a,b,1\n5,6,7\n8,9,9\n", "1", header=True)
        assert table.target_name == "1"
        assert table.y.tolist() == [7, 9]

    @pytest.mark.parametrize(
        ("labels", "expected", "kind"),
        [
            (["1", "-1"], [1, -1], "i"),
            (["1.0", "2"], [1, 2], "i"),
            (["1.5", "2"], [1.5, 2.0], "f"),
            (["yes", "no"], ["yes", "no"], "O"),
            (["1", "b"], ["1", "b"], "O"),
        ],
    )
    def test_the_target_takes_its_plainest_type(self, tmp_path, labels, expected, kind):
        table = read(tmp_path, f"a,y\n1,{labels[0]}\n2,{labels[1]}\n")
        assert table.y.tolist() == expected
        assert table.y.dtype.kind == kind

    def test_no_header(self, tmp_path):
        table = read(tmp_path, "1,2,cat\n3,4,dog\n", "2")
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
        assert table.y.tolist() == ["cat", "dog"]
        assert (table.feature_names, table.target_name) == (None, "2")

    def test_a_header_can_be_insisted_on(self, tmp_path):
        table = read(tmp_path, "1,2,3\n4,5,6\n", "3", header=True)
        assert (table.feature_names, table.y.tolist()) == (("1", "2"), [6])
        table = read(tmp_path, "1,2,3\n4,5,6\n", "2", header=False)
        assert (table.feature_names, table.y.tolist()) == (None, [3, 6])

    def test_numbers_among_the_names_are_still_a_header(self, tmp_path):
        assert read(tmp_path, "2010,2011,y\n1,2,0\n").feature_names == ("2010", "2011")

    def test_drop_and_only(self, tmp_path):
        text = "id,a,note,b,y\nx,1,u,2,0\nz,3,v,4,1\n"
        assert read(tmp_path, text, drop=["id", "2"]).feature_names == ("a", "b")
        table = read(tmp_path, text, only=["b", "a"])
        assert table.feature_names == ("b", "a")
        np.testing.assert_array_equal(table.X, [[2, 1], [4, 3]])
        assert table.y.tolist() == [0, 1]

    def test_an_optional_target(self, tmp_path):
        assert read(tmp_path, "a,b\n1,2\n", target_optional=True).y is None
        assert read(tmp_path, "a,y\n1,2\n", target_optional=True).y.tolist() == [2]
        assert read(tmp_path, "a,y\n1,2\n", None, target_optional=True).X.shape == (1, 2)

    def test_an_optional_target_without_header(self, tmp_path):
        wanted = {"target_optional": True, "n_features": 2}
        assert read(tmp_path, "1,2\n3,4\n", "2", **wanted).y is None
        assert read(tmp_path, "1,2,9\n3,4,9\n", "2", **wanted).y.tolist() == [9, 9]

    def test_numbers_survive_exactly(self, tmp_path):
        values = np.random.default_rng(0).standard_normal((20, 3)) * 1e-7
        rows = "\n".join(",".join([*map(repr, row), "0"]) for row in values.tolist())
        np.testing.assert_array_equal(read(tmp_path, "a,b,c,y\n" + rows).X, values)


class TestRefused:
    def test_unknown_target_suggests_near_names(self, tmp_path):
        text = "age,Outcome,income\n1,2,3\n"
        assert message_of(tmp_path, text, "outcom") == (
            ": there is no target column 'outcom'; did you mean 'Outcome'?"
        )

    def test_unknown_target_lists_the_columns(self, tmp_path):
        message = message_of(tmp_path, "age,sex,a,b,c,d,e\n1,2,3,4,5,6,7\n", "zzzz")
        assert message.endswith("it has the columns 'age', 'sex', 'a', 'b', 'c' and 2 more")

    def test_target_position_out_of_range(self, tmp_path):
        message = message_of(tmp_path, "a,b\n1,2\n", "2")
        assert message == ": there is no target column 2; columns are numbered 0 to 1"

    def test_no_target_asked_for(self, tmp_path):
        message = message_of(tmp_path, "a,b\n1,2\n", None)
        assert message.startswith(": say which column is the target with --target; it has the")

    def test_text_columns_are_named(self, tmp_path):
        text = "city,age,sex,y\nRome,1,f,0\nOslo,2,m,1\n"
        assert message_of(tmp_path, text) == (
            ": the columns 'city', 'sex' hold text; encode as numbers or leave out with --drop NAME"
        )

    def test_text_columns_that_start_late(self, tmp_path):
        text = "a,b,y\n" + "1,2,0\n" * 3 + "1,x,0\n" * 4
        assert message_of(tmp_path, text).startswith(": the column 'b' holds text;")

    def test_a_stray_value_is_named(self, tmp_path):
        text = "a,b,y\n1,2,0\n1,2,0\n\n1,2 kg,0\n1,2,0\n1,2,0\n"
        assert message_of(tmp_path, text) == (
            ", line 5, column 'b': expected a finite number, found '2 kg'"
        )

    @pytest.mark.parametrize("gap", ["", "NA", "nan", "?", "NULL", " "])
    def test_a_missing_value_is_named(self, tmp_path, gap):
        message = message_of(tmp_path, f"a,b,y\n1,2,0\n{gap},4,1\n5,6,0\n")
        assert message.startswith(", line 3, column 'a': the value is missing; fill it in")

    def test_infinity_is_named(self, tmp_path):
        message = message_of(tmp_path, "a,y\n1,0\n1,0\n1,0\n-inf,1\n")
        assert message == ", line 5, column 'a': expected a finite number, found '-inf'"

    def test_a_missing_target_is_named(self, tmp_path):
        assert message_of(tmp_path, "a,y\n1,0\n\n2,\n3,1\n") == (
            ", line 4: the target 'y' is missing; fill it in or remove the row"
        )

    @pytest.mark.parametrize("gap", ["NA", "nan"])
    def test_a_word_for_a_missing_target_is_named(self, tmp_path, gap):
        assert message_of(tmp_path, f"a,y\n1,0\n\n2,{gap}\n3,1\n") == (
            f", line 4: the target 'y' is missing, for {gap!r} stands for no value; remove the row or, if it is a class, "
            "write it in another way"
        )

    @pytest.mark.parametrize(("row", "found"), [("1,2", 2), ("1,2,3,4", 4), ('1,2,3,"4"', 4)])
    def test_a_row_of_another_length_is_named(self, tmp_path, row, found):
        message = message_of(tmp_path, f"a,b,y\n1,2,0\n{row}\n1,2,0\n")
        assert message == f", line 3: expected 3 fields, found {found}"

    def test_a_separator_at_the_end_of_rows_is_no_name_of_theirs(self, tmp_path):
        message = message_of(tmp_path, "a,b,y\n1,2,0,\n3,4,1,\n")
        assert message == ", line 2: expected 3 fields, found 4"

    def test_a_row_with_a_field_too_many_is_no_name_of_all(self, tmp_path):
        message = message_of(tmp_path, "a,b,y\n9,1,2,0\n3,4,1\n")
        assert message == ", line 2: expected 3 fields, found 4"

    def test_a_line_that_was_never_separated_does_not_fill_the_screen(self, tmp_path):
        names = " ".join(f"gene{j}" for j in range(1000))
        message = message_of(tmp_path, f"{names}\n{'1 ' * 999}1\n", "tissue")
        assert "'gene0 gene1 gene2" in message
        assert len(message) < 200

    def test_header_only(self, tmp_path):
        assert message_of(tmp_path, "a,b,y\n") == " holds a header line but no rows"

    def test_blank_lines_only(self, tmp_path):
        assert message_of(tmp_path, "\n\n") == " holds no rows"

    def test_two_columns_of_one_name(self, tmp_path):
        assert message_of(tmp_path, "a,a,y\n1,2,3\n") == ": two columns are called 'a'; rename one"

    def test_two_targets_of_one_name(self, tmp_path):
        message = message_of(tmp_path, "a,y,y\n1,2,3\n")
        assert message == ": the target column 'y' is the name of two columns"

    def test_an_unnamed_column(self, tmp_path):
        """What pandas writes when it writes its index."""
        message = message_of(tmp_path, ",a,y\n0,1,2\n")
        assert message.endswith("column 0 has no name; name it, or leave it out with --drop 0")
        assert read(tmp_path, ",a,y\n0,1,2\n", drop=["0"]).feature_names == ("a",)

    def test_nothing_left(self, tmp_path):
        assert message_of(tmp_path, "y\n1\n2\n") == ": no column is left to select from"

    def test_missing_wanted_columns_are_named(self, tmp_path):
        message = message_of(tmp_path, "a,y\n1,0\n", only=["a", "b", "c"])
        assert message == " lacks the columns 'b', 'c'"

    def test_wanted_columns_without_header(self, tmp_path):
        message = message_of(tmp_path, "1,2\n3,4\n", "1", only=["a"])
        assert message == " has no column names, so the column 'a' cannot be found in it"
