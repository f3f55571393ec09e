"""The features: where they live and how the best of them are found."""

import inspect

from handful.registry import subclasses
from handful.spaces.active import ActiveColumns
from handful.spaces.bags.similarity import BagSimilarity
from handful.spaces.base import ExplicitSpace, FeatureSpace
from handful.spaces.columnwise.additive_kernel import AdditiveKernel
from handful.spaces.columnwise.histogram_intersection import HistogramIntersection
from handful.spaces.dense import DenseSpace
from handful.spaces.groups.membership import Groups, make_groups
from handful.spaces.groups.original_columns import original_columns
from handful.spaces.groups.space import GroupedSpace
from handful.spaces.pairs.polynomial import Polynomial
from handful.spaces.resolve import resolve_space
from handful.spaces.sparse import CSCSpace, CSRSpace
from handful.spaces.strings.documents import Documents
from handful.spaces.strings.substrings import Substrings

__all__ = [
    "ActiveColumns",
    "AdditiveKernel",
    "BagSimilarity",
    "CSCSpace",
    "CSRSpace",
    "DenseSpace",
    "Documents",
    "ExplicitSpace",
    "FeatureSpace",
    "GroupedSpace",
    "Groups",
    "HistogramIntersection",
    "Polynomial",
    "Substrings",
    "make_groups",
    "original_columns",
    "resolve_space",
]


def known_spaces() -> dict[str, type[FeatureSpace]]:
    """Return the spaces of this package whose features are made of X, by name: those that a model file can bring back.

    Each has an ``on`` of its own.
    """
    return {
        space.__name__: space
        for space in sorted(subclasses(FeatureSpace), key=lambda space: space.__name__)
        if not inspect.isabstract(space) and space.on is not FeatureSpace.on
    }
