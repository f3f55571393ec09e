"""A csv with semicolons and decimal commas, as a spreadsheet writes it, does in the shell what the same file with points does."""

import csv
import json

import numpy as np
import pytest

from handful.io import read_model_file

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 5)).round(4)
QUANTITY = (3 * X[:, 0] - X[:, 3] + 0.125).round(3)
ILL = np.where(X[:, 1] + X[:, 4] > 0, "yes", "no")
HEADER = ["id", *(f"gene{j}" for j in range(5)), "age", "ward", "score", "ill"]


def table(first, last):
    return [
        [
            f"s{i}",
            *map(str, X[i]),
            "" if i % 9 == 4 else str(30 + i % 40),
            f"w{i % 3}",
            str(QUANTITY[i]),
            ILL[i],
        ]
        for i in range(first, last)
    ]


@pytest.fixture
def files(tmp_path):
    """Return (train, new) with commas and with points."""

    def write(name, rows, separator=";"):
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file, delimiter=separator).writerows([HEADER, *rows])
        return tmp_path / name

    def commas(rows):
        return [[cell.replace(".", ",") for cell in row] for row in rows]

    train, new = table(0, 40), table(40, 60)
    return {
        "commas": (write("train.csv", commas(train)), write("new.csv", commas(new))),
        "points": (write("p_train.csv", train, ","), write("p_new.csv", new, ",")),
    }


MIXED = ["--drop", "id", "--missing", "mean"]
PLAIN = ["--drop", "id", "--drop", "age", "--drop", "ward"]


@pytest.mark.parametrize("how", [MIXED, PLAIN], ids=["mixed", "plain"])
@pytest.mark.parametrize(("target", "other"), [("score", "ill"), ("ill", "score")])
def test_the_model_and_its_predictions_are_the_same(run, files, tmp_path, how, target, other):
    told = {}
    for kind, (train, new) in files.items():
        model, written = tmp_path / f"{kind}.handful", tmp_path / f"{kind}.out.csv"
        result = run(
            "select", train, "-t", target, "--drop", other, *how, "-k", 2, "-C", 1, "-o", model
        )
        assert result.code == 0, result.err
        assert ("quantity" in result.err or "regression" in result.err) == (target == "score")
        predicted = run("predict", model, new, "--id", "id", "-o", written)
        assert predicted.code == 0, predicted.err
        saved = read_model_file(model).estimator
        told[kind] = saved.coef_.tobytes(), written.read_text(), predicted.err.splitlines()[-1]
    assert told["commas"] == told["points"]


def test_path_and_transpose(run, files, tmp_path):
    figures = {}
    for kind, (train, _) in files.items():
        result = run(
            "path", train, "-t", "score", *PLAIN, "--drop", "ill", "-k", "1,2", "-C", 1, "--json"
        )
        assert result.code == 0, result.err
        steps = json.loads(result.out)["path"]
        figures[kind] = [{**step, "seconds": 0} for step in steps]
    assert figures["commas"] == figures["points"]
    turned = tmp_path / "turned.csv"
    train, _ = files["commas"]
    drop = [row for name in ("ward", "ill", "age") for row in ("--drop", name)]
    back = tmp_path / "back.csv"
    assert run("transpose", train, *drop, "-o", turned).code == 0
    assert run("transpose", turned, "-o", back).code == 0
    read = np.genfromtxt(back, delimiter=",", skip_header=1)
    np.testing.assert_array_equal(read[:, 1:], np.column_stack([X, QUANTITY])[:40])


def test_convert(run, files, tmp_path):
    for kind, (train, _) in files.items():
        result = run(
            "convert", train, tmp_path / f"{kind}.store", "-t", "score", *PLAIN, "--drop", "ill"
        )
        assert result.code == 0, result.err
    models = []
    for kind in files:
        model = tmp_path / f"{kind}.handful"
        assert run("select", tmp_path / f"{kind}.store", "-k", 2, "-C", 1, "-o", model).code == 0
        models.append(read_model_file(model).estimator.coef_.tolist())
    assert models[0] == models[1]


def test_what_is_wrong_is_named(refused, run, files, tmp_path):
    train, new = files["commas"]
    model = tmp_path / "m.handful"
    assert (
        run(
            "select", train, "-t", "score", *PLAIN, "--drop", "ill", "-k", 5, "-C", 1, "-o", model
        ).code
        == 0
    )
    lines = new.read_text().splitlines()
    cells = lines[5].split(";")
    cells[1] = "1.234,5"
    new.write_text("\n".join([*lines[:5], ";".join(cells), *lines[6:]]) + "\n")
    said = refused("predict", model, new)
    assert f"{new}, line 6, column 'gene0': '1.234,5' has a separator of thousands" in said
    lines = train.read_text().splitlines()
    cells = lines[3].split(";")
    cells[HEADER.index("score")] = "<0,5"
    train.write_text("\n".join([*lines[:3], ";".join(cells), *lines[4:]]) + "\n")
    said = refused("select", train, "-t", "score", *PLAIN, "--drop", "ill", "-k", 2)
    assert "the target 'score' holds '<0,5', and most of its values are numbers" in said
