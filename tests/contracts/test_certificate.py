"""What every ``dual_gap_`` promises: no admissible model lies below ``objective_ - dual_gap_``."""

import numpy as np
import pytest
from certificates import CASES

import handful
from handful import DictionaryMILClassifier, RFSRegressor

N_PROBLEMS = 27  # for each estimator, three of each kind
ROUNDING = 1e-9  # of the objective with all weights at zero
#: Not convex, and nothing is claimed.
WITHOUT_BOUND = {"DictionaryMILClassifier"}


def test_every_estimator_has_a_case():
    public = {name for name in handful.__all__ if hasattr(getattr(handful, name), "fit")}
    assert public == CASES.keys() | WITHOUT_BOUND


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.__name__) for cases in CASES.values() for case in cases]
)
def test_nothing_known_lies_below_the_bound(case, fewer):
    case, n_tight, n_problems = case(), 0, fewer(N_PROBLEMS, part=3)
    for seed in range(n_problems):
        rng, X, y, weight = case.draw(seed)
        model = case.fit(case.make(rng, X), X, y, weight)
        if model is None:
            continue
        best, at_zero = case.best_known(model, X, y, weight)
        bound = model.objective_ - model.dual_gap_
        assert model.dual_gap_ >= 0, seed  # nor is it NaN
        slack = ROUNDING * (at_zero if np.isfinite(at_zero) else best)
        assert bound <= best + slack, (seed, bound, best)
        n_tight += bound >= 0.9 * best
    # A bound of minus infinity would pass, and so would one of zero.
    assert n_tight >= 0.2 * n_problems


def test_where_nothing_is_known_nothing_is_claimed():
    rng = np.random.default_rng(0)
    bags = [rng.standard_normal((3, 2)) for _ in range(8)]
    model = DictionaryMILClassifier(n_atoms=2).fit(bags, np.arange(8) % 2)
    assert model.dual_gap_ == np.inf


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("level", [0.0, 0.1, 1.0, 1e9])
def test_targets_that_do_not_vary_have_a_gap(level, penalize_intercept):
    X = np.random.default_rng(4).standard_normal((41, 7))
    model = RFSRegressor(penalize_intercept=penalize_intercept).fit(X, np.full(41, level))
    least = level if penalize_intercept else 0.0  # W = 0, b = level
    assert model.dual_gap_ >= 0
    assert model.objective_ - model.dual_gap_ <= least * (1 + ROUNDING)
    if not penalize_intercept:
        assert model.objective_ == 0.0
        assert not len(model.support_ids_)
