"""``@njit`` for kernels: compiled once and then loaded from a file, wherever one can be written."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba

from handful.validation.warning import kernels_not_kept

#: What numba says when there is no folder for its files.
NO_PLACE = "no locator available"


def njit(**options: Any) -> Callable[[Any], Any]:
    """Decorate a kernel as numba's own ``njit(**options)`` does.

    Where numba finds no place for its files (a read-only install, and no home that can be written to) it refuses to go
    on; here the kernel is then compiled in every process anew, with one warning for all.
    """

    def compile_later(function: Any) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if NO_PLACE not in str(error):
                raise
        _warn_once()
        return numba.njit(**options | {"cache": False})(function)

    return compile_later


@functools.cache
def _warn_once() -> None:
    warnings.warn(kernels_not_kept(), stacklevel=4)
