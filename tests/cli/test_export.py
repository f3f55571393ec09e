"""``handful export``: the same decisions in other programs."""

import json

import joblib
import numpy as np
import pandas as pd
import pytest
from genes import FAST, NAMES
from scipy.special import expit

from handful import FGMClassifier, FGMRegressor, MILESClassifier, save_model
from handful.datasets import make_bags
from handful.io import load_model
from handful.io.exports import model_as_json
from handful.io.model_file import ModelFile
from handful.spaces import AdditiveKernel, Substrings

SELECTIONS = {
    "svm": ("csv_file", ()),
    "three": ("three_classes", ()),
    "logistic": ("csv_file", ("--loss", "logistic")),
    "three logistic": ("three_classes", ("--loss", "logistic")),
    "calibrated": ("three_classes", ("--calibrate",)),
    "greedy": ("csv_file", ("--method", "greedy-rls")),
    "direct": ("three_classes", ("--method", "direct")),
    "regression": ("quantities", ()),
    "pairs": ("csv_file", ("--pairs", "--gamma", "0.3", "--include", "gene 1 gene 2")),
    "products": ("csv_file", ("--pairs", "--interaction-only", "--loss", "logistic")),
}
KERNELS = {
    "gaussian": ("quantities", ("--space", "gaussian")),
    "intersection": ("csv_file", ("--space", "intersection")),
}
ALL = SELECTIONS | KERNELS


@pytest.fixture
def selected(run, request, tmp_path):
    """Return the path of a model, the estimator, and a table for it."""

    def select(name, numbers):
        data, options = ALL[name]
        data, path = request.getfixturevalue(data), tmp_path / "m.handful"
        fast = FAST if "--method" not in options else ()
        arguments = ("-t", "outcome", "-k", 3, *fast, *options, "-o", path)
        assert run("select", data, *arguments).code == 0
        return path, load_model(path), pd.DataFrame(numbers[0], columns=list(NAMES))

    return select


def features_of(model, table):
    """What the page says of a feature, once more."""
    X = np.column_stack([table[column["name"]] for column in model["columns"]])
    assert [NAMES[column["id"]] for column in model["columns"]] == [
        column["name"] for column in model["columns"]
    ]
    if model["space"] is None or model["space"]["name"] == "Polynomial":
        made = [one["scale"] * X[:, one["columns"]].prod(axis=1) for one in model["features"]]
        return np.column_stack(made)
    learnt, made, start = model["space"]["learnt"], [], 0
    for number, one in enumerate(model["features"]):
        x, width = X[:, one["columns"][0]], one["width"]
        if model["space"]["name"] == "HistogramIntersection":
            edges = np.array(learnt["edges"][start : start + learnt["n_edges"][number]])
            start += len(edges)
            steps = np.diff(edges)
            cut = np.clip(np.abs(x)[:, None] - edges[:-1], 0.0, steps)
            made.append(cut / np.sqrt(steps))
            continue
        nodes, p = np.array(learnt["nodes"]), len(learnt["nodes"])
        factor = np.reshape(learnt["factors"][start : start + p * width], (p, width))
        start += p * width
        centre, scale, stretch = (learnt[key][number] for key in ("centre", "scale", "stretch"))
        u = ((x - centre) / scale)[:, None]
        if model["space"]["parameters"]["kind"] == "chi2":
            made.append(np.sqrt(learnt["gain"][number]) * 2 * u * nodes / (u + nodes) @ factor)
        else:
            made.append(np.exp(-stretch * (u - nodes) ** 2) @ factor)
    return np.hstack(made)


@pytest.mark.parametrize("name", ALL)
def test_json_is_all_that_predicting_needs(run, selected, numbers, name, tmp_path):
    path, estimator, table = selected(name, numbers)
    assert run("export", path, "--to", "json", "-o", tmp_path / "m.json").code == 0
    model = json.loads((tmp_path / "m.json").read_text())
    z = features_of(model, table) @ np.transpose(model["weights"]) + model["intercept"]
    assert (model["format"], model["version"]) == ("handful export", 1)
    if model["task"] == "regression":
        np.testing.assert_allclose(z[:, 0], estimator.predict(table), rtol=1e-9, atol=1e-9)
        return
    assert model["classes"] == estimator.classes_.tolist()
    expected = estimator.decision_function(table).reshape(len(z), -1)
    np.testing.assert_allclose(z, expected, rtol=1e-9, atol=1e-9)
    assert (model["probability"] is None) is not hasattr(estimator, "predict_proba")
    if model["probability"] is not None:
        p = expit(z * model["probability"]["slope"] + model["probability"]["offset"])
        p = np.hstack([1 - p, p]) if p.shape[1] == 1 else p / p.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(p, estimator.predict_proba(table), rtol=1e-9)


def test_json_of_chi2(numbers):
    table = pd.DataFrame(np.abs(numbers[0]), columns=list(NAMES))
    estimator = FGMRegressor(3, C="fast", space=AdditiveKernel("chi2")).fit(table, numbers[1])
    model = json.loads(json.dumps(model_as_json(ModelFile(estimator))))
    z = features_of(model, table) @ np.transpose(model["weights"]) + model["intercept"]
    np.testing.assert_allclose(z[:, 0], estimator.predict(table), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ALL)
