"""``selection_loss="auto"``: under F the squared hinge chooses the features where rows that were not seen clearly want it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedShuffleSplit

from handful import FGMClassifier, MILESClassifier, load_model, save_model
from handful.datasets import make_bags
from handful.methods.fgm.beginning import begin
from handful.methods.fgm.engine import select, start
from handful.methods.fgm.folds import CLEARLY, N_FOLDS
from handful.methods.fgm.held_out import Quiet
from handful.methods.fgm.last_fit import fit_for_good
from handful.methods.fgm.reselection import reselect
from handful.methods.fgm.state import State
from handful.methods.fgm.unseen import Folds
from handful.spaces.groups.space import activate

K = 4


def draw(seed, n_samples=300, n_classes=4, n_columns=60, rows_of=0):
    """Classes around centres that differ in half of the columns: k of them tell little. Other rows for each ``rows_of``."""
    rng = np.random.default_rng(seed)
    centres = 0.6 * rng.standard_normal((n_classes, n_columns)) * (rng.random(n_columns) < 0.5)
    rng = np.random.default_rng([seed, rows_of])
    y = rng.integers(0, n_classes, n_samples)
    return centres[y] + rng.standard_normal((n_samples, n_columns)), y


def fit(X, y, k=K, **options):
    return FGMClassifier(k, loss="f1", **options).fit(X, y)


@pytest.fixture(scope="module")
def drawn():
    """Draws with the three models: F's own features, those that rows decide on, and the squared hinge.

    Five, and more until rows have decided for either: on which draws they do hangs on how a processor rounds.
    """
    found = []
    for seed in range(50, 110):
        X, y = draw(seed)
        auto, hinge = fit(X, y), FGMClassifier(K, C="fast").fit(X, y)
        found.append((X, y, fit(X, y, selection_loss="same"), auto, hinge))
        if len(found) >= 5 and len({model.selection_loss_ for *_, model, _ in found}) == 2:
            return found
    raise AssertionError("rows that were not seen decided alike on all sixty draws")


@pytest.fixture(scope="module")
def changed(drawn):
    """A draw whose features are of the squared hinge."""
    return next((X, y) for X, y, _, auto, _ in drawn if auto.selection_loss_ == "squared_hinge")


def test_features_are_of_the_one_or_the_other(drawn):
    names = []
    for _, _, own, auto, hinge in drawn:
        names.append(auto.selection_loss_)
        assert own.selection_loss_ == "f1"
        chosen = {"f1": own, "squared_hinge": hinge}[auto.selection_loss_]
        np.testing.assert_array_equal(auto.support_ids_, chosen.support_ids_)
        if auto.selection_loss_ == "f1":
            np.testing.assert_array_equal(auto.weights_, own.weights_)
            assert auto.refit_loss_ == own.refit_loss_
    assert {"f1", "squared_hinge"} == set(names)
    assert FGMClassifier(3).fit(*draw(0)).selection_loss_ == "squared_hinge"


def test_the_certificate_speaks_of_the_features_that_were_taken(drawn):
    """Bound and C are those of F; the objective is that of the ridge model on the features."""
    for X, y, own, auto, _ in drawn:
        assert auto.C_ == own.C_
        phases = [record.phase for record in auto.history_]
        bound = own.objective_ - own.dual_gap_
        np.testing.assert_allclose(auto.objective_ - auto.dual_gap_, bound, rtol=1e-12)
        if auto.selection_loss_ == "squared_hinge":
            assert phases[-3:] == ["final", "reselect", "refit"]
            again = FGMClassifier(
                K, loss="f1", C=auto.C_, include=auto.support_ids_, output_units="margin"
            )
            np.testing.assert_allclose(auto.objective_, again.fit(X, y).objective_, rtol=5e-3)
        else:
            assert "reselect" not in phases


def problem_of(X, y):
    """The problem and the state of a complete selection for F, for what no attribute tells."""
    estimator = FGMClassifier(K, loss="f1")
    given = estimator._prepared(X, y, None)
    problem = estimator._problem(given.X, given.targets, given.weight, given.loss)
    beginning = begin(problem, estimator._options(problem))
    state, cut = start(beginning, beginning.closed_C)
    select(beginning, state, cut, Quiet(NoMonitor()))
    return problem, estimator._options(problem), state


class NoMonitor:
    interrupted = False


def test_decided_by_hand(drawn):
    """The lead on unseen rows in the mean over classes, and its standard error by the jackknife, in other words."""
    for X, y, _, _, hinge in drawn[:5]:
        problem, options, state = problem_of(X, y)
        folds = Folds.of(problem, state)
        assert reselect(problem, options, replace(state), state.active.ids)[1] is None  # the same
        taken, last = reselect(problem, options, replace(state), hinge.support_ids_)
        if np.isin(hinge.support_ids_, state.active.ids).all():  # nothing to decide
            assert last is None
            continue
        own = fit_for_good(problem, options, state, folds)
        other = fit_for_good(problem, options, on(problem, state, hinge.support_ids_), folds)

        def macro(last, rows, problem=problem):
            scores = np.hstack([last.adjusted.unseen[c] for c in range(problem.y.shape[1])])
            return f1_score(problem.y[rows] > 0, scores[rows] > 0, average="macro")

        def gain(rows, own=own, other=other, macro=macro):
            return macro(other, rows) - macro(own, rows)

        parts = np.array([gain(folds.of_rows != fold) for fold in range(N_FOLDS)])
        lead = gain(folds.of_rows >= 0) - CLEARLY * np.sqrt((N_FOLDS - 1) * parts.var())
        if abs(lead) > 1e-9:
            ids = hinge.support_ids_ if lead > 0 else np.sort(state.active.ids)
            np.testing.assert_array_equal(np.sort(taken.active.ids), ids)
            expected = (other if lead > 0 else own).final.weights
            np.testing.assert_allclose(last.final.weights, expected, rtol=1e-9)


def on(problem, state, ids):
    """The same problem on other features, with all weights at zero."""
    active = activate(problem.space, ids, problem.weight)
    return State.start(state.target, state.penalty, active)


def test_models_that_decide_have_not_seen_what_they_predict(changed):
    """Whatever model the state has, they begin at zero; their rows alone decide."""
    problem, options, state = problem_of(*changed)
    folds = Folds.of(problem, state)
    found = fit_for_good(problem, options, state, folds).adjusted.unseen
    wild = replace(state, solution=replace(state.solution, weights=1e3 * state.solution.weights))
    again = fit_for_good(problem, options, wild, folds).adjusted.unseen
    for c, predictions in found.items():
        np.testing.assert_allclose(predictions, again[c], rtol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"C": 0.01},
        {"C": "fast"},
        {"refit": False},
        {"fit_intercept": False},
        {"solver": "ksupport", "loss": "squared_hinge"},
        {"loss": "accuracy"},
        {"loss": "roc_auc"},
        {"n_features_to_select": None, "budget": 2, "max_rounds": 2},
    ],
    ids=str,
)
def test_where_it_has_no_say(options):
    X, y = draw(23, n_samples=150, n_classes=2)
    settings = {"n_features_to_select": K, "loss": "f1"} | options
    same, auto = (
        FGMClassifier(selection_loss=how, **settings).fit(X, y) for how in ("same", "auto")
    )
    assert auto.selection_loss_ == settings["loss"]
    np.testing.assert_array_equal(auto.weights_, same.weights_)
    np.testing.assert_array_equal(auto.intercept_, same.intercept_)


def test_few_positives_have_no_say():
    X, y = draw(0, n_samples=200, n_classes=2)
    few = np.zeros(len(y), dtype=int)
    few[np.flatnonzero(y)[:29]] = 1
    same, auto = fit(X, few, selection_loss="same"), fit(X, few)
    np.testing.assert_array_equal(auto.weights_, same.weights_)


def test_what_must_be_there_is_there(changed):
    X, y = changed
    free = fit(X, y)
    excluded = free.support_ids_[:1]
    model = fit(X, y, include=[7], exclude=excluded)
    assert 7 in model.support_ids_
    assert not np.isin(excluded, model.support_ids_).any()
    assert len(model.support_ids_) == K


def test_groups_are_chosen_whole(changed):
    X, y = changed
    model = fit(X, y, k=3, groups=np.arange(X.shape[1]) // 2)
    assert len(model.group_support_) == 3
    expected = np.flatnonzero(np.isin(np.arange(X.shape[1]) // 2, model.group_support_))
    np.testing.assert_array_equal(model.support_ids_, expected)


def test_a_path_decides_for_each_number(changed):
    X, y = changed
    path = FGMClassifier(loss="f1").fit_path(X, y, [K, 2 * K])
    hinge = FGMClassifier(C="fast").fit_path(X, y, [K, 2 * K])
    for k, model in path.items():
        assert len(model.support_ids_) == k
        if model.selection_loss_ == "squared_hinge":
            np.testing.assert_array_equal(model.support_ids_, hinge[k].support_ids_)


def test_files_labels_and_classes_by_themselves(changed, tmp_path):
    X, y = changed
    model = fit(X, y)
    save_model(model, tmp_path / "m.handful")
    assert load_model(tmp_path / "m.handful").selection_loss_ == "squared_hinge"

    labels = np.column_stack([y == 0, y == 1, np.ones(len(y))]).astype(int)
    with pytest.warns(UserWarning, match="Label 2 is the same"):
        each = fit(X, labels, per_class=True)
    assert each.selection_loss_[2] == "constant"
    assert set(each.selection_loss_[:2]) <= {"f1", "squared_hinge"}
    with pytest.warns(UserWarning, match="Label 2 is the same"):
        assert fit(X, labels).selection_loss_ in ("f1", "squared_hinge")


def test_it_helps_on_real_pixels():
    """Fifty pixels of handwritten threes and eights, in the mean of three splits."""
    path = Path(__file__).parents[3] / "shared" / "data" / "mnist" / "mnist_3v8.npz"
    if not path.exists():
        pytest.skip(f"needs {path.name} of the benchmark data")
    with np.load(path) as stored:
        X, y = stored["X_train"].reshape(len(stored["y_train"]), -1) / 255.0, stored["y_train"]
    gains = []
    draw = StratifiedShuffleSplit(3, train_size=2000, test_size=4000, random_state=7)
    for train, test in draw.split(y, y):
        own, auto = (
            f1_score(
                y[test],
                fit(X[train], y[train], k=50, selection_loss=how).predict(X[test]),
                pos_label=y.max(),
            )
            for how in ("same", "auto")
        )
        gains.append(auto - own)
    assert np.mean(gains) > 0.002


def test_bags_have_it_too():
    data = make_bags(n_bags=80, random_state=0)
    model = MILESClassifier(3, loss="f1").fit(data.bags, data.y)
    assert model.selection_loss_ in ("f1", "squared_hinge")


def test_other_values_are_refused():
    X, y = draw(0, n_samples=60)
    with pytest.raises(ValueError, match="selection_loss must be one of 'auto', 'same'"):
        fit(X, y, selection_loss="logistic")
