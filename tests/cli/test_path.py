"""``handful path``: cross-validation with the selection inside, table and curve."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from genes import FAST
from sklearn.model_selection import StratifiedKFold

from handful import FGMClassifier
from handful.cli.curve import Curve
from handful.model_selection import KPath


def path_json(run, *arguments):
    result = run("path", *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def test_table(run, csv_file):
    result = run("path", csv_file, "-t", "outcome", *FAST, "-k", "1,3,6", "--cv", 4)
    assert result.code == 0
    assert "accuracy, 4 folds, selection inside each fold" in result.out
    assert "best: 3 features" in result.out or "best: 6 features" in result.out
    assert "fewest within one standard error of the best:" in result.out


def test_accuracy_stands_beside_that_of_the_commonest_class(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{a:.3f},{b:.3f},{'ill' if i % 4 else 'well'}"
        for i, (a, b) in enumerate(rng.normal(size=(40, 2)))
    ]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["a,b,y", *rows]) + "\n")
    asked = ("path", path, "-t", "y", *FAST, "-k", "1", "--cv", 2)
    assert "\nalways guessing ill has 0.7500\n" in run(*asked).out
    assert "guessing" not in run(*asked, "--scoring", "balanced_accuracy").out


def test_spreads_are_standard_errors_throughout(run, csv_file):
    asked = ("-t", "outcome", *FAST, "-k", "2,3", "--cv", 4, "--rule", "best")
    report, shown = path_json(run, csv_file, *asked), run("path", csv_file, *asked).out
    assert "selection inside each fold: mean ± its standard error" in shown
    for point in report["path"]:
        error = point["std"] / np.sqrt(len(point["test_scores"]))
        assert f"{point['mean']:.4f} ± {error:.4f} │" in shown
    chosen = report["score_of_chosen_k"]["same_folds"]
    assert shown.count(f"{chosen['mean']:.4f} ± {chosen['standard_error']:.4f}") >= 2


def test_scores_are_those_of_fits_on_the_training_rows_alone(run, csv_file, numbers):
    asked = ("-t", "outcome", *FAST, "-k", "3", "--cv", 3, "--seed", 5)
    report = path_json(run, csv_file, *asked)
    X, score = numbers
    y = (score > 0).astype(int)
    folds = StratifiedKFold(3, shuffle=True, random_state=5).split(X, y)
    expected = [
        FGMClassifier(3, C="fast").fit(X[train], y[train]).score(X[test], y[test])
        for train, test in folds
    ]
    np.testing.assert_allclose(report["path"][0]["test_scores"], expected)
    assert report["path"][0]["mean"] == pytest.approx(np.mean(expected))
    assert report["path"][0]["std"] == pytest.approx(np.std(expected, ddof=1))


def test_noise_scores_at_chance(run, tmp_path):
    """Selecting before splitting would score far above chance here."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2000)), np.repeat([0, 1], 30)
    np.savez(tmp_path / "noise.npz", X=X, y=y)
    report = path_json(run, tmp_path / "noise.npz", *FAST, "-k", "10", "--cv", 5)
    assert report["path"][0]["mean"] < 0.68
    assert report["path"][0]["train_mean"] > 0.9


def test_ks_are_sorted_and_distinct(run, csv_file):
    report = path_json(run, csv_file, "-t", "outcome", *FAST, "-k", "4,2,4", "--cv", 3)
    assert [point["k"] for point in report["path"]] == [2, 4]
    assert report["path"][0]["n_selected"] == [2, 2, 2]


@pytest.mark.parametrize("scoring", ["f1", "roc_auc", "average_precision", "neg_brier_score"])
def test_scorers_with_text_labels(run, refused, csv_file, scoring):
    arguments = [csv_file, "-t", "outcome", *FAST, "-k", "3", "--cv", "3", "--scoring", scoring]
    if scoring == "neg_brier_score":  # needs probabilities, which a margin is not
        assert refused("path", *arguments)
        return
    report = path_json(run, *arguments)
    assert report["scoring"] == scoring
    assert 0.8 < report["path"][0]["mean"] <= 1


