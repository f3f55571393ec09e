"""``label_threshold="held_out"``: labels are parted where that is best for rows that were not seen."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from handful import FGMClassifier, load_model, save_model
from handful.losses.base import Point
from handful.losses.thresholds import with_best_threshold
from handful.measures import Accuracy, FBeta
from handful.methods.fgm.folds import N_FOLDS, deal_out, in_order

MEASURES = {"f1": FBeta(), "f0.5": FBeta(0.5), "accuracy": Accuracy()}


def noisy(n_samples=240, n_positive=60, seed=0, n_columns=30):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_columns))
    score = X[:, 2] - X[:, 9] + 0.7 * X[:, 17] + rng.standard_normal(n_samples)
    return X, (score >= np.sort(score)[-n_positive]).astype(int)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_no_other_threshold_is_better(name, is_weighted):
    """Every place between two predictions, and beyond all of them, on predictions with ties."""
    measure, rng = MEASURES[name], np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(4, 15))
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        unseen = np.round(rng.standard_normal(n), 1)
        weight = rng.integers(0, 3, n).astype(float) if is_weighted else None
        if is_weighted:
            weight[:2] = 1.0
        point = Point(np.zeros((n, 1)), np.array([0.3]), 0.0, np.zeros((n, 1)))
        moved = with_best_threshold(point, y[:, None], unseen[:, None], measure, weight)
        levels = np.unique(unseen)
        places = [levels[0] - 1.0, *(0.5 * (levels[1:] + levels[:-1])), levels[-1] + 1.0, 0.0]
        best = max(measure.value(y, unseen - place, weight) for place in places)
        shift = float(moved.intercept[0] - 0.3)
        assert measure.value(y, unseen + shift, weight) == pytest.approx(best, abs=1e-12)
        if measure.value(y, unseen, weight) == pytest.approx(best, abs=1e-13):
            assert shift == 0.0


@pytest.mark.parametrize("loss", ["f1", "accuracy"])
def test_it_is_the_best_for_refits_without_the_rows(loss):
    """The same five models by hand: fits to the chosen columns of the other rows."""
    X, y = noisy()
    fitted = FGMClassifier(4, loss=loss, C="fast").fit(X, y)
    tuned = FGMClassifier(4, loss=loss, C="fast", label_threshold="held_out").fit(X, y)
    np.testing.assert_array_equal(tuned.support_ids_, fitted.support_ids_)
    np.testing.assert_array_equal(tuned.weights_, fitted.weights_)

    chosen, signs = X[:, fitted.support_ids_], np.where(y > 0, 1.0, -1.0)[:, None]
    problem_loss = fitted._prepared(X, y, None).loss.of_samples(signs[:, 0], np.ones(len(y)))
    a, _ = problem_loss.cut(signs, np.zeros_like(signs), np.ones_like(signs))
    folds = deal_out(in_order(chosen @ (chosen.T @ a), signs, np.ones(len(y))))
    assert np.unique(folds).tolist() == list(range(N_FOLDS))
    C = fitted.C_ * problem_loss.refit_factor(signs)
    unseen = np.empty(len(y))
    for fold in range(N_FOLDS):
        rest = folds != fold
        model = FGMClassifier(4, loss=loss, C=C, include=range(4), refit=False)
        unseen[~rest] = model.fit(chosen[rest], y[rest]).decision_function(chosen[~rest])
    score = {"f1": f1_score, "accuracy": accuracy_score}[loss]
    shift = tuned.intercept_[0] - fitted.intercept_[0]
    places = np.sort(-unseen)
    best = max(score(y, unseen + place > 0) for place in 0.5 * (places[1:] + places[:-1]))
    assert score(y, unseen + shift > 0) >= best - 0.01  # the models are solved to a tolerance


def test_labels_with_few_positives_or_negatives_keep_theirs():
    X, common = noisy()
    labels = np.column_stack([common, noisy(n_positive=29)[1], noisy(n_positive=215)[1]])
    fitted, tuned = (
        FGMClassifier(4, loss="f1", C="fast", label_threshold=how).fit(X, labels)
        for how in ("fitted", "held_out")
    )
    np.testing.assert_array_equal(fitted.weights_, tuned.weights_)
    assert (fitted.intercept_ != tuned.intercept_).tolist() == [True, False, False]


@pytest.mark.parametrize("is_weighted", [True, False])
def test_a_label_that_one_fold_has_alone_keeps_its_threshold(is_weighted):
    """One positive with the weight of forty, or forty times: the models of the other folds would know none."""
    X, y = noisy(100, 1)
    weight = np.where(y > 0, 40.0, 1.0)
    if not is_weighted:
        X, y, weight = (
            np.repeat(X, weight.astype(int), axis=0),
            np.repeat(y, weight.astype(int)),
            None,
        )
    fitted, tuned = (
        FGMClassifier(4, loss="f1", C="fast", label_threshold=how).fit(X, y, sample_weight=weight)
        for how in ("fitted", "held_out")
    )
    assert fitted.intercept_ == tuned.intercept_


@pytest.mark.parametrize("options", [{"per_class": True}, {"average": "weighted"}])
def test_several_classes_paths_and_files(options, tmp_path):
    X, y = noisy(120, 80, n_columns=20)
    y = y + (X[:, 9] > 0.3)
    model = FGMClassifier(4, loss="f1", C="fast", label_threshold="held_out", **options).fit(X, y)
    save_model(model, tmp_path / "m.handful")
    back = load_model(tmp_path / "m.handful")
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    assert back.label_threshold == "held_out"
    of_path = model.fit_path(X, y, [2, 4])
    assert of_path[4].label_threshold == "held_out"
    assert np.isfinite(of_path[2].intercept_).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_threshold": "best"}, "label_threshold must be one of 'fitted', 'held_out'"),
        ({"loss": "squared_hinge"}, r"is for measures of how many labels are right.*SquaredHinge"),
        ({"loss": "prbep"}, r"is for measures of how many labels are right"),
        ({"fit_intercept": False}, "needs fit_intercept=True and refit=True"),
        ({"refit": False}, "needs fit_intercept=True and refit=True"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(options, message):
    X, y = noisy(40, 20)
    settings = {"loss": "f1", "label_threshold": "held_out", **options}
    with pytest.raises(ValueError, match=message):
        FGMClassifier(3, **settings).fit(X, y)
