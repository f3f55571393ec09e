"""A saved model is the model; a strange file is refused and nothing in it is run."""

import functools
import json
import os
import pickle

import every_estimator
import numpy as np
import pytest
from saved_models import LABELS, NESTED, SCORE, THINNED, X, alter, put, same
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from handful import (
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    MultiTaskLassoInf,
)
from handful.files import OutputError
from handful.io import InputError, load_model, read_model_file, save_model
from handful.io.archive import read_archive
from handful.io.model_file import ESTIMATORS, FORMAT
from handful.losses import Logistic, SquaredHinge
from handful.measures import FBeta, PrecisionAtK, RecallAtK
from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial, known_spaces

#: Their files are tested beside them, in tests of their own.
TESTED_ELSEWHERE = {
    *("SVMPerfClassifier", "DictionaryMILClassifier"),
    *("DirectSparsityClassifier", "RFSClassifier", "RFSRegressor"),
}
LABELS_OF_ROWS = np.column_stack([SCORE > 0, X[:, 1] > 0, SCORE > 1]).astype(int)
MODELS = {
    "two classes": (FGMClassifier(3, C="fast"), X, SCORE > 0),
    "text labels": (FGMClassifier(3, C="fast"), X, np.where(SCORE > 0, "good\nline", "bad")),
    "object labels": (
        FGMClassifier(3, C="fast"),
        X,
        np.where(SCORE > 0, "good", "bad").astype(object),
    ),
    "three classes": (
        FGMClassifier(3, loss="logistic", C="fast"),
        X,
        np.digitize(SCORE, [-0.7, 0.7]),
    ),
    "sparse float32": (
        FGMClassifier(3, C="fast"),
        sparse.csr_matrix(X.astype(np.float32)),
        SCORE > 0,
    ),
    "class weights": (
        FGMClassifier(3, class_weight={0: 1.0, 1: 2.0}, C="fast"),
        X,
        (SCORE > 0).astype(int),
    ),
    "include": (FGMClassifier(3, include=[0], exclude=np.array([8]), C="fast"), X, SCORE > 0),
    "scaled": (FGMClassifier(3, scale="norm", C="fast"), X, SCORE > 0),
    "plain": (FGMClassifier(), X, SCORE > 0),
    "regression": (FGMRegressor(3, C="fast"), X, SCORE),
    "own loss": (FGMClassifier(3, loss=Logistic(), C="fast"), X, SCORE > 0),
    "pairs": (FGMClassifier(3, space=Polynomial(gamma=0.5), C="fast"), X, SCORE > 0),
    "pairs, regression": (FGMRegressor(3, space=Polynomial(coef0=0.1), C="fast"), X, SCORE),
    "pairs without squares": (
        FGMClassifier(3, space=Polynomial(interaction_only=True, include_linear=False), C="fast"),
        sparse.csr_matrix(THINNED),
        np.digitize(SCORE, [-0.7, 0.7]),
    ),
    "intersection": (
        FGMClassifier(3, space=HistogramIntersection(n_levels=5), C="fast"),
        X,
        SCORE > 0,
    ),
    "intersection, sparse float32": (
        FGMClassifier(3, space=HistogramIntersection(beta=0.5), C="fast"),
        sparse.csc_matrix(THINNED.astype(np.float32)),
        SCORE > 0,
    ),
    "gaussian": (FGMClassifier(3, space=AdditiveKernel(), C="fast"), X, SCORE > 0),
    "gaussian, regression": (
        FGMRegressor(3, space=AdditiveKernel(gamma=3.0), C="fast"),
        THINNED,
        SCORE,
    ),
    "anova": (
        FGMClassifier(3, space=AdditiveKernel("anova", n_components=5, degree=2), C="fast"),
        X,
        np.digitize(SCORE, [-0.7, 0.7]),
    ),
    "chi2": (
        FGMClassifier(3, space=AdditiveKernel("chi2"), C="fast"),
        sparse.csr_matrix(abs(THINNED)),
        abs(X[:, 3]) > abs(X[:, 8]),
    ),
    "groups": (FGMClassifier(2, groups=LABELS, group_weights="size", C="fast"), X, SCORE > 0),
    "groups by name": (
        FGMClassifier(
            2, groups=np.array([f"group {label}" for label in LABELS], dtype=object), C="fast"
        ),
        X,
        SCORE > 0,
    ),
    "nested groups": (
        FGMRegressor(2, groups=NESTED, group_weights=np.array([1.0, 2.0, 1.0, 0.5]), C="fast"),
        X,
        SCORE,
    ),
    "f1": (FGMClassifier(3, loss="f1", C="fast"), X, SCORE > 1),
    "rec@2p": (FGMClassifier(3, loss="rec@2p", C="fast"), X, np.where(SCORE > 1, "yes", "no")),
    "plain, prbep": (FGMClassifier(loss="prbep", budget=3), X, SCORE > 1),
    "a measure of its own beta": (FGMClassifier(3, loss=FBeta(0.5), C="fast"), X, SCORE > 1),
    "k as a count": (FGMClassifier(3, loss=PrecisionAtK(10), C="fast"), X, SCORE > 1),
    "k as a share": (FGMClassifier(3, loss=PrecisionAtK(0.25), C="fast"), X, SCORE > 1),
    "k in positives": (FGMClassifier(3, loss=RecallAtK("1.5p"), C="fast"), X, SCORE > 1),
    "a measure, three classes": (
        FGMClassifier(2, loss=RecallAtK("2p"), C="fast"),
        X,
        np.digitize(SCORE, [-0.7, 0.7]),
    ),
    "a measure, three classes, pairs": (
        FGMClassifier(2, loss="f1", space=Polynomial(), C="fast", max_rounds=2),
        X,
        np.digitize(SCORE, [-0.7, 0.7]),
    ),
    "greedy, labels": (GreedyRLSClassifier(3, alpha=[0.1, 1.0]), X, LABELS_OF_ROWS),
    "greedy, alphas of labels": (
        GreedyRLSClassifier(3, alpha=[0.1, 1.0], alpha_per_output=True),
        X,
        LABELS_OF_ROWS,
    ),
    "greedy, text classes": (GreedyRLSClassifier(3), X, np.where(SCORE > 0, "good", "bad")),
    "greedy, groups": (
        GreedyRLSClassifier(2, groups=LABELS, feature_costs=np.arange(1.0, 16.0)),
        X,
        SCORE > 0,
    ),
    "greedy, one output": (GreedyRLSRegressor(3), X, SCORE),
    "greedy, two outputs": (GreedyRLSRegressor(3), X, np.column_stack([SCORE, X[:, 1]])),
    "lasso": (MultiTaskLassoInf(0.1), X, SCORE),
    "lasso, two outputs": (
        MultiTaskLassoInf(n_features_to_select=3),
        sparse.csr_matrix(X),
        np.column_stack([SCORE, X[:, 1]]),
    ),
    "instances": (MILESClassifier(3, loss="f1", C="fast"), X, SCORE > 0),
    "lists of ids": (FGMClassifier(2, groups=[[0, 3, 8], [8, 11]], C="fast"), X, SCORE > 0),
}


