"""``handful inspect``: everything in the file, nothing run."""

import json

import pytest
from genes import FAST, INFORMATIVE


def test_tables(run, model):
    result = run("inspect", model)
    assert (result.code, result.err) == (0, "")
    assert "FGMClassifier in" in result.out
    assert "n_features_to_select=3" in result.out
    assert "target: outcome" in result.out
    assert all(name in result.out for name in INFORMATIVE)
    assert "objective" in result.out


def test_json_equals_what_select_said(run, csv_file, tmp_path):
    path = tmp_path / "m.handful"
    said = json.loads(
        run("select", csv_file, *FAST, "-t", "outcome", "-k", 3, "-o", path, "--json").out
    )
    shown = json.loads(run("inspect", path, "--json").out)
    assert shown["parameters"]["n_features_to_select"] == 3
    assert shown["about"]["target"] == "outcome"
    for key in said.keys() - {"seconds", "compile_seconds", "model"}:
        assert shown[key] == said[key], key


def test_many_features_are_cut_unless_all(run, tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 50))
    np.savez(tmp_path / "d.npz", X=X, y=(X.sum(axis=1) > 0).astype(int))
    path = tmp_path / "m.handful"
    result = run("select", tmp_path / "d.npz", *FAST, "-k", 40, "-o", path)
    assert "and 10 more with smaller weights" in result.out
    assert "more with smaller weights" not in run("inspect", path, "--all").out


@pytest.mark.parametrize("content", [b"PK\x03\x04 something", b"hello", b"\x80\x04N."])
def test_foreign_file(refused, tmp_path, content):
    path = tmp_path / "m.handful"
    path.write_bytes(content)
    assert refused("inspect", path) == f"{path} is not a handful model"


def test_truncated_file(refused, model):
    model.write_bytes(model.read_bytes()[:-200])
    assert "cut short, damaged or altered" in refused("inspect", model)


def test_missing_file(refused, tmp_path):
    assert (
        refused("inspect", tmp_path / "none.handful")
        == f"{tmp_path / 'none.handful'} does not exist"
    )


def test_of_very_many_rounds_the_first_and_the_last_are_shown(run, tmp_path):
    from problems import two_classes

    from handful import SVMPerfClassifier, save_model

    model = SVMPerfClassifier(max_iter=50, tol=1e-9).fit(*two_classes())
    assert model.n_iter_ == 50
    save_model(model, tmp_path / "m.handful")
    lines = run("inspect", tmp_path / "m.handful").out.splitlines()
    shown = [line.split("│")[1].strip() for line in lines if "│ cut " in line]
    assert shown == [str(number) for number in [*range(1, 11), *range(21, 51)]]
    assert len(json.loads(run("inspect", tmp_path / "m.handful", "--json").out)["rounds"]) == 50
