"""All methods by name, ours and rivals."""

from __future__ import annotations

from .filters import FILTERS
from .models import MODELS
from .ours import OURS
from .trees import TREE_METHODS

RIVALS = tuple(method.name for method in (*FILTERS, *TREE_METHODS, *MODELS))
OWN = tuple(method.name for method in OURS)
METHODS = {method.name: method for method in (*OURS, *FILTERS, *TREE_METHODS, *MODELS)}
