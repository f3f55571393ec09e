"""Counts in the singular, bounds that are no larger than what they bound, and what there is to choose from."""

import numpy as np
import pandas as pd
import pytest
from genes import FAST

from handful.cli import app
from handful.model_selection import StabilitySelection

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 7)).round(3)


@pytest.fixture
def mixed(tmp_path):
    """Return a table of seven columns of numbers and one of text with nine categories."""
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    frame["colour"] = [f"c{j % 9}" for j in range(60)]
    frame["y"] = np.where(X[:, 0] > 0, "ill", "well")
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return path


def test_without_a_command_the_help_is_as_it_is(run):
    bare, asked = run(), run("--help")
    assert (bare.code, bare.out) == (2, "")
    assert bare.err == asked.out
    assert bare.err.count("\n") > 10
    assert app.run([]) == 2


@pytest.mark.parametrize("command", ["select", "path", "stability"])
def test_a_store_that_is_not_there(refused, tmp_path, command):
    path = tmp_path / "nothing.store"
    assert refused(command, path, "-k", 2) == f"{path} does not exist"


def test_a_suffix_that_tells_nothing_is_still_told(refused, tmp_path):
    (tmp_path / "a.odd").write_text("1")
    assert "the suffix '.odd' does not tell the format" in refused(
        "select", tmp_path / "a.odd", "-k", 2
    )


@pytest.mark.parametrize("method", [FAST, ("--method", "greedy-rls")])
def test_more_than_there_is_to_choose_from(refused, mixed, method):
    wanted = (mixed, "-t", "y", "-k", 20, *method)
    assert refused("select", *wanted) == (
        "-k 20 is more than the 8 columns and groups of columns there are to choose from; ask for fewer or leave it out."
    )
    assert refused("select", *wanted, "--categories", "separate") == (
        "-k 20 is more than the 16 features there are to choose from; ask for fewer or leave it out."
    )


def test_one_of_each(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,y\n1,0\n")
    assert (
        "1 row, 1 feature: classification into 1 class (0)"
        in run("select", path, "-t", "y", "-k", 1).err
    )


def test_one_feature_on_the_path(run, mixed):
    told = run("path", mixed, "-t", "y", "-k", "1", "--drop", "colour", *FAST).out
    assert "best: 1 feature\n" in told
    assert "with 1 feature (--rule" in told


def test_no_more_false_features_than_features(run, mixed):
    arguments = ("-t", "y", "-k", 4, "--drop", "colour", "--resamples", 5, "--threshold", 0.51)
    told = run("stability", mixed, *arguments, *FAST).out.replace("\n", " ")
    count, rest = told.split(" selected in ")[-2].split()[-2], told.split("; at most ")[1]
    assert float(rest.split()[0]) <= int(count)


def test_no_more_false_features_than_features_in_a_notebook():
    from handful import GreedyRLSClassifier

    model = StabilitySelection(GreedyRLSClassifier(4), 5, threshold=0.9, random_state=0)
    model.fit(X, X[:, 0] > 0)
    assert model.pfer_bound_ > 0
    most = min(model.pfer_bound_, model.n_features_)
    assert f"At most {most:.3g} false features" in model._summary_html()
