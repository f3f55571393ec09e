"""What was selected, how sure it is and how it was found: pictures in the manner of scikit-learn, and words."""

from handful.inspection.bag import BagDisplay
from handful.inspection.correlation import CorrelationDisplay
from handful.inspection.html_report import report
from handful.inspection.path import PathDisplay
from handful.inspection.rounds import RoundsDisplay, explain_gap
from handful.inspection.stability import StabilityDisplay
from handful.inspection.weights import WeightsDisplay

__all__ = [
    "BagDisplay",
    "CorrelationDisplay",
    "PathDisplay",
    "RoundsDisplay",
    "StabilityDisplay",
    "WeightsDisplay",
    "explain_gap",
    "report",
]
