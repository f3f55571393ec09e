"""F with weights: whole numbers are copies of their samples, and other weights can be divided."""

import itertools

import numpy as np
import pytest
from labelings import random_case, size
from sklearn.metrics import fbeta_score

from handful.measures import FBeta

N_CASES = 600


def weights_of(rng, y, kind):
    """Return weights, some of them zero, but never of all positives."""
    n_samples = len(y)
    weight = {
        "copies": lambda: rng.integers(0, 5, n_samples).astype(float),
        "many copies": lambda: rng.integers(0, 300, n_samples).astype(float),
        "real": lambda: rng.exponential(size=n_samples) * (rng.random(n_samples) < 0.8),
        "wide": lambda: 10.0 ** rng.uniform(-6, 6, n_samples),
    }[kind]()
    first = np.argmax(y > 0)
    weight[first] = max(weight[first], 1.0)
    return weight


def cases(seed, kind, most=10, n_cases=N_CASES):
    rng = np.random.default_rng(seed)
    for _ in range(n_cases):
        measure, y, z = random_case(rng, "fbeta", most=most)
        weight = weights_of(rng, y, kind)
        if (
            kind in ("real", "wide") and rng.random() < 0.5
        ):  # the range in which labels are contested
            z = z * 50.0 / (weight[y > 0].sum() * max(np.abs(z).max(), 1e-300))
        yield measure, y, z, weight


def cost(measure, y, a, weight):
    """Delta of a labeling, from what of each sample's weight is labelled wrongly."""
    wrong = np.abs(a) / 2.0
    missed, added = wrong[y > 0].sum(), wrong[y < 0].sum()
    hits = (weight - wrong)[y > 0].sum()
    square = measure.beta**2
    return 100.0 * (1.0 - (1.0 + square) * hits / ((1.0 + square) * hits + square * missed + added))


def sums_from_best(z, weight):
    """Weight and weighted score of the best samples, from none to all."""
    down = np.argsort(-z, kind="stable")
    return (np.append(0.0, np.cumsum(part[down])) for part in (weight, weight * z))


def searched_risk(measure, y, z, weight):
    """The maximum with rows divided anywhere: every kept row, and the best added weight by ternary search."""
    positive = y > 0
    kept, kept_scores = sums_from_best(z[positive], weight[positive])
    at, added_scores = sums_from_best(z[~positive], weight[~positive])
    square, total = measure.beta**2, kept[-1]

    def value(added):
        share = (1.0 + square) * kept / (kept + added + square * total)
        missed = kept_scores[-1] - kept_scores
        return 100.0 * (1.0 - share) - 2.0 * missed + 2.0 * np.interp(added, at, added_scores)

    low, high = np.zeros(len(kept)), np.full(len(kept), at[-1])
    for _ in range(100):
        left, right = low + (high - low) / 3.0, high - (high - low) / 3.0
        is_left = value(left) >= value(right)
        low, high = np.where(is_left, low, left), np.where(is_left, right, high)
    return max(value(at_row).max() for at_row in [low, high, *np.outer(at, np.ones(len(kept)))])


@pytest.mark.parametrize("kind", ["copies", "real", "wide"])
def test_value_is_that_of_scikit_learn(kind):
    for measure, y, z, weight in cases(0, kind, most=40, n_cases=200):
        predicted = np.where(z > 0, 1.0, -1.0)
        known = fbeta_score(
            y, predicted, beta=measure.beta, zero_division=0.0, sample_weight=weight
        )
        assert measure.value(y, z, weight) == pytest.approx(known, abs=1e-14)
        assert measure.value(y, y, weight) == 1.0
        assert measure.value(y, -y, weight) == 0.0


@pytest.mark.parametrize("kind", ["copies", "many copies"])
def test_whole_numbers_are_copies(kind):
    """The labeling too: where sums of scores are exact even ties are decided alike."""
    n_same = 0
    for measure, y, z, weight in cases(1, kind, most=12):
        times = weight.astype(int)
        a, delta = measure.most_violated(y, z, weight)
        many, many_delta = measure.most_violated(np.repeat(y, times), np.repeat(z, times))
        of_row = np.bincount(np.repeat(np.arange(len(y)), times), many, minlength=len(y))
        risk = many_delta - many @ np.repeat(z, times)
        assert delta - a @ z == pytest.approx(risk, abs=1e-12 * size(weight * z))
        if (z == np.round(8.0 * z) / 8.0).all():
            assert np.array_equal(a, of_row), (measure, y, z, weight)
        n_same += np.array_equal(a, of_row)
    assert n_same >= 0.999 * N_CASES


