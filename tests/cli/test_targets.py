"""``--targets``: several targets in every format, from select to predict, and what is refused."""

import json

import numpy as np
import pytest
from genes import NAMES, draw

from handful import GreedyRLSClassifier, GreedyRLSRegressor
from handful.io import load_model, read_model_file

LABELS = ("label_up", "label_down")


def matrix():
    X, score = draw()
    return X, np.column_stack([score > 1, score < -1]).astype(int)


@pytest.fixture
def csv_file(tmp_path):
    X, Y = matrix()
    lines = [",".join([*NAMES, *LABELS])]
    lines += [",".join(map(repr, [*x, *y])) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def npz_file(tmp_path):
    X, Y = matrix()
    path = tmp_path / "labels.npz"
    np.savez(path, X=X, Y=Y, label_names=list(LABELS), feature_names=list(NAMES))
    return path


@pytest.fixture
def svm_file(tmp_path):
    X, Y = matrix()
    lines = [
        " ".join(
            [
                ",".join(str(j + 1) for j in np.flatnonzero(y)),
                *(f"{j + 1}:{value}" for j, value in enumerate(x)),
            ]
        )
        for x, y in zip(X.tolist(), Y, strict=True)
    ]
    path = tmp_path / "labels.svm"
    path.write_text("\n".join(lines) + "\n")
    return path


def select(run, *arguments):
    result = run("select", *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out), result.err


@pytest.mark.parametrize("targets", ["label_*", "label_up,label_down", "-2,-1"])
def test_labels_of_a_csv(run, csv_file, tmp_path, targets):
    path = tmp_path / "m.handful"
    report, err = select(run, csv_file, "--targets", targets, "-k", 3, "-o", path)
    assert "80 rows, 12 features: 2 targets as labels, " in err
    assert report["estimator"] == "GreedyRLSClassifier"
    assert report["targets"] == list(LABELS)
    assert report["classes"] is None
    assert len(report["loo_errors"]) == len(report["selection_order"]) == 3
    expected = GreedyRLSClassifier(3).fit(*matrix())
    assert report["dual_gap"] == pytest.approx(expected.dual_gap_)
    assert report["relative_gap"] == pytest.approx(expected.dual_gap_ / expected.objective_)
    saved = read_model_file(path)
    np.testing.assert_array_equal(saved.estimator.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(saved.estimator.weights_, expected.weights_)
    assert saved.about["targets"] == list(LABELS)
    assert tuple(saved.estimator.feature_names_in_) == NAMES


@pytest.mark.parametrize("alpha", [1.0, [0.1, 30.0]])
def test_an_alpha_for_each_label(run, csv_file, alpha):
    words = ",".join(map(str, np.atleast_1d(alpha)))
    options = ("--targets", "label_*", "-k", 3, "--alpha", words, "--alpha-per-output")
    report, _ = select(run, csv_file, *options)
    expected = GreedyRLSClassifier(3, alpha=alpha, alpha_per_output=True).fit(*matrix())
    np.testing.assert_allclose(report["output_alphas"], expected.output_alphas_)
    assert report["objective"] == pytest.approx(expected.objective_)


def test_every_format_gives_the_same_features(run, csv_file, npz_file, svm_file):
    of_csv, _ = select(run, csv_file, "--targets", "label_*", "-k", 3)
    of_npz, _ = select(run, npz_file, "--targets", "Y", "-k", 3)
    of_svm, _ = select(run, svm_file, "--targets", "*", "-k", 3)
    assert of_npz["targets"] == list(LABELS)
    assert of_svm["targets"] == ["1", "2"]
    assert of_csv["features"] == of_npz["features"]
    ids = [[feature["id"] for feature in report["features"]] for report in (of_csv, of_svm)]
    assert ids[0] == ids[1]


def test_tables(run, csv_file, tmp_path):
    path = tmp_path / "m.handful"
    result = run("select", csv_file, "--targets", "label_*", "-k", 3, "-o", path)
    assert result.code == 0
    for text in ("3 of 12 features", "weight, label_up", "leave-one-out error", "with alpha 1"):
        assert text in result.out
    shown = run("inspect", path)
    assert shown.code == 0
    assert "2 targets: label_up, label_down" in shown.out
    assert "leave-one-out error" in shown.out


def test_quantities(run, tmp_path, numbers):
    X, score = numbers
    path, model = tmp_path / "q.npz", tmp_path / "m.handful"
    np.savez(path, X=X, up=score, down=1 - 2 * score)
    report, err = select(run, path, "--targets", "up,down", "-k", 3, "-o", model)
    assert "regression on 2 targets" in err
    assert report["estimator"] == "GreedyRLSRegressor"
    expected = GreedyRLSRegressor(3).fit(X, np.column_stack([score, 1 - 2 * score]))
    assert [f["id"] for f in report["features"]] == expected.support_ids_.tolist()
    predicted = run("predict", model, path, "--json")
    assert predicted.code == 0, predicted.err
    found = json.loads(predicted.out)
    assert found["score"]["r2"] > 0.99
    assert list(found["predictions"]) == ["row", "prediction up", "prediction down"]


def test_options_reach_the_estimator(run, csv_file, tmp_path):
    path, groups = tmp_path / "m.handful", tmp_path / "groups.csv"
    arguments = ["--targets", "label_*", "-k", 2, "--alpha", "0.1,1,10", "-o", path]
    select(run, csv_file, *arguments, "--include", "gene 3", "--exclude", "gene 5")
    model = load_model(path)
    assert model.alpha == [0.1, 1.0, 10.0]
    assert 3 in model.support_ids_
    assert 5 not in model.support_ids_
    groups.write_text("\n".join(f"{name},{name[-1]}" for name in NAMES) + "\n")
    report, _ = select(run, csv_file, *arguments, "--groups", groups)
    assert len(report["groups"]) == 2
    assert load_model(path).group_support_.shape == (2,)
    shown = run("inspect", path)
    assert shown.code == 0
    assert "group" in shown.out


def test_predictions(run, csv_file, tmp_path):
    path, out = tmp_path / "m.handful", tmp_path / "p.csv"
    select(run, csv_file, "--targets", "label_*", "-k", 3, "-o", path)
    result = run("predict", path, csv_file, "-o", out)
    assert result.code == 0, result.err
    assert "hamming_loss 0." in result.err
    assert "macro_auc " in result.err
    header, *rows = out.read_text().splitlines()
    names = [f"{kind} {label}" for kind in ("prediction", "decision") for label in LABELS]
    names = ["row", *names]
    assert header.split(",") == names
    X, _ = matrix()
    model = load_model(path)
    values = np.array([row.split(",") for row in rows], dtype=float)
    np.testing.assert_array_equal(values[:, 1:3], model.predict(X))
    np.testing.assert_allclose(values[:, 3:], model.decision_function(X))


def test_probabilities_of_labels(run, csv_file, tmp_path):
    path = tmp_path / "m.handful"
    options = ("--method", "fgm", "--loss", "logistic", "-C", "fast")
    select(run, csv_file, "--targets", "label_*", "-k", 3, *options, "-o", path)
    found = json.loads(run("predict", path, csv_file, "--json").out)["predictions"]
    for name in LABELS:
        expected = 1 / (1 + np.exp(-np.array(found[f"decision {name}"])))
        np.testing.assert_allclose(found[f"probability {name}"], expected)


def test_predictions_without_the_targets(run, csv_file, svm_file, tmp_path):
    path = tmp_path / "m.handful"
    select(run, csv_file, "--targets", "label_*", "-k", 3, "-o", path)
    lines = [line.rsplit(",", 2)[0] for line in csv_file.read_text().splitlines()]
    bare = tmp_path / "bare.csv"
    bare.write_text("\n".join(lines) + "\n")
    result = run("predict", path, bare, "--json")
    assert result.code == 0, result.err
    assert json.loads(result.out)["score"] is None
    select(run, svm_file, "--targets", "*", "-k", 3, "-o", path)
    found = json.loads(run("predict", path, svm_file, "--json").out)
    assert found["score"]["hamming_loss"] < 0.2
    assert list(found["predictions"])[1:3] == ["prediction 1", "prediction 2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--targets", "label_*", "-t", "label_up"], "either --target or --targets can be given"),
        (["--targets", "tag_*"], r"no column fits the target 'tag_\*'"),
        (["--targets", "label_up,label_dawn"], "no target column 'label_dawn'; did you mean"),
        (
            ["--targets", "label_*", "--p", "0.5"],
            "--p: it goes with --method direct, .* which --targets asks for",
        ),
        (
            ["--targets", "label_*", "--method", "greedy-rls", "--loss", "f1"],
            "--loss: it goes with --method fgm, .* not with greedy-rls",
        ),
        (
            ["--targets", "gene 0,gene 1", "--per-class"],
            "--per-class: it is for classes, and the target holds quantities",
        ),
        (["--targets", "label_*", "--average", "micro"], "average must be one of"),
        (["--targets", "label_*", "--alpha", "x"], "'x' is neither a number nor numbers"),
        (["--targets", "label_*", "--alpha", "-1"], "alpha must .*above 0"),
        (["--targets", "label_*", "-k", "13"], "-k 13 is more than"),
        (["-t", "label_up", "--alpha", "1"], "--alpha: it goes with --method greedy-rls"),
        (["--targets", "gene 0,label_up", "--classification"], "the targets hold .*; labels are 0"),
    ],
)
def test_what_is_refused(refused, csv_file, arguments, sentence):
    import re

    message = refused("select", csv_file, *arguments)
    assert re.search(sentence, message), message


