"""Halves of the samples: disjoint, of every class, and groups in one piece."""

import numpy as np
import pytest

from handful.model_selection.resampled import draw_halves


def rng():
    return np.random.RandomState(0)


@pytest.mark.parametrize("n_samples", [4, 5, 30, 31])
def test_complementary_halves_are_disjoint_and_of_one_size(n_samples):
    first, second = draw_halves(n_samples, rng(), complementary=True)
    assert len(first) == len(second) == n_samples // 2
    assert not set(first) & set(second)
    assert set(first) | set(second) <= set(range(n_samples))


def test_one_half_alone():
    [half] = draw_halves(11, rng(), complementary=False)
    assert len(set(half)) == 5


def test_every_row_is_as_likely_in_either_half():
    state, counts = rng(), np.zeros((2, 9))
    for _ in range(2000):
        for side, rows in enumerate(draw_halves(9, state, complementary=True)):
            counts[side, rows] += 1
    assert abs(counts / 2000 - 4 / 9).max() < 0.05


@pytest.mark.parametrize("sizes", [[2, 2], [3, 3, 3], [2, 5, 11, 20], [7, 2]])
def test_halves_have_half_of_every_class(sizes):
    classes = np.repeat([f"class {c}" for c in range(len(sizes))], sizes)
    for seed in range(20):
        halves = draw_halves(
            len(classes), np.random.RandomState(seed), complementary=True, classes=classes
        )
        assert not set(halves[0]) & set(halves[1])
        assert len(halves[0]) == len(halves[1])
        for rows in halves:
            for name, size in zip(np.unique(classes), sizes, strict=True):
                assert np.count_nonzero(classes[rows] == name) in (size // 2, size - size // 2)


def test_groups_stay_together_and_both_halves_have_all_classes():
    groups = np.repeat(np.arange(12), 5)
    classes = groups % 3
    for seed in range(20):
        halves = draw_halves(
            60, np.random.RandomState(seed), complementary=True, classes=classes, groups=groups
        )
        assert not set(groups[halves[0]]) & set(groups[halves[1]])
        for rows in halves:
            assert len(rows) == 30
            assert set(classes[rows]) == {0, 1, 2}


@pytest.mark.parametrize(
    ("n_samples", "options", "message"),
    [
        (3, {}, "needs at least 4; got 3 samples"),
        (5, {"classes": np.array(list("aabbc"))}, "class 'c' has one sample only"),
        (9, {"groups": np.arange(9) % 3}, "groups has 3 different labels"),
        (
            8,
            {"groups": np.arange(8), "classes": np.array([0] * 7 + [1])},
            "a class is in so few groups",
        ),
    ],
)
def test_bad_input(n_samples, options, message):
    with pytest.raises(ValueError, match=message):
        draw_halves(n_samples, rng(), complementary=True, **options)
