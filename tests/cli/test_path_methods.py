"""``handful path --method``: every method, scored as scikit-learn's cross-validation scores it."""

import json

import numpy as np
import pytest
from genes import INFORMATIVE, NAMES, draw
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

import handful
from handful.cli.methods import METHODS
from handful.datasets import make_bags
from handful.metrics import measure_scorer, multilabel_accuracy_scorer
from handful.status import Status

KS, FOLDS, SEED = (1, 3), 3, 5
#: What makes the fit short, or the test sharper, on the shell and in Python.
OPTIONS = {
    "fgm": (["-C", "fast"], {"C": "fast"}),
    "greedy-rls": (["--alpha", "0.1,10"], {"alpha": [0.1, 10.0]}),
    "direct": (["--p", "1", "--scale", "std"], {"p": 1.0, "scale": "std"}),
    "rfs": (["--alpha", "0.5"], {"alpha": 0.5}),
    "miles": (["-C", "fast", "--gamma", "0.3"], {"C": "fast", "gamma": 0.3}),
    "dictionary": (["--tol", "0.1"], {"tol": 0.1, "random_state": 0}),
}
BAGS = make_bags(n_bags=40, mean_size=4, n_features=4, random_state=0)
of_columns = [name for name, method in METHODS.items() if not method.takes_bags]
of_quantities = [name for name, method in METHODS.items() if method.regressor]


def path_json(run, *arguments):
    result = run("path", *arguments, "-k", "3,1", "--cv", FOLDS, "--seed", SEED, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def check(report, estimator, count, X, y, folds, scoring):
    """See that the path has the scores of cross-validation by hand, at each k."""
    assert [point["k"] for point in report["path"]] == list(KS)
    for point in report["path"]:
        assert point["n_selected"] == [point["k"]] * FOLDS
        by_hand = scores_by_hand(estimator, count, point["k"], X, y, folds, scoring)
        np.testing.assert_allclose(point["test_scores"], by_hand, rtol=1e-12)
        assert point["mean"] == pytest.approx(by_hand.mean())
        assert point["std"] == pytest.approx(by_hand.std(ddof=1))


def scores_by_hand(estimator, count, k, X, y, folds, scoring):
    """Score with scikit-learn's cross-validation; a path of the machine has candidates of its largest k."""
    if not isinstance(estimator, (handful.FGMClassifier, handful.FGMRegressor)):
        return cross_val_score(estimator.set_params(**{count: k}), X, y, cv=folds, scoring=scoring)
    y = np.asarray(y)
    score = check_scoring(estimator, scoring)
    splits = folds.split(np.zeros(len(y)), y)
    return np.array(
        [
            score(estimator.fit_path(X[train], y[train], KS)[k], X[test], y[test])
            for train, test in splits
        ]
    )


def stratified():
    return StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)


def made(name, kind="classifier"):
    return getattr(handful, getattr(METHODS[name], kind))(**OPTIONS[name][1])


@pytest.fixture(scope="module")
def bags_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("bags") / "bags.npz"
    ids = np.repeat(np.arange(len(BAGS.y)), BAGS.bags.sizes)
    np.savez(path, X=BAGS.bags.instances, bag=ids, y=BAGS.y)
    return path


@pytest.mark.parametrize("name", of_columns)
def test_classes(run, name, csv_file):
    report = path_json(run, csv_file, "-t", "outcome", "--method", name, *OPTIONS[name][0])
    X, score = draw()
    assert report["scoring"] == "accuracy"
    check(report, made(name), "n_features_to_select", X, score > 0, stratified(), "accuracy")


@pytest.mark.parametrize("name", of_quantities)
def test_quantities(run, name, quantities):
    report = path_json(run, quantities, "-t", "outcome", "--method", name, *OPTIONS[name][0])
    X, score = draw()
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    assert report["scoring"] == "r2"
    estimator = made(name, "regressor")
    check(report, estimator, "n_features_to_select", X, score.round(4), folds, "r2")


@pytest.mark.parametrize(
    ("name", "scoring", "scorer"),
    # The measure of the loss, which of a dictionary is f1 unless another is asked for.
    [("miles", "accuracy", "accuracy"), ("dictionary", "f1", measure_scorer("f1"))],
)
def test_bags(run, name, scoring, scorer, bags_file):
    report = path_json(run, bags_file, "--bags", "bag", "--method", name, *OPTIONS[name][0])
    assert report["scoring"] == scoring
    count = METHODS[name].count
    check(report, made(name), count, BAGS.bags, BAGS.y, stratified(), scorer)


def test_several_labels(run, tmp_path):
    X, score = draw()
    Y = np.column_stack([score > 1, score < -1]).astype(int)
    np.savez(tmp_path / "labels.npz", X=X, Y=Y)
    report = path_json(run, tmp_path / "labels.npz", "--targets", "Y")
    assert report["scoring"] == "multilabel_accuracy"
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    scorer, estimator = multilabel_accuracy_scorer(), handful.GreedyRLSClassifier()
    check(report, estimator, "n_features_to_select", X, Y, folds, scorer)
    other = path_json(run, tmp_path / "labels.npz", "--targets", "Y", "--scoring", "macro_auc")
    assert other["scoring"] == "macro_auc"


