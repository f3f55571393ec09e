"""``--row-groups``: rows of one patient stay in one fold or half, whatever the format."""

import json

import numpy as np
import pandas as pd
import pytest

from handful import FGMClassifier
from handful.io import load_model
from handful.model_selection import StabilitySelection

RNG = np.random.default_rng(3)
N_PATIENTS, N_COLUMNS = 40, 60
PATIENTS = RNG.permutation(np.repeat(np.arange(N_PATIENTS), 3))
NUMBERS = RNG.normal(size=(N_PATIENTS, N_COLUMNS))[PATIENTS]
NUMBERS = (NUMBERS + 0.01 * RNG.normal(size=NUMBERS.shape)).round(4)
COIN = RNG.permutation(np.tile(["heads", "tails"], N_PATIENTS // 2))[PATIENTS]
NAMES = np.array([f"p{j:02}" for j in PATIENTS], dtype=object)
TABLE = pd.DataFrame(NUMBERS).add_prefix("g").assign(patient=NAMES, coin=COIN)
PATH = ("-k", "20", "-C", "fast", "--cv", 4)
TOGETHER = ("--row-groups", "patient")


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "patients.csv"
    TABLE.to_csv(path, index=False)
    return path


def told(run, *arguments):
    result = run(*arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def score(told):
    return told["score_of_chosen_k"]["same_folds"]["mean"]


class TestPath:
    def test_coin_flips_have_no_score(self, run, patients):
        apart = told(run, "path", patients, "-t", "coin", "--drop", "patient", *PATH)
        together = told(run, "path", patients, "-t", "coin", *TOGETHER, *PATH, "--nested", 3)
        assert score(apart) > 0.85
        assert score(together) < 0.7
        assert together["score_of_chosen_k"]["nested"]["mean"] < 0.7
        assert apart["row_groups"] is None
        assert together["row_groups"] == {"name": "patient", "n_groups": N_PATIENTS}
        features = {one["name"] for one in together["features_of_chosen_k"]}
        assert features <= {f"g{j}" for j in range(N_COLUMNS)}

    def test_the_table_says_so(self, run, patients):
        result = run("path", patients, "-t", "coin", *TOGETHER, *PATH)
        assert "4 folds that keep rows of one 'patient' together" in result.out
        assert "rows of one 'patient' stay together: 120 rows in 40 groups" in result.err

    def test_parquet_and_numbers(self, run, tmp_path):
        pytest.importorskip("pyarrow", reason="needs pyarrow (the extra 'files')")
        path = tmp_path / "patients.parquet"
        TABLE.assign(patient=PATIENTS).to_parquet(path)
        found = told(run, "path", path, "-t", "coin", *TOGETHER, *PATH)
        assert score(found) < 0.7
        assert found["row_groups"]["n_groups"] == N_PATIENTS

    def test_quantities_and_columns_of_text(self, run, tmp_path):
        luck = RNG.normal(size=N_PATIENTS)[PATIENTS]
        table = TABLE.drop(columns="coin").assign(ward=np.where(PATIENTS % 2, "a", "b"), luck=luck)
        table.to_csv(tmp_path / "t.csv", index=False)
        options = ("path", tmp_path / "t.csv", "-t", "luck", *PATH)
        assert score(told(run, *options, "--drop", "patient")) > 0.3
        assert score(told(run, *options, *TOGETHER)) < 0.3

    def test_rows_that_are_left_out_are_left_out_of_the_groups(self, run, tmp_path):
        table = TABLE.copy()
        table.loc[[5, 17], "g3"] = np.nan
        table.to_csv(tmp_path / "t.csv", index=False)
        options = ("-t", "coin", "--missing", "drop-rows", *TOGETHER, *PATH)
        result = run("path", tmp_path / "t.csv", *options)
        assert result.code == 0, result.err
        assert "118 rows in 40 groups" in result.err

    @pytest.mark.parametrize("how", ["key", "file", "svmlight"])
    def test_files_without_columns(self, run, tmp_path, how):
        labels = tmp_path / "who.txt"
        labels.write_text("\n".join(NAMES) + "\n")
        y = (COIN == "heads").astype(int)
        if how == "svmlight":
            data, target = tmp_path / "coin.svm", ()
            rows = (
                f"{one} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(row))
                for one, row in zip(y, NUMBERS, strict=True)
            )
            data.write_text("\n".join(rows) + "\n")
        else:
            data, target = tmp_path / "coin.npz", ("-t", "y")
            np.savez(data, X=NUMBERS, y=y, patient=NAMES.astype(str))
        named = "patient" if how == "key" else labels
        found = told(run, "path", data, *target, "--row-groups", named, *PATH)
        assert score(found) < 0.7
        assert found["row_groups"] == {"name": str(named), "n_groups": N_PATIENTS}


def test_bags_of_one_patient_stay_together(run, tmp_path):
    table = TABLE.sort_values("patient")
    table["bag"] = table["patient"] + (table.groupby("patient").cumcount() < 2).astype(str)
    table.to_csv(tmp_path / "bags.csv", index=False)
    options = ("-t", "coin", "--bags", "bag", *TOGETHER, "-k", "5", "--cv", 3, "-C", "fast")
    found = told(run, "path", tmp_path / "bags.csv", *options)
    assert found["row_groups"] == {"name": "patient", "n_groups": N_PATIENTS}
    assert score(found) < 0.75


def test_probabilities_are_of_patients_that_were_not_seen(run, patients, tmp_path):
    options = ("-t", "coin", "-k", 20, "-C", "fast", "--calibrate")
    slopes = []
    for more in (("--drop", "patient"), TOGETHER):
        model = tmp_path / "m.handful"
        assert run("select", patients, *options, *more, "-o", model).code == 0
        slopes.append(np.abs(load_model(model).calibration_[0]).max())
    assert slopes[1] < slopes[0] / 3


def test_stability_is_that_of_python(run, patients):
    options = ("-t", "coin", "-k", 4, "-C", "fast", "--resamples", 4, "--threshold", 0.75)
    found = told(run, "stability", patients, *options, *TOGETHER)
    model = StabilitySelection(FGMClassifier(4, C="fast"), 4, threshold=0.75, random_state=0)
    model.fit(NUMBERS, COIN, groups=NAMES)
    shares = {one["id"]: one["share"] for one in found["features"]}
    counted = model.selection_probabilities_
    assert shares == pytest.approx(
        dict(zip(counted.indices.tolist(), counted.data.tolist(), strict=True))
    )
    assert found["row_groups"] == {"name": "patient", "n_groups": N_PATIENTS}
    result = run("stability", patients, *options, *TOGETHER)
    assert "8 halves that keep rows of one 'patient' together, 4 of 60" in result.out


def test_too_few_groups_for_halves_are_told_by_the_option(run, tmp_path):
    batches = TABLE.assign(batch=np.resize(["one", "two", "three"], len(TABLE)))
    batches.to_csv(tmp_path / "batches.csv", index=False)
    asked = ("-t", "coin", "-k", 4, "--drop", "patient", "--row-groups", "batch")
    result = run("stability", tmp_path / "batches.csv", *asked)
    assert result.code == 2
    assert "--row-groups: 'batch' has 3 different labels; halves that keep equal" in result.err


@pytest.mark.parametrize(
    "command",
    [
        ("select", "-k", 5),
        ("path", "-k", "5", "--cv", 3),
        ("stability", "-k", 5, "--resamples", 3, "--threshold", 0.6),
    ],
)
def test_reports_tell_it(run, patients, tmp_path, command):
    pytest.importorskip("jinja2", reason="needs Jinja2 (the extra 'report')")
    name, *options = command
    page = tmp_path / "page.html"
    options = [*options, "-t", "coin", "-C", "fast", *TOGETHER, "--report", page]
    result = run(name, patients, *options)
    assert result.code == 0, result.err
    text = page.read_text()
    assert "folds, which keep groups of rows together" in text
    assert "patient&#39; stay together: 120 rows in 40 groups" in text


def test_a_saved_model_knows_who_belongs_together(run, patients, tmp_path):
    pytest.importorskip("jinja2", reason="needs Jinja2 (the extra 'report')")
    model, page = tmp_path / "m.handful", tmp_path / "page.html"
    options = ("-t", "coin", "-k", 5, "-C", "fast", *TOGETHER)
    assert run("select", patients, *options, "-o", model).code == 0
    assert told(run, "inspect", model)["about"]["row_groups"] == "patient"
    assert run("report", model, patients, "-o", page, "--cv", 3).code == 0
    assert "3 folds, which keep groups of rows together" in page.read_text()
    assert run("predict", model, patients).code == 0


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, ("--row-groups", "patiant"), "there is no --row-groups column 'patiant'; did you"),
        ({}, ("--row-groups", "coin"), "'coin' is the target, and cannot say which rows belong"),
        ({"patient": [None, *NAMES[1:]]}, TOGETHER, "row 1: --row-groups 'patient' is missing"),
        (
            {"patient": np.where(PATIENTS % 2, "a", "b")},
            TOGETHER,
            "4 folds are too many: the smallest class has only 2 groups of rows; ask for fewer",
        ),
    ],
)
def test_bad_input(run, tmp_path, change, options, message):
    TABLE.assign(**change).to_csv(tmp_path / "t.csv", index=False)
    result = run("path", tmp_path / "t.csv", "-t", "coin", *options, *PATH)
    assert (result.code, result.out) == (2, "")
    assert message in result.err.splitlines()[-1]


def test_no_such_file_and_a_file_of_another_length(run, svm_file, tmp_path):
    result = run("path", svm_file, "--row-groups", "who.txt", *PATH)
    assert result.code == 2
    assert "a file with one label for each row here, and there is no file" in result.err
    short = tmp_path / "short.txt"
    short.write_text("a\nb\n")
    result = run("path", svm_file, "--row-groups", short, *PATH)
    assert result.code == 2
    assert "has 2 labels but" in result.err