def spaces_of(models):
    """Return the names of the models by that of their space."""
    return {type(getattr(model[0], "space", None)).__name__: name for name, model in models.items()}


SPACE_ELSEWHERE = "Substrings"  # strings/test_fits.py: X is no matrix
#: A space without a model above has the one that all contracts have.
MODELS |= {
    name: every_estimator.MODELS[name]
    for space, name in spaces_of(every_estimator.MODELS).items()
    if space not in (*spaces_of(MODELS), SPACE_ELSEWHERE)
}


@functools.cache
def fit(name):
    estimator, features, target = MODELS[name]
    return clone(estimator).fit(features, target), features


@pytest.fixture(params=MODELS)
def fitted(request):
    """A fitted model, for whoever does not change it, and its data."""
    return fit(request.param)


def test_every_estimator_is_tested():
    here = {type(estimator).__name__ for estimator, _, _ in MODELS.values()}
    assert here | TESTED_ELSEWHERE == {*ESTIMATORS}


def test_every_space_is_tested():
    tested = {*spaces_of(MODELS), SPACE_ELSEWHERE}
    ask = "give it a model in every_estimator.py::MODELS"
    assert tested == known_spaces().keys() | {"NoneType"}, ask


def test_new_rows_are_mapped_by_what_was_learnt(fitted, tmp_path):
    """Other rows, of other ranges: a space that learnt anew would make other columns."""
    estimator, features = fitted
    save_model(estimator, tmp_path / "m.handful")
    rows = features[:7] * 3
    same(load_model(tmp_path / "m.handful").transform(rows), estimator.transform(rows))


