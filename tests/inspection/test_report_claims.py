"""What a report says is so: what is proved and of what, where numbers and names come from, and who counts."""

import re

import numpy as np
import pandas as pd
import pytest
from report_kinds import rows, table_of, words
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    r2_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from handful import FGMClassifier, FGMRegressor, GreedyRLSClassifier, GreedyRLSRegressor
from handful.inspection import CorrelationDisplay, explain_gap, report
from handful.inspection.html_report.beside import Beside
from handful.inspection.html_report.held_out import predict_folds, predict_rows
from handful.inspection.html_report.how_good import how_good, proportion
from handful.inspection.html_report.subject import Subject
from handful.inspection.html_report.task import describe_task
from handful.measures import FBeta
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import Polynomial

pytestmark = pytest.mark.usefixtures("blank_pictures")


@pytest.fixture(scope="module")
def copies():
    """Forty near-copies of one feature, of which halves choose another each, and one that all choose."""
    rng = np.random.default_rng(3)
    z, w = rng.standard_normal((2, 200))
    near = z[:, None] + 0.05 * rng.standard_normal((200, 40))
    X = np.c_[w, near, rng.standard_normal((200, 59))]
    y = np.where(3 * z + 2.2 * w + 0.3 * rng.standard_normal(200) > 0, "ill", "well")
    return X, y


class TestHowTheFitWent:
    """Rounds are of the objective that the certificate is about only where the fit is one of that objective."""

    def test_one_fit(self, copies):
        X, y = copies
        model = FGMClassifier(3, C="fast").fit(X, y)
        text = words(report(model, X, y, cv=None))
        assert "The objective, which is made small, and the bound below which none can be." in text
        bound = model.objective_ - model.dual_gap_
        assert f"At the end no model can have less than {bound:.4g}." in text

    def test_leave_one_out_errors_are_no_objective(self, copies):
        X, y = copies
        model = GreedyRLSClassifier(3, alpha=[0.1, 10.0, 1000.0]).fit(X, y)
        text = words(report(model, X, y, cv=None))
        first, *_, last = model.loo_errors_
        assert (
            f"error went from {first:.4g} to {last:.4g} in 3 steps with alpha {model.alpha_:g}."
            in text
        )
        assert "The leave-one-out error, which is made small: a line for each alpha." in text
        assert re.search(r"active\s*leave-one-out error\s*gap", text)
        assert "The objective" not in text
        assert "bound below which none can be" not in text

    def test_classes_by_themselves(self, copies):
        X, _ = copies
        classes = np.digitize(X[:, 0] + X[:, 50], [-1, 1])
        model = FGMClassifier(2, C="fast", per_class=True).fit(X, classes)
        text = words(report(model, X, classes, cv=None))
        assert f"at the end they are {model.objective_:.4g} together." in text
        assert "no model can have less than" not in text
        assert "array(" not in text  # each class has a C


def test_two_fits_have_no_interval_of_stability(copies):
    X, y = copies
    model = GreedyRLSClassifier(3).fit(X, y)
    told = r"Stability [01]\.\d\d over [^(]*{}, where 1 is always the same"
    for n_folds, interval in ((2, ""), (3, r" \(95 % interval [-.\d]+ to [-.\d]+\)")):
        assert re.search(told.format(interval), words(report(model, X, y, cv=n_folds)))


