"""Bags of instances: the container, and every form of data that becomes one."""

from handful.bags.container import Bags
from handful.bags.forms import as_bags

__all__ = ["Bags", "as_bags"]
