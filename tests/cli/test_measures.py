"""``--loss`` with a measure: select, path, predict and inspect."""

import json

import numpy as np
import pytest
from genes import FAST, INFORMATIVE, write_csv
from sklearn.model_selection import KFold, StratifiedKFold

from handful import FGMClassifier
from handful.cli.scoring import choose_scoring
from handful.io import load_model, save_model
from handful.losses import known_losses
from handful.measures import FBeta, PrecisionAtK, known_measures
from handful.metrics import macro_measure_score, measure_score

RARE = 2.0
#: One round, where it is not asked how good a model is.
SHORT = ("--max-rounds", 1)
#: One text of each measure that there is.
MEASURES = [cls.example_texts()[0].replace("100", "5") for cls in known_measures().values()]


@pytest.fixture
def rare(tmp_path, numbers):
    """A class of few rows, and the last in the order of names."""
    X, score = numbers
    return write_csv(tmp_path / "rare.csv", X, np.where(score > RARE, "well", "ill"))


def ask(run, command, *arguments):
    result = run(command, *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


class TestSelect:
    @pytest.mark.parametrize("loss", ["f1", "f0.5", "prec@10", "prec@20%", "rec@2p", "prbep"])
    def test_the_model_is_what_the_library_finds(self, run, rare, numbers, tmp_path, loss):
        path = tmp_path / "m.handful"
        result = run("select", rare, "-t", "outcome", "-k", 3, "--loss", loss, *FAST, "-o", path)
        assert result.code == 0, result.err
        X, score = numbers
        expected = FGMClassifier(3, loss=loss, C="fast").fit(
            X, np.where(score > RARE, "well", "ill")
        )
        saved = load_model(path)
        assert saved.loss == loss
        np.testing.assert_array_equal(saved.support_ids_, expected.support_ids_)
        np.testing.assert_allclose(saved.decision_function(X), expected.decision_function(X))

    def test_it_is_said_which_class_is_positive(self, run, rare, numbers, tmp_path):
        X, score = numbers
        count = int((score > RARE).sum())
        asked = ("-t", "outcome", "-k", 3, *FAST, "--loss")
        for command in (("select",), ("stability", "--resamples", 4)):
            said = run(*command, rare, *asked, "prec@5").err
            assert (
                f"prec@5 is about class well, the second in order, with {count} of 80 rows" in said
            )
        assert "is about class" not in run("select", rare, *asked, "roc_auc").err
        assert "is about class" not in run("select", rare, *asked, "logistic").err
        common = write_csv(tmp_path / "c.csv", X, np.where(score > RARE, "case", "control"))
        said = run("select", common, *asked, "f1").err
        assert "f1 is about class control, the second in order, which " in said
        assert "if case is to be found, rename the classes so that it comes second" in said
        numbered = write_csv(tmp_path / "n.csv", X, (score > RARE).astype(int))
        assert "is about class" not in run("select", numbered, *asked, "f1").err

    def test_each_class_has_features_of_its_own(self, run, three_classes):
        arguments = [three_classes, "-t", "outcome", "-k", 2, "--loss", "f1", *FAST, "--per-class"]
        said = ask(run, "select", *arguments)
        assert [len(ids) for ids in said["class_features"]] == [2, 2, 2]
        union = sorted({j for ids in said["class_features"] for j in ids})
        assert [feature["id"] for feature in said["features"]] == union
        assert said["relative_gap"] == pytest.approx(said["dual_gap"] / said["objective"])
        shown = run("select", *arguments).out
        assert f"{len(union)} of 12 features: the union of 2 for each of 3 classes" in shown

    def test_classes_share_features(self, run, three_classes):
        said = ask(run, "select", three_classes, "-t", "outcome", "-k", 2, "--loss", "f1", *FAST)
        assert (said["class_features"], said["n_selected"]) == (None, 2)

    def test_two_classes_have_one_selection(self, run, rare):
        said = ask(run, "select", rare, "-t", "outcome", "-k", 3, "--loss", "f1")
        assert said["class_features"] is None


class TestPath:
    @pytest.mark.parametrize("loss", ["f1", "prec@5", "rec@2p", "prbep", "roc_auc"])
    def test_the_measure_is_reported(self, run, rare, numbers, loss):
        asked = "-t outcome -k 3 --cv 3 --seed 5 --loss"
        arguments = [rare, *asked.split(), loss, *FAST, *SHORT]
        said = ask(run, "path", *arguments)
        assert said["scoring"] == loss
        X, score = numbers
        y = (score > RARE).astype(int)
        expected = []
        for train, test in StratifiedKFold(3, shuffle=True, random_state=5).split(X, y):
            model = FGMClassifier(3, loss=loss, C="fast", max_rounds=1).fit(X[train], y[train])
            expected.append(measure_score(y[test], model.decision_function(X[test]), loss))
        np.testing.assert_allclose(said["path"][0]["test_scores"], expected)
        table = run("path", *arguments, "--cv", 2).out
        assert f"{loss}, 2 folds, selection inside each fold" in table

    def test_several_classes_are_averaged(self, run, three_classes, numbers):
        asked = "-t outcome -k 2 --cv 2 --loss f1"
        arguments = [three_classes, *asked.split(), *FAST, *SHORT]
        said = ask(run, "path", *arguments)
        assert said["scoring"] == "macro f1 (each class against the rest)"
        X, score = numbers
        y = np.digitize(score, [-2, 2])
        expected = []
        for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
            model = FGMClassifier(2, loss="f1", C="fast", max_rounds=1).fit(X[train], y[train])
            expected.append(macro_measure_score(y[test], model.decision_function(X[test]), "f1"))
        np.testing.assert_allclose(said["path"][0]["test_scores"], expected)
        table = run("path", *arguments).out
        assert "macro f1 (each class against the rest), 2 folds" in table

    @pytest.mark.parametrize("loss", MEASURES)
    def test_several_labels_are_averaged(self, run, numbers, tmp_path, loss):
        X, score = numbers
        Y = np.column_stack([score > 1, X[:, 5] < -1]).astype(int)
        data = tmp_path / "labels.npz"
        np.savez(data, X=X, Y=Y)
        arguments = [data, "--targets", "Y", "-k", 3, "--cv", 2, "--loss", loss, *FAST, *SHORT]
        said = ask(run, "path", *arguments)
        assert said["scoring"] == f"macro {loss} (the mean over labels)"
        expected = []
        for train, test in KFold(2, shuffle=True, random_state=0).split(X):
            model = FGMClassifier(3, loss=loss, C="fast", max_rounds=1).fit(X[train], Y[train])
            scores = model.decision_function(X[test])
            alone = [measure_score(y, z, loss) for y, z in zip(Y[test].T, scores.T, strict=True)]
            expected.append(np.mean(alone))
        np.testing.assert_allclose(said["path"][0]["test_scores"], expected)

    def test_labels_without_a_measure(self, run, numbers, tmp_path):
        X, score = numbers
        data = tmp_path / "labels.npz"
        np.savez(data, X=X, Y=np.column_stack([score > 1, score < -1]).astype(int))
        arguments = [data, "--targets", "Y", "-k", 3, "--cv", 2, "--method", "fgm", *FAST, *SHORT]
        assert ask(run, "path", *arguments)["scoring"] == "multilabel_accuracy"
        asked = ask(run, "path", *arguments, "--scoring", "roc_auc")["scoring"]
        assert asked == "macro roc_auc (the mean over labels)"

    def test_another_can_be_asked_for(self, run, rare):
        arguments = [rare, "-t", "outcome", "-k", "3", "--cv", 2, *FAST, *SHORT]
        for scoring in ("prec@5", "balanced_accuracy"):
            said = ask(run, "path", *arguments, "--loss", "f1", "--scoring", scoring)
            assert said["scoring"] == scoring
        assert ask(run, "path", *arguments, "--scoring", "rec@2p")["scoring"] == "rec@2p"

    def test_accuracy_of_several_classes_is_that_of_the_predicted_class(self, run, three_classes):
        asked = "-t outcome -k 3 --cv 3 --loss accuracy"
        arguments = [three_classes, *asked.split(), *FAST, *SHORT]
        assert ask(run, "path", *arguments)["scoring"] == "accuracy"

    def test_more_wanted_than_a_fold_has(self, refused, rare):
        asked = "-t outcome -k 3 --cv 4 --loss prec@30"
        sentence = refused("path", rare, *asked.split(), *FAST)
        assert sentence.startswith(
            "no prec@30 of a fold's held-out rows: k='30' is more than the 20"
        )

    def test_plot(self, run, rare, tmp_path):
        pytest.importorskip("matplotlib", reason="needs matplotlib (the extra 'plot')")
        plot = tmp_path / "curve.svg"
        arguments = [rare, "-t", "outcome", "-k", "2,3", "--cv", 3, "--loss", "rec@2p", *FAST]
        assert run("path", *arguments, "--plot", plot).code == 0
        assert plot.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("wanted", "loss", "n_classes", "name"),
    [
        (None, None, 2, "accuracy"),
        (None, "logistic", 2, "accuracy"),
        (None, "squared", None, "r2"),
        (None, FBeta(2.0), 2, "f2"),
        (None, PrecisionAtK(0.1), 3, "macro prec@0.1 (each class against the rest)"),
        (None, "nonsense", 2, "accuracy"),  # the estimator says what is wrong with it
        ("f1", None, 3, "macro f1 (each class against the rest)"),
        ("f1_macro", "f1", 3, "f1_macro"),
    ],
)
def test_what_is_reported(wanted, loss, n_classes, name):
    assert choose_scoring(wanted, loss, n_classes).name == name


