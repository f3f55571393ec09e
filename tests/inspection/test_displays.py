"""Displays: what is drawn are the figures of the model, and every label is inside the picture."""

import sys

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from handful import FGMClassifier, FGMRegressor, GreedyRLSRegressor, MILESClassifier
from handful.datasets import make_bags
from handful.inspection import (
    BagDisplay,
    CorrelationDisplay,
    PathDisplay,
    RoundsDisplay,
    StabilityDisplay,
    WeightsDisplay,
)
from handful.inspection._drawing import COLOURS, shortened, told_apart
from handful.inspection.html_report.charts import drawn
from handful.inspection.html_report.prediction_charts import roc
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import Polynomial, Substrings

LONG = [f"{'very_' * 30}long $name$ <b>{j}</b>{'_end' * 20}" for j in range(12)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 12))
    y = X[:, 2] - 2 * X[:, 7] + X[:, 9] + 0.3 * rng.standard_normal(90)
    return pd.DataFrame(X, columns=LONG), y


@pytest.fixture(scope="module")
def model(data):
    return FGMRegressor(4, C="fast").fit(*data)


@pytest.fixture(scope="module")
def search(data):
    estimator = GreedyRLSRegressor()
    options = {"k": [1, 2, 3, 5, 9], "nested": 3, "return_train_score": True}
    return SelectKCV(estimator, scoring="r2", **options).fit(*data)


@pytest.fixture(scope="module")
def stable(data):
    return StabilitySelection(GreedyRLSRegressor(4), 8, threshold=0.6, random_state=0).fit(*data)


def labels_outside(figure):
    """The texts that are not entirely inside the figure."""
    figure.canvas.draw()
    renderer, box = figure.canvas.get_renderer(), figure.bbox
    found, hidden = [], set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            hidden |= {tick.label1 for tick in ticks if not low <= tick.get_loc() <= high}
    for text in figure.findobj(mpl.text.Text):
        if text.get_visible() and text.get_text().strip() and text not in hidden:
            extent = text.get_window_extent(renderer)
            inside = extent.x0 >= -1 and extent.y0 >= -1 and extent.x1 <= box.x1 + 1
            if not (inside and extent.y1 <= box.y1 + 1):
                found.append(text.get_text())
    return found


def label_of(display):
    return [tick.get_text() for tick in display.ax_.get_yticklabels()]


class TestPath:
    def test_figures(self, search):
        display = PathDisplay.from_cv(search)
        line, _, [bars] = display.line_
        np.testing.assert_array_equal(line.get_xdata(), search.k_path_.k)
        np.testing.assert_allclose(line.get_ydata(), search.k_path_.mean)
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        errors = np.diff(ends, axis=1)[:, 0] / 2
        np.testing.assert_allclose(errors, search.k_path_.standard_error)
        assert display.chosen_.get_xdata()[0] == search.n_features_
        best = np.argmax(search.k_path_.mean)
        least = search.k_path_.mean[best] - search.k_path_.standard_error[best]
        assert display.threshold_.get_ydata()[0] == pytest.approx(least)
        assert display.nested_[0].get_ydata()[0] == search.nested_score_.mean
        [training] = [one for one in display.ax_.lines if one.get_label() == "training rows"]
        np.testing.assert_allclose(training.get_ydata(), search.cv_results_["mean_train_score"])
        assert display.ax_.get_xlabel() == "number of features"
        assert display.ax_.get_ylabel() == "r2"
        assert labels_outside(display.figure_) == []

    def test_fits_the_search_itself(self, data, search):
        figure, ax = plt.subplots()
        given = {"k": [1, 2, 3, 5, 9], "scoring": "r2", "ax": ax}
        display = PathDisplay.from_estimator(GreedyRLSRegressor(), *data, **given)
        assert display.ax_ is ax
        assert display.figure_ is figure
        np.testing.assert_allclose(display.path.mean, search.k_path_.mean)

    def test_of_something_else(self, model):
        with pytest.raises(TypeError, match=r"FGMRegressor has no k_path_ to draw\."):
            PathDisplay.from_cv(model)


