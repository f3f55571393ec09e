"""A target of text is classes, unless most of it are numbers or most rows have a text of their own."""

import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).round(3)
SCORE = (X[:, 0] + 5).round(2)


@pytest.fixture
def write(tmp_path):
    """Return the path of a csv of the columns and a target called T."""

    def write(y):
        path = tmp_path / "train.csv"
        table = pd.DataFrame({**dict(zip("abcd", X.T, strict=True)), "T": y})
        table.to_csv(path, index=False, sep=";")
        return path

    return write


def with_comma(y):
    return [f"{value:.2f}".replace(".", ",") for value in y]


def with_odd(y):
    return ["<0.5", *map(str, y[1:])]


def with_odd_below(y):
    return [*map(str, y[:-1]), "n.d."]


def with_unit(y):
    return [f"{value} mg" for value in y]


@pytest.mark.parametrize(
    ("spell", "wrong", "remedy"),
    [
        (with_comma, "holds numbers with a comma such as '", "write them with a decimal point"),
        (with_odd, "holds '<0.5', and most of its values are numbers", "correct it, remove"),
        (with_odd_below, "holds 'n.d.', and most of its values are numbers", "correct it, remove"),
        (with_unit, "different texts in 60 rows, such as '", "write quantities as numbers alone"),
    ],
)
def test_quantities_in_an_unlucky_spelling_are_no_classes(
    refused, run, write, spell, wrong, remedy
):
    path = write(spell(SCORE))
    said = refused("select", path, "-t", "T", "-k", 2)
    assert f"{path}: the target 'T' " in said
    assert wrong in said
    assert remedy in said
    for meant in (["--classification"], ["--text", "T"]):
        assert run("select", path, "-t", "T", "-k", 2, "-C", "fast", *meant).code == 0


@pytest.mark.parametrize(
    "labels", [["0", "1", "2", "3+"], ["1,5", "b", "c", "d"], ["2020-01-01", "2020-02-01"]]
)
def test_classes_may_look_like_numbers(run, write, labels):
    result = run("select", write(np.resize(labels, 60)), "-t", "T", "-k", 2, "-C", "fast")
    assert result.code == 0, result.err
    assert f"into {len(labels)} classes" in result.err


def test_a_word_in_the_target_of_new_rows_is_named(refused, run, write, tmp_path):
    model, new = tmp_path / "m.handful", tmp_path / "new.csv"
    assert run("select", write(SCORE), "-t", "T", "-k", 2, "-C", "fast", "-o", model).code == 0
    write(with_odd(SCORE)).rename(new)
    for command in ("predict", "report"):
        rows = (new,) if command == "predict" else (write(SCORE), "--test", new)
        said = refused(command, model, *rows, "-o", tmp_path / "out.html")
        assert f"{new}: the target 'T' holds '<0.5', and the model predicts numbers" in said
    write(["", *map(str, SCORE[1:])]).rename(new)
    assert "on the 59 of 60 rows that have a target" in run("predict", model, new).err
