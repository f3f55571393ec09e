"""Bags of instances: the container, and every form of data that becomes one."""

from handful.spaces.bags.container import Bags
from handful.spaces.bags.forms import as_bags

__all__ = ["Bags", "as_bags"]
