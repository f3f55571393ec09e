"""C from the data: chosen on held-out rows where that is cheap, and always said how."""

import io
import warnings
from contextlib import redirect_stdout

import numpy as np
import pytest
import scipy.sparse as sp

from handful import FGMClassifier, FGMRegressor
from handful.io import load_model, save_model
from handful.losses import Logistic, Multivariate, Squared, SquaredHinge
from handful.losses.scaled_log_loss import scaled_log_losses
from handful.measures import FBeta
from handful.methods.fgm import held_out
from handful.methods.fgm.beginning import begin
from handful.methods.fgm.folds import N_FOLDS, deal_out, number_rows
from handful.methods.fgm.held_out import UPWARDS, WIDE
from handful.methods.fgm.plan import Options
from handful.methods.problem import Problem
from handful.sizes import changed_sizes, current_sizes
from handful.spaces import AdditiveKernel, DenseSpace, HistogramIntersection, Polynomial


def draw(n_rows=60, n_columns=80, seed=0, n_true=5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    return X, X[:, :n_true].sum(axis=1) + rng.standard_normal(n_rows)


def tried(model):
    return len(model.C_path_["mean"]) > 0


def test_what_was_tried_is_told():
    X, y = draw()
    path = FGMRegressor(10).fit(X, y).C_path_
    assert set(path) == {"values", "mean", "spread", "chosen", "reason"}
    assert len(path["values"]) == len(path["mean"]) == len(path["spread"])
    assert len(WIDE.factors) <= len(path["values"]) <= WIDE.most
    assert (np.diff(path["values"]) < 0).all()
    assert (path["spread"] >= 0).all()
    closed = FGMRegressor(10, C="fast").fit(X, y).C_
    assert np.isclose(path["values"][:, None], closed * np.array(WIDE.factors)).any(axis=0).all()
    assert path["chosen"] in path["values"]


def test_the_chosen_one_is_the_one_used_and_the_best_or_the_closed_rule():
    X, y = draw()
    for k in (3, 10, 30):
        model = FGMRegressor(k).fit(X, y)
        path = model.C_path_
        assert path["chosen"] == model.C_
        given = FGMRegressor(k, C=model.C_).fit(X, y)
        assert np.array_equal(model.support_ids_, given.support_ids_)
        assert np.array_equal(model.weights_, given.weights_)
        at = int(np.flatnonzero(path["values"] == path["chosen"])[0])
        if path["reason"].startswith("the lowest"):
            assert path["mean"][at] == path["mean"].min()
        else:
            assert path["chosen"] == FGMRegressor(k, C="fast").fit(X, y).C_


@pytest.mark.parametrize(("gain", "expected"), [(3.0, 0.2), (0.5, 2.0), (-1.0, 2.0)])
def test_another_is_taken_only_if_it_is_clearly_better(gain, expected):
    sizes = np.full(N_FOLDS, 10.0)
    noise = np.array([-1.0, 1.0, 0.0, 0.5, -0.5])
    errors = {1.0: np.full(N_FOLDS, 5.0), 0.1: 5.0 - gain + noise, 3.0: np.full(N_FOLDS, 9.0)}
    path = held_out._best(2.0, errors, sizes, margin=2.0)
    assert path.chosen == pytest.approx(expected)
    assert path.values.tolist() == [6.0, 2.0, 0.2]
    np.testing.assert_allclose(path.mean, [0.9, 0.5, (5.0 - gain) / 10])
    assert path.reason.startswith("the lowest" if gain == 3.0 else "the closed rule")


def test_held_out_errors_are_those_of_fits_without_the_fold():
    X, y = draw()
    problem = Problem(DenseSpace(X), y[:, None], np.ones(len(y)), Squared())
    began = begin(problem, Options(5))
    a = began.state.target.dual_point(began.state.point)
    folds = deal_out(number_rows(problem, a))
    path = FGMRegressor(5).fit(X, y).C_path_
    factors = path["values"] / FGMRegressor(5, C="fast").fit(X, y).C_
    errors = np.zeros(len(factors))
    for fold in range(N_FOLDS):
        out = folds == fold
        closed = FGMRegressor(5, C="fast").fit(X[~out], y[~out]).C_
        for at, factor in enumerate(factors):
            model = FGMRegressor(5, C=factor * closed).fit(X[~out], y[~out])
            errors[at] += 0.5 * np.square(y[out] - model.predict(X[out])).sum()
    np.testing.assert_allclose(path["mean"], errors / len(y), rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_held_out_errors_of_classes_are_log_losses_in_one_unit_for_all_folds(n_classes):
    X, y = draw()
    labels = np.digitize(y, [0.0] if n_classes == 2 else [-1.0, 1.0])
    one_hot = np.where(labels[:, None] == np.arange(n_classes), 1.0, -1.0)
    outputs = one_hot[:, 1:] if n_classes == 2 else one_hot
    problem = Problem(DenseSpace(X), outputs, np.ones(len(y)), SquaredHinge())
    began = begin(problem, Options(5))
    folds = deal_out(number_rows(problem, began.state.target.dual_point(began.state.point)))
    z = np.empty(outputs.shape)
    for out in (folds == fold for fold in range(N_FOLDS)):
        model = FGMClassifier(5, C="fast").fit(X[~out], labels[~out])
        z[out] = model.decision_function(X[out]).reshape(-1, outputs.shape[1])
    model = FGMClassifier(5).fit(X, labels)
    at = np.isclose(model.C_path_["values"], FGMClassifier(5, C="fast").fit(X, labels).C_)
    expected = scaled_log_losses(outputs, z, np.ones((len(y), 1))).mean()
    assert model.C_path_["mean"][at] == pytest.approx(expected, rel=1e-6)


def test_labels_are_compared_with_a_margin_of_their_own():
    assert SquaredHinge().held_out_margin == Logistic().held_out_margin == 1.0
    assert Squared().held_out_margin == Multivariate(FBeta()).held_out_margin == 2.0
    assert Squared().larger_C_margin == SquaredHinge().larger_C_margin == 2.0
    assert (
        Multivariate(FBeta()).larger_C_margin is None
    )  # nobody has looked at what it would be worth


@pytest.mark.parametrize("task", ["regression", "classes"])
def test_the_choice_is_the_same_for_other_orders_of_rows_and_columns(task):
    X, y = draw(60, 40, seed=3)
    estimator = FGMRegressor if task == "regression" else FGMClassifier
    y = y if task == "regression" else y > 0
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(60), rng.permutation(40)
    model = estimator(8).fit(X, y)
    again = estimator(8).fit(X, y)
    shuffled = estimator(8).fit(X[rows][:, columns], y[rows])
    assert model.C_ == again.C_
    np.testing.assert_array_equal(model.C_path_["mean"], again.C_path_["mean"])
    np.testing.assert_allclose(model.C_path_["mean"], shuffled.C_path_["mean"], rtol=1e-9)
    assert pytest.approx(model.C_) == shuffled.C_
    assert np.array_equal(np.sort(columns[shuffled.support_ids_]), model.support_ids_)


def test_the_choice_is_the_same_for_every_form_of_X(tmp_path):
    X, y = draw(50, 30, seed=4)
    X[np.abs(X) < 1.0] = 0.0
    expected = FGMRegressor(6).fit(X, y)
    for form in (sp.csr_array(X), sp.csc_array(X), np.asfortranarray(X)):
        model = FGMRegressor(6).fit(form, y)
        assert tried(model)
        assert pytest.approx(expected.C_) == model.C_
        np.testing.assert_allclose(
            model.C_path_["mean"], expected.C_path_["mean"], rtol=1e-8, atol=1e-12
        )


def test_a_weight_is_as_many_copies_and_zero_is_not_there():
    X, y = draw(50, 40, seed=5)
    weight = np.random.default_rng(1).integers(0, 3, 50)
    weighted = FGMRegressor(6).fit(X, y, sample_weight=weight)
    repeated = FGMRegressor(6).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert tried(weighted)
    assert tried(repeated)
    np.testing.assert_allclose(weighted.C_path_["mean"], repeated.C_path_["mean"], rtol=1e-6)
    assert pytest.approx(repeated.C_) == weighted.C_


def test_folds_have_their_share_of_every_class_and_equal_rows_stay_together():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((40, 6)), 2, axis=0)
    y = np.repeat(np.where(np.arange(40) < 10, 1.0, -1.0), 2)
    problem = Problem(DenseSpace(X), y[:, None], np.ones(80), SquaredHinge())
    began = begin(problem, Options(2))
    folds = deal_out(number_rows(problem, began.state.target.dual_point(began.state.point)))
    assert np.array_equal(folds[::2], folds[1::2])
    assert np.bincount(folds[y > 0]).tolist() == [4] * N_FOLDS
    assert np.bincount(folds[y < 0]).tolist() == [12] * N_FOLDS


FALLBACKS = {
    "too few rows": (lambda X, y: (X[:12], y[:12]), {}, "different rows"),
    "a class of one row": (lambda X, y: (X, np.arange(len(y)) == 7), {}, "in one fold only"),
    "the plain machine": (lambda X, y: (X, y), {"n_features_to_select": None}, "exactly k"),
    "a solver by name": (lambda X, y: (X, y), {"solver": "ksupport"}, "exactly k"),
    "nothing to choose": (lambda X, y: (X, y), {"include": [0, 1, 2]}, "nothing to choose"),
    "given": (lambda X, y: (X, y), {"C": 2.0}, "given"),
    "fast": (lambda X, y: (X, y), {"C": "fast"}, "fast"),
}


@pytest.mark.parametrize("case", FALLBACKS)
def test_otherwise_there_is_a_reason(case):
    change, options, reason = FALLBACKS[case]
    X, y = draw()
    X, y = change(X, y > 0)
    model = FGMClassifier(**({"n_features_to_select": 3} | options)).fit(X, y)
    assert not tried(model)
    assert reason in model.C_path_["reason"]
    assert model.C_path_["values"].tolist() == [model.C_]
    if "C" not in options:
        assert (
            model.C_
            == FGMClassifier(**({"n_features_to_select": 3} | options | {"C": "fast"})).fit(X, y).C_
        )


def test_large_data_are_left_to_the_closed_rule():
    X, y = draw()
    with changed_sizes(fold_work=1e6):
        model = FGMRegressor(5).fit(X, y)
    assert not tried(model)
    assert "operations" in model.C_path_["reason"]


def test_the_work_of_folds_is_bounded_before_anything_is_made():
    """Twice the rows and columns are four times the work of a search."""
    X, y = draw(100, 200)
    small = _work(X, y)
    assert _work(np.vstack([X, X]), np.append(y, y)) > 1.5 * small - held_out.OVERHEAD
    assert _work(np.hstack([X] * 50), y) > 10 * (small - held_out.OVERHEAD)
    large = np.broadcast_to(np.float32(1.0), (4096, 65536))
    assert 30 * _work(large, np.resize(y, 4096)) > current_sizes().fold_work


def test_kernels_of_columns_are_known_to_take_longer():
    X, _ = draw(100, 200)
    dense = DenseSpace(X).search_work
    spaces = [space.on(X) for space in (AdditiveKernel("gaussian"), HistogramIntersection())]
    for space in spaces:
        space.top(np.ones((100, 1)), 1)
    assert spaces[0].search_work > 100 * dense
    assert spaces[1].search_work > 5 * dense


def _work(X, y):
    problem = Problem(DenseSpace(X), y[:, None], np.ones(len(y)), Squared())
    return held_out.expected_work(Options(5), problem)


@pytest.mark.parametrize("grid", [WIDE, UPWARDS])
@pytest.mark.parametrize("towards", [1, -1, 0])
def test_where_the_best_is_at_an_end_more_is_tried_beyond(grid, towards):
    errors = {}
    while len(errors) < len(grid.factors):
        factor = grid.next_factor(errors)
        assert factor == grid.factors[len(errors)]
        distance = abs(np.log(factor)) if towards == 0 else -towards * np.log(factor)
        errors[factor] = np.full(N_FOLDS, distance)
    following = grid.next_factor(errors)
    down = min(grid.factors) / 3.0 if grid.goes_down else None
    beyond = {1: 3.0 * max(grid.factors), -1: down, 0: None}[towards]
    assert following == (None if beyond is None else pytest.approx(beyond))
    while following is not None:
        errors[following] = np.full(N_FOLDS, -towards * np.log(following))
        following = grid.next_factor(errors)
    assert len(errors) == (len(grid.factors) if beyond is None else grid.most)


def test_where_all_would_take_too_long_larger_values_are_tried_on_some_folds():
    X, y = draw(700, 60)
    closed = FGMRegressor(5, C="fast").fit(X, y).C_
    for n_folds in range(2, N_FOLDS + 1):
        most = 1.01 * _work(X, y) * UPWARDS.n_fits * n_folds / N_FOLDS
        assert held_out.affordable(_work(X, y), 10**6, Squared()).n_folds == N_FOLDS
        with changed_sizes(fold_work=most):
            assert held_out.affordable(_work(X, y), 10**6, Squared()).n_folds == n_folds
            path = FGMRegressor(5).fit(X, y).C_path_
        if 700 * n_folds < 500 * N_FOLDS:
            assert "operations" in path["reason"]
            continue
        factors = path["values"][::-1] / closed
        assert len(UPWARDS.factors) <= len(factors) <= UPWARDS.most
        np.testing.assert_allclose(factors, 3.0 ** np.arange(len(factors)))
    with changed_sizes(fold_work=1.01 * _work(X, y) * UPWARDS.n_fits / N_FOLDS):
        # One fold says too little.
        assert held_out.affordable(_work(X, y), 10**6, Squared()) is None
        assert not tried(FGMRegressor(5).fit(X, y))


def test_some_folds_choose_the_same_for_other_orders_and_are_judged_in_equal_parts():
    X, y = draw(900, 40, n_true=20)
    y -= 0.9 * (y - X[:, :20].sum(axis=1))  # hardly any noise
    rows, columns = (np.random.default_rng(1).permutation(size) for size in X.shape)
    with changed_sizes(fold_work=1.01 * _work(X, y) * UPWARDS.n_fits * 3 / N_FOLDS):
        path = FGMRegressor(20).fit(X, y).C_path_
        other = FGMRegressor(20).fit(X[rows][:, columns], y[rows]).C_path_
    assert path["mean"].size
    np.testing.assert_allclose(path["mean"], other["mean"], rtol=1e-6)
    assert path["chosen"] == pytest.approx(other["chosen"])
    numbers = np.arange(900)
    parts = held_out._parts(numbers, numbers % N_FOLDS < 3)
    assert [part.sum() for part in parts] == [108] * N_FOLDS
    assert np.array_equal(np.logical_or.reduce(parts), numbers % N_FOLDS < 3)


class MadeUpErrors(SquaredHinge):
    """Notes what it is to judge, and tells errors as they were given, those of one C after the other."""

    def __init__(self, errors):
        self.errors, self.judged = errors, []

    def held_out_errors(self, y, z, weight, folds):
        self.judged.append((len(y), [int(fold.sum()) for fold in folds]))
        return self.errors[len(self.judged) - 1]


@pytest.mark.parametrize(("ratio", "expected"), [(1.5, 1.0), (2.5, 3.0)])
def test_larger_values_for_classes_must_be_better_by_two_standard_errors(ratio, expected):
    """Where all values are tried one is enough. Rows that a model was fitted to are not judged."""
    spread = np.linspace(-1.0, 1.0, N_FOLDS)
    gains = spread + ratio * spread.std(ddof=1) / np.sqrt(N_FOLDS)
    loss = MadeUpErrors([np.ones(N_FOLDS), 1.0 - gains, 2.0 * np.ones(N_FOLDS)])
    X, y = draw(900, 40)
    closed = FGMClassifier(5, C="fast").fit(X, y > 0).C_
    with changed_sizes(fold_work=1.01 * _work(X, y) * UPWARDS.n_fits * 3 / N_FOLDS):
        model = FGMClassifier(5, loss=loss).fit(X, y > 0)
    assert pytest.approx(expected * closed) == model.C_
    np.testing.assert_allclose(model.C_path_["values"], closed * np.array([9.0, 3.0, 1.0]))
    assert model.loss.judged == [(540, [108] * N_FOLDS)] * 3


@pytest.mark.parametrize("n_different", [20, 480])
@pytest.mark.parametrize("n_folds", [3, N_FOLDS])
def test_copies_of_rows_are_no_rows_to_judge_larger_values_by(n_different, n_folds):
    """Twenty different rows would leave a part of two folds without any."""
    X, y = draw(n_different, 12)
    X, y = (np.tile(one, (3000 // n_different, *(1,) * (one.ndim - 1))) for one in (X, y))
    most = 1.01 * _work(X, y) * UPWARDS.n_fits * n_folds / N_FOLDS
    with changed_sizes(fold_work=most), warnings.catch_warnings():
        warnings.simplefilter("error")
        path = FGMRegressor(5).fit(X, y).C_path_
    assert path["reason"].endswith("fewer than 500 different rows.")
    assert not path["mean"].size


def test_several_classes_one_of_two_rows():
    X, y = draw(90, 30)
    labels = np.digitize(y, [-1.0, 1.0])
    labels[:2] = 9
    model = FGMClassifier(6).fit(X, labels)
    assert tried(model)
    assert model.C_path_["mean"].max() <= 1.1 * np.log(
        4
    )  # no better than knowing nothing, at worst


@pytest.mark.parametrize("loss", ["f1", "roc_auc", "accuracy"])
def test_measures_would_choose_by_themselves(loss):
    X, y = draw(20, 4)
    model = FGMClassifier(2, loss=loss).fit(X, y > 0.5)
    assert "operations" in model.C_path_["reason"]  # they take too long for that
    with changed_sizes(fold_work=1e12):
        model = FGMClassifier(2, loss=loss).fit(X, y > 0.5)
    assert tried(model), model.C_path_["reason"]
    assert ((model.C_path_["mean"] >= 0) & (model.C_path_["mean"] <= 1)).all()


@pytest.mark.parametrize("loss", ["f1", "accuracy", "roc_auc", "prec@50"])
def test_measures_keep_to_the_closed_rule_where_there_is_time_for_some_folds(loss):
    """Without noise larger values would be taken; nobody has looked at what that is worth on other data."""
    X, _ = draw(1000, 60)
    y = X[:, 0] - X[:, 1] > 1.5
    settled = {"refit_loss": "same", "selection_loss": "same"}
    model = FGMClassifier(4, loss=loss, **settled).fit(X, y)
    assert "operations" in model.C_path_["reason"]
    assert FGMClassifier(4, loss=loss, C="fast", **settled).fit(X, y).C_ == model.C_


def test_groups_pairs_and_must_haves():
    X, y = draw(60, 20)
    for options in (
        {"groups": np.arange(20) // 2},
        {"space": Polynomial()},
        {"include": [3], "exclude": [0]},
    ):
        model = FGMRegressor(4, **options).fit(X, y)
        assert tried(model), model.C_path_["reason"]


def test_each_class_under_a_measure_has_its_own_path():
    X, y = draw(60, 12)
    model = FGMClassifier(2, loss="f1", per_class=True).fit(X, np.digitize(y, [-1.0, 1.0]))
    assert len(model.C_path_) == 3
    assert [path["chosen"] for path in model.C_path_] == model.C_.tolist()


def test_verbose_prints_the_path_and_silence_is_silent():
    X, y = draw()
    printed = {}
    for verbose in (True, False):
        with redirect_stdout(io.StringIO()) as caught:
            FGMRegressor(5, verbose=verbose).fit(X, y)
        printed[verbose] = caught.getvalue()
    assert printed[True].count("held-out") >= len(WIDE.factors)
    assert printed[False] == ""


def test_folds_do_not_warn():
    X, y = draw(40, 30)
    X[:, 4:] = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        FGMRegressor(6).fit(X, y)
    assert len([w for w in caught if "features" in str(w.message)]) == 1


def test_the_path_is_saved_with_the_model(tmp_path):
    X, y = draw()
    model = FGMRegressor(5).fit(X, y)
    save_model(model, tmp_path / "m.handful")
    again = load_model(tmp_path / "m.handful")
    np.testing.assert_array_equal(again.C_path_["values"], model.C_path_["values"])
    assert again.C_path_["reason"] == model.C_path_["reason"]


def test_one_large_column_has_no_say_in_the_closed_rule():
    X, y = draw(200, 30)
    usual = FGMRegressor(5, C="fast").fit(X, y).C_
    X[:, 0] *= 1000.0
    assert pytest.approx(usual, rel=0.2) == FGMRegressor(5, C="fast").fit(X, y).C_


def test_the_closed_rule_knows_how_many_rows_a_feature_has():
    X, y = draw(100, 120)
    loose, tight = (FGMRegressor(k, C="fast").fit(X, y).C_ for k in (2, 50))
    assert tight < 0.3 * loose


def test_copies_are_no_more_rows_than_there_are():
    """16 rows three times are as few as 16 rows with weight three."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((16, 30)), rng.standard_normal(16)
    repeated = FGMRegressor(5).fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    weighted = FGMRegressor(5).fit(X, y, sample_weight=np.full(16, 3.0))
    assert pytest.approx(weighted.C_) == repeated.C_
    assert "different rows" in repeated.C_path_["reason"]


def test_a_loss_that_bends_less_has_more_C():
    X, y = draw()
    hinge, logistic = (
        FGMClassifier(5, loss=loss, C="fast").fit(X, y > 0)
        for loss in ("squared_hinge", "logistic")
    )
    assert pytest.approx(4.0 * hinge.C_) == logistic.C_