class TestWeights:
    def test_figures(self, model):
        display = WeightsDisplay.from_estimator(model)
        [bars] = display.bars_
        order = np.argsort(-np.abs(model.weights_[0]), kind="stable")
        np.testing.assert_array_equal([bar.get_width() for bar in bars], model.weights_[0][order])
        names = told_apart(np.array(LONG)[model.support_ids_[order]])
        assert label_of(display) == names
        assert len(set(names)) == 4
        assert labels_outside(display.figure_) == []

    def test_classes(self, data):
        X, y = data
        labels = np.array(["a" * 200, "$b$", "<c>"])[np.digitize(y, [-1, 1])]
        model = FGMClassifier(3, C="fast").fit(X, labels)
        display = WeightsDisplay.from_estimator(model)
        for bars, row in zip(display.bars_, model.weights_, strict=True):
            widths = [bar.get_width() for bar in bars]
            np.testing.assert_array_equal(widths, row[display.order])
        faces = {mpl.colors.to_hex(bars[0].get_facecolor()).upper() for bars in display.bars_}
        assert faces == set(COLOURS[:3])
        legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert legend == [shortened(label) for label in model.classes_]
        assert labels_outside(display.figure_) == []

    def test_many_outputs_are_a_map(self, data):
        X, _ = data
        Y = X.to_numpy() @ np.random.default_rng(1).standard_normal((12, 9))
        model = FGMRegressor(5, C="fast").fit(X, Y)
        display = WeightsDisplay.from_estimator(model)
        image = display.image_.get_array()
        np.testing.assert_array_equal(image, model.weights_[:, display.order].T)
        assert labels_outside(display.figure_) == []

    def test_groups_stand_together(self, data):
        X, y = data
        model = FGMRegressor(2, C="fast", groups=np.repeat(["left", "mid", "right"], 4)).fit(X, y)
        display = WeightsDisplay.from_estimator(model, feature_names=[f"f{j}" for j in range(12)])
        groups = [label.split(": ")[0] for label in label_of(display)]
        assert sorted(groups[:4]) == [groups[0]] * 4
        strongest = max("left", "mid", "right", key=lambda one: _strength(display, one))
        assert groups[0] == strongest

    def test_thousands_of_features(self):
        weights = np.random.default_rng(0).standard_normal(5000)
        display = WeightsDisplay([f"f{j}" for j in range(5000)], weights, ["y"]).plot()
        assert len(display.bars_[0]) == 30
        assert "and 4970 more with smaller weights" in [t.get_text() for t in display.ax_.texts]
        assert labels_outside(display.figure_) == []

    def test_inside_others(self, data, search, stable):
        X, y = data
        pipeline = make_pipeline(StandardScaler(), FGMRegressor(3, C="fast")).fit(X, y)
        assert len(WeightsDisplay.from_estimator(pipeline).names) == 3
        assert len(WeightsDisplay.from_estimator(search).names) == search.n_features_
        assert len(WeightsDisplay.from_estimator(stable).names) == stable.n_features_

    def test_not_fitted_or_without_weights(self, data):
        with pytest.raises(NotFittedError):
            WeightsDisplay.from_estimator(FGMRegressor())
        X, y = data
        with pytest.raises(TypeError, match="LinearSVC has no weights_ to draw"):
            WeightsDisplay.from_estimator(LinearSVC().fit(X, y > 0))


def _strength(display, group):
    own = np.array(display.group_names) == group
    return np.linalg.norm(display.weights[:, own])


class TestRounds:
    @pytest.mark.parametrize("kind", ["round", "seconds"])
    def test_figures(self, model, kind):
        display = RoundsDisplay.from_estimator(model, kind=kind)
        rounds = [one for one in model.history_ if one.phase != "refit"]
        assert len(rounds) == len(model.history_) - 1
        np.testing.assert_array_equal(
            display.objective_.get_ydata(), [one.objective for one in rounds]
        )
        np.testing.assert_array_equal(display.bound_.get_ydata(), [one.bound for one in rounds])
        gap = rounds[-1].relative_gap
        assert f"gap at the end: {gap:.1%} of the objective" in display.ax_.texts[0].get_text()
        assert display.ax_.get_xlabel() == kind
        assert labels_outside(display.figure_) == []

    def test_classes_by_themselves_are_lines_by_themselves(self, data):
        X, y = data
        model = FGMClassifier(2, C="fast", per_class=True).fit(X, np.digitize(y, [-1, 1]))
        display = RoundsDisplay.from_estimator(model)
        assert np.isnan(display.objective_.get_ydata()).sum() == 2

    def test_steps_of_each_alpha_are_a_line_and_told_by_what_they_are(self, data):
        X, y = data
        model = GreedyRLSRegressor(3, alpha=[0.1, 1.0, 10.0]).fit(X, y)
        display = RoundsDisplay.from_estimator(model)
        assert display.n_fits == 3
        assert np.isnan(display.objective_.get_ydata()).sum() == 2
        assert display.ax_.get_ylabel() == "leave-one-out error"

    def test_unknown_kind(self, model):
        with pytest.raises(ValueError, match="kind must be one of 'round', 'seconds', got 'day'"):
            RoundsDisplay.from_estimator(model, kind="day")