class TestWhatIsProved:
    @pytest.mark.parametrize("selector", [FGMClassifier(3, C="fast"), GreedyRLSClassifier(3)])
    def test_nothing_of_a_choice_that_halves_made(self, copies, selector):
        X, y = copies
        stable = StabilitySelection(selector, 8, threshold=0.6, random_state=0).fit(X, y)
        assert stable.n_features_ == 1
        alone = [
            type(selector)(1).set_params(**_same_C(selector, stable)).fit(X[:, [j]], y)
            for j in (0, 1)
        ]
        assert (
            alone[1].objective_ < alone[0].objective_
        )  # so that any claim of all columns is false
        text = words(report(stable, X, y, cv=None))
        assert "1 of 100 features" in text
        assert "1 of 1 " not in text
        assert "The number was given" not in text
        assert (
            "1 of 100 features was chosen in 60.0% or more of 16 fits to halves of the rows" in text
        )
        told = explain_gap(stable)
        assert told in text
        assert (
            "given 1 feature of 100 and had nothing to choose, so nothing is proved of the choice"
            in told
        )
        assert "No other weights of the same can have" in told
        assert "gap of" not in text.split("What was asked")[0]
        assert re.search(r"n_features_to_select\s*3", text)
        assert "the gap bounds how much better any other choice" not in text

    def test_the_threshold_of_an_error_rate(self):
        X, score = rows()
        stable = StabilitySelection(GreedyRLSRegressor(2), 5, pfer=2.0, random_state=0).fit(
            X, score
        )
        text = words(report(stable, X, score, cv=None))
        assert "is the least with which no more than 2 false features are expected" in text
        stable.set_params(aggregate=True).fit(X, score)
        text = words(report(stable, X, score, cv=None))
        assert "The number was given: 2. Of 12 features these are the ones" in text

    def test_nothing_of_a_choice_that_folds_agreed_on(self, copies):
        X, y = copies
        search = SelectKCV(FGMClassifier(C="fast"), [1, 2, 3], cv=3, aggregate=True).fit(X, y)
        text = words(report(search, X, y, cv=None))
        assert f"{search.n_features_} of 100 features" in text
        assert "the folds decided together" in text
        assert "nothing is proved of the choice" in explain_gap(search)

    def test_only_of_columns_that_reach_the_selection(self):
        X, score = rows()
        model = make_pipeline(SelectKBest(k=8), FGMRegressor(2, C=0.1)).fit(X, score)
        assert (
            "o 2 of the 8 features that steps before the selection left of 12 can"
            in explain_gap(model)
        )
        assert "2 of 12 features" in words(report(model, X, score, cv=None))
        all_of_them = make_pipeline(SelectKBest(k=2), FGMRegressor(2, C=0.1)).fit(X, score)
        assert "given 2 features of 12" in explain_gap(all_of_them)
        made = FGMRegressor(2, C=0.1, space=Polynomial())
        model = make_pipeline(SelectKBest(k=8), made).fit(X, score)
        assert "o 2 of the features of the 8 columns that steps" in explain_gap(model)

    def test_only_of_features_that_may_be_chosen(self):
        X, score = rows()
        for exclude in ([7], np.arange(12) == 7):
            for one in (FGMRegressor(2, C=0.1), GreedyRLSRegressor(2)):
                told = explain_gap(one.set_params(exclude=exclude).fit(X, score))
                assert "o 2 of the features that may be chosen can have" in told
        nothing = FGMRegressor(2, C=0.1, exclude=np.zeros(12, dtype=bool)).fit(X, score)
        assert "o 2 features can have" in explain_gap(nothing)
        groups = FGMRegressor(2, C=0.1, groups=np.arange(12) // 2, exclude=[0]).fit(X, score)
        assert "o 2 of the groups that may be chosen can have" in explain_gap(groups)

    def test_only_of_choices_with_what_is_included(self):
        X, score = rows()
        told = explain_gap(FGMRegressor(3, C=0.1, include=[0]).fit(X, score))
        assert "o 3 features, the included ones among them, can have" in told
        assert "had nothing to choose" in explain_gap(
            FGMRegressor(2, C=0.1, include=[0, 3]).fit(X, score)
        )


def _same_C(selector, stable):
    return {"C": stable.estimator_[-1].C_} if hasattr(stable.estimator_[-1], "C_") else {}


class TestGroupsOfRows:
    @pytest.fixture
    def patients(self):
        X, score = rows()
        return X, score, np.repeat(np.arange(20), 6)

    def test_a_search_gets_them_again(self, patients):
        X, score, groups = patients
        search = SelectKCV(GreedyRLSRegressor(), [1, 2, 3], cv=GroupKFold(3)).fit(
            X, score, groups=groups
        )
        text = words(report(search, X, score, cv=3, groups=groups))
        assert "in 3 folds, which keep groups of rows together" in text
        assert "cv=GroupKFold(n_splits=3" in text
        assert ".fit(X, y, groups=groups)" in re.sub(r"\s+", " ", text)
        assert re.search(r"groups of rows\s*20", text)
        with pytest.raises(ValueError, match="the folds of GroupKFold are of groups of rows"):
            report(search, X, score)
        assert "Nothing was held out" in words(report(search, X, score, cv=None))
        with pytest.raises(ValueError, match="groups"):
            report(search, X, score, groups=groups[:-1])

    def test_no_group_is_on_both_sides(self, patients):
        X, score, groups = patients
        y = score > 0
        model = GreedyRLSClassifier(2).fit(X, y)
        subject = Subject(model, X, y, beside=Beside(groups=groups))
        held_out = predict_folds(subject, 4, 7)
        folds = StratifiedGroupKFold(4, shuffle=True, random_state=7)
        expected = cross_val_predict(GreedyRLSClassifier(2), X, y, groups=groups, cv=folds)
        np.testing.assert_array_equal(held_out.predicted == 1, expected)

    def test_no_more_folds_than_groups_of_the_rarest_class(self, patients):
        X, _, groups = patients
        y = np.isin(groups, [3, 4])
        subject = Subject(GreedyRLSClassifier(2).fit(X, y), X, y, beside=Beside(groups=groups))
        assert "in 2 folds" in predict_folds(subject, 5).how
        y = groups == 3
        subject = Subject(GreedyRLSClassifier(2).fit(X, y), X, y, beside=Beside(groups=groups))
        assert predict_folds(subject, 5) is None

    def test_stability_in_a_pipeline(self, patients):
        X, score, groups = patients
        stable = StabilitySelection(GreedyRLSRegressor(2), 3, threshold=0.6, random_state=0)
        model = make_pipeline(StandardScaler(), stable)
        model.fit(X, score, stabilityselection__groups=groups)
        text = words(report(model, X, score, cv=2, groups=groups))
        assert ".fit(X, y, stabilityselection__groups=groups)" in text


class TestWeightsOfRows:
    @pytest.fixture
    def weight(self):
        return np.random.default_rng(1).exponential(size=120)

    def test_folds_are_fitted_and_judged_by_them(self, weight):
        X, score = rows()
        y = score + np.random.default_rng(0).standard_normal(120) > 0
        model = GreedyRLSClassifier(2).fit(X, y, sample_weight=weight)
        predicted, scores = np.zeros(120, dtype=bool), np.zeros(120)
        for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
            own = GreedyRLSClassifier(2).fit(X[train], y[train], sample_weight=weight[train])
            predicted[test], scores[test] = own.predict(X[test]), own.decision_function(X[test])
        text = words(report(model, X, y, cv=3, sample_weight=weight))
        given = {"sample_weight": weight}
        expected = accuracy_score(y, predicted, **given)
        assert f"{expected:.1%}" != f"{accuracy_score(y, predicted):.1%}"
        assert f"accuracy{expected:.1%}weighted, {(y == predicted).sum()} of 120 rows" in text
        assert f"balanced accuracy{balanced_accuracy_score(y, predicted, **given):.1%}" in text
        area = roc_auc_score(y, scores, **given)
        assert f"area under ROC{area:.3f}" in text
        assert f"ROC curve: area {area:.3f}" in text
        assert "Each counts by its weight." in text
        assert ".fit(X, y, sample_weight=sample_weight)" in text
        assert "weights of rows" in text

    def test_a_weight_of_two_is_a_row_twice(self):
        X, score = rows()
        twice = np.repeat(np.arange(120), 1 + np.arange(120) % 2)
        weight = 1.0 + np.arange(120) % 2
        for y, model, measure in (
            (score, FGMRegressor(2, C="fast"), None),
            (score > 0.5, FGMClassifier(2, C="fast"), FBeta(1)),
            ((X[:, :3] > 0.3).astype(int), GreedyRLSClassifier(2), FBeta(1)),
        ):
            model.fit(X[:60], y[:60])
            subject = Subject(model, X[:60], y[:60])
            weighted = how_good(predict_rows(subject, X, y, None, weight), measure)
            repeated = how_good(predict_rows(subject, X[twice], y[twice]), measure)
            # Of an even number of rows the median is between two.
            own, other = (
                {one.name: one.value for one in good.figures if one.name != "median error"}
                for good in (weighted, repeated)
            )
            assert own == other
            assert [line[2:] for line in weighted.rows] == [line[2:] for line in repeated.rows]

    def test_an_interval_of_equal_weights_is_that_of_rows(self):
        is_right = np.arange(50) < 40
        share, low, high, n = proportion(is_right, np.full(50, 3.0))
        assert (share, n) == (pytest.approx(0.8), pytest.approx(50))
        assert (low, high) == (pytest.approx(0.6696, abs=1e-4), pytest.approx(0.8876, abs=1e-4))

    def test_held_out_rows_have_weights_of_their_own(self, weight):
        X, score = rows()
        model = FGMRegressor(2, C="fast").fit(X[:80], score[:80])
        held_out = (X[80:], score[80:], weight[80:])
        text = words(report(model, X[:80], score[:80], held_out=held_out, cv=None))
        expected = r2_score(score[80:], model.predict(X[80:]), sample_weight=weight[80:])
        assert f"{expected:.3f}" in text

    def test_in_pipelines_and_searches(self, weight):
        X, score = rows()
        y, given = score > 0, {"cv": 2, "sample_weight": weight}
        model = make_pipeline(StandardScaler(), FGMClassifier(2, C="fast"), LogisticRegression())
        model.fit(
            X, y, fgmclassifier__sample_weight=weight, logisticregression__sample_weight=weight
        )
        told = "fgmclassifier__sample_weight=sample_weight, logisticregression__sample_weight=sample_weight"
        assert told in words(report(model, X, y, **given))
        inner = make_pipeline(StandardScaler(), FGMClassifier(2, C="fast"))
        search = SelectKCV(inner, [1, 2], cv=2).fit(X, y, fgmclassifier__sample_weight=weight)
        assert ".fit(X, y, fgmclassifier__sample_weight=sample_weight)" in words(
            report(search, X, y, **given)
        )
        with pytest.raises(ValueError, match="weight"):
            report(search, X, y, sample_weight=-weight)


class TestLabelsThatAreNotKnown:
    def test_one_row_counts_as_wrong(self):
        X, score = rows()
        y = np.where(score > 0, "yes", "no").astype(object)
        model = FGMClassifier(2, C="fast").fit(X[:80], y[:80])
        own = y[80:].copy()
        own[0] = "perhaps"
        text = words(report(model, X[:80], y[:80], held_out=(X[80:], own), cv=None))
        n_right = int((model.predict(X[80:]) == own).sum())
        assert f"{n_right} of 40; 95 % interval" in text
        assert "1 of them has a label that the model does not know ('perhaps')" in text

    def test_other_labels_are_refused(self):
        X, score = rows()
        y = np.where(score > 0, "yes", "no")
        model = FGMClassifier(2, C="fast").fit(X, y)
        shouted = np.char.upper(y)
        sentence = "does not know, 'NO', 'YES': it knows 'no', 'yes'"
        with pytest.raises(ValueError, match=sentence):
            report(model, X, shouted)
        with pytest.raises(ValueError, match="they have 'NO', 'YES', the model knows 'no', 'yes'"):
            report(model, X, y, held_out=(X, shouted), cv=None)

    def test_numbers_are_the_same_however_they_are_written(self):
        X, score = rows()
        y = (score > 0).astype(int)
        model = FGMClassifier(2, C="fast").fit(X, y)
        own = y.astype(float)
        own[3] = 7.0
        truth = predict_rows(Subject(model, X, y), X, own).truth
        assert truth.values[3] == -1
        np.testing.assert_array_equal(np.delete(truth.values, 3), np.delete(y, 3))


@pytest.mark.parametrize(("first", "later"), [(None, Polynomial()), (Polynomial(), None)])
def test_a_space_for_the_next_fit_is_said_of_the_parameters_alone(first, later):
    X, score = rows()
    model = FGMClassifier(3, space=first, C="fast").fit(X, score > 0)
    before = words(report(model, X, score > 0, cv=None)).split(". ")
    model.set_params(space=later)
    after = words(report(model, X, score > 0, cv=None)).split(". ")
    of_parameters = ("Parameters that differ", "How to get the same again")
    assert len(before) == len(after)
    changed = [one for one, other in zip(before, after, strict=True) if one != other]
    assert [any(title in one for title in of_parameters) for one in changed] == [True, True]
    if first is None:
        assert len(CorrelationDisplay.from_estimator(model, X).chosen_names) == 3
    else:
        with pytest.raises(TypeError, match="no chosen columns of X to draw"):
            CorrelationDisplay.from_estimator(model, X)


def test_seeds_of_folds_are_told():
    X, score = rows()
    model = GreedyRLSRegressor(2).fit(X, score)
    draws = "none is needed for the selection, which draws nothing"
    assert f"{draws}; the folds of this report: 5" in words(
        report(model, X, score, cv=2, random_state=5)
    )
    assert f"{draws}; the folds of this report: 5" in words(
        report(model, X[:60], score[:60], cv=2, random_state=5, held_out=(X[60:], score[60:]))
    )
    for given in ({"cv": None}, {"cv": KFold(2)}, {"cv": 2, "random_state": None}):
        assert f"{draws}\n" in words(report(model, X, score, **given))
    own = KFold(3, shuffle=True, random_state=11)
    search = SelectKCV(GreedyRLSRegressor(), [1, 2], cv=own).fit(X, score)
    for told in (
        report(search, X, score, cv=2),
        report(make_pipeline(search).fit(X, score), X, score, cv=2),
        report(search.best_estimator_, X, score, cv=2, search=search),
    ):
        assert words(told).count("cv.random_state=11") == 1
        assert "cv.random_state=11; the folds of this report: 0" in words(told)


def test_columns_are_those_given():
    X, score = rows()
    X = pd.DataFrame(X[:, :4], columns=list("abcd")).assign(
        town=np.array(["Ulm", "Bonn", "Köln"])[np.arange(120) % 3]
    )
    made = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["town"]), remainder="passthrough"
    )
    model = make_pipeline(made, GreedyRLSRegressor(2)).fit(X, score)
    text = words(report(model, X, score, cv=None))
    assert re.search(r"columns\s*5\s*made into 7 features before the selection", text)


