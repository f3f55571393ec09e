"""Warnings that point at the user's own line, however deep in the library they arise."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path

import joblib
import sklearn

import handful

#: Files of these lie between the user and the warning.
_BETWEEN = (
    *(str(Path(str(module.__file__)).parent) + os.sep for module in (handful, sklearn, joblib)),
    str(contextlib.__file__),
)


def warn_user(message: str) -> None:
    """Warn, as from the first line on the way here that is neither this library's nor scikit-learn's."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_BETWEEN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
