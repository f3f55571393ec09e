"""``handful stability``: the model of Python, as a table, JSON and a picture."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from genes import FAST

from handful import FGMClassifier, GreedyRLSRegressor
from handful.model_selection import StabilitySelection, error_bound

QUICK = ("-k", 4, "--resamples", 6)


def stability_json(run, *arguments):
    result = run("stability", *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def test_table(run, csv_file):
    result = run("stability", csv_file, "-t", "outcome", *FAST, *QUICK)
    assert result.code == 0, result.err
    assert "12 halves, 4 of" in result.out
    assert "of the halves or more; at most" in result.out
    assert "false ones expected" in result.out
    assert "stability 0." in result.out


def test_shares_have_the_digits_of_the_threshold(run, csv_file):
    """23 of 40 halves stood as 57 %, and as stable, above "57.5 % of the halves or more"."""
    options = (*FAST, *QUICK, "--threshold", 7 / 12)
    out = run("stability", csv_file, "-t", "outcome", *options).out
    assert "selected in 58.3% of the halves or more" in out
    given = stability_json(run, csv_file, "-t", "outcome", *options)["features"]
    assert given
    for one in given:
        assert re.search(rf"{one['name']} +│ +{one['share']:.1%} │", out), one


def test_figures_are_those_of_the_model(run, csv_file, numbers):
    report = stability_json(
        run, csv_file, "-t", "outcome", *FAST, *QUICK, "--pfer", 0.5, "--seed", 3
    )
    X, score = numbers
    y = np.where(score > 0, "well", "ill")
    model = StabilitySelection(FGMClassifier(4, C="fast"), 6, pfer=0.5, random_state=3).fit(X, y)
    assert report["threshold"] == model.threshold_
    assert report["pfer_bound"] == pytest.approx(model.pfer_bound_)
    assert report["stability"]["value"] == pytest.approx(model.stability_.value)
    found = {one["id"]: one["share"] for one in report["features"]}
    probabilities = model.selection_probabilities_
    assert found == pytest.approx(
        dict(zip(probabilities.indices.tolist(), probabilities.data.tolist(), strict=True))
    )
    chosen = [one["id"] for one in report["features"] if one["selected"]]
    assert sorted(chosen) == model.support_ids_.tolist()
    shares = [one["share"] for one in report["features"]]
    assert shares == sorted(shares, reverse=True)


def test_another_method_and_quantities(run, quantities, numbers):
    arguments = (quantities, "-t", "outcome", "--method", "greedy-rls", *QUICK)
    report = stability_json(run, *arguments, "--threshold", 0.75)
    X, score = numbers
    model = StabilitySelection(GreedyRLSRegressor(4), 6, threshold=0.75, random_state=0)
    model.fit(X, score.round(4))
    chosen = [one["id"] for one in report["features"] if one["selected"]]
    assert sorted(chosen) == model.support_ids_.tolist()
    assert report["threshold"] == 0.75


def test_exactly_k(run, csv_file):
    arguments = (csv_file, "-t", "outcome", *FAST, *QUICK, "--aggregate")
    assert len(stability_json(run, *arguments)["selected"]) == 4
    result = run("stability", *arguments)
    assert "4 features agreed on" in result.out


def test_pairs_have_names(run, csv_file):
    report = stability_json(
        run, csv_file, "-t", "outcome", *FAST, "-k", 2, "--resamples", 3, "--pairs"
    )
    assert report["n_features"] == 90
    assert all(isinstance(one["name"], str) for one in report["features"])


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_files(run, csv_file, tmp_path, suffix):
    picture, figures = tmp_path / f"path.{suffix}", tmp_path / "stability.json"
    result = run(
        *("stability", csv_file, "-t", "outcome", *FAST, *QUICK),
        *("--plot", picture, "-o", figures),
    )
    assert result.code == 0, result.err
    start = {"png": b"\x89PNG", "svg": b"<?xml"}[suffix]
    assert picture.read_bytes().startswith(start)
    written = json.loads(figures.read_text())
    assert written["n_resamples"] == 6
    assert len(written["features"][0]["path"]) == len(written["path_k"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-k", 0), "-k must be a whole number of at least 1 or a share between 0 and 1; got 0"),
        (("-k", "few"), "Invalid value for -k: 'few' is neither a whole number nor a share"),
        (("-k", 4, "--resamples", 0), "Invalid value for '--resamples': "),
        (("-k", 4, "--threshold", 2), "threshold must be 'pfer' or a number above 0 and at most 1"),
        (("-k", 4, "--pfer", -1), "pfer must be a number above 0"),
        (("-k", 4, "--assumption", "hope"), "'hope' is none of auto, none, unimodal, r-concave"),
        (("-k", 4, "--plot", "path.pdf"), "its name must end in .png or .svg"),
        (("-k", 4, "--method", "magic"), "'magic' is none of"),
        (("-k", 9999), "-k 9999 is more than the 12 features there are to choose from"),
        (("-k", 12, "--pfer", 0.001), "no threshold bounds the expected number of false features"),
    ],
)
def test_bad_input(refused, csv_file, arguments, message):
    assert message in refused("stability", csv_file, "-t", "outcome", *FAST, *arguments)


def test_a_column_of_text_counts_once_in_the_bound(run, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(120, 12)).round(3)).add_prefix("g")
    table["ward"] = rng.choice([f"w{j}" for j in range(12)], 120)
    table["y"] = np.where(table["g1"] + (table["ward"] < "w3") * 3 > 1, "ill", "well")
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ["-t", "y", "-k", 2, "--resamples", 5, "-C", "fast", "--seed", 0]
    result = run("stability", tmp_path / "t.csv", *options)
    assert result.code == 0, result.err
    assert "10 halves, 2 of 13 columns selected in each" in result.out
    assert "2 columns selected in" in result.out
    told = json.loads(run("stability", tmp_path / "t.csv", *options, "--json").out)
    assert told["pfer_bound"] == error_bound(13, q=2, pfer=1.0, n_resamples=5).pfer