def test_scorers_of_several_labels_are_listed(refused, tmp_path):
    X, score = draw()
    np.savez(tmp_path / "labels.npz", X=X, Y=np.column_stack([score > 1, score < -1]).astype(int))
    sentence = refused(
        "path", tmp_path / "labels.npz", "--targets", "Y", "-k", 2, "--scoring", "g9"
    )
    assert sentence.startswith("'g9' is neither a scorer of scikit-learn nor a measure such as")
    assert "neg_hamming_loss, multilabel_accuracy" in sentence


@pytest.mark.parametrize("name", METHODS)
def test_the_table_says_the_method_and_what_is_counted(run, name, csv_file, bags_file):
    data = [bags_file, "--bags", "bag"] if METHODS[name].takes_bags else [csv_file, "-t", "outcome"]
    options = [*OPTIONS[name][0], "-k", "2,3", "--cv", 2, "--method", name]
    result = run("path", *data, *options)
    assert result.code == 0, result.err
    by = "" if name == "fgm" else f" by {name}"
    assert f", 2 folds, selection{by} inside each fold" in result.out
    counted = {"miles": "instances", "dictionary": "atoms"}.get(name, "features")
    scored = "bags" if METHODS[name].takes_bags else "rows"
    titles = [title.strip() for title in result.out.splitlines()[2].split("┃")[1:-1]]
    comparable = [] if METHODS[name].takes_bags else ["stability"]
    assert titles == [counted, f"held-out {scored}", f"training {scored}", *comparable, "seconds"]
    assert f" {counted}\nfewest within one standard error of the best:" in result.out


@pytest.mark.parametrize("name", ["fgm", "greedy-rls"])
def test_wishes_are_heeded_in_every_fold(run, refused, name, csv_file):
    """Without the features that decide there is little to find."""
    data = [csv_file, "-t", "outcome", "--method", name, *OPTIONS[name][0]]
    free = path_json(run, *data)
    for kept_out in INFORMATIVE:
        data += ["--exclude", kept_out]
    assert path_json(run, *data)["path"][1]["mean"] < free["path"][1]["mean"] - 0.2
    wishes = ["--include", NAMES[0], "--include", NAMES[1]]
    assert "2" in refused("path", *data, *wishes, "-k", "1", "--cv", FOLDS)


def test_groups_of_a_greedy_path(run, csv_file, tmp_path):
    groups = tmp_path / "groups.csv"
    groups.write_text("".join(f"{name},{j // 3}\n" for j, name in enumerate(NAMES)))
    data = [csv_file, "-t", "outcome", "--groups", groups, "--method", "greedy-rls"]
    report = path_json(run, *data)
    X, score = draw()
    estimator = handful.GreedyRLSClassifier(groups=np.arange(12) // 3)
    check(report, estimator, "n_features_to_select", X, score > 0, stratified(), "accuracy")
    assert "groups" in run("path", *data, "-k", "1,2", "--cv", 2).out


def test_a_greedy_path_is_fitted_once_in_a_fold(run, csv_file, monkeypatch):
    fit, asked = handful.GreedyRLSClassifier.fit, []

    def counted(self, *args, **kwargs):
        asked.append(self.n_features_to_select)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(handful.GreedyRLSClassifier, "fit", counted)
    path_json(run, csv_file, "-t", "outcome", "--method", "greedy-rls")
    assert asked == [max(KS)] * FOLDS


def test_fewer_columns_with_signal_than_asked_for(run, tmp_path):
    """A greedy path ends where nothing more can be added, as a fit of that many does."""
    X, score = draw()
    X[:, 4:] = 1.0
    np.savez(tmp_path / "few.npz", X=X, y=(score > 0).astype(int))
    data = [tmp_path / "few.npz", "--method", "greedy-rls", "--cv", 2]
    result = run("path", *data, "-k", "2,6,8", "--json")
    assert result.code == 0, result.err
    assert [point["n_selected"] for point in json.loads(result.out)["path"]] == [
        [2, 2],
        [4, 4],
        [4, 4],
    ]


def test_interrupts_of_other_methods(run, csv_file, monkeypatch):
    fit, count = handful.GreedyRLSClassifier.fit, iter(range(1, 100))

    def interrupted(self, *args, **kwargs):
        fit(self, *args, **kwargs)
        if next(count) == 3:
            self.status_ = Status.INTERRUPTED
        return self

    monkeypatch.setattr(handful.GreedyRLSClassifier, "fit", interrupted)
    options = ["-t", "outcome", "-k", "1,2", "--cv", 4, "--method", "greedy-rls", "--json"]
    result = run("path", csv_file, *options)
    assert (result.code, json.loads(result.out)["n_folds"]) == (130, 2)


def test_folds_of_bags(refused, bags_file):
    sentence = refused("path", bags_file, "--bags", "bag", "-k", "2", "--cv", 30)
    assert sentence == "30 folds are too many: the smallest class has only 20 bags; ask for fewer"


def test_methods_that_tell_classes_apart(refused, quantities):
    sentence = refused("path", quantities, "-t", "outcome", "-k", "2", "--method", "direct")
    assert sentence.startswith("--method direct tells classes apart, and the target holds quant")
