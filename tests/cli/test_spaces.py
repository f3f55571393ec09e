"""``--pairs`` and ``--space``: features made from the columns, from select to predict."""

import csv
import io
import json

import numpy as np
import pytest
from genes import FAST, NAMES, write_csv

from handful import FGMClassifier
from handful.cli.methods.fgm import known_kernels
from handful.io import load_model
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

PEOPLE = ("height", "weight", "age", *NAMES[3:])
PRODUCTS = {"height weight", "age^2"}


@pytest.fixture(scope="session")
def products():
    """X and a target that the product of two columns and the square of a third decide."""
    X = np.random.default_rng(0).standard_normal((120, 12)).round(3)
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] ** 2 > 1, "yes", "no")


@pytest.fixture
def table(tmp_path, products):
    return write_csv(tmp_path / "people.csv", *products, names=PEOPLE)


def ask(run, command, *arguments):
    result = run(command, *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def values_of(text):
    return [float(row["decision"]) for row in rows_of(text)]


class TestPairs:
    @pytest.fixture
    def model(self, run, table, tmp_path):
        path = tmp_path / "pairs.handful"
        result = run("select", table, "-t", "outcome", *FAST, "-k", 2, "--pairs", "-o", path)
        assert result.code == 0, result.err
        return path

    def test_the_table_names_them(self, run, table):
        result = run("select", table, "-t", "outcome", *FAST, "-k", 2, "--pairs")
        assert "2 of 90 features made from 12 columns" in result.out
        for name in PRODUCTS:
            assert f" {name} " in result.out

    def test_the_model_is_what_the_library_finds(self, model, products):
        expected = FGMClassifier(2, C="fast", space=Polynomial()).fit(*products)
        saved = load_model(model)
        np.testing.assert_array_equal(saved.support_ids_, expected.support_ids_)
        np.testing.assert_allclose(saved.weights_, expected.weights_)
        assert set(saved.get_feature_names_out()) == PRODUCTS

    def test_json_has_ids_and_names(self, run, model):
        shown = ask(run, "inspect", model)
        assert {feature["name"] for feature in shown["features"]} == PRODUCTS
        ids = [feature["id"] for feature in shown["features"]]
        assert ids == load_model(model).support_ids_.tolist()
        assert (shown["n_features_in"], shown["n_features"], shown["n_selected"]) == (12, 90, 2)
        assert shown["space"] == shown["parameters"]["space"] == repr(Polynomial())
        assert all(len(feature["weights"]) == 1 for feature in shown["features"])
        assert shown["groups"] is None

    def test_inspect_says_what_select_said(self, run, table, tmp_path):
        path = tmp_path / "m.handful"
        said = ask(run, "select", table, "-t", "outcome", *FAST, "-k", 2, "--pairs", "-o", path)
        shown = ask(run, "inspect", path)
        for key in said.keys() - {"seconds", "compile_seconds", "model"}:
            assert shown[key] == said[key], key
        assert "height weight" in run("inspect", path).out

    def test_predict_needs_only_the_columns_of_the_pairs(self, run, model, products, tmp_path):
        X, y = products
        expected = FGMClassifier(2, C="fast", space=Polynomial()).fit(X, y).decision_function(X)
        path = write_csv(
            tmp_path / "new.csv", X[:, [2, 5, 1, 0]], y, ["age", "x", "weight", "height"]
        )
        result = run("predict", model, path)
        np.testing.assert_allclose(values_of(result.out), expected, rtol=1e-9)
        assert "accuracy" in result.err

    def test_missing_columns_are_named(self, refused, model, products, tmp_path):
        X, y = products
        path = write_csv(tmp_path / "new.csv", X[:, [0, 5]], y, ["height", "x"])
        assert refused("predict", model, path) == f"{path} lacks the columns 'weight', 'age'"

    def test_features_out(self, run, table, tmp_path):
        path = tmp_path / "names.txt"
        run("select", table, "-t", "outcome", *FAST, "-k", 2, "--pairs", "--features-out", path)
        assert set(path.read_text().splitlines()) == PRODUCTS

    def test_options_reach_the_space(self, run, table):
        options = ["--interaction-only", "--gamma", "0.5", "--coef0", "2"]
        said = ask(run, "select", table, "-t", "outcome", *FAST, "-k", 2, "--pairs", *options)
        assert said["space"] == repr(Polynomial(gamma=0.5, coef0=2.0, interaction_only=True))
        assert said["n_features"] == 12 + 66
        assert not any("^2" in feature["name"] for feature in said["features"])

    def test_a_single_column_can_be_kept(self, run, table):
        options = ["-t", "outcome", *FAST, "-k", 3, "--pairs", "--include", "gene 7"]
        said = ask(run, "select", table, *options)
        assert {feature["name"] for feature in said["features"]} == {*PRODUCTS, "gene 7"}

    @pytest.mark.parametrize("wanted", ["gene 7 gene 8", "gene 8 gene 7", "gene 7^2"])
    def test_so_can_a_product(self, run, table, wanted):
        options = ["-t", "outcome", *FAST, "-k", 3, "--pairs", "--include", wanted]
        said = ask(run, "select", table, *options)
        name = "gene 7^2" if "^" in wanted else "gene 7 gene 8"
        assert {feature["name"] for feature in said["features"]} == {*PRODUCTS, name}

    def test_files_without_names_number_the_columns(self, run, products, tmp_path):
        X, y = products
        lines = [
            " ".join(
                ["1" if label == "yes" else "-1", *(f"{j + 1}:{v}" for j, v in enumerate(row))]
            )
            for row, label in zip(X.tolist(), y, strict=True)
        ]
        data, path = tmp_path / "people.svm", tmp_path / "m.handful"
        data.write_text("\n".join(lines))
        said = ask(run, "select", data, *FAST, "-k", 2, "--pairs", "-o", path)
        assert {feature["name"] for feature in said["features"]} == {"1 2", "3^2"}
        assert {f["name"] for f in ask(run, "inspect", path)["features"]} == {"1 2", "3^2"}
        result = run("predict", path, data)
        expected = (
            FGMClassifier(2, C="fast", space=Polynomial()).fit(X, y == "yes").decision_function(X)
        )
        np.testing.assert_allclose(values_of(result.out), expected, rtol=1e-6)

    def test_path(self, run, table):
        arguments = [table, "-t", "outcome", *FAST, "-k", "1,2", "--cv", 3]
        pairs = ask(run, "path", *arguments, "--pairs")["path"]
        assert pairs[1]["n_selected"] == [2, 2, 2]
        assert pairs[1]["mean"] > 0.9 > 0.75 > ask(run, "path", *arguments)["path"][1]["mean"]

    def test_a_checkpoint_is_resumed(self, run, table, tmp_path):
        arguments = [
            table,
            "-t",
            "outcome",
            *FAST,
            "-k",
            2,
            "--pairs",
            "--checkpoint",
            tmp_path / "c",
        ]
        first, again = ask(run, "select", *arguments), ask(run, "select", *arguments)
        assert first["features"] == again["features"]

    def test_names_cannot_steer_the_terminal(self, run, products, tmp_path):
        names = ["\x1b[31mred", "[bold]b", *PEOPLE[2:]]
        path = write_csv(tmp_path / "d.csv", *products, names=names)
        result = run(
            "select", path, "-t", "outcome", *FAST, "-k", 2, "--pairs", "-o", tmp_path / "m"
        )
        result_too = run("inspect", tmp_path / "m")
        assert "\\x1b[31mred [bold]b" in result.out
        assert "\x1b" not in result.out + result.err + result_too.out


class TestKernels:
    @pytest.mark.parametrize(
        ("name", "space"),
        [("intersection", HistogramIntersection()), ("gaussian", AdditiveKernel())],
    )
    def test_from_select_to_predict(self, run, table, products, tmp_path, name, space):
        X, y = products
        path = tmp_path / "m.handful"
        result = run("select", table, "-t", "outcome", *FAST, "-k", 2, "--space", name, "-o", path)
        assert result.code == 0, result.err
        assert "2 of 12 features made from 12 columns" in result.out
        assert "norm of weights" in result.out
        expected = FGMClassifier(2, C="fast", space=space).fit(X, y)
        result = run("predict", path, table)
        np.testing.assert_allclose(values_of(result.out), expected.decision_function(X), rtol=1e-6)
        shown = ask(run, "inspect", path)
        assert [one["id"] for one in shown["features"]] == expected.support_ids_.tolist()
        assert [one["name"] for one in shown["features"]] == [
            PEOPLE[j] for j in expected.support_ids_
        ]
        columns = [column for one in shown["features"] for column in one["columns"]]
        weights = np.array([column["weights"][0] for column in columns])
        np.testing.assert_allclose(weights, expected.weights_[0], rtol=1e-6)
        [first, _] = shown["features"]
        own = [column["weights"][0] for column in first["columns"]]
        assert first["weights"] == [pytest.approx(np.linalg.norm(own))]
        names = {"intersection": f"|{first['name']}|>0", "gaussian": f"{first['name']}[0]"}
        assert columns[0]["name"] == names[name]

    def test_chi2_takes_no_negative_entries(self, refused, run, table, products, tmp_path):
        sentence = refused("select", table, "-t", "outcome", *FAST, "-k", 2, "--space", "chi2")
        assert "takes no negative entries" in sentence
        X, y = products
        path = write_csv(tmp_path / "positive.csv", abs(X), y, names=PEOPLE)
        said = ask(run, "select", path, "-t", "outcome", *FAST, "-k", 2, "--space", "chi2")
        assert said["space"] == repr(AdditiveKernel("chi2"))

    @pytest.mark.parametrize("name", known_kernels())
    def test_every_kernel_is_known(self, run, tmp_path, products, name):
        X, y = products
        path = write_csv(tmp_path / "positive.csv", np.abs(X), y, names=PEOPLE)
        said = ask(run, "select", path, "-t", "outcome", *FAST, "-k", 2, "--space", name)
        assert len(said["features"]) == 2

    def test_gamma_of_the_gaussian(self, run, table):
        arguments = [table, "-t", "outcome", *FAST, "-k", 2, "--space", "gaussian", "--gamma", 0.7]
        assert ask(run, "select", *arguments)["space"] == repr(AdditiveKernel(gamma=0.7))


@pytest.mark.parametrize("command", ["select", "path"])
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--space", "magic"], "Invalid value for --space: 'magic' is none of intersection, "),
        (["--pairs", "--space", "chi2"], "Invalid value for --space: it cannot go with --pairs"),
        (["--pairs", "--groups", "g"], "Invalid value for --groups: it cannot go with --pairs"),
        (["--space", "chi2", "--groups", "g"], "--groups: it cannot go with --space"),
        (["--interaction-only"], "Invalid value for --interaction-only: it needs --pairs"),
        (["--coef0", "1"], "Invalid value for --coef0: it needs --pairs"),
        (["--coef0", "1", "--space", "chi2"], "Invalid value for --coef0: it needs --pairs"),
        (["--gamma", "1"], "Invalid value for --gamma: it needs --pairs or --space gaussian"),
        (["--gamma", "1", "--space", "chi2"], "--gamma: it needs --pairs or --space gaussian"),
    ],
)
def test_options_that_do_not_go_together(refused, command, options, sentence):
    """Told before the data are looked at."""
    assert sentence in refused(command, "no such file", "-k", 2, *options)


def test_exclude_does_not_go_with_pairs(refused):
    sentence = refused("select", "no such file", "-k", 2, "--pairs", "--exclude", "age")
    assert sentence == (
        "Invalid value for --exclude: it cannot go with --pairs; "
        "leave the column out of everything with --drop"
    )


@pytest.mark.parametrize(
    ("options", "word"),
    [(["--gamma", "-1"], "gamma"), (["--coef0", "-1"], "coef0"), (["--scale", "norm"], "scale")],
)
def test_values_that_make_no_sense(refused, table, options, word):
    assert word in refused("select", table, "-t", "outcome", *FAST, "-k", 2, "--pairs", *options)


def test_more_pairs_wanted_than_there_are(refused, table):
    sentence = refused("select", table, "-t", "outcome", *FAST, "-k", 91, "--pairs")
    assert "90" in sentence
    assert "91" in sentence