def test_round_trip(fitted, tmp_path):
    estimator, features = fitted
    save_model(estimator, tmp_path / "m.handful")
    again = load_model(tmp_path / "m.handful")
    assert type(again) is type(estimator)
    assert repr(again) == repr(estimator)
    np.testing.assert_array_equal(again.predict(features), estimator.predict(features))
    assert again.predict(features).dtype == estimator.predict(features).dtype
    if hasattr(estimator, "decision_function"):
        np.testing.assert_array_equal(
            again.decision_function(features), estimator.decision_function(features)
        )
    np.testing.assert_array_equal(again.get_support(), estimator.get_support())
    assert again.support_ids_.dtype == np.int64
    same(again.transform(features), estimator.transform(features))
    assert again.get_feature_names_out().tolist() == estimator.get_feature_names_out().tolist()
    if getattr(estimator, "space", None) is None:
        np.testing.assert_array_equal(again.coef_, estimator.coef_)
    own, old_own = (getattr(one, "class_support_ids_", []) for one in (again, estimator))
    assert [ids.tolist() for ids in own] == [ids.tolist() for ids in old_own]
    if getattr(estimator, "groups", None) is not None:
        assert again.group_support_.dtype == np.int64
        assert again.group_support_.tolist() == estimator.group_support_.tolist()
        known, old = (getattr(one, "group_labels_", None) for one in (again, estimator))
        np.testing.assert_array_equal(known, old)
    assert again.status_ is estimator.status_
    assert again.history_ == estimator.history_
    for figure in ("objective_", "dual_gap_", "n_iter_", "alpha_"):
        assert getattr(again, figure, None) == getattr(estimator, figure, None)
    public = {name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")}
    assert public <= vars(again).keys()


def test_saving_twice_gives_the_same_bytes(fitted, tmp_path):
    estimator, _ = fitted
    save_model(estimator, tmp_path / "a")
    save_model(load_model(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("greedy")])
def test_a_saved_path_has_all_shorter_models(name, tmp_path):
    estimator, features, target = MODELS[name]
    estimator.fit(features, target)
    save_model(estimator, tmp_path / "m")
    shorter, expected = load_model(tmp_path / "m").truncate(1), estimator.truncate(1)
    for attribute in ("support_ids_", "weights_", "intercept_", "loo_path_", "alpha_"):
        np.testing.assert_array_equal(getattr(shorter, attribute), getattr(expected, attribute))
    np.testing.assert_array_equal(shorter.predict(features), expected.predict(features))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("lengths", [5]),
        ("lengths", [-3]),
        ("units", [14, 14, 14]),
        ("status", [3]),
        ("chosen_units", [0]),
        ("unit_sizes", [7, 7, 7]),
        ("ids", [0, 1, 15]),
        ("columns", [1.0, 2.0, 3.0]),
        ("targets", [1.0]),
        ("n_include", "many"),
        ("output_grid", [1.0, -1.0]),
        ("output_places", np.zeros((3, 2), dtype=np.uint16)),
        ("output_places", np.full((3, 1), 7, dtype=np.uint16)),
        ("output_places", np.zeros((3, 1), dtype=np.int64)),
        ("proof_alphas", [1.0, 1.0]),
        ("proof_gain", "much"),
    ],
)
def test_a_path_that_does_not_fit_is_refused(part, value, tmp_path):
    save_model(GreedyRLSRegressor(3, alpha_per_output=True).fit(X, SCORE), tmp_path / "m")

    def change(manifest, members):
        parts = dict(manifest["fitted"]["path_"]["dict"])
        if isinstance(value, str):
            manifest["fitted"]["path_"]["dict"] = [*({**parts, part: value}).items()]
        else:
            member = parts[part]["array"].removeprefix("arrays/").removesuffix(".npy")
            put(member, value)(manifest, members)

    alter(tmp_path / "m", change)
    with pytest.raises(InputError, match="does not make sense"):
        load_model(tmp_path / "m")


@pytest.fixture
def model():
    return FGMClassifier(3, C="fast").fit(X, SCORE > 0)


@pytest.fixture
def path(model, tmp_path):
    save_model(model, tmp_path / "m.handful", about={"target": "y", "n": 3})
    return tmp_path / "m.handful"


def test_names_from_a_data_frame(tmp_path):
    pd = pytest.importorskip("pandas", reason="needs pandas")
    frame = pd.DataFrame(X, columns=[f"col\n{j}" for j in range(15)])
    model = FGMClassifier(3, C="fast").fit(frame, SCORE > 0)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert again.feature_names_in_.dtype == object
    assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


def test_notes_survive(path):
    assert read_model_file(path).about == {"target": "y", "n": 3}


def test_what_belongs_to_the_run_is_not_saved(tmp_path):
    model = FGMClassifier(3, verbose=lambda record: None, n_jobs=1, C="fast").fit(X, SCORE > 0)
    model.set_params(checkpoint="somewhere")
    save_model(model, tmp_path / "m")
    parameters = load_model(tmp_path / "m").get_params()
    assert (parameters["verbose"], parameters["n_jobs"], parameters["checkpoint"]) == (
        False,
        None,
        None,
    )


