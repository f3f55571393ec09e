"""The spaces that are known by name: those that a model file can bring back."""

from __future__ import annotations

from handful.spaces.bags.similarity import BagSimilarity
from handful.spaces.base import FeatureSpace
from handful.spaces.columnwise.additive_kernel import AdditiveKernel
from handful.spaces.columnwise.histogram_intersection import HistogramIntersection
from handful.spaces.pairs.polynomial import Polynomial

KNOWN_SPACES: dict[str, type[FeatureSpace]] = {
    space.__name__: space
    for space in (Polynomial, HistogramIntersection, AdditiveKernel, BagSimilarity)
}
