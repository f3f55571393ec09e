"""Rows without a target are predicted and not scored; a class may be called none."""

import json

import numpy as np
import pandas as pd
import pytest

from handful import load_model
from handful.io import read_table
from handful.io.labels import LabelRules

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4)).round(3)
SIGN = X[:, 0] > 0


def table_of(y, **more):
    return pd.DataFrame({**dict(zip("abcd", X.T, strict=True)), **more, "y": y})


@pytest.fixture
def write(tmp_path):
    def write(frame, name):
        path = tmp_path / name
        frame.to_parquet(path) if name.endswith("parquet") else frame.to_csv(path, index=False)
        return path

    return write


@pytest.fixture
def model(run, write, tmp_path):
    """Return the path of a model of a table."""

    def model(frame, *options, target=("-t", "y")):
        data, path = write(frame, "train.csv"), tmp_path / "m.handful"
        made = run("select", data, *target, "-k", 2, "-C", "fast", *options, "-o", path)
        assert made.code == 0, made.err
        return path

    return model


def predicted(path):
    return pd.read_csv(path)["prediction"].tolist()


KINDS = {
    "text": np.where(SIGN, "ill", "well").astype(object),
    "numbers": np.where(SIGN, 1.0, 0.0),
    "quantities": X[:, 0] + 0.5,
}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_known", [0, 1, 5])
def test_rows_without_a_target_are_predicted(run, model, write, tmp_path, kind, suffix, n_known):
    path = model(table_of(KINDS[kind]))
    y = pd.Series(KINDS[kind]).where(np.arange(40) < n_known)
    data, out = write(table_of(y), f"new.{suffix}"), tmp_path / "p.csv"
    made = run("predict", path, data, "-o", out)
    assert made.code == 0, made.err
    assert len(predicted(out)) == 40
    if n_known == 0:
        assert "missing in all of 40 rows: there is nothing to score" in made.err
    elif n_known == 1 and kind == "quantities":
        assert "one row with a target is too little to score" in made.err
    else:
        has = "has" if n_known == 1 else "have"
        assert f" on the {n_known} of 40 rows that {has} a target" in made.err


def test_json_says_how_many_were_scored(run, model, write):
    path = model(table_of(KINDS["text"]))
    for n_known, expected in ((0, None), (7, 7)):
        y = np.where(np.arange(40) < n_known, KINDS["text"], "")
        report = json.loads(run("predict", path, write(table_of(y), "new.csv"), "--json").out)
        assert (report["n_rows"], report["n_scored"]) == (40, expected)
        assert (report["score"] is None) is (expected is None)


def test_a_table_with_text(run, model, write, tmp_path):
    colour = np.where(X[:, 1] > 0, "red", "blue")
    path = model(table_of(KINDS["text"], colour=colour))
    y = np.where(np.arange(40) < 3, KINDS["text"], "NA")
    data = write(table_of(y, colour=colour), "new.csv")
    made = run("predict", path, data, "-o", tmp_path / "p.csv")
    assert "on the 3 of 40 rows that have a target" in made.err


def test_several_targets(run, model, write, tmp_path):
    more = {"L_0": SIGN.astype(int), "L_1": (X[:, 1] > 0).astype(int)}
    frame = table_of(0, **more).drop(columns="y")
    path = model(frame, target=("--targets", "L_*"))
    lacking = frame.astype({"L_0": object})
    lacking.loc[4:, "L_0"] = ""
    made = run("predict", path, write(lacking, "new.csv"), "-o", tmp_path / "p.csv")
    assert "on the 4 of 40 rows that have a target" in made.err
    lacking["L_0"] = "x"
    made = run("predict", path, write(lacking, "new.csv"), "-o", tmp_path / "p.csv")
    assert "line 2, column 'L_0': expected a finite number for a target, found 'x'" in made.err


def test_bags(run, model, write, tmp_path):
    who = np.repeat(np.arange(10), 4)
    y = np.where(np.arange(10) % 2, "ill", "well")
    path = model(table_of(y[who], who=who), "--bags", "who", "--method", "miles")
    made = run(
        "predict", path, write(table_of(y[who], who=who), "new.csv"), "-o", tmp_path / "p.csv"
    )
    assert " on 10 bags" in made.err
    some = np.where(who < 3, y[who], "")
    made = run("predict", path, write(table_of(some, who=who), "new.csv"), "-o", tmp_path / "p.csv")
    assert " on the 3 of 10 bags that have a target" in made.err


def test_npz(run, model, write, tmp_path):
    path = model(table_of(KINDS["numbers"]))
    y = np.where(np.arange(40) < 6, KINDS["numbers"], np.nan)
    np.savez(tmp_path / "new.npz", X=X, y=y, feature_names=list("abcd"))
    made = run("predict", path, tmp_path / "new.npz", "-o", tmp_path / "p.csv", "-t", "y")
    assert "on the 6 of 40 rows that have a target" in made.err


def test_to_learn_from_a_row_needs_a_target(refused, write):
    y = np.where(np.arange(40) < 5, "", KINDS["text"])
    sentence = refused("select", write(table_of(y), "train.csv"), "-t", "y", "-k", 2)
    assert "line 2: the target 'y' is missing; fill it in or remove the row" in sentence


@pytest.mark.parametrize("word", ["none", "NA", "?"])
def test_a_class_called_none(run, refused, write, tmp_path, word):
    y = np.where(SIGN, "ill", word)
    data, path = write(table_of(y), "train.csv"), tmp_path / "m.handful"
    sentence = refused("select", data, "-t", "y", "-k", 2)
    assert f"{word!r} stands for no value" in sentence
    assert "if it is a class, keep it with --text y" in sentence
    assert (
        run("select", data, "-t", "y", "-k", 2, "-C", "fast", "--text", "y", "-o", path).code == 0
    )
    assert load_model(path).classes_.tolist() == sorted(["ill", word])
    made = run("predict", path, data, "-o", tmp_path / "p.csv")
    assert " on 40 rows" in made.err
    data.write_text(data.read_text().replace(",ill", ","))
    assert "line" in refused("select", data, "-t", "y", "-k", 2, "--text", "y")


def test_a_target_of_text_stays_as_it_is_written(run, write, tmp_path):
    y = np.where(SIGN, "007", "008")
    data, path = write(table_of(y), "train.csv"), tmp_path / "m.handful"
    assert (
        run("select", data, "-t", "y", "-k", 2, "-C", "fast", "--text", "y", "-o", path).code == 0
    )
    assert load_model(path).classes_.tolist() == ["007", "008"]
    made = run("predict", path, data, "-o", tmp_path / "p.csv")
    assert float(made.err.split("accuracy ")[1].split()[0]) > 0.8


def test_what_a_model_knows_as_a_class_is_one():
    rules = LabelRules.of_classes(np.array(["None", "ill"], dtype=object), may_be_missing=True)
    assert [rules.is_missing(text) for text in ("none", " NONE ", "na", "")] == [
        *(False, False),
        *(True, True),
    ]
    assert not LabelRules.of_classes(np.array([0, 1]), may_be_missing=False).as_text


def test_gaps_are_none_among_texts_and_nan_among_numbers(write):
    rules = LabelRules(may_be_missing=True)
    data = write(table_of(np.where(SIGN, "ill", "")), "t.csv")
    assert set(read_table(data, "y", labels=rules).y) == {"ill", None}
    data = write(table_of(np.where(SIGN, "1", "")), "t.csv")
    y = read_table(data, "y", labels=rules).y
    np.testing.assert_array_equal(np.isnan(y), ~SIGN)
