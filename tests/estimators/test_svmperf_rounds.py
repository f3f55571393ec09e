"""Each cutting plane of SVMPerfClassifier is a round: it can be seen, drawn and ended, and changes nothing."""

import os
import signal
from itertools import pairwise

import numpy as np
import pytest
from problems import more_classes, two_classes

from handful import SVMPerfClassifier, load_model, save_model
from handful.history import Round
from handful.inspection import RoundsDisplay
from handful.status import Status

DATA = {"two classes": two_classes, "three classes": lambda: more_classes(3)}
every_kind = pytest.mark.parametrize("kind", DATA)
MEASURES = ["f1", "roc_auc"]


def svm(loss="f1", **options):
    return SVMPerfClassifier(loss, C=0.1, fit_intercept=True, **options)


@every_kind
@pytest.mark.parametrize("loss", MEASURES)
def test_rounds_close_in_on_the_optimum(kind, loss):
    X, y = DATA[kind]()
    model = svm(loss).fit(X, y)
    rounds = model.history_
    assert model.n_iter_ == len(rounds) > 5
    assert [one.number for one in rounds] == list(range(1, len(rounds) + 1))
    assert {(one.phase, one.n_active) for one in rounds} == {("cut", X.shape[1])}
    assert all(now.objective <= before.objective for before, now in pairwise(rounds))
    assert all(now.bound >= before.bound for before, now in pairwise(rounds))
    # The bound of a round is one for the whole fit, also while classes are still to come.
    assert all(0.0 <= one.bound <= model.objective_ * (1 + 1e-12) for one in rounds)
    assert rounds[-1].objective == pytest.approx(model.objective_, rel=1e-9)
    assert rounds[-1].gap == pytest.approx(model.dual_gap_, abs=1e-9 * model.objective_)


def test_the_limit_is_one_for_each_class():
    model = svm(max_iter=4).fit(*more_classes(3))
    assert model.status_ is Status.MAX_STEPS
    assert model.n_iter_ == 3 * 4


@every_kind
def test_who_looks_on_changes_nothing(kind):
    X, y = DATA[kind]()
    seen = []
    model, alone = svm(verbose=seen.append).fit(X, y), svm().fit(X, y)
    np.testing.assert_array_equal(model.coef_, alone.coef_)
    np.testing.assert_array_equal(model.intercept_, alone.intercept_)
    assert (model.objective_, model.dual_gap_) == (alone.objective_, alone.dual_gap_)
    assert all(isinstance(one, Round) for one in seen)
    assert seen == list(model.history_)


def test_a_line_for_each_round_and_else_silence(capfd):
    X, y = two_classes()
    svm().fit(X, y)
    assert capfd.readouterr() == ("", "")
    model = svm(verbose=True).fit(X, y)
    assert capfd.readouterr().out.splitlines() == [str(one) for one in model.history_]


@pytest.mark.parametrize("loss", MEASURES)
def test_ctrl_c_ends_with_the_best_model_so_far(loss):
    """The class in hand has weights; those to come have none, and the gap covers them."""
    X, y = more_classes(3)

    def press(record):
        if record.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    model, whole = svm(loss, verbose=press).fit(X, y), svm(loss).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert model.n_iter_ == 4
    assert model.coef_.any(axis=1).tolist() == [True, False, False]
    assert model.objective_ - model.dual_gap_ <= whole.objective_ < model.objective_
    assert np.isfinite(model.decision_function(X)).all()
    assert set(model.predict(X)) <= set(y)


def test_rounds_are_saved_and_drawn(tmp_path):
    pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    model = svm().fit(*two_classes())
    save_model(model, tmp_path / "model")
    assert load_model(tmp_path / "model").history_ == model.history_
    assert RoundsDisplay.from_estimator(model).rounds == list(model.history_)


def test_what_is_no_path_is_refused():
    with pytest.raises(ValueError, match="checkpoint must be the path of a file or None; got 3"):
        svm(checkpoint=3).fit(*two_classes())