class TestPredict:
    def test_the_measure_beside_accuracy(self, run, rare, numbers, tmp_path):
        path = tmp_path / "m.handful"
        asked = [rare, "-t", "outcome", "-k", 3, "--loss", "f1", *FAST, "-o", path]
        assert run("select", *asked).code == 0
        X, score = numbers
        expected = measure_score(score > RARE, load_model(path).decision_function(X), "f1")
        result = run("predict", path, rare, "-o", tmp_path / "p.csv")
        assert f"f1 {expected:.4f}, accuracy " in result.err
        assert ask(run, "predict", path, rare)["score"]["f1"] == pytest.approx(expected)

    def test_several_classes(self, run, three_classes, tmp_path):
        path = tmp_path / "m.handful"
        options = ["-t", "outcome", "-k", 3, "--loss", "f1", *FAST, "-o", path]
        assert run("select", three_classes, *options).code == 0
        score = ask(run, "predict", path, three_classes)["score"]
        assert list(score) == ["macro f1 (each class against the rest)", "accuracy"]
        assert score["macro f1 (each class against the rest)"] > 0.7

    def test_several_labels(self, run, numbers, tmp_path):
        X, score = numbers
        data, model = tmp_path / "labels.npz", tmp_path / "m.handful"
        Y = np.column_stack([score > 1, score < -1]).astype(int)
        np.savez(data, X=X, Y=Y)
        ask(run, "select", data, "--targets", "Y", "-k", 3, "--loss", "f1", "-o", model, *FAST)
        score = ask(run, "predict", model, data)["score"]
        scores = load_model(model).decision_function(X)
        first, value = next(iter(score.items()))
        assert first == "macro f1 (the mean over labels)"
        assert value == pytest.approx(macro_measure_score(Y, scores, "f1"))

    def test_rows_for_which_it_is_undefined(self, run, rare, numbers, tmp_path):
        """Too few rows for k are no reason not to predict."""
        path = tmp_path / "m.handful"
        run("select", rare, "-t", "outcome", "-k", 3, "--loss", "prec@20", *FAST, "-o", path)
        X, score = numbers
        few = write_csv(tmp_path / "few.csv", X[:9], np.where(score[:9] > RARE, "well", "ill"))
        result = run("predict", path, few, "-o", tmp_path / "p.csv")
        assert result.code == 0
        assert "handful: no prec@20 of these rows: k='20' is more than the 9 samples" in result.err
        assert "handful: accuracy " in result.err


