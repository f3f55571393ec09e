"""Strings through select, path, predict and inspect."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from handful import FGMClassifier
from handful.spaces import Substrings

TEXTS = [
    *(
        "win a free prize now",
        "free entry, reply now",
        "claim your free gift",
        "free call, win cash",
    ),
    *("see you at home", "call me at home", "home soon, see you", "are you at home?"),
] * 3
LABELS = ["spam"] * 4 + ["ham"] * 4
LABELS = LABELS * 3
FAST = ["-k", 2, "-C", "fast"]


def ask(run, *arguments):
    result = run(*arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def write_csv(path, texts=TEXTS, labels=LABELS):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("kind", "text"), *zip(labels, texts, strict=True)])
    return path


def write_parquet(path):
    pd.DataFrame({"kind": LABELS, "text": TEXTS}).to_parquet(path)
    return path


def write_fasta(path):
    lines = (
        f">s{i} {label}\n{text}\n"
        for i, (label, text) in enumerate(zip(LABELS, TEXTS, strict=True))
    )
    path.write_text("".join(lines))
    return path


def write_lines(path):
    lines = (f"{label}\t{text}\n" for label, text in zip(LABELS, TEXTS, strict=True))
    path.write_text("".join(lines))
    return path


FILES = {
    "csv": (write_csv, "t.csv", ["-t", "kind", "--strings", "text"]),
    "positions": (write_csv, "t.csv", ["-t", 0, "--strings", 1]),
    "parquet": (write_parquet, "t.parquet", ["-t", "kind", "--strings", "text"]),
    "fasta": (write_fasta, "t.fa", []),
    "fasta, by position": (write_fasta, "t.fasta", ["-t", 1]),
    "lines": (write_lines, "t.txt", ["--format", "lines"]),
}


@pytest.mark.parametrize("form", FILES)
def test_every_file_gives_the_model_of_its_strings(run, tmp_path, form):
    write, name, how = FILES[form]
    path = write(tmp_path / name)
    said = ask(run, "select", path, *how, *FAST, "-o", tmp_path / "m")
    expected = FGMClassifier(2, space=Substrings(), C="fast").fit(TEXTS, LABELS)
    assert [one["name"] for one in said["features"]] == list(expected.get_feature_names_out())
    counted = [sum(name in text for text in TEXTS) for name in expected.get_feature_names_out()]
    assert [one["frequency"] for one in said["features"]] == counted
    format_of = how[how.index("--format") :] if "--format" in how else []
    answer = ask(run, "predict", tmp_path / "m", path, *format_of)
    assert answer["score"]["accuracy"] == 1.0
    assert answer["predictions"]["prediction"] == list(expected.predict(TEXTS))


def test_reports_show_strings_and_their_frequencies(run, tmp_path):
    path = write_csv(tmp_path / "t.csv")
    how = ["-t", "kind", "--strings", "text", *FAST, "--include", " you"]
    shown = run("select", path, *how, "-o", tmp_path / "m")
    assert "24 strings of" in shown.err
    for out in (shown.out, run("inspect", tmp_path / "m").out):
        assert "the substrings of 24 strings" in out
        assert "' you'" in out
        assert " 12 " in out


def test_explanations_say_what_is_where(run, tmp_path):
    path = write_csv(tmp_path / "t.csv")
    run(
        "select",
        path,
        "-t",
        "kind",
        "--strings",
        "text",
        *FAST,
        "--include",
        "free",
        "-o",
        tmp_path / "m",
    )
    new = write_csv(tmp_path / "new.csv", ["a free lunch", "nothing"], ["spam", "ham"])
    answer = ask(run, "predict", tmp_path / "m", new, "--explain")
    first, second = answer["predictions"]["explanation"]
    assert [
        (one["string"], one["start"], one["stop"]) for one in first if one["string"] == "free"
    ] == [("free", 2, 6)]
    assert first[0]["weights"][0] > 0
    assert second == []
    table = run("predict", tmp_path / "m", new, "--explain").out.splitlines()
    assert table[0] == "row,prediction,decision,explanation"
    assert "2-6 'free' +" in table[1]


def test_a_text_that_is_no_table_is_told_of_lines(run, tmp_path):
    path = write_csv(tmp_path / "t.csv")
    assert (
        run("select", path, "-t", "kind", "--strings", "text", *FAST, "-o", tmp_path / "m").code
        == 0
    )
    new = tmp_path / "new.txt"
    new.write_text("a free lunch\nat home again\n")
    result = run("predict", tmp_path / "m", new)
    assert (result.code, "with --format lines" in result.err) == (2, True)
    assert run("predict", tmp_path / "m", new, "--format", "lines").code == 0


def test_a_model_from_lines_says_how_new_lines_are_read(run, tmp_path):
    lines, m = write_lines(tmp_path / "t.txt"), tmp_path / "m"
    assert run("select", lines, "--format", "lines", *FAST, "-o", m).code == 0
    result = run("predict", m, lines)
    assert (result.code, result.out) == (2, "")
    assert "a file of lines are read with --format lines" in result.err
    assert run("predict", m, lines, "--format", "lines").code == 0


def test_labels_in_a_file_are_those_of_the_training_lines_alone(run, tmp_path):
    data, labels, new = (tmp_path / name for name in ("t.txt", "labels.txt", "new.txt"))
    data.write_text("free\tprize\nat\thome\nfree\tgift\nis\thome\n" * 3)
    labels.write_text("spam\nham\n" * 6)
    how, k = ["--format", "lines"], ["-k", 1, "--include", "free\t"]
    run("select", data, *how, "-t", labels, *k, "-C", "fast", "-o", tmp_path / "m")
    for times in (1, 6):  # of as many lines too nothing says that the labels are theirs
        new.write_text("at\t1\nfree\t2\n" * times)
        result = run("predict", tmp_path / "m", new, *how)
        assert (result.code, result.err) == (0, "")
        said = [line.split(",")[1] for line in result.out.splitlines()]
        assert said == ["prediction", *["ham", "spam"] * times]


def test_stability_shows_blanks_of_strings(run, tmp_path):
    path = write_csv(tmp_path / "t.csv")
    how = ["-t", "kind", "--strings", "text", "-k", 2, "-C", "fast", "--resamples", 2]
    shown = run("stability", path, *how, "--include", " you")
    assert "│ ' you'" in shown.out


def test_path(run, tmp_path):
    path = write_csv(tmp_path / "t.csv")
    said = ask(
        run, "path", path, "-t", "kind", "--strings", "text", "-k", "1,2", "--cv", 3, "-C", "fast"
    )
    assert [point["k"] for point in said["path"]] == [1, 2]


def test_options_reach_the_space(run, tmp_path):
    path = write_csv(tmp_path / "t.csv")
    how = ["-t", "kind", "--strings", "text", *FAST]
    options = [
        "--unit",
        "word",
        "--weight",
        "log",
        "--min-df",
        "0.1",
        "--case",
        "lower",
        "--max-length",
        2,
    ]
    said = ask(run, "select", path, *how, *options)
    space = Substrings("word", "log", min_df=0.1, case="lower", max_length=2)
    assert said["space"] == repr(space)
    assert ask(run, "select", path, *how, "--reverse-complement")["space"] == repr(
        Substrings(reverse_complement=True)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strings", "words"], "there is no string column 'words'"),
        (
            ["--strings", "text", "--min-df", "25"],
            "within the limits --min-df 25, --max-df 24, --min-length 1; widen these.",
        ),
        (
            ["--strings", "text", "--min-length", "5", "--max-length", "3"],
            "--max-length must be a whole number of at least 5; got 3.",
        ),
        (
            ["--strings", "text", "--pairs"],
            "it is of columns of numbers and cannot go with strings",
        ),
        (["--strings", "text", "--method", "greedy-rls"], "substrings go with --method fgm"),
        (["--unit", "word", "--drop", "text", "--text", "kind"], ""),
        (["--strings", "text", "--missing", "mean"], "--missing cannot go with strings"),
        (["--strings", "text", "--unit", "letter"], "unit must be one of"),
        (["--strings", "text", "--min-df", "x"], "'x' is neither a whole number nor a share"),
        (
            ["--strings", "text", "--include", "zebra"],
            "'zebra' occurs in 0 of the 24",
        ),
        (["--strings", "text", "--format", "npz"], ""),
    ],
)
def test_wrong_options_are_one_line(run, tmp_path, arguments, message):
    path = write_csv(tmp_path / "t.csv")
    result = run("select", path, "-t", "kind", *FAST, *arguments)
    assert result.code == 2
    assert len(result.err.strip().splitlines()) == 1 or "strings of" in result.err
    assert message in result.err


@pytest.mark.parametrize(
    ("name", "content", "how", "message"),
    [
        ("a.fa", "ACGT\n", [], "line 1: a FASTA file begins with >"),
        ("a.fa", ">one\nACGT\n", [], "sequence 1: the header 'one' lacks a label behind its name"),
        (
            "a.fa",
            ">one y=2\nAC\n>two\nAC\n",
            ["-t", "y"],
            "sequence 2: the header 'two' lacks the label 'y'",
        ),
        ("a.fa", ";\n", [], "holds no sequences"),
        (
            "a.txt",
            "a\tb\nc\n",
            ["--format", "lines"],
            "line 2: there is no label and tab before the text",
        ),
        (
            "a.csv",
            "kind,text\n,b\n",
            ["-t", "kind", "--strings", "text"],
            "row 1: the label is missing",
        ),
        ("a.csv", "kind,text\n\xff,b\n", ["-t", "kind", "--strings", "text"], "is not UTF-8 text"),
    ],
)
def test_damaged_files_are_one_line(run, tmp_path, name, content, how, message):
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    result = run("select", path, *how, *FAST)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_predicting_strings_without_labels(run, tmp_path):
    run("select", write_fasta(tmp_path / "t.fa"), *FAST, "-o", tmp_path / "m")
    (tmp_path / "new.fa").write_text(">x\nfree\nprize\n>y\n\n")
    answer = ask(run, "predict", tmp_path / "m", tmp_path / "new.fa")
    assert answer["score"] is None
    assert len(answer["predictions"]["prediction"]) == 2
    assert np.isfinite(answer["predictions"]["decision"]).all()


@pytest.mark.parametrize(
    "command",
    [
        ["select", *FAST],
        ["path", "-k", "1,2", "--cv", 2, *FAST],
        ["stability", *FAST, "--resamples", 2],
    ],
)
def test_what_the_index_is_at_is_shown_on_a_terminal(run, tmp_path, monkeypatch, command):
    monkeypatch.setenv("FORCE_COLOR", "1")  # what makes rich believe in a terminal
    monkeypatch.setenv("TERM", "xterm")
    shown = []
    monkeypatch.setattr("rich.status.Status.update", lambda self, line: shown.append(str(line)))
    name, *options = command
    result = run(name, write_csv(tmp_path / "t.csv"), "-t", "kind", "--strings", "text", *options)
    assert result.code == 0, result.err
    steps = ["sorting the suffixes of", "merging equal columns", "listing the documents"]
    assert [any(step in line for line in shown) for step in steps] == [True] * 3
