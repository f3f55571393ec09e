"""``-k`` as a share of what there is to select from: the same models as by the number."""

import json

import pytest
from genes import FAST, NAMES


def ask(run, command, *arguments):
    result = run(command, *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def test_path(run, csv_file):
    how = (csv_file, "-t", "outcome", "--cv", 2, *FAST)
    shares, counts = (ask(run, "path", *how, "-k", k) for k in ("0.25,5,0.5", "3,5,6"))
    assert [one["k"] for one in shares["path"]] == [3, 5, 6]
    for one, other in zip(shares["path"], counts["path"], strict=True):
        assert one["test_scores"] == other["test_scores"]


@pytest.mark.parametrize("method", [("fgm", *FAST), ("greedy-rls",), ("rfs",)])
def test_stability(run, csv_file, method):
    how = (csv_file, "-t", "outcome", "--resamples", 3, "--method", *method, "--pfer", 3)
    assert ask(run, "stability", *how, "-k", 0.25) == ask(run, "stability", *how, "-k", 3)


def test_a_share_of_groups_and_of_pairs(run, csv_file, tmp_path):
    how = (csv_file, "-t", "outcome", "--cv", 2, *FAST)
    groups = tmp_path / "groups.csv"
    groups.write_text("".join(f"{name},{'ab'[j % 2]}\n" for j, name in enumerate(NAMES[:6])))
    said = ask(run, "path", *how, "-k", 0.5, "--groups", groups)  # of 2 groups and 6 columns
    assert [one["k"] for one in said["path"]] == [4]
    said = ask(run, "path", *how, "-k", 0.1, "--pairs")  # of 90
    assert [one["k"] for one in said["path"]] == [9]


def test_no_share_of_what_folds_differ_in(run, tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("text,y\n" + "".join(f"{'ab'[i % 2] * 3},{i % 2}\n" for i in range(12)))
    result = run("path", path, "-t", "y", "--strings", "text", "-k", "0.1", "--cv", 2)
    assert result.code == 2
    assert "-k: a share is of columns or groups" in result.err


def test_no_number_between(refused, csv_file):
    for k in ("1.5", "0.0", "0,5"):
        assert f"{k!r} is not a list such as" in refused("path", csv_file, "-t", "outcome", "-k", k)