def test_regression(run, quantities):
    report = path_json(run, quantities, "-t", "outcome", *FAST, "-k", "1,3", "--cv", 3)
    assert report["scoring"] == "r2"
    assert report["best_k"] == 3
    assert report["path"][1]["mean"] > 0.9


def test_unknown_scorer(refused, csv_file):
    sentence = refused("path", csv_file, "-t", "outcome", *FAST, "-k", "3", "--scoring", "acuracy")
    assert "'acuracy'" in sentence


def test_too_many_folds(refused, tmp_path):
    np.savez(tmp_path / "few.npz", X=np.eye(6), y=[0, 0, 0, 0, 1, 1])
    sentence = refused("path", tmp_path / "few.npz", "-k", "1", "--cv", 3)
    assert sentence == "3 folds are too many: the smallest class has only 2 rows; ask for fewer"


class TestPlot:
    @pytest.fixture(autouse=True)
    def needs_matplotlib(self):
        pytest.importorskip("matplotlib", reason="needs matplotlib (the extra 'plot')")

    @pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
    def test_curve(self, run, csv_file, tmp_path, suffix, magic):
        plot = tmp_path / f"curve{suffix}"
        result = run(
            "path", csv_file, "-t", "outcome", *FAST, "-k", "1,3,10", "--cv", 3, "--plot", plot
        )
        assert result.code == 0, result.err
        assert plot.read_bytes().startswith(magic)
        assert f"handful: wrote {plot}" in result.err

    def test_other_suffixes_are_refused_before_the_work(self, refused, tmp_path):
        sentence = refused("path", "x.csv", "-k", "3", "--plot", tmp_path / "curve.jpg")
        assert sentence.endswith("its name must end in .png or .svg")

    def test_missing_folder(self, refused, tmp_path):
        sentence = refused("path", "x.csv", "-k", "3", "--plot", tmp_path / "no" / "curve.png")
        assert "does not exist; create it first" in sentence


def test_without_matplotlib(refused, csv_file, tmp_path, monkeypatch):
    for name in ("matplotlib", *sys.modules):
        if name.partition(".")[0] == "matplotlib":
            monkeypatch.setitem(sys.modules, name, None)
    sentence = refused("path", csv_file, "-k", "3", "--plot", tmp_path / "c.png")
    assert sentence.endswith("needs matplotlib; install it with: pip install 'handful[plot]'")


def interrupt_path_number(monkeypatch, number):
    fit_path, count = FGMClassifier.fit_path, iter(range(1, 1000))

    def interrupted(self, *args, **kwargs):
        if next(count) == number:
            raise KeyboardInterrupt
        return fit_path(self, *args, **kwargs)

    monkeypatch.setattr(FGMClassifier, "fit_path", interrupted)


def test_interrupt_reports_the_complete_folds(run, csv_file, monkeypatch):
    interrupt_path_number(monkeypatch, 3)
    result = run("path", csv_file, "-t", "outcome", *FAST, "-k", "2,3", "--cv", 4, "--json")
    report = json.loads(result.out)
    assert (result.code, report["n_folds"], report["interrupted"]) == (130, 2, True)
    assert result.err.endswith("interrupted; the figures are those of 2 complete folds\n")


def test_interrupt_in_the_first_fold(run, csv_file, monkeypatch):
    interrupt_path_number(monkeypatch, 1)
    result = run("path", csv_file, "-t", "outcome", *FAST, "-k", "2,3", "--json")
    assert (result.code, result.out) == (130, "")
    assert result.err.endswith("handful: interrupted; nothing was written\n")


def test_the_optimistic_figure_never_stands_alone(run, csv_file):
    arguments = ["path", csv_file, "-t", "outcome", *FAST, "-k", "1,3", "--cv", 3]
    plain = run(*arguments).out
    assert "on the folds that chose this number: optimistic" in plain
    assert "with each fold at the number that the other folds choose" in plain
    assert "--nested 5 repeats the whole choice inside outer folds" in plain
    nested = run(*arguments, "--nested", 2).out
    assert "nested: the choice repeated inside 2 outer folds" in nested


