"""``--method miles``: labels on bags, instances chosen from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handful.cli.methods import shared
from handful.cli.methods.base import Method


@dataclass(frozen=True, kw_only=True)
class _Options(shared.MachineOptions):
    gamma: shared.Gamma = None
    scale: shared.Scale = None


class MILES(Method):
    """The machine on bags: its features are instances, each the bag and the row in it."""

    name = "miles"
    use = "labels on bags of rows (--bags): the instances that decide"
    classifier = "MILESClassifier"
    options = _Options
    takes_bags = True
    counted = "instances"

    def figures(self, estimator: Any) -> dict[str, Any]:
        return {"instances": estimator.selected_instances_}
