"""Two thousand samples: the fast routines against tables of every choice there is."""

import numpy as np
import pytest
from labelings import MAKERS, OF_RANKINGS

from handful.measures import AveragePrecision, FBeta, PrecisionAtK, RocAuc

N_SAMPLES = 2000

every_share = pytest.mark.parametrize("share", [0.01, 0.3, 0.8])


def problems(share):
    """Yield labels and scores: good and bad ones, steep and flat ones, tied ones."""
    rng = np.random.default_rng(int(1000 * share))
    for scale in (0.001, 0.3, 3.0, 100.0):
        y = np.where(rng.random(N_SAMPLES) < share, 1.0, -1.0)
        z = scale * (rng.normal(size=N_SAMPLES) + 0.5 * y)
        yield y, z
        yield y, np.round(2.0 * z) / 2.0
    yield y, np.zeros(N_SAMPLES)


def totals_from_best(scores):
    """Return the sum of the j best scores, for j from 0 on."""
    return np.concatenate(([0.0], np.cumsum(np.sort(scores)[::-1])))


def table_risk(y, z, cost):
    """Return the best of all (kept positives, added negatives); cost(kept, added, P)."""
    best_positive, best_negative = totals_from_best(z[y > 0]), totals_from_best(z[y < 0])
    kept = np.arange(len(best_positive))[:, None]
    added = np.arange(len(best_negative))[None, :]
    missed = best_positive[-1] - best_positive[:, None]
    values = cost(kept, added, len(best_positive) - 1) - 2.0 * missed + 2.0 * best_negative[None, :]
    return values.max()


def list_risk(y, z, k, whole):
    """Return the best of all lists of k, by how many positives are in it."""
    up, down = np.sort(z[y > 0]), np.sort(z[y < 0])[::-1]
    best = -np.inf
    for kept in range(max(0, k - len(down)), min(k, len(up))):
        errors, missed, added = min(k, len(up)) - kept, len(up) - kept, k - kept
        lead = up[:missed].mean() - down[:added].mean()
        best = max(best, 100.0 * errors / whole - 2.0 * errors * lead)
    return best


@every_share
@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 3.0])
def test_fbeta(share, beta):
    def cost(kept, added, p):
        return 100.0 * (1.0 - (1 + beta**2) * kept / (kept + added + beta**2 * p))

    for y, z in problems(share):
        best = table_risk(y, z, cost)
        assert FBeta(beta).risk(y, z) == pytest.approx(best, rel=1e-11, abs=1e-8)


@every_share
@pytest.mark.parametrize("name", ["prbep", "precision_at_k", "recall_at_k"])
def test_fixed_counts(share, name):
    rng = np.random.default_rng(5)
    for y, z in problems(share):
        p = int(np.count_nonzero(y > 0))
        measure = MAKERS[name](rng, N_SAMPLES, p)
        k = measure.n_predicted(N_SAMPLES, p)

        best = max(0.0, list_risk(y, z, k, k if isinstance(measure, PrecisionAtK) else p))
        assert measure.risk(y, z) == pytest.approx(best, rel=1e-11, abs=1e-8)


@every_share
def test_roc_auc_is_the_mean_hinge_of_pairs(share):
    for y, z in problems(share):
        hinge = np.maximum(0.0, 1.0 - (z[y > 0][:, None] - z[y < 0][None, :]))
        assert RocAuc().risk(y, z) == pytest.approx(100.0 * hinge.mean(), rel=1e-10)


@every_share
def test_roc_auc_with_weights_is_the_weighted_mean_hinge_of_pairs(share):
    rng = np.random.default_rng(6)
    for y, z in problems(share):
        weight = rng.exponential(size=N_SAMPLES) * (rng.random(N_SAMPLES) < 0.8)
        hinge = np.maximum(0.0, 1.0 - (z[y > 0][:, None] - z[y < 0][None, :]))
        mean = np.average(np.average(hinge, axis=0, weights=weight[y > 0]), weights=weight[y < 0])
        assert RocAuc().risk(y, z, weight) == pytest.approx(100.0 * mean, rel=1e-10)


@every_share
def test_average_precision_is_that_of_the_published_algorithm(share):
    """Each negative, from the best on down, takes the best of all places (Yue et al. 2007)."""
    for y, z in problems(share):
        p, n = np.sort(z[y > 0])[::-1], np.sort(z[y < 0])[::-1]
        i, j = np.arange(1, len(p) + 1)[:, None], np.arange(1, len(n) + 1)[None, :]
        pairs = len(p) * len(n)
        step = (i / (i + j - 1) - i / (i + j)) / len(p) - (p[:, None] - n[None, :]) / pairs
        worth = np.cumsum(step[::-1], axis=0)  # before the last, the last two, ... positives
        best = 100.0 * np.maximum(worth.max(axis=0), 0.0).sum()
        assert AveragePrecision().risk(y, z) == pytest.approx(best, rel=1e-10, abs=1e-8)


@pytest.mark.parametrize("name", sorted(MAKERS))
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_scores_in_order_do_not_slow_or_break_it(name, direction):
    """A hundred thousand sorted scores, where a careless choice of pivots takes hours."""
    n_samples = 100_000
    z = direction * np.linspace(-1.0, 1.0, n_samples)
    y = np.where(np.arange(n_samples) % 3 == 0, 1.0, -1.0)
    measure = MAKERS[name](np.random.default_rng(7), n_samples, int(np.count_nonzero(y > 0)))
    a, delta = measure.most_violated(y, z)
    assert delta - a @ z > 0.0
    assert (a[y > 0] >= 0.0).all()
    assert (a[y < 0] <= 0.0).all()
    assert name not in OF_RANKINGS or a.sum() == pytest.approx(0.0, abs=1e-8)