def test_sklearn(run, selected, numbers, name, tmp_path):
    path, estimator, table = selected(name, numbers)
    assert run("export", path, "--to", "sklearn", "-o", tmp_path / "m.joblib").code == 0
    theirs = joblib.load(tmp_path / "m.joblib")
    few = table[theirs.feature_names_in_]
    method = "decision_function" if hasattr(estimator, "classes_") else "predict"
    ours = getattr(estimator, method)(table)
    np.testing.assert_allclose(getattr(theirs, method)(few), ours, rtol=1e-12, atol=1e-12)
    if hasattr(estimator, "classes_"):
        np.testing.assert_array_equal(theirs.predict(few), estimator.predict(table))


@pytest.mark.parametrize("name", SELECTIONS)
def test_onnx(run, selected, numbers, name, tmp_path):
    pytest.importorskip("skl2onnx", reason="the extra onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    path, estimator, table = selected(name, numbers)
    assert run("export", path, "--to", "onnx", "-o", tmp_path / "m.onnx").code == 0
    session = runtime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    columns = json.loads(session.get_modelmeta().custom_metadata_map["columns"])
    table = table.astype(np.float32).astype(np.float64)
    out = session.run(None, {"X": table[columns].to_numpy(np.float32)})
    names = [output.name for output in session.get_outputs()]
    if names == ["prediction"]:
        np.testing.assert_allclose(out[0][:, 0], estimator.predict(table), rtol=1e-5, atol=1e-5)
        return
    np.testing.assert_array_equal(out[0], estimator.predict(table))
    if names == ["label", "probabilities"]:
        expected = estimator.predict_proba(table)
    else:
        assert names == ["label", "scores"]
        z = estimator.decision_function(table)
        expected = np.column_stack([-z, z]) if z.ndim == 1 else z
    np.testing.assert_allclose(out[1], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ["json", "onnx", "sklearn"])
def test_a_calibration_that_is_left_out_is_told(run, selected, numbers, form, tmp_path):
    if form == "onnx":
        pytest.importorskip("skl2onnx", reason="the extra onnx is not installed")
    for name, is_told in (("calibrated", form != "json"), ("three", False)):
        path, *_ = selected(name, numbers)
        result = run("export", path, "--to", form, "-o", tmp_path / "out")
        assert result.code == 0, result.err
        assert ("its calibration is left out" in result.err) is is_told


def test_kernels_are_not_in_onnx(refused, selected, numbers, tmp_path):
    pytest.importorskip("skl2onnx", reason="the extra onnx is not installed")
    path, *_ = selected("gaussian", numbers)
    sentence = refused("export", path, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert sentence.endswith("not the kernels of this model; take --to json or sklearn")


def test_onnx_without_the_extra(refused, model, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "skl2onnx", None)
    sentence = refused("export", model, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert sentence == "ONNX needs skl2onnx; pip install 'handful[onnx]' has it"


@pytest.mark.parametrize("form", ["json", "sklearn", "onnx"])
def test_bags_say_why_not(refused, tmp_path, form):
    pytest.importorskip("skl2onnx", reason="the extra onnx is not installed")
    data, path = make_bags(n_bags=20, random_state=0), tmp_path / "bags.handful"
    save_model(MILESClassifier(2).fit(data.bags, data.y), path)
    sentence = refused("export", path, "--to", form, "-o", tmp_path / "out")
    assert "looks at bags of rows" in sentence


@pytest.mark.parametrize("form", ["json", "sklearn", "onnx"])
def test_strings_say_why_not(refused, tmp_path, form):
    pytest.importorskip("skl2onnx", reason="the extra onnx is not installed")
    path, texts = tmp_path / "texts.handful", ["a cat sat", "my dog", "cats", "dogs ran"] * 5
    save_model(FGMClassifier(1, space=Substrings(), C="fast").fit(texts, [1, 0] * 10), path)
    sentence = refused("export", path, "--to", form, "-o", tmp_path / "out")
    assert "reads strings" in sentence


def test_columns_of_a_file_without_names(run, svm_file, tmp_path):
    path, out = tmp_path / "m.handful", tmp_path / "m.json"
    run("select", svm_file, *FAST, "-k", 3, "-o", path)
    run("export", path, "--to", "json", "-o", out)
    columns = json.loads(out.read_text())["columns"]
    assert [column["name"] for column in columns] == [str(one["id"] + 1) for one in columns]


def test_what_is_refused(refused, model, tmp_path):
    assert "'pickle' is none of json, onnx, sklearn" in refused(
        "export", model, "--to", "pickle", "-o", tmp_path / "m"
    )
    sentence = refused("export", model, "--to", "json", "-o", model)
    assert "the same command reads it" in sentence
    assert "no-folder" in refused("export", model, "--to", "json", "-o", tmp_path / "no-folder/m")