def test_a_weight_of_zero_speaks_for_nothing():
    X, score = rows()
    model = FGMClassifier(3, C="fast").fit(X, score > 0)
    model.weights_[0, 1] = 0.0
    line = table_of(report(model, X, score > 0, cv=None))[-1]
    assert line[2:4] == ["0", "neither way: its weight is 0"]


def test_explanations_are_whole():
    X, score = rows()
    text = words(report(FGMRegressor(2, C="fast").fit(X, score), X, score, cv=2))
    assert (
        "the share of the target's variance that is predicted; the mean of the target has 0" in text
    )
    y = np.where(score > 0, "w" * 500, "i" * 500)
    text = words(report(FGMClassifier(2, C="fast").fit(X, y), X, y, cv=2))
    [name] = re.findall("that is ([wi…]*)", text)
    assert len(name) <= 80


class TestNamesOfTargets:
    def test_quantities(self):
        X, score = rows()
        Y = pd.DataFrame({"height": score, "mass": X[:, 1], "age": X[:, 3]})
        model = GreedyRLSRegressor(3).fit(X, Y)
        text = words(report(model, X, Y, cv=2, feature_names=[f"gene {j}" for j in range(12)]))
        assert "weight, height" in text
        assert re.search(r"(raises|lowers) (height|mass|age)", text)
        assert "gene 2" in text
        assert "target 0" not in text

    def test_labels(self):
        X, score = rows()
        Y = pd.DataFrame({"fever": score > 0, "cough": X[:, 1] > 0}).astype(int)
        text = words(report(GreedyRLSClassifier(3).fit(X, Y), X, Y, held_out=(X, Y), cv=None))
        assert "weight, fever" in text
        assert re.search("(for|against) cough", text)
        assert (
            f"{f1_score(Y['fever'], GreedyRLSClassifier(3).fit(X, Y).predict(X)[:, 0]):.3f}" in text
        )

    def test_labels_by_themselves_are_no_classes(self):
        X, score = rows()
        Y = pd.DataFrame({"fever": score > 0, "cough": X[:, 1] > 0}).astype(int)
        model = FGMClassifier(1, C="fast", loss="f1", per_class=True).fit(X, Y)
        text = words(report(model, X, Y, held_out=(X, Y), cv=None))
        assert "the union of 1 for each of 2 labels" in text
        assert "No single feature for each label can" in text
        assert re.search(r"label\s*area under ROC\s+fever0", text)

    def test_one_column(self):
        X, score = rows()
        one = pd.DataFrame({"height": score})
        text = words(report(GreedyRLSRegressor(2).fit(X, one), X, one, cv=2))
        assert "predict a quantity (height)" in text
        one = pd.DataFrame({"state": np.where(score > 0, "well", "ill")})
        text = words(report(GreedyRLSClassifier(2).fit(X, one["state"]), X, one, cv=None))
        assert "tell 2 classes apart (state)" in text
        assert "for well" in text

    def test_numbered_columns_have_no_names(self):
        X, score = rows()
        Y = pd.DataFrame(np.c_[score, X[:, 1]])
        assert "target 1" in words(report(GreedyRLSRegressor(2).fit(X, Y), X, Y, cv=None))


