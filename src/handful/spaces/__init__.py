"""The features: where they live and how the best of them are found."""

from handful.spaces.active import ActiveColumns
from handful.spaces.bags.similarity import BagSimilarity
from handful.spaces.base import ExplicitSpace, FeatureSpace
from handful.spaces.columnwise.additive_kernel import AdditiveKernel
from handful.spaces.columnwise.histogram_intersection import HistogramIntersection
from handful.spaces.dense import DenseSpace
from handful.spaces.groups.from_transformer import families_of
from handful.spaces.groups.membership import Groups, make_groups
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
    "families_of",
    "make_groups",
    "resolve_space",
]
