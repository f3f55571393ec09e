"""Long work shows itself: a line a round, a function, scikit-learn's callbacks; else silence."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from problems import TRUE_IDS, quantities, two_classes
from sklearn.callback import FitCallback, ProgressBar, ScoringMonitor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import FGMClassifier, FGMRegressor
from handful.history import Round
from handful.status import Status

K = len(TRUE_IDS)
MODES = [{"budget": 2, "max_rounds": 4, "tol": 1e-9}, {"n_features_to_select": K}]
LINE = re.compile(
    r"round +(\d+)  (\w+) +active +(\d+)  objective (\S+)  gap ([\d.]+%|inf%)  ([\d.]+) s"
)


@pytest.mark.parametrize("mode", MODES)
def test_one_line_for_each_round(mode, capsys):
    model = FGMClassifier(**mode, verbose=True).fit(*two_classes())
    shown = capsys.readouterr()
    printed = shown.out.splitlines()
    printed = printed[
        sum(line.startswith("C ") for line in printed) :
    ]  # how C was chosen comes first
    *printed, refit = printed
    assert re.fullmatch(
        r"round +\d+  refit +active +\d+  objective \S+  \S+ s", refit
    )  # and no gap
    lines = [LINE.fullmatch(line) for line in printed]
    assert all(lines)
    assert len(lines) == model.n_iter_
    for line, record in zip(lines, model.history_[:-1], strict=True):
        assert int(line[1]) == record.number
        assert line[2] == record.phase
        assert int(line[3]) == record.n_active
        assert float(line[4]) == pytest.approx(record.objective, rel=1e-5)
    assert shown.err == ""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
def test_silent_unless_asked(make, mode, capfd, recwarn):
    make(**mode).fit(*two_classes())
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


@pytest.mark.parametrize("mode", MODES)
def test_a_function_gets_each_round(mode):
    seen = []
    model = FGMClassifier(**mode, verbose=seen.append).fit(*two_classes())
    assert all(isinstance(record, Round) for record in seen)
    assert [(r.number, r.phase, r.n_active, r.objective) for r in seen] == [
        (r.number, r.phase, r.n_active, r.objective) for r in model.history_
    ]
    # A later round may have improved the bound of an earlier one.
    assert all(now.bound <= final.bound for now, final in zip(seen, model.history_, strict=True))
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))


def test_an_error_in_the_function_leaves_nothing_half_fitted():
    def fail(record):
        raise RuntimeError("no more paper")

    model = FGMClassifier(K, verbose=fail, C="fast")
    with pytest.raises(RuntimeError, match="no more paper"):
        model.fit(*two_classes())
    assert [name for name in vars(model) if name.endswith("_")] == []


@dataclass
class Recorder(FitCallback):
    """Writes down every task; asks to stop after ``stop_after`` rounds."""

    stop_after: int | None = None
    max_propagation_depth: int | None = None
    events: list = field(default_factory=list)
    models: list = field(default_factory=list)

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X, y, metadata):
        self.events.append(("begin", context.task_name, context.task_id))
        self.data = (X, y, metadata)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        self.events.append(("end", context.task_name, context.task_id))
        if context.task_name == "round" and fitted_estimator is not None:
            self.models.append(fitted_estimator)
        return context.task_name == "round" and len(self.models) == self.stop_after


@pytest.mark.parametrize("mode", MODES)
def test_tasks_begin_and_end_in_pairs(mode):
    recorder = Recorder()
    model = FGMClassifier(**mode).set_callbacks(recorder).fit(*two_classes())
    assert len(recorder.models) == model.n_iter_
    first, begin, *rounds, end, last = recorder.events
    assert (first, last) == ("setup", "teardown")
    assert (begin, end) == (("begin", "fit", 0), ("end", "fit", 0))
    # The round after the last one is opened before anyone can know that it brings nothing.
    assert len(rounds) == 2 * (model.n_iter_ + 1)
    for number in range(model.n_iter_ + 1):
        assert rounds[2 * number] == ("begin", "round", number)
        assert rounds[2 * number + 1] == ("end", "round", number)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
def test_every_round_has_a_model_that_works(make, mode):
    X, y = two_classes()
    recorder = Recorder()
    model = make(**mode, refit=False).set_callbacks(recorder).fit(X, y)
    for number, now in enumerate(recorder.models, start=1):
        assert now.predict(X).shape == y.shape
        assert now.transform(X).shape[1] == len(now.support_ids_) == now.history_[-1].n_active
        assert now.n_iter_ == len(now.history_) == number
        assert now.status_ is Status.INTERRUPTED
        assert np.shape(now.intercept_) == np.shape(model.intercept_)
        assert now.coef_.shape == model.coef_.shape
    if "n_features_to_select" in mode:
        np.testing.assert_array_equal(recorder.models[-1].weights_, model.weights_)


def test_callbacks_get_the_data():
    X, y = two_classes()
    weight = np.full(len(y), 2.0)
    recorder = Recorder()
    FGMClassifier(K, C="fast").set_callbacks(recorder).fit(X, y, weight)
    assert recorder.data[0] is X
    np.testing.assert_array_equal(recorder.data[1], y)
    assert recorder.data[2] == {"sample_weight": weight}


@pytest.mark.parametrize("stop_after", [1, 2, 5])
def test_a_callback_may_stop_the_fit(stop_after):
    X, y = two_classes()
    recorder = Recorder(stop_after)
    model = FGMClassifier(12, max_rounds=6, C="fast").set_callbacks(recorder).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert model.n_iter_ < FGMClassifier(12, max_rounds=6, C="fast").fit(X, y).n_iter_
    assert model.score(X, y) > 0.8
    assert len(model.support_ids_) <= 12


def test_a_plain_fit_stops_right_there():
    recorder = Recorder(stop_after=2)
    mode = MODES[0]
    model = FGMClassifier(**mode, refit=False).set_callbacks(recorder).fit(*two_classes())
    assert model.status_ is Status.INTERRUPTED
    assert model.n_iter_ == 2
    assert model.objective_ == FGMClassifier(**mode).fit(*two_classes()).history_[1].objective


def test_teardown_after_a_failed_fit():
    recorder = Recorder()
    X, y = two_classes()
    with pytest.raises(ValueError, match="No feature carries any signal"):
        FGMClassifier(K, C="fast").set_callbacks(recorder).fit(np.zeros_like(X), y)
    assert recorder.events[0] == "setup"
    assert recorder.events[-1] == "teardown"


def test_callbacks_reach_the_rounds_inside_pipeline_and_search():
    X, y = two_classes()
    recorder = Recorder()
    pipeline = make_pipeline(StandardScaler(), FGMClassifier(K, C="fast"))
    search = GridSearchCV(pipeline, {"fgmclassifier__C": [0.1, 1.0]}, cv=2)
    search.set_callbacks(recorder).fit(X, y)
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 1
    begun = [event[1:] for event in recorder.events if event[0] == "begin"]
    ended = [event[1:] for event in recorder.events if event[0] == "end"]
    assert sorted(begun) == sorted(ended)
    # Two values of C, two folds, and the last fit on all data.
    assert begun.count(("round", 0)) == 5
    assert recorder.models[-1].n_iter_ == search.best_estimator_[-1].n_iter_


def test_progress_bar(capsys):
    FGMClassifier(K, C="fast").set_callbacks(ProgressBar()).fit(*two_classes())
    assert "FGMClassifier - fit" in capsys.readouterr().out


def test_scoring_monitor_sees_the_fit_improve():
    X, y = quantities()
    monitor = ScoringMonitor(scoring="r2")
    FGMRegressor(budget=1, max_rounds=6, tol=1e-9).set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs(select="most_recent").data_as_pandas
    r2 = log.loc[log.task_name == "round", "r2"].to_numpy()
    assert r2[0] < r2[-1] > 0.95
