"""Random labels, scores and measures, and everything that a few samples allow to enumerate."""

import itertools
from functools import cache

import numpy as np

from handful.measures import (
    PRBEP,
    Accuracy,
    AveragePrecision,
    FBeta,
    PrecisionAtK,
    RecallAtK,
    RocAuc,
)
from handful.measures.fixed_count import FixedCount


def random_k(rng, n_samples, n_positive):
    """Return a k of any kind that is at most n_samples."""
    kind = rng.integers(3)
    if kind == 0:
        return int(rng.integers(1, n_samples + 1))
    if kind == 1:
        return float(rng.uniform(0.01, 0.99))
    multiple = rng.uniform(0.1, n_samples / n_positive - 0.05) if n_samples > n_positive else 1.0
    return f"{max(multiple, 0.1):.2f}p"


# How to make one of each class, for n samples of which p are positive.
MAKERS = {
    "accuracy": lambda rng, n, p: Accuracy(),
    "average_precision": lambda rng, n, p: AveragePrecision(),
    "fbeta": lambda rng, n, p: FBeta(float(rng.choice((0.05, 0.3, 0.5, 1.0, 1.7, 5.0)))),
    "prbep": lambda rng, n, p: PRBEP(),
    "precision_at_k": lambda rng, n, p: PrecisionAtK(random_k(rng, n, p)),
    "recall_at_k": lambda rng, n, p: RecallAtK(random_k(rng, n, p)),
    "roc_auc": lambda rng, n, p: RocAuc(),
}
OF_RANKINGS = ("average_precision", "roc_auc")
OF_LABELINGS = tuple(name for name in MAKERS if name not in OF_RANKINGS)


def random_scores(rng, y):
    """Return scores that are tied, tiny, huge, mixed, or good; all by chance."""
    n_samples = len(y)
    kind = rng.integers(8)
    if kind == 0:
        return np.full(n_samples, rng.choice((0.0, -0.0, 1.5, -3.0)))
    if kind <= 2:
        return rng.integers(-8, 9, n_samples) / 4.0
    if kind == 3:  # steps on which the price of a hit is a tie
        return rng.integers(-3, 4, n_samples) * (50.0 / rng.integers(1, 11))
    if kind == 4:
        return rng.normal(size=n_samples) * 10.0 ** rng.uniform(-12, 12)
    if kind == 5:
        return rng.normal(size=n_samples) * 10.0 ** rng.uniform(-6, 6, n_samples)
    return 10.0 ** rng.uniform(-1, 1.5) * (y + rng.normal(size=n_samples))


def random_case(rng, name, most=10):
    """Return a measure of that name with labels and scores it is defined for."""
    n_samples = int(rng.integers(2, most + 1))
    y = rng.choice((-1.0, 1.0), n_samples, p=(0.6, 0.4))
    y[rng.integers(n_samples)] = 1.0
    some = MAKERS[name](np.random.default_rng(0), n_samples, n_samples)
    if some.needs_negatives and (y > 0).all():
        y[rng.integers(n_samples)] = -1.0
    measure = MAKERS[name](rng, n_samples, int(np.count_nonzero(y > 0)))
    return measure, y, random_scores(rng, y)


def size(*arrays):
    """Return how large the numbers are, for tolerances."""
    return 1.0 + sum(float(np.abs(array).sum()) for array in arrays)


@cache
def all_labelings(n_samples):
    return np.array(list(itertools.product((-1.0, 1.0), repeat=n_samples)))


@cache
def all_rankings(n_samples):
    """Return every order of the samples, best first, one in each row."""
    return np.array(list(itertools.permutations(range(n_samples))))


def deltas(measure, y, labelings):
    """Return the cost of each labeling by the books, -inf where the measure does not allow it."""
    positive, taken = y > 0, labelings > 0
    hits = (taken & positive).sum(axis=1)
    predicted, p = taken.sum(axis=1), int(positive.sum())
    if isinstance(measure, Accuracy):
        return 2.0 * (labelings != y).sum(axis=1)
    precision = hits / np.maximum(predicted, 1)
    recall = hits / p
    if isinstance(measure, FBeta):
        square = measure.beta**2
        mean = (1 + square) * precision * recall
        return 100.0 * (1.0 - mean / np.where(hits > 0, square * precision + recall, 1.0))
    if not isinstance(measure, FixedCount):
        raise KeyError(f"say in labelings.py::deltas what a labeling costs by {measure.name!r}")
    k = measure.n_predicted(len(y), p)
    whole = k if isinstance(measure, PrecisionAtK) else p
    found = np.where(predicted == k, 100.0 * (min(k, p) - hits) / whole, -np.inf)
    found[(labelings == y).all(axis=1)] = 0.0
    return found


def differences(measure, y, labelings):
    """Return what a is for each labeling: y - y', or shared among all that are out of place."""
    if not isinstance(measure, FixedCount):
        return y - labelings
    positive, taken = y > 0, labelings > 0
    missed, added = positive & ~taken, ~positive & taken
    counts = missed.sum(axis=1, keepdims=True), added.sum(axis=1, keepdims=True)
    errors = np.minimum(*counts)
    shares = [errors / np.maximum(count, 1) for count in counts]
    return 2.0 * (shares[0] * missed - shares[1] * added)


def average_precisions(y, rankings):
    """Return the average precision of each ranking."""
    hit = y[rankings] > 0
    precision = np.cumsum(hit, axis=1) / np.arange(1, len(y) + 1)
    return (precision * hit).sum(axis=1) / hit.sum(axis=1)


def wrong_pairs(y, rankings):
    """Return positives, negatives, and for each ranking which pairs have the negative first."""
    place = np.argsort(rankings, axis=1)
    positives, negatives = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    return positives, negatives, place[:, positives, None] > place[:, None, negatives]
