"""``handful report`` and ``--report``: the report of Python, from files, with the command in it."""

import hashlib
import html
import re
import sys

import mixed_tables
import numpy as np
import pytest
from genes import FAST, write_csv

from handful.cli import main

SECTIONS = ("asked", "data", "how-many", "which", "how-sure", "how-good", "again", "cite")


def read(path):
    """The text of a report, whole and without its tags."""
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < 2_000_000
    assert [one for one in SECTIONS if f'<section id="{one}"' in text] == list(SECTIONS)
    return text, html.unescape(re.sub(r"<[^>]*>", "", text))


def test_select(run, csv_file, tmp_path):
    out = tmp_path / "a b.html"
    result = run("select", csv_file, "-t", "outcome", "-k", 3, *FAST, "--report", out)
    assert result.code == 0, result.err
    assert f"handful: wrote {out}" in result.err
    _, words = read(out)
    assert "3 of 12 features" in words
    assert "Selected features: outcome" in words
    assert f"handful select {csv_file} -t outcome -k 3 -C fast --report '{out}'" in words
    assert hashlib.sha256(csv_file.read_bytes()).hexdigest() in words
    assert (
        "80 rows, each predicted by a model that was selected and fitted without it, in 5 folds"
        in words
    )
    for gene in ("gene 2", "gene 5", "gene 9"):
        assert gene in words


@pytest.mark.usefixtures("blank_pictures")
def test_a_saved_model_and_rows_it_has_not_seen(run, model, csv_file, numbers, tmp_path):
    X, score = numbers
    test = write_csv(tmp_path / "new.csv", X[:30] + 0.01, np.where(score[:30] > 0, "well", "ill"))
    out = tmp_path / "report.html"
    result = run("report", model, csv_file, "-o", out, "--test", test, "--title", "A <b>title</b>")
    assert result.code == 0, result.err
    text, words = read(out)
    assert "30 rows that were given as held out" in words
    assert "<h1><bdi>A &lt;b&gt;title&lt;/b&gt;</bdi></h1>" in text
    assert "warning" not in result.err
    result = run("report", model, csv_file, "-o", out, "--cv", 0)
    assert result.code == 0, result.err
    assert "Nothing was held out, so nothing can be said here" in read(out)[1]


@pytest.mark.usefixtures("blank_pictures")
def test_path(run, three_classes, tmp_path):
    out = tmp_path / "path.html"
    asked = ("-t", "outcome", "-k", "1,2,4", "--cv", 3, "--method", "greedy-rls", "--nested", 2)
    result = run("path", three_classes, *asked, "--report", out)
    assert result.code == 0, result.err
    _, words = read(out)
    assert "chosen among 1, 2, 4 by 3 folds" in words
    assert "nested: 2 outer folds" in words
    assert "stability" in words.lower()


@pytest.mark.usefixtures("blank_pictures")
def test_stability(run, csv_file, tmp_path):
    out = tmp_path / "stability.html"
    asked = ("-t", "outcome", "-k", 3, "--method", "greedy-rls", "--resamples", 4)
    result = run("stability", csv_file, *asked, "--threshold", 0.7, "--report", out)
    assert result.code == 0, result.err
    _, words = read(out)
    assert "8 fits to halves of the rows" in words
    assert "false features are expected among those chosen in 70.0% of the fits or more" in words
    assert "gene 2" in words


@pytest.mark.usefixtures("blank_pictures")
def test_stability_of_a_table_with_text_and_gaps(run, tmp_path):
    data = mixed_tables.write_csv(mixed_tables.make_table(), tmp_path / "mixed.csv")
    out = tmp_path / "stability.html"
    asked = ("-t", "kind", "-k", 2, *FAST, "--missing", "mean", "--resamples", 4)
    result = run("stability", data, *asked, "--threshold", 0.6, "--report", out)
    assert result.code == 0, result.err
    words = read(out)[1]
    assert "8 fits to halves of the rows" in words
    assert "each predicted by a model that was selected and fitted without it" in words
    assert "false columns are expected" in words


@pytest.mark.usefixtures("blank_pictures")
def test_the_number_of_columns_is_called_so(run, tmp_path):
    data = mixed_tables.write_csv(mixed_tables.make_table(), tmp_path / "mixed.csv")
    out = tmp_path / "path.html"
    asked = ("-t", "kind", "-k", "1,2", *FAST, "--missing", "mean", "--cv", 2, "--nested", 2)
    assert run("path", data, *asked, "--report", out).code == 0
    words = read(out)[1]
    assert re.search(r"with (1 column|2 columns), on the folds that chose the number", words)
    assert re.search(r"outer folds, with \d, \d columns chosen inside them", words)


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("kind", ["text", "svmlight", "targets"])
def test_other_files(run, tmp_path, numbers, svm_file, kind):
    X, score = numbers
    out = tmp_path / "report.html"
    if kind == "text":
        towns = np.array(["Ulm", "<Köln>", ""])[np.digitize(X[:, 0], [-0.5, 0.5])]
        lines = [f"{a},{town},{b}" for a, town, b in zip(score, towns, score > 0, strict=True)]
        data = tmp_path / "towns.csv"
        data.write_text("\n".join(["size,town,ill", *lines]) + "\n", encoding="utf-8")
        asked = (data, "-t", "ill", "-k", 2, *FAST, "--missing", "category")
        told = "size"
    elif kind == "svmlight":
        asked, told = (svm_file, "-k", 3, *FAST), "3 of 12 features"
    else:
        names = [*(f"gene {j}" for j in range(10)), "label_a"]
        data = write_csv(
            tmp_path / "labels.csv",
            np.c_[X[:, :10], X[:, 2] > 0],
            (X[:, 5] > 0) * 1,
            names,
            "label_b",
        )
        asked, told = (data, "--targets", "label_*", "-k", 2), "label_b"
    result = run("select", *asked, "--report", out, "-o", tmp_path / "model.handful")
    assert result.code == 0, result.err
    assert told in read(out)[1]
    again = run("report", tmp_path / "model.handful", asked[0], "-o", out, "--cv", 2)
    assert again.code == 0, again.err
    assert told in read(out)[1]