class TestStability:
    def test_bars(self, stable):
        display = StabilityDisplay.from_estimator(stable)
        shares = stable.selection_probabilities_.data
        widths = [bar.get_width() for bar in display.bars_]
        np.testing.assert_array_equal(widths, np.sort(shares)[::-1])
        blue = [
            mpl.colors.to_hex(bar.get_facecolor()).upper() == COLOURS[0] for bar in display.bars_
        ]
        assert sum(blue) == stable.n_features_
        assert label_of(display)[0].startswith("very_very")
        assert labels_outside(display.figure_) == []

    def test_path(self, stable):
        display = StabilityDisplay.from_estimator(stable, kind="path")
        path = stable.stability_path_
        drawn = np.array([line.get_ydata() for line in display.lines_])
        chosen = np.isin(path["ids"], stable.support_ids_)
        expected = path["frequency"][chosen]
        np.testing.assert_array_equal(drawn[np.lexsort(drawn.T)], expected[np.lexsort(expected.T)])
        assert labels_outside(display.figure_) == []

    def test_folds(self, search):
        display = StabilityDisplay.from_cv(search)
        row = search.selection_frequency_[[search.k_path_.position(search.n_features_)]]
        widths = [bar.get_width() for bar in display.bars_]
        np.testing.assert_allclose(widths, np.sort(row.data[row.data > 0])[::-1])
        assert display.ax_.get_xlabel() == "share of the folds that chose it"

    def test_pairs_have_names(self, data):
        X, y = data
        pairs = FGMRegressor(2, C="fast", space=Polynomial())
        fitted = StabilitySelection(pairs, 3, threshold=0.6, random_state=0)
        fitted.fit(X.to_numpy(), y)
        display = StabilityDisplay.from_estimator(fitted)
        assert all(name.startswith("x") for name in display.names)

    def test_substrings_have_names_beside_the_data(self):
        rng = np.random.default_rng(0)
        texts = ["".join(rng.choice(list("ACGT"), 30)) + "GATTACA" * (i % 2) for i in range(40)]
        strings = FGMClassifier(2, C="fast", space=Substrings())
        fitted = StabilitySelection(strings, 3, threshold=0.6, random_state=0)
        fitted.fit(texts, np.arange(40) % 2)
        assert "GATTACA" in StabilityDisplay.from_estimator(fitted, X=texts).names
        ids = fitted.stability_path_["ids"]
        assert StabilityDisplay.from_estimator(fitted).names == [f"feature {j}" for j in ids]
        assert (
            "GATTACA" in WeightsDisplay.from_estimator(strings.fit(texts, np.arange(40) % 2)).names
        )

    def test_no_path_to_draw(self):
        with pytest.raises(ValueError, match="kind must be one of 'bars', got 'path'"):
            StabilityDisplay(["a"], [0.5], [True]).plot(kind="path")