@pytest.mark.parametrize("kind", ["classes", "quantities"])
def test_rows_that_the_model_has_seen_are_not_called_new(kind):
    X, score = rows()
    y = np.where(score > 0, "ill", "well") if kind == "classes" else score
    made = FGMClassifier(2, C="fast") if kind == "classes" else FGMRegressor(2, C="fast")
    model = made.fit(X[:60], y[:60])
    told = words(report(model, X[:60], y[:60], cv=None, held_out=(X[60:], y[60:])))
    assert "neither the selection nor the fit has seen them" in told
    told = words(report(model, X[:60], y[:60], cv=None, held_out=(X[50:80], y[50:80])))
    assert "neither the selection nor the fit has seen them" not in told
    assert (
        "But 10 of them have the target and the score of a row that the model was fitted to" in told
    )
    few = np.sign(X)  # most rows of few values have a twin, and so have new ones
    model = clone(made).fit(few[:60], y[:60] if kind == "classes" else np.sign(y[:60]))
    new = (few[60:], y[60:] if kind == "classes" else np.sign(y[60:]))
    own = y[:60] if kind == "classes" else np.sign(y[:60])
    told = words(report(model, few[:60], own, cv=None, held_out=new))
    assert "neither the selection nor the fit has seen them" in told


@pytest.mark.parametrize(("scale", "told"), [(None, "None: std"), ("std", "std"), ("raw", "raw")])
def test_what_was_done_about_units_is_among_the_parameters(scale, told):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4)) * [1.0, 1e5, 1.0, 1.0]
    y = X[:, 0] > 0
    model = FGMClassifier(1, C="fast", scale=scale).fit(X, y)
    task = describe_task(Subject(model, X, y))
    assert dict(task.parameters)["scale"] == told
