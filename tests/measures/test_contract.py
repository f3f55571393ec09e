"""What every measure promises, checked against all labelings or rankings of a few samples."""

import itertools
import pkgutil

import numpy as np
import pytest
from labelings import (
    MAKERS,
    OF_LABELINGS,
    all_labelings,
    all_rankings,
    average_precisions,
    deltas,
    differences,
    random_case,
    size,
    wrong_pairs,
)

import handful.measures
from handful.measures import Measure, known_measures

N_CASES = 3000
SHARED = {"base", "fixed_count"}

every_measure = pytest.mark.parametrize("name", list(MAKERS))
every_labeling_measure = pytest.mark.parametrize("name", OF_LABELINGS)


def test_every_file_has_its_measure_and_every_measure_is_tested():
    files = {module.name for module in pkgutil.iter_modules(handful.measures.__path__)}
    assert files - SHARED == set(known_measures()), "import it in measures/__init__.py"
    assert set(known_measures()) == set(MAKERS), "say in labelings.py::MAKERS how to make one"


@every_labeling_measure
def test_most_violated_is_the_maximum_over_all_labelings(name, fewer):
    rng = np.random.default_rng(0)
    for _ in range(fewer(N_CASES)):
        measure, y, z = random_case(rng, name)
        labelings = all_labelings(len(y))
        best = (deltas(measure, y, labelings) - differences(measure, y, labelings) @ z).max()
        assert measure.risk(y, z) == pytest.approx(best, abs=1e-13 * size(z)), (measure, y, z)


@pytest.mark.parametrize(("most", "n_cases"), [(6, 3000), (7, 200)])
def test_average_precision_is_the_maximum_over_all_rankings(most, n_cases, fewer):
    rng = np.random.default_rng(1)
    for _ in range(fewer(n_cases)):
        measure, y, z = random_case(rng, "average_precision", most=most)
        rankings = all_rankings(len(y))
        positives, negatives, wrong = wrong_pairs(y, rankings)
        lead = z[positives][:, None] - z[negatives]
        values = (
            1.0 - average_precisions(y, rankings) - (wrong * lead).sum((1, 2)) / (lead.size or 1)
        )
        assert measure.risk(y, z) == pytest.approx(100.0 * values.max(), abs=1e-11 * size(z)), (
            y,
            z,
        )


def test_roc_auc_is_the_maximum_over_all_rankings_and_all_sets_of_pairs(fewer):
    rng = np.random.default_rng(2)
    for _ in range(fewer(N_CASES)):
        measure, y, z = random_case(rng, "roc_auc", most=6)
        positives, negatives, wrong = wrong_pairs(y, all_rankings(len(y)))
        gain = (1.0 - (z[positives][:, None] - z[negatives])) * 100.0 / (wrong[0].size)
        by_ranking = (wrong * gain).sum((1, 2)).max()
        sets = np.array(list(itertools.product((0, 1), repeat=gain.size)))
        by_set = (sets @ gain.ravel()).max()
        risk = measure.risk(y, z)
        assert risk == pytest.approx(by_set, abs=1e-11 * size(z)), (y, z)
        assert risk == pytest.approx(by_ranking, abs=1e-11 * size(z)), (y, z)


@every_labeling_measure
def test_answer_is_a_labeling_with_its_own_cost(name, fewer):
    rng = np.random.default_rng(3)
    for _ in range(fewer(N_CASES)):
        measure, y, z = random_case(rng, name)
        a, delta = measure.most_violated(y, z)
        labels = np.where(a == 0.0, y, -y)
        assert a.shape == y.shape
        np.testing.assert_allclose(a, differences(measure, y, labels[None])[0], rtol=1e-15)
        assert delta == measure.delta(y, labels), (y, z, a)
        assert delta == pytest.approx(deltas(measure, y, labels[None])[0], abs=1e-12)