def test_inspect_shows_a_measure_given_as_an_instance(run, numbers, tmp_path):
    X, score = numbers
    path = tmp_path / "m.handful"
    save_model(FGMClassifier(3, loss=PrecisionAtK("2p"), C="fast").fit(X, score > RARE), path)
    assert ask(run, "inspect", path)["parameters"]["loss"] == "PrecisionAtK(k='2p')"
    assert "loss=PrecisionAtK(k='2p')" in run("inspect", path).out


class TestBadInput:
    @pytest.mark.parametrize("command", ["select", "path"])
    @pytest.mark.parametrize(("loss", "given"), [("prec@0", "'0'"), ("rec@", "''")])
    def test_no_such_k(self, refused, rare, command, loss, given):
        sentence = refused(command, rare, "-t", "outcome", "-k", 3, "--loss", loss)
        assert sentence.startswith("k must be a whole number of at least 1")
        assert sentence.endswith(f"got {given}.")

    @pytest.mark.parametrize("command", ["select", "path"])
    @pytest.mark.parametrize("loss", ["f3x", "auc"])
    def test_unknown_measures_list_the_known(self, refused, rare, command, loss):
        sentence = refused(command, rare, "-t", "outcome", "-k", 3, "--loss", loss)
        assert repr(loss) in sentence
        for known in ("squared_hinge", "logistic", "f1", "prec@100", "rec@2p", "prbep", "roc_auc"):
            assert repr(known) in sentence

    @pytest.mark.parametrize("command", ["select", "path"])
    def test_k_above_the_rows(self, refused, rare, command):
        options = ["-t", "outcome", "-k", 3, "--loss", "prec@1000"]
        sentence = refused(command, rare, *options)
        assert "k='1000' is more than the" in sentence
        assert sentence.endswith("choose a smaller k or a share of the samples such as 0.1.")

    def test_regression_has_no_measures(self, refused, quantities):
        sentence = refused("select", quantities, "-t", "outcome", "-k", 3, "--loss", "f1")
        known = ", ".join(map(repr, known_losses("regression")))
        assert f"loss must be one of {known}" in sentence
        assert refused("path", quantities, "-t", "outcome", "-k", 3, "--loss", "f1") == sentence

    def test_solvers_of_smooth_losses(self, refused, rare):
        options = ["-t", "outcome", "-k", 3, "--loss", "f1", "--solver", "apg"]
        assert "smooth" in refused("select", rare, *options)

    def test_unknown_scorers_list_the_measures(self, refused, rare):
        sentence = refused("path", rare, "-t", "outcome", "-k", 3, "--scoring", "acuracy")
        assert sentence.startswith("'acuracy' is neither a scorer of scikit-learn nor a measure")
        assert "prec@100" in sentence


def test_the_rare_class_is_found(run, rare):
    """The features that decide are those of the other losses, too."""
    said = ask(run, "select", rare, "-t", "outcome", "-k", 3, "--loss", "f1")
    assert {feature["name"] for feature in said["features"]} == set(INFORMATIVE)
