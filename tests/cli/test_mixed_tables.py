"""Tables with text, true and false, and missing values through select, path, predict and inspect."""

import json

import numpy as np
import pandas as pd
import pytest
from attack.models import parts_of, write
from mixed_tables import by_hand, make_table, write_csv
from sklearn.model_selection import StratifiedKFold

from handful import FGMClassifier, GreedyRLSClassifier
from handful.io import read_model_file

FAST = ["-C", "fast"]


@pytest.fixture
def table(tmp_path):
    return write_csv(make_table(), tmp_path / "table.csv")


@pytest.fixture
def arguments(table):
    return [table, "-t", "kind", "-k", 2, "--missing", "mean", *FAST]


def ask(run, *arguments):
    result = run(*arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def groups_by_hand(columns):
    """Ids of the features of each column of text."""
    return [[j for j, name in enumerate(columns) if name.startswith(f"{one}=")]
            for one in ("colour", "Städte")]  # fmt: skip


def fitted_by_hand(rule="mean", **parameters):
    """The same model on features that pandas made, in the order that the shell has."""
    old = make_table()
    X = by_hand(old, old, rule)
    order = ["height of", "smoker", "weight", *(name for name in X if "=" in name)]
    X = X[order]
    model = FGMClassifier(2, C="fast", groups=groups_by_hand(order), **parameters)
    return model.fit(X, old["kind"])


def test_a_text_column_counts_once(run, arguments):
    said = ask(run, "select", *arguments)
    assert (said["n_groups"], said["n_features"]) == (5, 12)
    assert len(said["groups"]) == 2
    colour = next(group for group in said["groups"] if group["name"] == "colour")
    assert len(colour["features"]) == 4
    shown = run("select", *arguments)
    assert "2 of 5 columns, 5 of 12 features" in shown.out
    assert "a column of text is selected whole: -k counts columns, not categories" in shown.out
    assert "5 columns (2 of numbers, 1 of true and false, 2 of text with 9 categories)" in shown.err
    assert "missing values in" in shown.err
    assert "o 2 columns can have an objective below" in shown.out
    assert "o 2 columns can have an objective below" in said["certificate"]


def test_the_model_is_that_of_features_made_by_hand(run, arguments, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", *arguments, "-o", path).code == 0
    saved, expected = read_model_file(path), fitted_by_hand()
    assert saved.estimator.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    np.testing.assert_array_equal(saved.estimator.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(saved.estimator.weights_, expected.weights_, rtol=1e-6)


def test_predictions_are_those_of_features_made_by_hand(run, arguments, tmp_path):
    path, out = tmp_path / "m.handful", tmp_path / "p.csv"
    assert run("select", *arguments, "-o", path).code == 0
    old, new = make_table(), make_table(seed=5)
    new.loc[0, "colour"] = "never seen"
    result = run("predict", path, write_csv(new, tmp_path / "new.csv"), "-o", out)
    assert result.code == 0
    assert "warning: column 'colour': 1 row has a text that the model has not seen" in result.err
    expected = fitted_by_hand()
    X = by_hand(old, new, "mean")[expected.feature_names_in_]
    found = pd.read_csv(out)
    np.testing.assert_allclose(found["decision"], expected.decision_function(X), rtol=1e-6)
    assert found["prediction"].tolist() == expected.predict(X).tolist()


def test_predict_needs_the_columns_in_use_alone(run, refused, arguments, tmp_path):
    path = tmp_path / "m.handful"
    assert run("select", *arguments, "-o", path).code == 0
    groups = {group["name"] for group in ask(run, "inspect", path)["groups"]}
    new = make_table(seed=5)
    few = write_csv(new[[*sorted(groups, reverse=True), "smoker"]], tmp_path / "few.csv")
    whole = write_csv(new.drop(columns="kind"), tmp_path / "whole.csv")
    assert run("predict", path, few).out == run("predict", path, whole).out != ""
    lost = write_csv(new.drop(columns="colour"), tmp_path / "lost.csv")
    assert refused("predict", path, lost) == f"{lost} lacks the column 'colour'"


def test_separate_categories(run, arguments):
    said = ask(run, "select", *arguments, "--categories", "separate")
    assert said["groups"] is None
    assert said["n_selected"] == 2


def test_include_and_exclude_take_columns(run, refused, arguments):
    said = ask(run, "select", *arguments, "--include", "Städte", "--exclude", "colour")
    names = {group["name"] for group in said["groups"]}
    assert "Städte" in names
    assert "colour" not in names
    said = refused("select", *arguments, "--include", "colour=red")
    assert said == "the feature 'colour=red' is in the column 'colour'; name that instead"
    for wrong, meant in (("Weight", "weight"), ("color", "colour")):
        said = refused("select", *arguments, "--exclude", wrong)
        assert said.startswith(f"there is no column {wrong!r}; did you mean {meant!r}")
    assert "there is no column 'zzz'; it has the columns" in refused(
        "select", *arguments, "--exclude", "zzz"
    )


def test_groups_of_columns(run, arguments, tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("weight,body\nheight of,body\ncolour,skin\nsmoker,skin\n")
    said = ask(run, "select", *arguments, "--groups", path, "--group-weights", "size")
    assert said["n_groups"] == 3  # body, skin, and Städte whole
    sizes = {group["name"]: len(group["features"]) for group in said["groups"]}
    assert sizes.items() <= {"body": 2, "skin": 5, "Städte": 5}.items()


def test_inspect_says_what_select_said(run, arguments, tmp_path):
    path = tmp_path / "m.handful"
    said = ask(run, "select", *arguments, "-o", path)
    shown = ask(run, "inspect", path)
    for key in said.keys() - {"seconds", "compile_seconds", "model"}:
        assert shown[key] == said[key], key
    assert shown["about"]["encoding"]["missing"] == "mean"
    text = run("inspect", path).out
    assert "made from 5 columns (2 of numbers, 1 of true and false, 2 of text" in text
    assert "missing values: mean" in text
    assert "2 of 5 columns, 5 of 12 features" in text


def test_greedy_selects_columns_whole(run, table):
    arguments = [table, "-t", "kind", "-k", 2, "--missing", "mean", "--method", "greedy-rls"]
    said = ask(run, "select", *arguments)
    old = make_table()
    X = by_hand(old, old, "mean")
    expected = GreedyRLSClassifier(2, groups=groups_by_hand(X.columns)).fit(X, old["kind"])
    assert {feature["name"] for feature in said["features"]} == set(
        X.columns[expected.support_ids_]
    )


@pytest.mark.parametrize("rule", ["mean", "median"])
def test_folds_learn_from_their_training_rows_alone(run, table, rule):
    told = ask(run, "path", table, "-t", "kind", "-k", "2", "--cv", 3, "--missing", rule, *FAST)
    old = make_table()
    y = (old["kind"] == "well").astype(int).to_numpy()
    scores = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(old, y):
        parts = [by_hand(old.iloc[train], old.iloc[part], rule) for part in (train, test)]
        model = FGMClassifier(2, C="fast", groups=groups_by_hand(parts[0].columns))
        scores.append(model.fit(parts[0], y[train]).score(parts[1], y[test]))
    assert told["path"][0]["test_scores"] == pytest.approx(scores)
    assert "best: 2 columns" in run(
        "path", table, "-t", "kind", "-k", "2", "--cv", 3, "--missing", rule, *FAST
    ).out  # fmt: skip


class TestRefused:
    def test_missing_without_a_rule(self, refused, table):
        said = refused("select", table, "-t", "kind", "-k", 2)
        assert "column " in said
        assert (
            ": the value is missing; fill it in, leave the column out with --drop, or say" in said
        )

    @pytest.mark.parametrize(
        ("option", "word", "known"),
        [
            ("--missing", "zero", "error, mean, median, category, drop-rows"),
            ("--categories", "apart", "together, separate"),
        ],
    )
    @pytest.mark.parametrize("command", ["select", "path"])
    def test_words(self, refused, command, option, word, known):
        said = refused(command, "no such file", "-k", 2, option, word)
        assert said == f"Invalid value for {option}: {word!r} is none of {known}"

    @pytest.mark.parametrize("more", [["--method", "rfs"], ["--method", "direct"]])
    def test_methods_without_groups(self, run, refused, table, more):
        said = refused("select", table, "-t", "kind", "-k", 2, "--missing", "mean", *more)
        assert said.endswith("each category of a text column for itself with --categories separate")
        more = [*more, "--categories", "separate"]
        assert run("select", table, "-t", "kind", "-k", 2, "--missing", "mean", *more).code == 0

    @pytest.mark.parametrize("more", [["--pairs"], ["--space", "gaussian"]])
    def test_spaces(self, refused, arguments, more):
        said = refused("select", *arguments, *more)
        assert f"which cannot go with {more[0]}" in said
        assert said.endswith("--categories separate")

    @pytest.mark.parametrize(
        "more", [["--missing", "mean"], ["--text", "a"], ["--categories", "separate"]]
    )
    def test_other_formats(self, refused, tmp_path, more):
        path = tmp_path / "a.svm"
        path.write_text("1 1:2\n0 1:1\n")
        said = refused("select", path, "-k", 1, *more)
        assert said == f"{more[0]} is for csv, tsv and parquet, and {path} is none of them"
        said = refused("select", path, "-k", 1, "--bags", "b", *more)
        assert said == f"{more[0]} cannot go with --bags, whose columns hold numbers"

    def test_predict_advises_no_option_that_it_lacks(self, run, refused, tmp_path):
        old = make_table(gaps=False)[["height of", "weight", "kind"]]
        old.to_csv(tmp_path / "old.csv", index=False)
        path = tmp_path / "m.handful"
        assert run("select", tmp_path / "old.csv", "-t", "kind", "-k", 2, "-o", path).code == 0
        for cell, words in (("", "fill it in or remove the row"), ("x", "found 'x'")):
            (tmp_path / "new.csv").write_text(f"height of,weight\n170,{cell}\n170,60\n")
            said = refused("predict", path, tmp_path / "new.csv")
            assert "line 2, column 'weight'" in said
            assert said.endswith(words)
        (tmp_path / "new.csv").write_text("height of,weight\n170,x\n170,y\n")
        assert "--" not in refused("predict", path, tmp_path / "new.csv")


class TestCraftedModels:
    """Sizes and checksums are right, and what the file says of its table is not."""

    @pytest.fixture
    def content(self, run, arguments, tmp_path):
        path = tmp_path / "m.handful"
        assert run("select", *arguments, "-o", path).code == 0
        return path, *parts_of(path)

    @pytest.fixture
    def pairs(self, content):
        """The notes about the table, which the test may change, and what then is said."""
        _, manifest, _ = content
        about = dict(map(tuple, manifest["about"]["dict"]))
        return about["encoding"]["dict"]

    def said(self, content, refused):
        path, manifest, members = content
        write(path, manifest, members)
        sentences = {refused("inspect", path), refused("predict", path, "no such data")}
        assert len(sentences) == 1
        return sentences.pop()

    def change(self, content, pairs, key, alter):
        """Alter a list of texts or numbers that is a member of the file."""
        _, _, members = content
        (tag, member), = next(value for name, value in pairs if name == key).items()  # fmt: skip
        if tag == "texts":
            members[member] = json.dumps(alter(json.loads(members[member]))).encode()
        else:
            import io

            array = alter(np.load(io.BytesIO(members[member])))
            buffer = io.BytesIO()
            np.save(buffer, array)
            members[member] = buffer.getvalue()

    @pytest.mark.parametrize(
        ("key", "alter", "words"),
        [
            ("categories", lambda texts: texts[:-1], "do not fit the columns"),
            ("categories", lambda texts: [texts[1], *texts[1:]], "do not fit the columns"),
            ("categories", lambda texts: ["pink", *texts[1:]], "other features than the model"),
            ("names", lambda texts: texts[:-1], "have different lengths"),
            ("names", lambda texts: [texts[1], *texts[1:]], "names of its table is not what"),
            ("kinds", lambda kinds: kinds + 7, "kinds of its table is not what it must be"),
            ("kinds", lambda kinds: kinds * 0, "do not fit the columns"),
            ("fill", lambda fill: fill * np.nan, "fill of its table is not what it must be"),
            ("gaps", lambda gaps: gaps + 100, "point outside the columns"),
            (
                "category_counts",
                lambda counts: counts[::-1].copy(),
                "other features than the model",
            ),
            ("category_counts", lambda counts: -counts, "category_counts of its table is not"),
        ],
    )
    def test_lists(self, content, pairs, refused, key, alter, words):
        self.change(content, pairs, key, alter)
        said = self.said(content, refused)
        assert "that does not make sense" in said
        assert words in said

    @pytest.mark.parametrize("junk", [None, True, -1, 1.5, "x", [], [1], {"dict": []}])
    def test_junk(self, content, pairs, refused, junk):
        _, _, members = content
        for place, (name, before) in enumerate(list(pairs)):
            if (name, junk) == ("has_names", True):
                continue
            pairs[place] = [name, junk]
            if isinstance(before, dict):  # else the member is one that nothing names
                kept = members.pop(next(iter(before.values())))
            assert "that does not make sense" in self.said(content, refused)
            if isinstance(before, dict):
                members[next(iter(before.values()))] = kept
            pairs[place] = [name, before]


@pytest.mark.parametrize("rule", ["mean", "category"])
def test_exported_columns_say_how_they_are_made(run, table, tmp_path, rule):
    model, out, predictions = (tmp_path / name for name in ("m.handful", "m.json", "p.csv"))
    given = [table, "-t", "kind", "-k", 4, "--missing", rule, "--calibrate", *FAST, "-o", model]
    assert run("select", *given).code == 0
    assert run("export", model, "--to", "json", "-o", out).code == 0
    assert run("predict", model, table, "-o", predictions).code == 0
    exported, rows = json.loads(out.read_text()), pd.read_csv(table)
    X = []
    for column in exported["columns"]:
        origin, values = column["from"], rows[column["from"]["column"]]
        if "category" in origin:
            wanted = origin["category"]
            X.append(values.isna() if wanted == "(missing)" else values == wanted)
        elif "is_missing" in origin:
            X.append(values.isna())
        else:
            X.append(values.astype(float).fillna(origin["fill"]))
    z = np.column_stack(X).astype(float) @ exported["weights"][0] + exported["intercept"][0]
    written = pd.read_csv(predictions)
    np.testing.assert_allclose(z, written["decision"], rtol=1e-9, atol=1e-9)
    line = exported["probability"]
    p = 1 / (1 + np.exp(-(line["slope"][0] * z + line["offset"][0])))
    np.testing.assert_allclose(p, written.iloc[:, -1], rtol=1e-9)
    assert written.columns[0] == "row"