def test_too_many_folds_inside_of_outer_ones(run, refused, csv_file, numbers, tmp_path):
    asked = ("path", csv_file, "-t", "outcome", *FAST, "-k", 1, "--cv", 30)
    assert run(*asked).code == 0
    _, score = numbers
    rarer = min((score > 0).sum(), (score <= 0).sum())
    left = rarer - rarer // 2 - rarer % 2
    sentence = "30 folds inside of 2 outer ones are too many: the smallest class has only"
    assert f"{sentence} {left} rows there; ask" in refused(*asked, "--nested", 2)
    patients = "\n".join(str(j % 4) for j in range(len(score)))
    (tmp_path / "patients.txt").write_text(patients)
    table = tmp_path / "table.npz"
    np.savez(table, X=numbers[0], y=score > 0)
    asked = ("path", table, *FAST, "-k", 1, "--cv", 4, "--nested", 4)
    said = run(*asked, "--row-groups", tmp_path / "patients.txt").err
    assert "4 folds inside of 4 outer ones are too many" in said
    assert "only 3 groups of rows there" in said


def test_a_scorer_of_probabilities_says_what_has_them(run, refused, csv_file):
    asked = ("path", csv_file, "-t", "outcome", *FAST, "-k", 1, "--cv", 2)
    scorer = ("--scoring", "neg_log_loss")
    assert "needs probabilities, which models have with --loss logistic" in refused(*asked, *scorer)
    assert run(*asked, *scorer, "--loss", "logistic").code == 0


@pytest.mark.parametrize("rule", ["best", "one_se"])
def test_rule_and_file(run, csv_file, tmp_path, rule):
    path = tmp_path / "path.json"
    arguments = [csv_file, "-t", "outcome", *FAST, "--cv", 3, "--rule", rule, "--nested", 2]
    report = path_json(run, *arguments, "-k", "1,3,6", "-o", path)
    assert json.loads(path.read_text()) == report
    name = "best_k" if rule == "best" else "one_standard_error_k"
    assert (report["rule"], report["chosen_k"]) == (rule, report[name])
    figures = report["score_of_chosen_k"]
    of_chosen = next(point for point in report["path"] if point["k"] == report["chosen_k"])
    assert figures["same_folds"]["mean"] == pytest.approx(of_chosen["mean"])
    assert figures["same_folds"]["standard_error"] == pytest.approx(of_chosen["std"] / 3**0.5)
    assert len(figures["nested"]["scores"]) == len(figures["nested"]["k"]) == 2
    features = report["features_of_chosen_k"]
    assert sum(one["frequency"] for one in features) == pytest.approx(report["chosen_k"])
    assert all(isinstance(one["name"], str) for one in features)
    assert {"value", "low", "high"} == of_chosen["stability"].keys()


def test_numbers_of_features_by_default(run, csv_file):
    report = path_json(run, csv_file, "-t", "outcome", *FAST, "--cv", 2, "--method", "fgm")
    assert [point["k"] for point in report["path"]][:5] == [1, 2, 3, 5, 8]


def test_unknown_rule(refused, csv_file):
    sentence = refused("path", csv_file, "-t", "outcome", "-k", "3", "--rule", "two_se")
    assert "'two_se' is none of one_se, best" in sentence


def make_curve(test):
    search = SimpleNamespace(k_path_=KPath([1, 2, 5], test))
    return Curve(search, None, [], "accuracy", "fgm", "features", "rows")


def test_best_and_one_standard_error():
    curve = make_curve([[0.5, 0.88, 0.9], [0.5, 0.92, 0.96], [0.5, 0.9, 0.9]])
    assert curve.chosen("best") == 5
    assert curve.chosen("one_se") == 2  # .90 is within .92 - .0346 / sqrt(3) = .90
    assert make_curve([[0.9, 0.9, 0.9]] * 2).chosen("best") == 1
    single = make_curve([[0.5, 0.9, 0.8]])
    assert (single.chosen("best"), single.chosen("one_se")) == (2, 2)


def test_a_class_of_one_row_is_no_matter_of_folds(refused, tmp_path):
    np.savez(tmp_path / "few.npz", X=np.eye(6), y=[0, 0, 0, 0, 0, 1])
    sentence = refused("path", tmp_path / "few.npz", "-k", "1", "--cv", 2)
    assert sentence.endswith("has only 1 row; add rows, or leave that class out")
