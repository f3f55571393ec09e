"""Warnings: how they point at the user's own line, however deep in the library they arise, and that of compiled code."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path

import joblib
import sklearn

#: Files of these lie between the user and the warning.
_FOLDERS = (Path(__file__).parents[1], *(Path(str(of.__file__)).parent for of in (sklearn, joblib)))
_BETWEEN = (*(str(folder) + os.sep for folder in _FOLDERS), str(contextlib.__file__))


def warn_user(message: str) -> None:
    """Warn, as from the first line on the way here that is neither this library's nor scikit-learn's."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_BETWEEN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)


def kernels_not_kept() -> str:
    """Return the warning for a machine on which compiled code cannot be kept."""
    return (
        "Compiled code cannot be kept, because neither the folder of the package nor a cache folder in the home folder "
        "can be written to: every new process compiles again, which takes seconds. Set NUMBA_CACHE_DIR to a folder that "
        "can be written to."
    )