def test_a_parameter_that_is_no_plain_value(model, tmp_path):
    model.set_params(loss=object())
    with pytest.raises(
        InputError,
        match=r"^loss is a object, which a model file cannot hold; keep the model with joblib or pickle$",
    ):
        save_model(model, tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_a_loss_of_ones_own_is_refused(tmp_path):
    class Mine(SquaredHinge):
        pass

    model = FGMClassifier(3, loss=Mine(), C="fast").fit(X, SCORE > 0)
    with pytest.raises(
        InputError,
        match=r"^loss is a Mine, which a model file cannot hold; keep the model with joblib or pickle$",
    ):
        save_model(model, tmp_path / "m")


def test_only_our_fitted_estimators(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(FGMClassifier(3, C="fast"), tmp_path / "m")
    with pytest.raises(
        InputError, match="a LogisticRegression cannot be saved in a model file, only"
    ):
        save_model(LogisticRegression(), tmp_path / "m")

    class FGMClassifier2(FGMClassifier):
        pass

    FGMClassifier2.__name__ = "FGMClassifier"
    with pytest.raises(InputError, match="cannot be saved"):
        save_model(FGMClassifier2(3).fit(X, SCORE > 0), tmp_path / "m")


def test_missing_folder(model, tmp_path):
    with pytest.raises(OutputError, match="does not exist; create it first"):
        save_model(model, tmp_path / "no" / "m")


def test_a_real_full_disk_keeps_the_old_model(model, small_disk):
    path = small_disk / "m.handful"
    save_model(model, path)
    before = path.read_bytes()
    (small_disk / "ballast").write_bytes(
        b"x" * (os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize)
    )
    with pytest.raises(OutputError, match="no space left on device"):
        save_model(model, path)
    assert path.read_bytes() == before
    assert sorted(os.listdir(small_disk)) == ["ballast", "m.handful"]


def test_a_pickle_is_not_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "exploded"), "w"))

    (tmp_path / "m.handful").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(InputError, match="is not a handful model"):
        load_model(tmp_path / "m.handful")
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m, _: m.update({"class": "Popen"}), "its class is not one of 'FGMClassifier'"),
        (lambda m, _: m["parameters"].update({"shell": True}), "unexpected keyword argument"),
        (lambda m, _: m["fitted"].update({"__class__": 1}), "__class__ is no fitted attribute"),
        (lambda m, _: m["fitted"].update({"predict": 1}), "predict is no fitted attribute"),
        (lambda m, _: m["fitted"].update({"_x_": 1}), "_x_ is no fitted attribute"),
        (lambda m, _: m["fitted"].pop("weights_"), "weights_"),
        (lambda m, _: m["fitted"].update({"n_features_in_": 2}), "points outside the features"),
        (lambda m, _: m["fitted"].update({"support_ids_": [1, 2]}), "not ids of features"),
        (lambda m, _: m["fitted"].update({"status_": {"status": "NOPE"}}), "NOPE"),
        (
            lambda m, _: m["fitted"].update({"history_": {"history": [{"a": 1}]}}),
            "it has no number",
        ),
        (lambda m, _: m.pop("fitted"), "fitted"),
        (lambda m, _: m.update({"parameters": 3}), "does not make sense"),
        (lambda _, members: members.pop("arrays/weights_.npy"), "arrays/weights_.npy"),
    ],
)
def test_strange_contents_are_refused(path, change, words):
    alter(path, change)
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lines", [np.ones((1, 3)), np.ones((2, 2)), np.ones(2)])
def test_a_calibration_that_does_not_fit_is_refused(lines, tmp_path):
    model = FGMClassifier(3, C="fast").fit(X, SCORE > 0)
    model.calibration_ = lines
    save_model(model, tmp_path / "m")
    with pytest.raises(InputError, match=r"calibration_ (is not|has no slope and offset)"):
        load_model(tmp_path / "m")


def test_the_manifest_is_plain_json(path):
    manifest, _ = read_archive(path, FORMAT, 1)
    assert json.loads(json.dumps(manifest))["class"] == "FGMClassifier"
    assert manifest["parameters"]["n_features_to_select"] == 3


@pytest.mark.parametrize("space", [None, HistogramIntersection(), AdditiveKernel()])
def test_damaged_files_are_refused(tmp_path, space):
    """Whatever the bytes: the same model, or one sentence."""
    path = tmp_path / "m.handful"
    model = FGMClassifier(3, space=space, C="fast").fit(X, SCORE > 0)
    save_model(model, path)
    content, rng = path.read_bytes(), np.random.default_rng(3)
    sentences = []
    for _ in range(300):
        spoilt = bytearray(content)
        if rng.integers(2):
            for place in rng.integers(len(content), size=rng.integers(1, 6)):
                spoilt[place] = rng.integers(256)
        else:
            del spoilt[int(rng.integers(1, len(content))) :]
        path.write_bytes(bytes(spoilt))
        try:
            again = load_model(path)
        except InputError as error:
            sentences.append(str(error))
        else:  # a byte that zip does not care about, such as a date
            np.testing.assert_array_equal(again.weights_, model.weights_)
    assert len(sentences) > 200
    assert all(str(path) in sentence and "\n" not in sentence for sentence in sentences)
