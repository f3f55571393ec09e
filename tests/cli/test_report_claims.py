"""What a report of the shell says of files is so: held-out rows, labels that are not known, gaps, columns and seeds."""

import re

import mixed_tables
import numpy as np
import pytest
from genes import FAST, write_csv
from report_kinds import words

pytestmark = pytest.mark.usefixtures("blank_pictures")


def read(path):
    """The text of a report without its tags."""
    return words(path.read_text(encoding="utf-8"))


@pytest.fixture
def new_rows(tmp_path, numbers):
    """Write 40 rows with some labels, and return the file."""
    X, score = numbers

    def write(labels):
        return write_csv(tmp_path / "new.csv", X[:40] + 0.01, labels(score[:40]))

    return write


def shouted(score):
    return np.where(score > 0, "WELL", "ILL")


def one_unknown(score):
    labels = np.where(score > 0, "well", "ill").astype(object)
    labels[0] = "nobody knows"
    return labels


def test_no_label_that_is_known(run, refused, model, csv_file, new_rows, tmp_path):
    test = new_rows(shouted)
    sentence = refused(
        "report", model, csv_file, "--test", test, "--cv", 0, "-o", tmp_path / "r.html"
    )
    assert "they have 'ILL', 'WELL', the model knows 'ill', 'well'" in sentence
    result = run("predict", model, test, "-o", tmp_path / "p.csv")
    assert result.code == 0
    assert "accuracy 0.0000" in result.err
    told = (
        "note: 40 rows have labels that the model does not know, 'ILL', 'WELL': they count as wrong"
    )
    assert told in result.err


def test_a_row_of_another_class_counts_as_in_predict(run, model, csv_file, new_rows, tmp_path):
    test, out = new_rows(one_unknown), tmp_path / "r.html"
    result = run("report", model, csv_file, "--test", test, "--cv", 0, "-o", out)
    assert result.code == 0, result.err
    told = read(out)
    predicted = run("predict", model, test, "-o", tmp_path / "p.csv").err
    accuracy = float(re.search(r"accuracy (\S+) on 40 rows", predicted)[1])
    assert f"accuracy{accuracy:.1%}{accuracy * 40:.0f} of 40; 95 % interval" in told
    assert "1 of them has a label that the model does not know ('nobody knows')" in told
    assert "note: 1 row has a label that the model does not know, 'nobody knows'" in predicted


def test_data_with_other_labels_than_the_model(refused, model, tmp_path, numbers):
    X, score = numbers
    other = write_csv(tmp_path / "other.csv", X, shouted(score))
    sentence = refused("report", model, other, "--cv", 0, "-o", tmp_path / "r.html")
    assert "labels that the model does not know, 'ILL', 'WELL': it knows 'ill', 'well'" in sentence


def test_rows_that_the_model_has_seen_are_not_held_out(refused, model, csv_file, tmp_path):
    copy = tmp_path / "copy.csv"
    copy.write_bytes(csv_file.read_bytes())
    for test in (csv_file, copy):
        sentence = refused("report", model, csv_file, "--test", test, "-o", tmp_path / "r.html")
        assert "the very rows that the model was selected from" in sentence


def test_the_seed_of_the_folds_is_told(run, model, csv_file, new_rows, tmp_path):
    out = tmp_path / "r.html"
    test = new_rows(lambda score: np.where(score > 0, "well", "ill"))
    for more in ((), ("--test", test)):
        assert run("report", model, csv_file, "--cv", 2, "--seed", 6, "-o", out, *more).code == 0
        assert "the folds of this report: 6" in read(out)


def test_the_seed_of_the_folds_that_chose_the_number_is_told(run, csv_file, tmp_path):
    out = tmp_path / "r.html"
    asked = ("-t", "outcome", "-k", "1,2", *FAST, "--cv", 2, "--nested", 2, "--seed", 6)
    assert run("path", csv_file, *asked, "--report", out).code == 0
    assert "cv.random_state=6, nested.random_state=6; the folds of this report: 6" in read(out)


def test_stability_claims_nothing_of_columns_that_its_last_fit_has_not_seen(
    run, csv_file, tmp_path
):
    out = tmp_path / "r.html"
    asked = ("-t", "outcome", "-k", 3, *FAST, "--resamples", 4, "--threshold", 0.7)
    assert run("stability", csv_file, *asked, "--report", out).code == 0
    told = read(out)
    assert re.search(r"\d of 12 features were chosen in 70.0% or more of 8 fits", told)
    assert "The number was given" not in told
    assert "had nothing to choose, so nothing is proved of the choice" in told


def test_columns_and_gaps_are_those_of_the_file(run, tmp_path):
    table = mixed_tables.make_table()
    data = mixed_tables.write_csv(table, tmp_path / "mixed.csv")
    out, saved = tmp_path / "r.html", tmp_path / "m.handful"
    asked = ("-t", "kind", "-k", 2, *FAST, "--missing", "category")
    result = run("select", data, *asked, "--report", out, "-o", saved)
    assert result.code == 0, result.err
    [n_gaps] = re.findall(r"(\d+) missing values in", result.err)
    [(n_columns, n_features)] = re.findall(r"(\d+) columns \(.*\) as (\d+) features", result.err)
    again = tmp_path / "again.html"
    assert run("report", saved, data, "--missing", "category", "--cv", 0, "-o", again).code == 0
    for path in (out, again):
        told = read(path)
        assert re.search(
            rf"missing values\s*{n_gaps}\s*look\s*filled in when the file was read", told
        )
        assert re.search(rf"columns\s*{n_columns}\s*made into {n_features} features", told)
        assert "array(" not in told.split("What was asked")[1].split("The data, and")[0]


def test_groups_that_were_given_are_named(run, csv_file, tmp_path):
    lines = [f"gene {j},{'left' if j < 6 else 'right'}" for j in range(12)]
    groups, out = tmp_path / "groups.csv", tmp_path / "r.html"
    groups.write_text("\n".join(lines) + "\n")
    asked = ("-t", "outcome", "-k", 1, *FAST, "--groups", groups, "--report", out)
    assert run("select", csv_file, *asked).code == 0
    assert re.search(r"groups\s*2: left, right", read(out))
