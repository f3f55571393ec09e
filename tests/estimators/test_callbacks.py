"""scikit-learn's callbacks: one task for the fit, one for each round; what they are told and may ask for."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from problems import TRUE_IDS, features, more_classes, quantities, scores, two_classes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import (
    Bags,
    DictionaryMILClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    SVMPerfClassifier,
)
from handful.datasets import make_bags
from handful.model_selection import SelectKCV, StabilitySelection
from handful.status import Status

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")

K = len(TRUE_IDS)
GREEDY = {
    "two classes": (GreedyRLSClassifier, two_classes),
    "four classes": (GreedyRLSClassifier, lambda: more_classes(4)),
    "labels": (GreedyRLSClassifier, lambda: (features(), scores(features(), 5) > 0)),
    "quantity": (GreedyRLSRegressor, quantities),
    "quantities": (GreedyRLSRegressor, lambda: (features(), scores(features(), 5))),
}
MODES = [{"budget": 2, "max_rounds": 4, "tol": 1e-9}, {"n_features_to_select": K}]


@dataclass
class Recorder(callback.FitCallback):
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
    FGMClassifier(K, C="fast").set_callbacks(callback.ProgressBar()).fit(*two_classes())
    assert "FGMClassifier - fit" in capsys.readouterr().out


def test_scoring_monitor_sees_the_fit_improve():
    X, y = quantities()
    monitor = callback.ScoringMonitor(scoring="r2")
    FGMRegressor(budget=1, max_rounds=6, tol=1e-9).set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs(select="most_recent").data_as_pandas
    r2 = log.loc[log.task_name == "round", "r2"].to_numpy()
    assert r2[0] < r2[-1] > 0.95


@pytest.mark.parametrize("alpha_per_output", [False, True])
@pytest.mark.parametrize("kind", GREEDY)
def test_every_step_has_a_model(kind, alpha_per_output):
    make, draw = GREEDY[kind]
    X, y = draw()
    recorder = Recorder()
    setting = {"alpha_per_output": alpha_per_output}
    make(4, **setting).set_callbacks(recorder).fit(X, y)
    assert len(recorder.models) == 4
    for k, model in enumerate(recorder.models, start=1):
        expected = make(k, **setting).fit(X, y)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-12)
        assert model.n_iter_ == len(model.history_) == len(model.loo_errors_) == k
        assert model.truncate(1).support_ids_.tolist() == expected.selection_order_[:1].tolist()
        np.testing.assert_array_equal(model.predict(X).shape, y.shape)


@pytest.mark.parametrize(("stop_after", "k", "alpha"), [(2, 2, 0.1), (5, 4, 0.1), (9, 4, None)])
def test_a_callback_may_stop_greedy_steps(stop_after, k, alpha):
    """In the first run what there is counts; later on only runs that are complete."""
    X, y = two_classes()
    alphas = [0.1, 1.0, 10.0]
    model = GreedyRLSClassifier(4, alpha=alphas).set_callbacks(Recorder(stop_after)).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert len(model.support_ids_) == k
    assert model.n_iter_ == stop_after
    assert np.isnan(model.loo_path_[-1, -1])
    assert alpha is None or model.alpha_ == alpha
    model.truncate(1)


def three_classes_of_bags():
    data = make_bags(n_bags=60, mean_size=3, n_features=3, n_concepts=1, random_state=0)
    instances, far = data.bags.instances.copy(), np.arange(60) % 4 == 0
    instances[np.repeat(far, data.bags.sizes)] += 4.0
    return Bags.of_sizes(instances, data.bags.sizes), np.where(far, "far", data.y.astype(str))


def test_callbacks_see_dictionaries_on_the_way():
    monitor = callback.ScoringMonitor(scoring="accuracy")
    bags, y = three_classes_of_bags()
    model = DictionaryMILClassifier(3, max_iter=2, random_state=0).set_callbacks(monitor)
    model.fit(bags, y)
    log = monitor.get_logs(select="most_recent").data_as_pandas
    scores = log.loc[log.task_name == "round", "accuracy"].to_numpy()
    assert len(scores) >= model.n_iter_ == 6
    assert scores[5] > 0.5


def test_callbacks_see_cutting_planes_and_may_end_them():
    X, y = two_classes()
    recorder = Recorder(stop_after=5)
    model = SVMPerfClassifier("f1", C=0.1).set_callbacks(recorder).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert [one.n_iter_ for one in recorder.models] == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(recorder.models[-1].predict(X), model.predict(X))
    assert recorder.data[0] is X


def test_progress_bar_of_folds(capsys):
    X, y = quantities()
    search = SelectKCV(GreedyRLSRegressor(), [1, 2], cv=3)
    search.set_callbacks(callback.ProgressBar()).fit(X, y)
    assert "SelectKCV - fit" in capsys.readouterr().out


def test_resamples_are_tasks():
    recorder = Recorder()
    model = StabilitySelection(GreedyRLSRegressor(2), 2, threshold=0.6, random_state=0)
    model.set_callbacks(recorder).fit(*quantities())
    first, begin, *tasks, end, last = recorder.events
    assert (first, last) == ("setup", "teardown")
    assert (begin, end) == (("begin", "fit", 0), ("end", "fit", 0))
    names = ["resample", "resample", "refit"]
    assert tasks == [
        (what, name, number) for number, name in enumerate(names) for what in ("begin", "end")
    ]