def test_ones_are_no_weights(fewer):
    for measure, y, z, _ in cases(2, "copies", most=30, n_cases=fewer(N_CASES)):
        a, delta = measure.most_violated(y, z)
        ones, ones_delta = measure.most_violated(y, z, np.ones(len(y)))
        assert np.array_equal(a, ones)
        assert delta == ones_delta


@pytest.mark.parametrize("kind", ["real", "wide"])
def test_other_weights_can_be_divided(kind, fewer):
    for measure, y, z, weight in cases(3, kind, most=12, n_cases=fewer(N_CASES)):
        best = searched_risk(measure, y, z, weight)
        risk = measure.risk(y, z, weight)
        assert risk == pytest.approx(best, abs=1e-9 + 1e-11 * size(weight * z)), (y, z, weight)


def test_no_divided_labeling_is_worse(fewer):
    fractions = np.array(list(itertools.product((0.0, 0.3, 0.7, 1.0), repeat=5)))
    for measure, y, z, weight in cases(4, "real", most=5, n_cases=fewer(200)):
        wrong = np.unique(fractions[:, : len(y)], axis=0) * weight
        values = [cost(measure, y, 2.0 * part, weight) - 2.0 * part @ (y * z) for part in wrong]
        assert measure.risk(y, z, weight) >= max(values) - 1e-11 * size(weight * z)


@pytest.mark.parametrize("kind", ["copies", "many copies", "real", "wide"])
def test_answer_is_a_labeling_with_its_own_cost(kind, fewer):
    for measure, y, z, weight in cases(5, kind, n_cases=fewer(N_CASES)):
        a, delta = measure.most_violated(y, z, weight)
        assert (a * y >= 0.0).all()
        assert (np.abs(a) <= 2.0 * weight).all()
        assert delta == pytest.approx(cost(measure, y, a, weight), abs=1e-10)
        is_divided = (a != 0.0) & (np.abs(a) != 2.0 * weight)
        assert is_divided.sum() <= 1
        assert not is_divided[y > 0].any()
        if "copies" in kind:
            assert np.array_equal(a / 2.0, np.round(a / 2.0))


def test_a_row_is_divided_where_that_is_worst():
    """2 a / (a + b + P) with a = P = 1: t = 2 + b is best where 100 / t^2 = -score."""
    y, z = np.array([1.0, -1.0]), np.array([60.0, -100.0 / 2.25**2])
    a, delta = FBeta().most_violated(y, z, np.array([1.0, 1.5]))
    assert a == pytest.approx([0.0, -0.5])
    assert delta == pytest.approx(100.0 * (1.0 - 2.0 / 2.25))
    # As three halves of a sample, or as one copy or two, it is as much as that can be.
    a, _ = FBeta().most_violated(y, z, np.array([1.0, 2.0]))
    assert a.tolist() == [0.0, 0.0]
    a, _ = FBeta().most_violated(y, 0.5 * z, np.array([2.0, 3.0]))
    assert a.tolist() == [0.0, -2.0]


@pytest.mark.parametrize("kind", ["copies", "real"])
def test_weight_zero_is_a_sample_that_is_not_there(kind, fewer):
    for measure, y, z, weight in cases(6, kind, n_cases=fewer(N_CASES)):
        there = weight > 0
        a, delta = measure.most_violated(y, z, weight)
        left, left_delta = measure.most_violated(y[there], z[there], weight[there])
        assert np.array_equal(a[there], left)
        assert not a[~there].any()
        assert delta == left_delta
        without = measure.value(y[there], z[there], weight[there])
        assert measure.value(y, z, weight) == pytest.approx(without, abs=1e-15)


