"""``--groups``: features that are selected together, from select to predict."""

import json

import numpy as np
import pandas as pd
import pytest
from genes import FAST, write_csv

from handful import FGMClassifier
from handful.io import load_model, read_model_file, save_model

# Features 2, 5 and 9 decide. "gene 11" is in no group.
MEMBERSHIPS = [
    *(("gene 2", "liver"), ("gene 5", "liver"), ("gene 0", "kidney"), ("gene 1", "kidney")),
    *(("gene 9", "heart"), ("gene 2", "heart"), ("gene 3", "skin"), ("gene 4", "skin")),
    *((f"gene {j}", "rest") for j in (6, 7, 8, 10)),
]
MEMBERS = {
    "liver": [2, 5],
    "kidney": [0, 1],
    "heart": [2, 9],
    "skin": [3, 4],
    "rest": [6, 7, 8, 10],
}


@pytest.fixture
def groups(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("feature,group\n" + "".join(f"{f},{g}\n" for f, g in MEMBERSHIPS))
    return path


@pytest.fixture
def arguments(csv_file, groups):
    return [csv_file, "-t", "outcome", *FAST, "-k", 2, "--groups", groups]


def ask(run, command, *arguments):
    result = run(command, *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def names_of(report):
    return {group["name"] for group in report["groups"]}


def test_the_table_has_groups_and_their_features(run, arguments):
    result = run("select", *arguments)
    assert result.code == 0, result.err
    assert "2 of 6 groups, 3 of 12 features" in result.out
    rows = [line.split("│")[1:3] for line in result.out.splitlines() if "gene " in line]
    cells = [(group.strip(), feature.strip()) for group, feature in rows]
    # "gene 2" is in both groups and shown in both.
    assert sorted(group for group, _ in cells if group) == ["heart", "liver"]
    assert sorted(feature for _, feature in cells) == ["gene 2", "gene 2", "gene 5", "gene 9"]
    assert cells[1][0] == cells[3][0] == ""


def test_json_has_ids_names_and_members(run, arguments):
    report = ask(run, "select", *arguments)
    assert report["groups"] == [
        {"id": 0, "name": "liver", "features": [2, 5]},
        {"id": 2, "name": "heart", "features": [2, 9]},
    ]
    assert report["n_groups"] == 6
    assert [feature["id"] for feature in report["features"]] == [2, 5, 9]
    assert (report["n_features"], report["n_selected"]) == (12, 3)


def test_the_model_is_what_the_library_finds(run, arguments, numbers, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", *arguments, "-o", path).code == 0
    X, score = numbers
    expected = FGMClassifier(2, C="fast", groups=list(MEMBERS.values())).fit(X, score > 0)
    saved = read_model_file(path)
    np.testing.assert_array_equal(saved.estimator.group_support_, expected.group_support_)
    np.testing.assert_allclose(saved.estimator.weights_, expected.weights_)
    assert [ids.tolist() for ids in saved.estimator.groups] == list(MEMBERS.values())
    assert saved.about["group_names"] == list(MEMBERS)


def test_inspect_says_what_select_said(run, arguments, tmp_path):
    path = tmp_path / "m.handful"
    said = ask(run, "select", *arguments, "-o", path)
    shown = ask(run, "inspect", path)
    for key in said.keys() - {"seconds", "compile_seconds", "model"}:
        assert shown[key] == said[key], key
    assert shown["parameters"]["groups"] == list(MEMBERS.values())
    text = run("inspect", path).out
    assert "2 of 6 groups, 3 of 12 features" in text
    assert " liver " in text


def test_predict(run, arguments, csv_file, numbers, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", *arguments, "-o", path).code == 0
    X, score = numbers
    few = write_csv(
        tmp_path / "few.csv", X[:, [9, 5, 2]], score > 0, ["gene 9", "gene 5", "gene 2"]
    )
    assert run("predict", path, few).out == run("predict", path, csv_file).out != ""


def test_size_as_weights(run, arguments, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", *arguments, "--group-weights", "size", "-o", path).code == 0
    assert load_model(path).group_weights == "size"


def test_include_and_exclude_are_of_groups(run, arguments):
    report = ask(run, "select", *arguments, "--include", "skin", "--exclude", "liver")
    assert "skin" in names_of(report)
    assert "liver" not in names_of(report)
    alone = ask(run, "select", *arguments, "--include", "gene 11")
    assert {"id": 5, "name": "gene 11", "features": [11]} in alone["groups"]


def test_files_without_names_number_the_features(run, svm_file, tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("3 a\n6 a\n10 b\n1 b\n2 c\n4 c\n5 c\n")
    report = ask(run, "select", svm_file, *FAST, "-k", 2, "--groups", path)
    assert report["groups"] == [
        {"id": 0, "name": "a", "features": [2, 5]},
        {"id": 1, "name": "b", "features": [0, 9]},
    ]
    assert [feature["name"] for feature in report["features"]] == ["1", "3", "6", "10"]


def test_path_counts_groups(run, csv_file, groups):
    arguments = [csv_file, "-t", "outcome", *FAST, "-k", "1,2", "--cv", 3, "--groups", groups]
    assert [point["n_selected"] for point in ask(run, "path", *arguments)["path"]] == [
        [1] * 3,
        [2] * 3,
    ]
    text = run("path", *arguments).out
    assert " groups " in text
    assert "best: 2 groups" in text


def test_many_rows_are_cut_unless_all(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 50))
    np.savez(tmp_path / "d.npz", X=X, y=(X.sum(axis=1) > 0).astype(int))
    groups, path = tmp_path / "groups.csv", tmp_path / "m.handful"
    groups.write_text("".join(f"{j},{j // 10}\n" for j in range(50)))
    result = run("select", tmp_path / "d.npz", *FAST, "-k", 4, "--groups", groups, "-o", path)
    assert "4 of 5 groups, 40 of 50 features" in result.out
    assert "and 10 more with smaller weights" in result.out
    assert "more with smaller weights" not in run("inspect", path, "--all").out


class TestModelsFromPython:
    """Groups that were given in other ways than by a file."""

    def show(self, run, model, tmp_path):
        save_model(model, tmp_path / "m.handful")
        report = ask(run, "inspect", tmp_path / "m.handful")
        assert run("inspect", tmp_path / "m.handful").code == 0
        return report["groups"], report["n_groups"]

    def test_labels(self, run, numbers, tmp_path):
        X, score = numbers
        model = FGMClassifier(2, C="fast", groups=np.arange(12) // 3 * 10).fit(X, score > 0)
        groups, n_groups = self.show(run, model, tmp_path)
        assert n_groups == 4
        for group in groups:
            assert group["name"] == str(group["id"] * 10)
            assert group["features"] == [3 * group["id"] + j for j in range(3)]

    def test_lists_without_names(self, run, numbers, tmp_path):
        X, score = numbers
        model = FGMClassifier(2, C="fast", groups=[[2, 5], [0, 1]], include=[0]).fit(X, score > 0)
        groups, n_groups = self.show(run, model, tmp_path)
        assert n_groups == 10
        assert groups[0] == {"id": 0, "name": "0", "features": [2, 5]}

    def test_one_hot_families(self, run, tmp_path):
        rng = np.random.default_rng(0)
        colour = rng.integers(3, size=200)
        frame = pd.DataFrame({f"colour_{c}": (colour == j) * 1.0 for j, c in enumerate("rgb")})
        frame["colour_depth"] = rng.standard_normal(200)  # no indicator, so not of the family
        for j in range(4):
            frame[f"noise {j}"] = rng.standard_normal(200)
        y = (colour == 1) * 2.0 + frame["colour_depth"] > 1
        groups, n_groups = self.show(
            run, FGMClassifier(2, C="fast", groups="columns").fit(frame, y), tmp_path
        )
        assert n_groups == 6
        assert {group["name"]: group["features"] for group in groups} == {
            "colour": [0, 1, 2],
            "colour_depth": [3],
        }


class TestBadInput:
    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            (
                "gene 2,a\ngene 22,a\n",
                "line 2: there is no feature 'gene 22'; did you mean 'gene 2'",
            ),
            (
                "feature,group\n\n12,a\n",
                "line 3: there is no feature 12; they are numbered 0 to 11",
            ),
            ("gene 2,a\ngene 3\n", "line 2: expected a feature and a group, found 1 field"),
            ("gene 2,a\ngene 3,a,b\n", "line 2: expected a feature and a group, found 3 fields"),
            ("gene 2,a\ngene 3,\n", "line 2: the group is missing"),
            ("feature,group\n", "holds no line such as feature,group"),
        ],
    )
    def test_lines(self, refused, arguments, groups, text, sentence):
        groups.write_text(text)
        said = refused("select", *arguments)
        assert said.startswith(str(groups))
        assert sentence in said

    def test_path_says_the_same(self, refused, csv_file, groups):
        groups.write_text("gene 2,a\ngene 22,a\n")
        said = refused("path", csv_file, "-t", "outcome", "-k", "2", "--groups", groups)
        assert said.startswith(f"{groups}, line 2: there is no feature 'gene 22'")

    def test_a_dropped_column_is_no_feature(self, refused, arguments):
        assert "there is no feature 'gene 3'" in refused("select", *arguments, "--drop", "gene 3")

    def test_no_such_file_is_told_before_the_data_are_read(self, refused, tmp_path):
        path = tmp_path / "none.csv"
        for command in ("select", "path"):
            said = refused(command, "no such data", "-k", "2", "--groups", path)
            assert said == f"{path} does not exist"

    @pytest.mark.parametrize("option", ["--include", "--exclude"])
    def test_a_name_that_is_no_group(self, refused, arguments, option):
        said = refused("select", *arguments, option, "livre")
        assert said == "there is no group 'livre'; did you mean 'liver'?"
        said = refused("select", *arguments, option, "gene 4")
        assert said == "the feature 'gene 4' is in the group 'skin'; name that instead"
        lone = refused("select", *arguments, option, "gene11")
        assert "did you mean 'gene 11'" in lone

    def test_more_groups_than_there_are(self, refused, arguments):
        said = refused("select", *arguments, "-k", 7)
        assert "6" in said
        assert "7" in said

    def test_weights(self, refused, arguments, csv_file):
        said = refused("select", *arguments, "--group-weights", "length")
        assert said == "Invalid value for --group-weights: 'length' is not size"
        said = refused("select", csv_file, "-t", "outcome", "-k", 2, "--group-weights", "size")
        assert said == "Invalid value for --group-weights: it needs --groups or columns of text"

    def test_a_group_outside_the_groups(self, refused, run, arguments, tmp_path):
        path = tmp_path / "m.handful"
        assert run("select", *arguments, "-o", path).code == 0
        model = load_model(path)
        model.group_support_ = np.array([0, 77])
        save_model(model, path)
        assert "group_support_ points outside the groups" in refused("inspect", path)