@pytest.mark.usefixtures("blank_pictures")
def test_targets_whose_names_hold_what_separates_names(run, tmp_path, numbers):
    X, _ = numbers
    names = [*(f"gene {j}" for j in range(9)), "mood: calm, quiet", "mood: *"]
    labels = np.c_[X[:, :9], X[:, 2] > 0, X[:, 5] > 0]
    data = write_csv(tmp_path / "moods.csv", labels, (X[:, 6] > 0) * 1, names, "mood: sad")
    text = data.read_text().replace("mood: calm, quiet", '"mood: calm, quiet"')
    data.write_text(text)
    model, out = tmp_path / "m.handful", tmp_path / "r.html"
    assert (
        run("select", data, "--targets", "mood: *,mood: s*,*quiet", "-k", 2, "-o", model).code == 0
    )
    again = run("report", model, data, "-o", out, "--cv", 2)
    assert again.code == 0, again.err
    assert "mood: calm, quiet" in read(out)[1]


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("kind", ["format", "header"])
def test_new_rows_are_read_as_the_data_where_they_end_alike(run, tmp_path, numbers, kind):
    """Names of columns that are numbers do not look like names."""
    X, score = numbers
    names = [str(j) for j in range(12)] if kind == "header" else [f"gene {j}" for j in range(12)]
    y, suffix = (score > 0) * 1, "csv" if kind == "header" else "txt"
    how = ("--header",) if kind == "header" else ("--format", "csv")
    data = write_csv(tmp_path / f"train.v1.{suffix}", X[:60], y[:60], names, "99")
    test = write_csv(tmp_path / f"test.{suffix}", X[60:], y[60:], names, "99")
    model, out = tmp_path / "m.handful", tmp_path / "r.html"
    assert run("select", data, "-t", "99", "-k", 3, *FAST, *how, "-o", model).code == 0
    result = run("report", model, data, *how, "--test", test, "--cv", 0, "-o", out)
    assert result.code == 0, result.err
    assert "20 rows that were given as held out" in read(out)[1]
    other = tmp_path / "test.npz"  # which needs neither
    np.savez(other, X=X[60:], y=y[60:], feature_names=names)
    result = run("report", model, data, *how, "--test", other, "--cv", 0, "-o", out)
    assert (result.code, "has no target" in result.err) == (2, True)


def test_missing_values_are_those_of_the_model(run, refused, tmp_path, numbers):
    X, score = numbers
    gaps = np.where(X > 1.5, np.nan, X)
    data = write_csv(tmp_path / "gaps.csv", gaps, np.where(score > 0, "well", "ill"))
    asked = ("-t", "outcome", "-k", 3, *FAST, "--missing", "median", "-o", tmp_path / "m.handful")
    assert run("select", data, *asked).code == 0
    again = ("report", tmp_path / "m.handful", data, "-o", tmp_path / "r.html", "--cv", 0)
    for more in ((), ("--missing", "median")):
        assert "are the median of their column" in run(*again, *more).err
    said = refused(*again, "--missing", "mean")
    assert "--missing: the model was made with --missing median; leave it out" in said


def test_refusals(refused, csv_file, model, tmp_path):
    asked = ("select", csv_file, "-t", "outcome", "-k", 3)
    assert refused(*asked, "--report", tmp_path / "r.pdf").endswith("its name must end in .html")
    sentence = refused(*asked, "--report", tmp_path / "x.html", "-o", tmp_path / "x.html")
    assert "--output and --report both name it" in sentence
    assert "does not exist" in refused("report", model, csv_file, "-o", tmp_path / "no" / "r.html")
    assert "one fold" in refused("report", model, csv_file, "--cv", 1, "-o", tmp_path / "r.html")


def test_other_data_than_the_model_was_fitted_to(run, model, tmp_path, numbers):
    X, score = numbers
    y = np.where(score > 0, "well", "ill")
    fewer = write_csv(tmp_path / "fewer.csv", X[:, :5], y, names=[f"gene {j}" for j in range(5)])
    result = run("report", model, fewer, "-o", tmp_path / "r.html")
    assert result.code == 2
    assert "has 5 columns of features as it was read, the model was fitted on 12" in result.err
    other = write_csv(tmp_path / "other.csv", X, y, names=[f"protein {j}" for j in range(12)])
    result = run("report", model, other, "-o", tmp_path / "r.html")
    assert result.code == 2
    assert "has a column 'protein 0' where the model was fitted on 'gene 0'" in result.err
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_without_the_extra_one_sentence_says_what_to_install(
    refused, csv_file, model, tmp_path, monkeypatch, missing
):
    monkeypatch.setitem(sys.modules, missing, None)
    named = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}[missing]
    wanted = f"a report needs {named}; install with: pip install 'handful[report]'"
    assert refused("report", model, csv_file, "-o", tmp_path / "r.html") == wanted
    asked = ("select", csv_file, "-t", "outcome", "-k", 3, "--report", tmp_path / "r.html")
    assert refused(*asked) == wanted


def test_help_comes_without_what_a_report_needs():
    assert main(["report", "--help"]) == 0