@pytest.mark.parametrize("kind", ["copies", "real", "wide"])
def test_minus_a_is_a_subgradient_and_the_risk_bounds_the_loss(kind, fewer):
    rng = np.random.default_rng(7)
    for measure, y, z, weight in cases(7, kind, n_cases=fewer(N_CASES)):
        a, delta = measure.most_violated(y, z, weight)
        assert delta - a @ z >= -1e-11 * size(weight * z)
        other = z + rng.normal(size=len(z)) * rng.choice((1e-3, 1.0, 50.0 / weight.sum()))
        linear = delta - a @ other
        slack = 1e-11 * size(weight * z, weight * other)
        assert measure.risk(y, other, weight) >= linear - slack
        lost = 100.0 * (1.0 - measure.value(y, z, weight))
        assert measure.risk(y, z, weight) >= lost - 1e-11 * size(weight * z)


def test_true_labels_far_apart_cost_nothing():
    for measure, y, z, weight in cases(8, "real", n_cases=200):
        a, delta = measure.most_violated(y, 1e9 * y, weight)
        assert delta == 0.0
        assert not a.any()
        assert measure.most_violated(y, -1e9 * y, weight)[1] == 100.0
        assert len(z) == len(a)


@pytest.mark.parametrize("factor", [1e-70, 1e-9, 0.3, 1e9, 1e60])
def test_a_factor_of_divided_weights_is_one_of_the_scores(factor):
    for measure, y, z, weight in cases(9, "real", n_cases=200):
        one, other = measure.risk(y, z, weight), measure.risk(y, z / factor, factor * weight)
        assert other == pytest.approx(one, abs=1e-11 * size(weight * z))


def test_more_copies_than_could_be_counted_are_divided(fewer):
    """Above 2^53 not all whole numbers exist; below a copy is so little that dividing is the same."""
    for measure, y, z, weight in cases(10, "copies", n_cases=fewer(200)):
        for factor in (1e12, 1e16):
            copies = measure.risk(y, z / factor, factor * weight)
            best = searched_risk(measure, y, z, weight)
            assert copies == pytest.approx(best, abs=1e-9 + 1e-11 * size(weight * z))


def test_first_of_tied_samples_is_taken():
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    z = np.array([-8.0, 60.0, 60.0, -8.0])
    a, _ = FBeta().most_violated(y, z, np.array([2.0, 1.0, 1.0, 2.0]))
    assert a.tolist() == [-2.0, 0.0, 0.0, 0.0]
    a, _ = FBeta().most_violated(y, z, np.array([0.6, 1.0, 1.0, 0.9]))
    assert a.tolist() == pytest.approx([-1.2, 0.0, 0.0, -0.8])


@pytest.mark.parametrize("beta", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("kind", ["copies", "real"])
def test_many_samples(beta, kind):
    """A pointer that went astray among thousands would not show among ten."""
    rng = np.random.default_rng(11)
    for scale in (0.001, 0.03, 1.0, 100.0):
        y = np.where(rng.random(3000) < 0.2, 1.0, -1.0)
        z = scale * (rng.normal(size=3000) + 0.5 * y)
        weight = weights_of(rng, y, kind)
        measure = FBeta(beta)
        if kind == "real":
            best = searched_risk(measure, y, z, weight)
        else:
            times = weight.astype(int)
            best = measure.risk(np.repeat(y, times), np.repeat(z, times))
        assert measure.risk(y, z, weight) == pytest.approx(best, rel=1e-10, abs=1e-8)


def test_positives_without_weight():
    y, z = np.array([1.0, -1.0, 1.0]), np.array([0.4, 0.3, 0.2])
    weight = np.array([0.0, 1.0, 0.0])
    for call in (FBeta().value, FBeta().most_violated, FBeta().risk):
        with pytest.raises(
            ValueError, match=r"^f1 is undefined without positive samples, and all those of y have"
        ):
            call(y, z, weight)
    with pytest.raises(ValueError, match=r"^f1 is undefined without positive samples, and all"):
        FBeta().check(y, weight)
    # Negatives are not needed: everything found is right.
    assert FBeta().value(y, z, np.array([1.0, 0.0, 2.0])) == 1.0
