"""Run the command in this process, and small data to run it on."""

import io
import os
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from genes import FAST, draw, write_csv

from handful.cli import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


#: What is said of the data before something else is refused.
NOTE = re.compile("handful: .*( rows?, | is about class )")


@pytest.fixture
def run(capsys):
    """Run ``handful ...`` and return its exit code, stdout and stderr."""

    def run(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def refused(run, tmp_path):
    """Run ``handful ...``, expect one line on stderr and nothing written; return the sentence."""

    def refused(*arguments):
        before = sorted(os.listdir(tmp_path))
        result = run(*arguments)
        assert (result.code, result.out) == (2, ""), result
        *notes, sentence = result.err.splitlines()
        assert all(NOTE.match(note) for note in notes), result.err
        assert sentence.startswith("handful: ")
        assert "Traceback" not in result.err
        assert sorted(os.listdir(tmp_path)) == before
        return sentence.removeprefix("handful: ")

    return refused


@pytest.fixture(scope="session")
def numbers():
    """X and a score that three features decide."""
    return draw()


@pytest.fixture
def csv_file(tmp_path, numbers):
    """Two classes, called "ill" and "well"."""
    X, score = numbers
    return write_csv(tmp_path / "genes.csv", X, np.where(score > 0, "well", "ill"))


@pytest.fixture
def three_classes(tmp_path, numbers):
    X, score = numbers
    return write_csv(tmp_path / "three.csv", X, np.digitize(score, [-2, 2]))


@pytest.fixture
def quantities(tmp_path, numbers):
    X, score = numbers
    return write_csv(tmp_path / "quantities.csv", X, score.round(4))


@pytest.fixture
def svm_file(tmp_path, numbers):
    X, score = numbers
    lines = [
        " ".join([str(int(np.sign(s))), *(f"{j + 1}:{value}" for j, value in enumerate(row))])
        for row, s in zip(X.tolist(), score, strict=True)
    ]
    path = tmp_path / "genes.svm"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def fitted_model(tmp_path_factory, numbers):
    """A model of three features; for whoever does not change it."""
    X, score = numbers
    folder = tmp_path_factory.mktemp("model")
    data = write_csv(folder / "genes.csv", X, np.where(score > 0, "well", "ill"))
    arguments = ["select", data, "--target", "outcome", "-k", 3, *FAST]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert main([*map(str, arguments), "-o", str(folder / "model.handful")]) == 0
    return folder / "model.handful"


@pytest.fixture
def model(tmp_path, csv_file, fitted_model):
    """A copy of that model beside the data that it is of."""
    return Path(shutil.copy(fitted_model, tmp_path))
