"""``--method``: every engine by name, from select to predict and inspect, and what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from genes import FAST, INFORMATIVE

import handful
from handful.cli.methods import METHODS
from handful.io import load_model

every_method = pytest.mark.parametrize("name", METHODS)
# Methods on bags have tests of their own.
every_method_of_columns = pytest.mark.parametrize(
    "name", [name for name, method in METHODS.items() if not method.takes_bags]
)
CONTRIBUTED = Path(__file__).resolve().parents[2]


def of(name, *arguments):
    """Three features by a method; C is not what is tested."""
    return (
        "-t",
        "outcome",
        "-k",
        3,
        "--method",
        name,
        *(FAST if name == "fgm" else ()),
        *arguments,
    )


def select(run, data, name, *arguments):
    result = run("select", data, *of(name, *arguments), "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


@every_method_of_columns
def test_it_finds_what_its_estimator_finds(run, name, csv_file, numbers, tmp_path):
    path = tmp_path / "m.handful"
    report = select(run, csv_file, name, "-o", path)
    assert report["estimator"] == METHODS[name].classifier
    assert {feature["name"] for feature in report["features"]} == set(INFORMATIVE)
    X, score = numbers
    expected = getattr(handful, METHODS[name].classifier)(n_features_to_select=3)
    if name == "fgm":
        expected.set_params(C="fast")
    expected.fit(X, np.where(score > 0, "well", "ill"))
    model = load_model(path)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_)


@every_method_of_columns
def test_more_than_two_classes(run, name, three_classes):
    report = select(run, three_classes, name)
    assert report["n_selected"] == 3
    assert report["classes"] == [0, 1, 2]
    assert all(len(feature["weights"]) == 3 for feature in report["features"])


@every_method_of_columns
def test_quantities(run, refused, name, quantities):
    if METHODS[name].regressor is None:
        message = refused("select", quantities, *of(name))
        assert f"--method {name} tells classes apart" in message
        return
    report = select(run, quantities, name)
    assert report["estimator"] == METHODS[name].regressor
    assert {feature["name"] for feature in report["features"]} == set(INFORMATIVE)


@every_method_of_columns
def test_tables_predictions_and_inspect(run, name, csv_file, tmp_path):
    path, out = tmp_path / "m.handful", tmp_path / "p.csv"
    result = run("select", csv_file, *of(name, "-o", path))
    assert result.code == 0, result.err
    assert "3 of 12 features" in result.out
    shown = run("inspect", path)
    assert shown.code == 0, shown.err
    assert METHODS[name].classifier in shown.out
    assert "3 of 12 features" in shown.out
    as_json = json.loads(run("inspect", path, "--json").out)
    assert as_json["n_selected"] == 3
    predicted = run("predict", path, csv_file, "-o", out)
    assert predicted.code == 0, predicted.err
    assert float(re.search(r"accuracy ([\d.]+)", predicted.err)[1]) > 0.9
    assert len(out.read_text().splitlines()) == 81


@every_method
def test_the_pages_name_it_and_its_estimator(name):
    for page in ("README.md", "docs/how-to-choose.md"):
        assert f"`{name}`" in (CONTRIBUTED / page).read_text(encoding="utf-8"), page
    text = (CONTRIBUTED / "docs" / "how-to-choose.md").read_text(encoding="utf-8")
    assert f"`{METHODS[name].classifier}`" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--method", "magic"], "--method: 'magic' is none of fgm, greedy-rls, direct, rfs"),
        (["--alpha", "1"], "--alpha: it goes with --method greedy-rls or rfs, not with fgm"),
        (
            ["--method", "greedy-rls", "--loss", "f1"],
            "--loss: it goes with --method fgm, miles or dictionary",
        ),
        (["--method", "greedy-rls", "--C", "1"], "--C: it goes with --method fgm, direct"),
        (["--method", "greedy-rls", "--pairs"], "--pairs: it goes with --method fgm"),
        (["--method", "greedy-rls", "--alpha", "x"], "'x' is neither a number nor numbers"),
        (["--method", "greedy-rls", "--alpha", "-1"], "alpha must .*above 0"),
        (["--p", "0.5"], "--p: it goes with --method direct, not with fgm"),
        (
            ["--method", "greedy-rls", "--scale", "std"],
            "--scale: it goes with --method fgm, direct, rfs",
        ),
        (["--method", "direct", "--p", "2"], "p must .*at most 1"),
        (["--method", "direct", "--p", "0"], "p must .*above 0"),
        (["--method", "direct", "--p", "half"], "--p: 'half' is neither a number nor numbers"),
        (["--method", "direct", "--margin", "wide"], "margin must be one of 'auto'.*'wide'"),
        (["--method", "direct", "--groups", "x.csv"], "--groups: it goes with --method fgm or"),
        (["--method", "direct", "--include", "gene 1"], "--include: it goes with --method fgm"),
        (
            ["--method", "direct", "--loss", "f1"],
            "--loss: it goes with --method fgm, miles or dictionary",
        ),
        (["--method", "direct", "-k", "13"], "13 is more than|13.*12"),
        (
            ["--method", "rfs", "--C", "1"],
            "--C: it goes with --method fgm, direct, miles or dictionary, not with rfs",
        ),
        (["--method", "rfs", "--alpha", "0"], "alpha must .*above 0"),
    ],
)
def test_what_is_refused(refused, csv_file, arguments, sentence):
    message = refused("select", csv_file, "-t", "outcome", "-k", 3, *arguments)
    assert re.search(sentence, message), message


def test_several_targets_need_a_method_that_shares_features(refused, csv_file):
    message = refused("select", csv_file, "--targets", "gene 1,gene 2", "--method", "rfs")
    assert "--targets: --method rfs takes one target; several go with fgm or greedy-rls" in message


def test_options_of_direct_reach_the_estimator(run, three_classes, tmp_path):
    path = tmp_path / "m.handful"
    options = ("--p", "0.3,1", "--margin", "soft", "--C", "2", "--scale", "std", "--tol", "0.01")
    report = select(run, three_classes, "direct", *options, "-o", path)
    model = load_model(path)
    assert (model.p, model.margin, model.C) == ([0.3, 1.0], "soft", 2.0)
    assert (model.scale, model.tol) == ("std", 0.01)
    assert report["margin"] == "soft"
    assert report["p"] in (0.3, 1.0)
    assert report["objective_path"] == sorted(report["objective_path"], reverse=True)
    assert report["dual_gap"] is None
    shown = run("inspect", path)
    assert shown.code == 0
    for text in ("features left", "with soft margins and p ", "margin='soft'"):
        assert text in shown.out


@pytest.mark.parametrize("name", ["direct", "rfs"])
def test_what_is_never_taken(run, refused, csv_file, name):
    report = select(run, csv_file, name, "--exclude", INFORMATIVE[0], "--exclude", "gene 0")
    names = {feature["name"] for feature in report["features"]}
    assert names.isdisjoint({INFORMATIVE[0], "gene 0"})
    assert set(INFORMATIVE[1:]) <= names
    sentence = refused("select", csv_file, *of(name, "--exclude", "gen 0"))
    assert "there is no feature 'gen 0'" in sentence


def test_rows_that_cannot_be_told_apart(run, tmp_path):
    data, model = tmp_path / "twins.csv", tmp_path / "m.handful"
    rows = [f"{i % 5},{i % 3},{'ab'[i % 2]}" for i in range(30)]  # every row with either label
    data.write_text("\n".join(["one,two,outcome", *rows]) + "\n")
    options = ("-t", "outcome", "-k", 1, "--method", "direct", "--margin", "hard", "-o", model)
    result = run("select", data, *options)
    assert result.code == 0, result.err
    assert "No weights keep all margins" in result.out
    assert load_model(model).feasible_ is False