class TestCorrelation:
    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_array])
    def test_figures(self, data, model, make):
        X, _ = data
        names = [f"f{j}" for j in range(12)]
        values = X.to_numpy().copy()
        values[:, 11] = values[:, 7] + 0.1 * values[:, 0]
        values[:, 10] = 3.0  # constant: correlated with nothing
        fitted = FGMRegressor(3, C="fast", exclude=[10, 11]).fit(values, data[1])
        display = CorrelationDisplay.from_estimator(fitted, make(values), feature_names=names)
        with np.errstate(invalid="ignore"):
            truth = np.nan_to_num(np.corrcoef(values.T))
        chosen = [int(name[1:]) for name in display.chosen_names]
        runners = [int(name[1:]) for name in display.runner_names]
        assert sorted(chosen) == fitted.support_ids_.tolist()
        assert set(chosen).isdisjoint(runners)
        assert len(set(runners)) == 9
        np.testing.assert_allclose(display.correlations, truth[np.ix_(chosen, runners)], atol=1e-9)
        assert runners[chosen.index(7)] == 11
        np.testing.assert_array_equal(display.image_.get_array(), display.correlations)

    def test_behind_other_steps(self, data):
        X, y = data
        pipeline = make_pipeline(StandardScaler(), FGMRegressor(3, C="fast")).fit(X, y)
        alone = FGMRegressor(3, C="fast").fit(StandardScaler().fit_transform(X), y)
        display = CorrelationDisplay.from_estimator(pipeline, X)
        expected = CorrelationDisplay.from_estimator(alone, X.to_numpy())
        np.testing.assert_allclose(display.correlations, expected.correlations)
        assert display.chosen_names == [LONG[int(name[1:])] for name in expected.chosen_names]

    def test_long_names(self, data, model):
        display = CorrelationDisplay.from_estimator(model, data[0])
        assert labels_outside(display.figure_) == []

    def test_features_that_are_no_columns(self, data):
        X, y = data
        model = FGMRegressor(2, C="fast", space=Polynomial()).fit(X, y)
        with pytest.raises(TypeError, match="no chosen columns of X to draw"):
            CorrelationDisplay.from_estimator(model, X)


class TestBags:
    def test_figures(self):
        made = make_bags(40, random_state=0)
        model = MILESClassifier(3, C="fast").fit(made.bags, made.y)
        display = BagDisplay.from_estimator(model, made.test_bags, max_bags=10)
        scores = model.instance_scores(made.test_bags)[:10]
        np.testing.assert_array_equal(
            display.instances_.get_offsets()[:, 0], np.concatenate(scores)
        )
        decisions = model.decision_function(made.test_bags)
        for bag in range(10):
            total = display.scores[bag].sum() + model.intercept_[0]
            assert total == pytest.approx(decisions[bag])
            row = display.deciding[bag]
            if decisions[bag] > 0:
                assert row == np.argmax(scores[bag])
        highest = display.deciding_.get_offsets()
        assert len(highest) == np.count_nonzero(display.deciding[:10] >= 0)
        assert "the first 10 of 100 bags" in [text.get_text() for text in display.ax_.texts]
        assert labels_outside(display.figure_) == []

    def test_nothing_speaks_for_a_bag(self):
        display = BagDisplay([[0.5, 0.1], []], [-1.0, 2.0], ["a", "b"]).plot()
        assert display.deciding.tolist() == [-1, -1]

    def test_of_columns(self, model, data):
        with pytest.raises(TypeError, match="FGMRegressor has no instance_scores to draw"):
            BagDisplay.from_estimator(model, data[0])


def test_names_are_no_formulas_and_stay_apart():
    names = told_apart(["$x^2$", *LONG, "line\nbreak"])
    assert names[0] == "$x^2$"
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 34
    assert names[-1] == "line break"
    display = WeightsDisplay(["$x^2$", "$unclosed"], [[1.0, 2.0]], ["y"]).plot()
    display.figure_.canvas.draw()  # a broken formula would raise
    assert all(not tick.get_parse_math() for tick in display.ax_.get_yticklabels())


def test_names_that_begin_with_an_underscore_are_in_legends():
    names, weights = ["_other", "_", "plain"], np.ones((3, 1))
    bars = WeightsDisplay(["f"], weights, names).plot()
    paths = StabilityDisplay(names, [1.0] * 3, [True] * 3, paths=weights, k=[1]).plot(kind="path")
    scores = (np.arange(9) % 2, np.arange(9.0))
    with drawn():
        curves = roc(dict.fromkeys(names, scores))
    for axes in (bars.ax_, paths.ax_):
        assert [text.get_text() for text in axes.get_legend().get_texts()] == names
    assert all(f">{name}: 0.500<" in curves.svg for name in names)


def test_outputs_of_long_names_stay_apart():
    names = [f"{'a' * 40}_{j}_{'b' * 40}" for j in range(2)]
    bars = WeightsDisplay(["f"], np.ones((2, 1)), names).plot()
    assert len({text.get_text() for text in bars.ax_.get_legend().get_texts()}) == 2


def test_without_matplotlib_nothing_is_drawn(monkeypatch):
    """That it is imported for drawing only is seen where dense fits load nothing else."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="drawing WeightsDisplay needs matplotlib; install it"):
        WeightsDisplay(["a"], [[1.0]], ["y"]).plot()
