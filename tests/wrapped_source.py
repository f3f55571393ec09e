"""A matrix in memory behind the contract of a source, for tests of what estimators do with X that is no array."""

import numpy as np

from handful.spaces import Polynomial, resolve_space
from handful.spaces.source import Source


class WrappedSource(Source):
    """Wraps a matrix in memory and counts how often it was checked."""

    def __init__(self, X, feature_names=None):
        self.X, self.shape, self.dtype = X, X.shape, X.dtype
        self.feature_names = feature_names
        self.n_checks = 0

    def check(self):
        self.n_checks += 1
        if not np.isfinite(getattr(self.X, "data", self.X)).all():
            raise ValueError("the wrapped numbers are not finite.")

    def space(self, unit, n_threads, sample_weight):
        return resolve_space(self.X, unit=unit, n_jobs=n_threads, sample_weight=sample_weight)

    def pair_search(self):
        space = Polynomial().on(self.X)
        space.top(np.ones(self.shape[0]), 1)
        return space._search
