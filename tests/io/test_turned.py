"""Tables with a row for each feature: what becomes of names, and what is known about samples."""

import gzip

import numpy as np
import pytest

from handful.io import InputError, read_table
from handful.io.turned import turn_table

GENES = "gene,s1,s2,s3\nTP53,1.50,2,3\nKRAS,4,NA,6\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="genes.csv"):
        path = tmp_path / name
        packed = gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode()
        path.write_bytes(packed)
        return path

    return write


@pytest.fixture
def turned(write, tmp_path):
    """Turn a text, and return the text of the result."""

    def turned(text, sheet=None, name="genes.csv", **options):
        about = None if sheet is None else write(sheet, "sheet.csv")
        table = turn_table(write(text, name), about, **options)
        with open(tmp_path / "out.csv", "w", newline="") as file:
            table.write(file, ",")
        return (tmp_path / "out.csv").read_text(), table.notes

    return turned


def test_cells_stay_as_they_are_written(turned):
    text, notes = turned(GENES)
    assert text == "sample,TP53,KRAS\ns1,1.50,4\ns2,2,NA\ns3,3,6\n"
    assert notes == []


GCT = "#1.2\n2\t3\nNAME\tDescription\ts1\ts2\ts3\nTP53\ttumour\t1.50\t2\t3\nKRAS\tna\t4\tNA\t6\n"
GCT_3 = (
    "#1.3\n2\t3\t2\t1\nid\tlength\tsymbol\ts1\ts2\ts3\nage\tna\tna\t40\t41\t42\n"
    "TP53\t7\ta\t1.50\t2\t3\nKRAS\t8\tb\t4\tNA\t6\n"
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (GCT, "genes.gct"),
        (GCT.replace("\n", "\r\n"), "genes.gct.gz"),
        (GCT_3, "genes.txt"),
        (GENES.replace(",", "\t"), "genes.tsv.gz"),
        (GENES.replace(",", "\t"), "genes.txt"),
        (GENES.replace(",", ";"), "genes.csv"),
        ("\ufeff" + GENES.replace("\n", "\r\n"), "genes.csv"),
        (GENES.removeprefix("gene,"), "genes.csv"),
        ("# counted by hand; 2 genes\n# again\n" + GENES, "genes.csv"),
        ('"s1" "s2" "s3"\n"TP53" 1.50 2 3\n"KRAS" 4 NA 6\n', "genes.txt"),
    ],
)
def test_ways_to_write_the_same(turned, text, name):
    assert turned(text, name=name)[0] == "sample,TP53,KRAS\ns1,1.50,4\ns2,2,NA\ns3,3,6\n"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            GCT.replace("2\t3\n", "2 genes\n", 1),
            "line 2: a GCT has the numbers of rows and samples",
        ),
        (
            GCT.replace("2\t3\n", "2\t4\n", 1),
            "line 3: expected 6 names, by the sizes in line 2, found 5",
        ),
        ("#1.2\n", "line 2: a GCT has the numbers"),
        ("#1.2\n2\t3\n", "line 3: expected 5 names"),
    ],
)
def test_a_gct_that_does_not_fit(turned, wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        turned(wrong, name="genes.gct")


def test_other_commands_point_a_gct_to_transpose(write):
    with pytest.raises(InputError, match=r"genes\.gct has genes in rows; .*handful transpose"):
        read_table(write(GCT, "genes.gct"))


@pytest.mark.parametrize("name", ["GSE1_series_matrix.txt", "GSE1_series_matrix.txt.gz"])
def test_a_series_matrix_says_where_its_table_is(turned, name):
    table = "!series_matrix_table_begin\n" + GENES + "!series_matrix_table_end\n"
    with pytest.raises(InputError, match="is a series matrix of GEO; write the lines between !ser"):
        turned('!Series_title\t"a"\n' + table, name=name)


def test_samples_that_are_numbers_are_names(turned):
    assert turned("gene,101,102\na,1,2\n")[0] == "sample,a\n101,1\n102,2\n"


def test_a_row_of_words_is_a_column(turned, tmp_path):
    turned("gene,s1,s2\ntissue,gut,lung\na,1,2\nb,3,4\n")
    table = read_table(tmp_path / "out.csv", "tissue", drop=["sample"])
    assert table.y.tolist() == ["gut", "lung"]
    np.testing.assert_array_equal(table.X, [[1, 3], [2, 4]])


def test_a_sheet_in_another_order_is_joined_by_name(turned):
    sheet = "patient;name;tissue\nP2;s3;gut\nP1;s1;lung\nP1;s2;gut\n"
    text, notes = turned(GENES, sheet)
    assert text == (
        "name,patient,tissue,TP53,KRAS\ns1,P1,lung,1.50,4\ns2,P1,gut,2,NA\ns3,P2,gut,3,6\n"
    )
    assert notes == []


def test_what_the_sheet_does_not_know_is_left_out_and_told(turned):
    text, notes = turned(
        GENES.replace("gene,", "gene,chr,")
        .replace("TP53,", "TP53,17,")
        .replace("KRAS,", "KRAS,12,"),
        "name,tissue\ns3,gut\ns1,lung\ns9,lung\n",
    )
    assert text == "name,tissue,TP53,KRAS\ns1,lung,1.50,4\ns3,gut,3,6\n"
    assert [note.split(" of ")[0] for note in notes] == [
        "left out the columns 'chr', 's2'",
        "left out 1 row",
    ]


def test_repeated_and_empty_names_are_told_apart(turned):
    text, notes = turned("gene,s1\na,1\nb,2\na,3\n,4\na (2),5\na,6\n")
    assert text.splitlines()[0] == "sample,a,b,a (3),row 4,a (2),a (4)"
    assert notes == [
        "2 rows with a name that another has, now the rows 'a (3)', 'a (4)'",
        "1 row without a name, now called by number",
    ]


def test_a_name_that_thousands_have(turned):
    names = ["control"] * 30_000
    text, _ = turned("gene,s1\n" + "".join(f"{name},1\n" for name in names))
    assert len(set(text.splitlines()[0].split(","))) == 30_001


@pytest.mark.parametrize(
    ("genes", "sheet", "drop", "words"),
    [
        ("gene,s1,s1\na,1,2\n", None, (), "two samples are called 's1'"),
        (
            "gene,what,s1\na,tumour gene,1\n",
            None,
            (),
            "'what' holds words such as 'tumour gene' and looks like no sample; leave it out with --drop",
        ),
        (GENES, None, ("s4",), "there is no column 's4' to drop; it has the columns"),
        (GENES, None, ("s1", "s2", "s3"), "no sample is left"),
        (GENES, "name,tissue\nx,gut\n", (), "has names of the samples of"),
        (GENES, "name,tissue\ns1,gut\ns1,lung\n", (), "two rows are about the sample 's1'"),
        (GENES, "name,TP53\ns1,gut\n", (), "'TP53' is the name of a row and of a column of"),
        ("gene,s1\nsample,1\n", None, (), "'sample' is the name of a row"),
        ("gene,s1\na,1,2\nb,1\n", None, (), "line 2: expected 2 fields, found 3"),
    ],
)
def test_refused(turned, genes, sheet, drop, words):
    with pytest.raises(InputError) as caught:
        turned(genes, sheet, drop=drop)
    assert words in str(caught.value)


def test_other_formats_are_refused(tmp_path):
    np.savez(tmp_path / "genes.npz", X=np.eye(2))
    with pytest.raises(InputError, match="is npz; only csv and tsv are turned"):
        turn_table(tmp_path / "genes.npz")
