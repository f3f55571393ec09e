"""Bounds of stability selection: figures that R prints, brute force over distributions, and simulation."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from handful.model_selection import error_bound
from handful.model_selection.error_bounds import largest_tail

# What R's stabs prints for stabsel_parameters(p = 100, cutoff = 0.6, q = 1, ..., 10, B = 50): the file
# tests/regtest-inference.Rout.save of the package's sources (github.com/hofnerb/stabs), made by R 4.0.3.
OF_STABS = {
    "none": [0.05, 0.2, 0.45, 0.8, 1.25, 1.8, 2.45, 3.2, 4.05, 5.0],
    "unimodal": [
        *(0.02631579, 0.1052632, 0.2368421, 0.4210526, 0.6578947),
        *(0.9473684, 1.289474, 1.684211, 2.131579, 2.631579),
    ],
    "r-concave": [
        *(0.006971364, 0.03342845, 0.08691176, 0.1637231, 0.2605329),
        *(0.3820466, 0.5295188, 0.7042719, 0.9077127, 1.141338),
    ],
}


@pytest.mark.parametrize("assumption", list(OF_STABS))
def test_bounds_that_stabs_prints(assumption):
    found = [error_bound(100, q=q, threshold=0.6, assumption=assumption).pfer for q in range(1, 11)]
    # R's search for the worst distribution ends some tenths of a percent short of it.
    rel = 5e-3 if assumption == "r-concave" else 1e-6
    np.testing.assert_allclose(found, OF_STABS[assumption], rtol=rel)


@pytest.mark.parametrize(
    ("n_features", "q", "threshold", "assumption", "expected"),
    [  # the same file
        (100, 30, 0.6, "r-concave", 16.24975),
        (100, 10, 0.5, "r-concave", 2.484542),
        (100, 10, 0.62, "r-concave", 0.8971682),
        (100, 10, 0.61, "r-concave", 1.005863),
        (200, 6, 0.6, "r-concave", 0.174),
        (200, 7, 0.6, "r-concave", 0.248),
        (200, 7, 0.62, "r-concave", 0.196),
        (200, 7, 0.61, "r-concave", 0.219),
        (10, 3, 0.96, "unimodal", 0.176),
        (10, 3, 1.0, "none", 0.9),
    ],
)
def test_other_bounds_that_stabs_prints(n_features, q, threshold, assumption, expected):
    bound = error_bound(n_features, q=q, threshold=threshold, assumption=assumption)
    assert bound.pfer == pytest.approx(expected, rel=4e-3)


@pytest.mark.parametrize(
    ("n_features", "assumption", "given", "expected"),
    [  # the same file: optimal_q, optimal_cutoff, stabsel_parameters
        (200, "r-concave", {"threshold": 0.6, "pfer": 0.2}, {"q": 6}),
        (200, "unimodal", {"threshold": 0.6, "pfer": 0.2}, {"q": 3}),
        (200, "r-concave", {"q": 7, "pfer": 0.2}, {"threshold": 0.62}),
        (200, "unimodal", {"q": 7, "pfer": 0.2}, {"threshold": 0.81}),
        (100, "r-concave", {"threshold": 0.6, "pfer": 1}, {"q": 9}),
        (100, "r-concave", {"q": 10, "pfer": 5}, {"threshold": 0.5}),
        (100, "r-concave", {"q": 10, "pfer": 1}, {"threshold": 0.62}),
        (10, "unimodal", {"q": 3, "pfer": 0.2}, {"threshold": 0.96}),
    ],
)
def test_the_third_from_two_as_stabs(n_features, assumption, given, expected):
    bound = error_bound(n_features, assumption=assumption, **given)
    for name, value in expected.items():
        assert getattr(bound, name) == pytest.approx(value)
    assert bound.pfer <= given["pfer"]


def test_the_bound_of_meinshausen_and_buhlmann():
    """Their Theorem 1, for any numbers."""
    bound = error_bound(
        1000, q=math.sqrt(0.8 * 1000), threshold=0.9, assumption="none", complementary=False
    )
    assert bound.pfer == pytest.approx(1.0)  # their example: E(V) <= 1 for q = sqrt(0.8 p) at 0.9


def is_r_concave(f, r):
    """Whether the probabilities have a support without holes on which f^r is convex (r < 0)."""
    support = np.flatnonzero(f > 0)
    if len(support) != support[-1] - support[0] + 1:
        return False
    return bool((np.diff(f[support] ** r, 2) >= -1e-9 * f[support].min() ** r).all())


@pytest.mark.parametrize("r", [-1 / 2, -1 / 4])
@pytest.mark.parametrize(("mean", "top"), [(0.05, 12), (0.1, 8), (0.2, 10), (0.01, 6)])
def test_no_r_concave_distribution_has_a_larger_tail(mean, top, r):
    """Random ones, of the right mean or less."""
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(3000):
        last = rng.integers(1, top + 1)
        slopes = np.sort(rng.standard_exponential(last) * rng.choice([0.1, 1, 10, 100]))
        slopes = slopes - rng.choice([0, 1]) * slopes[rng.integers(last)]  # may fall at first
        powers = np.concatenate([[0], np.cumsum(slopes)])
        f = np.zeros(top + 1)
        f[: last + 1] = (powers - powers.min() + rng.standard_exponential()) ** (1 / r)
        f /= f.sum()
        assert is_r_concave(f, r)
        if f @ np.arange(top + 1) > mean * top:
            continue
        seen += 1
        for least in range(1, top + 1):
            assert f[least:].sum() <= largest_tail(mean, least, top, r) * (1 + 1e-9)
    assert seen > 100


@pytest.mark.parametrize(("mean", "least", "top", "r"), [(0.05, 4, 8, -1 / 2), (0.1, 6, 8, -1 / 4)])
def test_the_largest_tail_is_found_by_plain_optimisation(mean, least, top, r):
    """Over all convex sequences f^r by SLSQP from many starts: no more than D, and D to a percent."""
    rng = np.random.default_rng(0)
    points = np.arange(top + 1)

    def probabilities(logs):
        f = np.exp(logs - logs.max())
        return f / f.sum()

    def convexity(logs):
        powers = np.exp(r * (logs - logs.max()))
        return np.diff(powers, 2) / powers[1:-1]

    best = 0.0
    for _ in range(15):
        start = -np.log1p(points * rng.standard_exponential()) / -r
        found = minimize(
            lambda logs: -np.log(probabilities(logs)[least:].sum()),
            start,
            method="SLSQP",
            bounds=[(-40, 1)] * (top + 1),
            constraints=[
                {"type": "ineq", "fun": convexity},
                {"type": "ineq", "fun": lambda logs: mean * top - probabilities(logs) @ points},
            ],
            options={"maxiter": 400},
        )
        f = probabilities(found.x)
        if convexity(found.x).min() > -1e-7 and f @ points <= mean * top * (1 + 1e-7):
            best = max(best, f[least:].sum())
    worst = largest_tail(mean, least, top, r)
    assert best <= worst * (1 + 1e-5)
    assert best >= worst * 0.99


def test_all_supports_are_looked_at():
    """The search looks between supports near the best only; here it looks between all."""
    from handful.model_selection.error_bounds import _Family

    for mean, least, top, r in [
        (0.01, 15, 50, -1 / 2),
        (0.1, 62, 100, -1 / 4),
        (1e-4, 3, 50, -0.5),
    ]:
        family = _Family(mean * top, least, -1 / r)
        everywhere = max(family.best_between(k) for k in range(least - 1, top))
        assert largest_tail(mean, least, top, r) == pytest.approx(everywhere, rel=1e-4)


def test_at_a_threshold_of_one_a_distribution_attains_the_bound():
    """stabs prints 0.005184816 here, which this distribution exceeds: it is no bound."""
    bound = error_bound(100, q=10, threshold=1.0, assumption="r-concave").pfer
    a = 0.4027095405103213
    f = (a + np.arange(51)) ** -2.0
    f /= f.sum()
    assert is_r_concave(f, -1 / 2)
    assert f @ np.arange(51) / 50 == pytest.approx(0.1**2, rel=1e-6)
    assert 100 * f[-1] == pytest.approx(bound, rel=1e-5)
    assert bound > 0.005184816


@pytest.mark.parametrize("assumption", list(OF_STABS))
def test_more_is_expected_for_lower_thresholds_and_larger_counts(assumption):
    by_threshold = [
        error_bound(300, q=12, threshold=i / 40, assumption=assumption, n_resamples=20).pfer
        for i in range(8, 41)
    ]
    by_count = [
        error_bound(300, q=q, threshold=0.7, assumption=assumption).pfer for q in range(1, 99, 7)
    ]
    assert (np.diff(by_threshold) <= 1e-12).all()
    assert (np.diff(by_count) >= -1e-12).all()


def test_more_assumptions_give_smaller_bounds():
    for threshold in (0.55, 0.6, 0.75, 0.9, 1.0):
        none, unimodal, concave = (
            error_bound(1000, q=20, threshold=threshold, assumption=name).pfer for name in OF_STABS
        )
        assert concave < unimodal < none


@pytest.fixture(scope="module")
def shares_of_noise():
    """How often each of 60 columns of noise is among the 6 most correlated with y, in 25 pairs of halves."""
    rng = np.random.default_rng(0)
    n_samples, n_features, q, n_pairs = 40, 60, 6, 25
    found = []
    for _ in range(300):
        X, y = rng.standard_normal((n_samples, n_features)), rng.standard_normal(n_samples)
        counts = np.zeros(n_features)
        for _ in range(n_pairs):
            mixed = rng.permutation(n_samples)
            for half in (mixed[: n_samples // 2], mixed[n_samples // 2 :]):
                part = X[half] - X[half].mean(axis=0)
                scores = np.abs(part.T @ y[half]) / np.linalg.norm(part, axis=0)
                counts[np.argpartition(-scores, q)[:q]] += 1
        found.append(counts / (2 * n_pairs))
    return np.array(found), q, n_pairs


@pytest.mark.parametrize("assumption", list(OF_STABS))
def test_noise_keeps_to_the_bounds(shares_of_noise, assumption):
    shares, q, n_pairs = shares_of_noise
    seen = 0
    for threshold in np.arange(10, 51) / 50:
        false = (shares >= threshold - 1e-9).sum(axis=1)
        bound = error_bound(
            60, q=q, threshold=threshold, n_resamples=n_pairs, assumption=assumption
        ).pfer
        assert false.mean() <= bound + 3 * false.std() / np.sqrt(len(shares))
        seen += false.sum()
    assert seen > 1000  # the noise does get far, so that the bounds are put to the test


def test_of_more_features_than_memory_holds():
    bound = error_bound(10**13, q=50, pfer=1.0, assumption="r-concave")
    assert bound.threshold == 0.5
    assert 0 < bound.pfer < 0.1
    higher = error_bound(10**13, q=50, threshold=0.9, assumption="r-concave")
    assert 0 < higher.pfer < 1e-8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_features": 0, "q": 1, "pfer": 1}, "n_features must be a whole number"),
        ({"q": 3}, "give two of threshold, q and pfer"),
        ({"q": 3, "pfer": 1, "threshold": 0.6}, "give two of threshold, q and pfer"),
        ({"q": 200, "pfer": 1}, "q must be a number above 0 and at most the 100 features; got 200"),
        ({"q": 3, "threshold": 1.2}, "threshold must be a number above 0 and at most 1; got 1.2"),
        ({"q": 3, "pfer": -1}, "pfer must be a number above 0; got -1"),
        ({"q": 3, "pfer": 1, "assumption": "hope"}, "assumption must be one of"),
        ({"q": 3, "pfer": 1, "n_resamples": 0}, "n_resamples must be a whole number of at least 1"),
        (
            {"q": 3, "pfer": 1, "complementary": False},
            "assumption='unimodal' is for complementary pairs",
        ),
        ({"q": 40, "pfer": 0.1}, "select at most 15 in each half, or accept pfer=0.628 or more"),
        ({"threshold": 0.6, "pfer": 0.001}, "accept pfer=0.0264 or more, or a higher threshold"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        error_bound(**{"n_features": 100, **arguments})
