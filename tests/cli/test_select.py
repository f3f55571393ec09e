"""``handful select``: what it finds, prints and writes."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from genes import FAST, INFORMATIVE, NAMES, write_csv

from handful import FGMClassifier
from handful.cli.methods import METHODS, takers
from handful.datasets import make_bags
from handful.io import load_model, read_model_file
from handful.status import Status


def select_json(run, *arguments):
    result = run("select", *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def names_of(report):
    return {feature["name"] for feature in report["features"]}


def test_tables(run, csv_file):
    result = run("select", csv_file, "--target", "outcome", *FAST, "-k", 3)
    assert result.code == 0
    assert "3 of 12 features" in result.out
    for name in INFORMATIVE:
        assert name in result.out
    for title in ("round", "active", "objective", "gap", "seconds"):
        assert title in result.out
    assert str(Status.SELECTED)[:40] in result.out
    assert (
        result.err == "handful: 80 rows, 12 features: classification into 2 classes (ill, well)\n"
    )


def test_json_is_all_there_is_on_stdout(run, csv_file, tmp_path):
    report = select_json(
        run, csv_file, "-t", "outcome", *FAST, "-k", 3, "-o", tmp_path / "m.handful"
    )
    assert names_of(report) == set(INFORMATIVE)
    assert report["n_selected"] == 3
    assert report["status"] in Status.__members__
    assert report["message"] == str(Status[report["status"]])
    assert report["classes"] == ["ill", "well"]
    assert report["model"] == str(tmp_path / "m.handful")
    assert all(len(feature["weights"]) == 1 for feature in report["features"])
    assert report["rounds"][0]["number"] == 1
    assert report["seconds"] > 0


def test_k_may_be_a_share(run, csv_file):
    report = select_json(run, csv_file, "-t", "outcome", *FAST, "-k", 0.25)
    assert names_of(report) == set(INFORMATIVE)


@pytest.mark.parametrize("k", ["many", "2,3", "1e1"])
def test_k_is_a_number(run, csv_file, k):
    result = run("select", csv_file, "-t", "outcome", "-k", k)
    assert result.code == 2
    assert f"-k: {k!r} is neither a whole number nor a share" in result.err.replace("\n", " ")


def test_the_model_is_what_the_library_finds(run, csv_file, numbers, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", csv_file, "-t", "outcome", "-k", 3, "-o", path).code == 0
    X, score = numbers
    expected = FGMClassifier(3).fit(X, np.where(score > 0, "well", "ill"))
    saved = read_model_file(path)
    np.testing.assert_array_equal(saved.estimator.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(saved.estimator.weights_, expected.weights_)
    assert tuple(saved.estimator.feature_names_in_) == NAMES
    assert saved.about == {"target": "outcome", "first_index": 0, "n_samples": 80}


def test_options_reach_the_estimator(run, csv_file, tmp_path):
    path = tmp_path / "m.handful"
    options = ["--loss", "logistic", "--C", "2.5", "--budget", "4", "--max-rounds", "3"]
    options += ["--scale", "norm", "--solver", "ksupport", "--tol", "0.05"]
    result = run("select", csv_file, "-t", "outcome", "-k", 3, "-o", path, *options)
    assert result.code == 0, result.err
    parameters = load_model(path).get_params()
    expected = {
        "n_features_to_select": 3,
        "loss": "logistic",
        "C": 2.5,
        "budget": 4,
        "max_rounds": 3,
        "scale": "norm",
        "solver": "ksupport",
        "tol": 0.05,
    }
    assert parameters.items() >= expected.items()


def test_plain_fgm_without_k(run, csv_file):
    assert 0 < select_json(run, csv_file, "-t", "outcome", *FAST)["n_selected"] <= 12


def test_features_out(run, csv_file, tmp_path):
    path = tmp_path / "names.txt"
    result = run("select", csv_file, "-t", "outcome", *FAST, "-k", 3, "--features-out", path)
    assert path.read_text().splitlines() == list(INFORMATIVE)
    assert f"handful: wrote {path}\n" in result.err


def test_include_and_exclude_by_name_and_number(run, csv_file):
    report = select_json(
        run,
        csv_file,
        "-t",
        "outcome",
        *FAST,
        "-k",
        3,
        "--include",
        "gene 0",
        "--include",
        "1",
        "--exclude",
        "gene 2",
    )
    assert {"gene 0", "gene 1"} < names_of(report)
    assert "gene 2" not in names_of(report)


def test_svmlight_features_are_called_as_in_the_file(run, svm_file, tmp_path):
    path = tmp_path / "m.handful"
    report = select_json(run, svm_file, *FAST, "-k", 3, "-o", path)
    assert names_of(report) == {"3", "6", "10"}
    assert [feature["id"] for feature in report["features"]] == [2, 5, 9]
    report = select_json(run, svm_file, *FAST, "-k", 3, "--exclude", "3")
    assert "3" not in names_of(report)
    assert load_model(path).classes_.tolist() == [-1, 1]


def test_regression_is_seen_and_said(run, quantities):
    result = run("select", quantities, "-t", "outcome", *FAST, "-k", 3)
    assert "regression on a target with 79 different values (--classification if" in result.err
    assert all(name in result.out for name in INFORMATIVE)


def test_regression_can_be_asked_for(run, three_classes):
    assert (
        select_json(run, three_classes, "-t", "outcome", *FAST, "-k", 3)["estimator"]
        == "FGMClassifier"
    )
    report = select_json(run, three_classes, "-t", "outcome", *FAST, "-k", 3, "--regression")
    assert report["estimator"] == "FGMRegressor"
    assert report["classes"] is None


def test_three_classes_have_three_weights(run, three_classes):
    report = select_json(run, three_classes, "-t", "outcome", *FAST, "-k", 3)
    assert report["classes"] == [0, 1, 2]
    assert all(len(feature["weights"]) == 3 for feature in report["features"])
    assert "weight, 2" in run("select", three_classes, "-t", "outcome", *FAST, "-k", 3).out


def test_names_cannot_steer_the_terminal(run, tmp_path, numbers):
    X, score = numbers
    names = [f"gene {j}" for j in range(12)]
    names[2] = "[bold]\x1b[31mred"
    path = write_csv(tmp_path / "d.csv", X, np.where(score > 0, "[b]\x07", "ill"), names)
    result = run("select", path, "-t", "outcome", *FAST, "-k", 3)
    assert result.code == 0
    assert "[bold]\\x1b[31mred" in result.out
    assert "\x1b" not in result.out + result.err
    assert "\x07" not in result.out + result.err


def test_drop(run, csv_file):
    report = select_json(run, csv_file, "-t", "outcome", *FAST, "-k", 3, "--drop", "gene 2")
    assert "gene 2" not in names_of(report)
    assert report["n_features_in"] == 11


@pytest.mark.parametrize("name", [one.name for one in takers("checkpoint")])
def test_a_checkpoint_is_kept(run, name, csv_file, tmp_path):
    path = tmp_path / "rounds.checkpoint"
    words = [csv_file, "-t", "outcome"]
    if METHODS[name].takes_bags:
        bags = make_bags(n_bags=20, random_state=0)
        ids = np.repeat(np.arange(len(bags.y)), bags.bags.sizes)
        np.savez(tmp_path / "bags.npz", X=bags.bags.instances, bag=ids, y=bags.y)
        words = [tmp_path / "bags.npz", "--bags", "bag"]
    words += ["--method", name, "-k", 3, "--checkpoint", path]
    first = select_json(run, *words)
    assert json.loads(bytes(np.load(path)["header"]))["history"].count("objective") > 1
    again = select_json(run, *words)
    untimed = {"seconds", "compile_seconds", "rounds", "model"}
    assert {key: first[key] for key in first.keys() - untimed} == {
        key: again[key] for key in again.keys() - untimed
    }
    result = run("select", *words, "--tol" if name != "greedy-rls" else "--alpha", 0.3)
    assert result.code == 2
    assert "belongs to other data or other parameters; remove it or choose another" in result.err


@pytest.fixture
def interrupted(monkeypatch):
    """Let every fit end as it does after Ctrl-C."""
    fit = FGMClassifier.fit

    def interrupted_fit(self, *args, **kwargs):
        fit(self, *args, **kwargs)
        self.status_ = Status.INTERRUPTED
        return self

    monkeypatch.setattr(FGMClassifier, "fit", interrupted_fit)


def test_interrupt_still_writes_and_exits_130(run, csv_file, tmp_path, interrupted):
    path = tmp_path / "m.handful"
    result = run("select", csv_file, "-t", "outcome", *FAST, "-k", 3, "-o", path)
    assert result.code == 130
    assert "3 of 12 features" in result.out
    assert result.err.splitlines()[-1] == (
        f"handful: interrupted; the model found up to then is shown and saved in {path}"
    )
    assert load_model(path).status_ is Status.INTERRUPTED


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_a_real_interrupt(tmp_path):
    """Ctrl-C during a fit that would take minutes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 500))
    np.savez(tmp_path / "d.npz", X=X, y=X[:, :50].sum(axis=1) > rng.standard_normal(300))
    words = "select d.npz --solver apg --tol 1e-12 --max-rounds 100000 --budget 1 --C 100"
    files = "--checkpoint rounds -o m.handful"
    process = subprocess.Popen(
        [sys.executable, "-m", "handful", *words.split(), *files.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not (tmp_path / "rounds").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "of 500 features" in out
    assert err.splitlines()[-1].startswith("handful: interrupted; the model found up to then")
    assert load_model(tmp_path / "m.handful").status_ is Status.INTERRUPTED


def test_progress_only_on_a_terminal(run, csv_file, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # what makes rich believe in a terminal
    monkeypatch.setenv("TERM", "xterm")
    result = run("select", csv_file, "-t", "outcome", *FAST, "-k", 3, "--json")
    assert "selecting" in result.err
    assert json.loads(result.out)["n_selected"] == 3
    monkeypatch.delenv("FORCE_COLOR")
    assert "selecting" not in run("select", csv_file, "-t", "outcome", *FAST, "-k", 3).err
