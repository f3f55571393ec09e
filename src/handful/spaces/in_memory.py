"""Small matrices that lie somewhere else, brought into memory."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from handful.spaces.base import ExplicitSpace
from handful.spaces.dense import DenseSpace
from handful.spaces.sparse import CSCSpace


def to_memory(space: ExplicitSpace) -> ExplicitSpace:
    """Return the space of the same columns, of the same type and scale, in memory."""
    columns = space.gather(np.arange(space.n_features))
    here: ExplicitSpace
    if sp.issparse(columns):
        here = CSCSpace(sp.csc_array(columns, dtype=space.dtype))
    else:
        here = DenseSpace(np.asarray(columns, dtype=space.dtype))
    here.scale = space.scale
    return here
