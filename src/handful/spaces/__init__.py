"""The features: where they live and how the best of them are found."""

from handful.spaces.active import ActiveColumns
from handful.spaces.base import ExplicitSpace, FeatureSpace
from handful.spaces.dense import DenseSpace
from handful.spaces.resolve import resolve_space
from handful.spaces.sparse import CSCSpace, CSRSpace

__all__ = [
    "ActiveColumns",
    "CSCSpace",
    "CSRSpace",
    "DenseSpace",
    "ExplicitSpace",
    "FeatureSpace",
    "resolve_space",
]
