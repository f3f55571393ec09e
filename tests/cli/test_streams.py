"""Full disks behind stdout, pipes, line feeds in names, formulas in labels, Ctrl-C inside a parser."""

import csv
import io
import json
import os
import sys

import numpy as np
import pytest
from genes import FAST, write_csv

from handful.files import atomic_write
from handful.io import labels, load_model, read_table, save_model

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full (Linux)")


@needs_full
@pytest.mark.parametrize("buffering", [1, -1], ids=["by lines", "by blocks"])
@pytest.mark.parametrize("command", ["inspect", "inspect --json", "predict", "--help"])
def test_a_full_disk_behind_stdout(run, model, csv_file, monkeypatch, buffering, command):
    words = {"inspect": [model], "predict": [model, csv_file]}
    first, *rest = command.split()
    with open("/dev/full", "w", buffering=buffering) as full:
        monkeypatch.setattr(sys, "stdout", full)
        result = run(first, *words.get(first, []), *rest)
        assert result.code == 2
        assert result.err.endswith("handful: cannot write to stdout: no space left on device\n")
        full.write("what is left goes nowhere")


@pytest.fixture
def of_towns(run, tmp_path, numbers):
    """A model whose classes and features have letters beyond ASCII, and its data."""
    X, score = numbers
    data = write_csv(
        tmp_path / "a.csv", X, np.where(score > 0, "Łódź", "Köln"), [f"β{j}" for j in range(12)]
    )
    model = tmp_path / "towns.handful"
    assert run("select", data, *FAST, "-t", "outcome", "-k", 3, "-o", model).code == 0
    return model, data


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_stdout_has_no_letter_for(run, of_towns, monkeypatch, encoding, errors):
    """As on a terminal of another language, or behind a pipe on Windows; a long job is not lost for it."""
    model, data = of_towns

    def out(*arguments):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors)
        monkeypatch.setattr(sys, "stdout", stream)
        result = run(*arguments)
        stream.flush()
        return result, stream.buffer.getvalue().decode(encoding)

    result, table = out("inspect", model)
    assert (result.code, ("β2" if encoding == "utf-8" else "\\u03b22") in table) == (0, True)
    asked = ("path", data, "-t", "outcome", "-k", 2, "--cv", 2, *FAST)
    result, table = out(*asked)
    assert (result.code, ("\\xb1" if encoding == "ascii" else "±") in table) == (0, True)
    result, text = out("inspect", model, "--json")
    assert (result.code, json.loads(text)["classes"]) == (0, ["Köln", "Łódź"])
    result, text = out("predict", model, data)  # labels are never altered
    if encoding == "utf-8":
        assert (result.code, "Łódź" in text) == (0, True)
    else:
        assert (result.code, "write to a file with --output" in result.err) == (2, True)


@needs_full
def test_a_full_disk_behind_stderr(run, monkeypatch):
    with open("/dev/full", "w", buffering=1) as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert run("inspect", "nothing").code == 2
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


@pytest.mark.skipif(os.name != "posix", reason="/dev/stdout is POSIX's")
@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1"])
def test_stdout_by_name(place, capfd):
    """Behind what was printed before, and before what is printed after; here it is a file."""
    print("before")
    with atomic_write(place, text=True) as file:
        file.write("between\n")
    print("after")
    assert capfd.readouterr().out == "before\nbetween\nafter\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes have names on POSIX")
def test_a_pipe(run, model, csv_file):
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe:
        result = run("predict", model, csv_file, "-o", f"/dev/fd/{writing}")
        os.close(writing)
        assert (result.code, pipe.readline()) == (0, b"row,prediction,decision\n")


def test_names_of_several_lines_stay_on_one(run, tmp_path, numbers):
    X, score = numbers
    names = ["two\nlines", '"quoted"', "line\u2028separator", "plain", "back\\slash"]
    data = tmp_path / "a.npz"
    np.savez(data, X=X[:, :5], y=(score > 0).astype(int), feature_names=names)
    place = tmp_path / "names.txt"
    assert run("select", data, *FAST, "-k", 5, "--features-out", place).code == 0
    lines = place.read_text(encoding="utf-8").splitlines()
    assert lines[3:] == ["plain", "back\\slash"]
    assert [json.loads(line) if line.startswith('"') else line for line in lines] == names


@pytest.fixture
def formulas(run, tmp_path, numbers):
    X, score = numbers
    data = write_csv(tmp_path / "a.csv", X, np.where(score > 0, "=cmd|' /C calc'!A0", "-1 or so"))
    assert (
        run("select", data, *FAST, "--target", "outcome", "-k", 3, "-o", tmp_path / "m").code == 0
    )
    return tmp_path / "m", data


def test_formulas_are_escaped_where_that_is_asked_for(run, formulas, tmp_path):
    plain = list(csv.reader(io.StringIO(run("predict", *formulas).out)))
    escaped = list(csv.reader(io.StringIO(run("predict", *formulas, "--escape-formulas").out)))
    assert {row[1] for row in plain[1:]} == {"=cmd|' /C calc'!A0", "-1 or so"}
    assert escaped == [plain[0]] + [[row[0], "'" + row[1], row[2]] for row in plain[1:]]
    assert any(float(row[2]) < 0 for row in escaped[1:])  # numbers are no formulas
    out = tmp_path / "p.csv"
    assert run("predict", *formulas, "--escape-formulas", "-o", out).code == 0
    assert list(csv.reader(io.StringIO(out.read_text()))) == escaped


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt, 130, "interrupted; nothing was written"),
        (MemoryError, 2, "does not fit in memory"),
    ],
)
def test_an_interrupt_inside_the_parser_is_no_error_of_the_data(
    run, csv_file, monkeypatch, error, code, words
):
    """NumPy makes a ValueError of whatever is raised while a field is converted."""
    real = labels.LabelCodes.__call__

    def interrupted(self, text):
        if len(self.labels) == 2:
            raise error
        return real(self, text)

    monkeypatch.setattr(labels.LabelCodes, "__call__", interrupted)  # which the parser calls
    with pytest.raises(error):
        read_table(csv_file, "outcome")
    result = run("select", csv_file, "--target", "outcome", "-k", 2)
    assert (result.code, result.out) == (code, "")
    assert words in result.err


@pytest.mark.skipif(os.name != "posix", reason="pipes have names on POSIX")
def test_a_model_through_a_pipe(model, tmp_path):
    """A zip that cannot be sought in is a model all the same."""
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe:
        save_model(load_model(model), f"/dev/fd/{writing}")
        os.close(writing)
        (tmp_path / "copy").write_bytes(pipe.read())
    assert load_model(tmp_path / "copy").n_features_in_ == load_model(model).n_features_in_