def test_one_target_is_not_named_again(run, refused, csv_file, tmp_path):
    path = tmp_path / "m.handful"
    select(run, csv_file, "--targets", "label_*", "-k", 3, "-o", path)
    message = refused("predict", path, csv_file, "-t", "label_up")
    assert "the model has several targets, found by their names; leave --target out" in message


@pytest.mark.parametrize(
    "options", [["--loss", "f1"], ["--C", "fast", "--average", "weighted"], ["--method", "fgm"]]
)
def test_options_of_fgm_ask_for_it(run, csv_file, tmp_path, options):
    """Labels on shared features: three for all of them, or for each."""
    path = tmp_path / "m.handful"
    found, _ = select(run, csv_file, "--targets", "label_*", "-k", 3, "-o", path, *options)
    assert (found["estimator"], found["n_selected"]) == ("FGMClassifier", 3)
    own, _ = select(
        run, csv_file, "--targets", "label_*", "-k", 3, "-o", path, *options, "--per-class"
    )
    assert all(len(ids) == 3 for ids in own["class_features"])


@pytest.mark.parametrize("command", ["select", "path", "stability"])
@pytest.mark.parametrize("method", ["direct", "rfs"])
def test_a_store_of_several_targets_and_a_method_for_one(
    run, refused, csv_file, tmp_path, command, method
):
    store = tmp_path / "labels.store"
    assert run("convert", csv_file, store, "--targets", "label_*").code == 0
    said = refused(command, store, "-k", 2, "--method", method)
    assert (
        said
        == f"{store} holds 2 targets; --method {method} takes one target; several go with fgm or greedy-rls"
    )