@pytest.mark.parametrize("name", ["average_precision", "roc_auc"])
def test_answer_is_a_ranking_with_its_own_cost(name, fewer):
    """Where a negative has m positives behind it, and no two samples count the same pair twice."""
    rng = np.random.default_rng(4)
    for _ in range(fewer(N_CASES // 4)):
        measure, y, z = random_case(rng, name, most=12)
        a, delta = measure.most_violated(y, z)
        positive = y > 0
        pairs = np.count_nonzero(positive) * np.count_nonzero(~positive)
        counts = a * pairs / 100.0
        ranking = _ranking(counts, positive)
        assert counts == pytest.approx(np.round(counts), abs=1e-9)
        assert counts.sum() == pytest.approx(0.0, abs=1e-9)
        assert delta == pytest.approx(measure.delta(y, ranking), abs=1e-9), (y, z)


def _ranking(counts, positive):
    """Return scores for the ranking in which a sample has so many wrong partners.

    A positive with c negatives before it belongs after the c-th negative; a negative with m positives
    behind it is before the last m of them.
    """
    n_positive = np.count_nonzero(positive)
    scores = np.empty(len(counts))
    down = np.flatnonzero(positive)[np.argsort(counts[positive], kind="stable")]
    scores[down] = -np.arange(n_positive)
    scores[~positive] = -(n_positive + np.round(counts[~positive])) + 0.5
    return scores


@every_measure
def test_risk_is_never_negative_and_minus_a_is_a_subgradient(name, fewer):
    rng = np.random.default_rng(5)
    for _ in range(fewer(N_CASES)):
        measure, y, z = random_case(rng, name)
        a, delta = measure.most_violated(y, z)
        assert delta - a @ z >= -1e-12 * size(z)
        other = random_case(rng, name)[2] if rng.random() < 0.3 else z + rng.normal(size=len(z))
        other = np.resize(other, len(z))
        linear = delta - a @ other
        assert measure.risk(y, other) >= linear - 1e-11 * size(z, other), (y, z, other)


@every_measure
def test_risk_is_at_least_the_cost_of_what_is_predicted(name, fewer):
    """A small risk is a promise."""
    rng = np.random.default_rng(6)
    for _ in range(fewer(N_CASES // 4)):
        measure, y, z = random_case(rng, name)
        n_positive = int(np.count_nonzero(y > 0))
        k = measure.n_predicted(len(y), n_positive)
        if k is None:
            predicted = np.where(z > 0, 1.0, -1.0) if name in OF_LABELINGS else z
        else:
            predicted = np.full(len(y), -1.0)
            predicted[np.argsort(-z, kind="stable")[:k]] = 1.0
        if name == "average_precision" and len(np.unique(z)) < len(z):
            continue
        assert measure.risk(y, z) >= measure.delta(y, predicted) - 1e-12 * size(z), (measure, y, z)


@every_measure
def test_a_constant_added_to_all_scores_changes_no_ranking(name, fewer):
    rng = np.random.default_rng(10)
    for _ in range(fewer(N_CASES // 4)):
        measure, y, z = random_case(rng, name)
        if not measure.has_threshold:
            moved = measure.risk(y, z + 7.0)
            assert moved == pytest.approx(measure.risk(y, z), abs=1e-11 * size(z)), (measure, y, z)


@every_measure
def test_true_labels_cost_nothing_and_arguments_are_left_alone(name, fewer):
    rng = np.random.default_rng(7)
    for _ in range(fewer(300)):
        measure, y, z = random_case(rng, name)
        kept_y, kept_z = y.copy(), z.copy()
        assert measure.delta(y, y) == 0.0
        assert 0.0 <= measure.value(y, z) <= 1.0
        y.setflags(write=False)
        z.setflags(write=False)
        measure.most_violated(y, z)
        assert np.array_equal(y, kept_y)
        assert np.array_equal(z, kept_z)


@every_measure
def test_answer_depends_on_nothing_but_the_numbers(name, fewer):
    rng = np.random.default_rng(8)
    for _ in range(fewer(300)):
        measure, y, z = random_case(rng, name)
        a, delta = measure.most_violated(y, z)
        again, same = measure.most_violated(y.astype(np.int8), np.repeat(z, 2)[::2])
        zeros = np.where(z == 0.0, -0.0, z)
        assert np.array_equal(a, again)
        assert delta == same
        assert np.array_equal(a, measure.most_violated(y, zeros)[0])


@every_measure
def test_weights_are_repetitions_or_refused(name, fewer):
    rng = np.random.default_rng(9)
    for _ in range(fewer(300)):
        measure, y, z = random_case(rng, name)
        weight = rng.integers(1, 4, len(y))
        if not measure.accepts_weight:
            calls = [
                (measure.most_violated, (y, z)),
                (measure.value, (y, z)),
                (measure.check, (y,)),
            ]
            for call, given in calls:
                with pytest.raises(ValueError, match="is not defined for weighted samples; leave"):
                    call(*given, weight)
            return
        a, delta = measure.most_violated(y, z, weight)
        many, many_delta = measure.most_violated(np.repeat(y, weight), np.repeat(z, weight))
        first = np.cumsum(weight) - weight
        assert delta == pytest.approx(many_delta, rel=1e-12)
        assert a == pytest.approx(np.add.reduceat(many, first), rel=1e-12)
        repeated = measure.value(np.repeat(y, weight), np.repeat(z, weight))
        assert measure.value(y, z, weight) == pytest.approx(repeated, abs=1e-14)
        ones, ones_delta = measure.most_violated(y, z, np.ones(len(y)))
        assert np.array_equal(ones, measure.most_violated(y, z)[0])
        assert ones_delta == measure.most_violated(y, z)[1]


def test_counts_decide_what_they_say_they_decide():
    rng, told = np.random.default_rng(2), set()
    for name in MAKERS:
        measure, *_ = random_case(rng, name)
        y, z = np.where(rng.random(40) < 0.4, 1.0, -1.0), rng.standard_normal(40)
        parts = [(y > 0) & (z > 0), (y > 0) & (z <= 0), (y < 0) & (z > 0), (y < 0) & (z <= 0)]
        found = measure.of_counts(*(np.array([part.sum()]) for part in parts))
        if found is not None:
            told.add(name)
            assert float(found[0]) == pytest.approx(measure.value(y, z)), name
    assert told >= {"accuracy", "fbeta"}


def test_a_measure_must_say_how_it_is_computed():
    class Half(Measure):
        name = "half"

        def value(self, y_true, scores):
            return 0.5

    with pytest.raises(TypeError, match="most_violated"):
        Half()
    assert "half" not in known_measures()


@every_measure
def test_symmetric_measures_do_not_mind_which_class_is_positive(name):
    rng, y = np.random.default_rng(3), np.where(np.arange(30) < 9, 1.0, -1.0)
    measure, differences = MAKERS[name](rng, 30, 9), []
    for _ in range(20):
        z = rng.standard_normal(30)
        differences.append(measure.value(-y, -z) - measure.value(y, z))
    assert np.allclose(differences, 0.0, atol=1e-12) == measure.is_symmetric
