"""Messages of compiled code."""

from __future__ import annotations

#: What numba says when there is no folder for its files.
NO_PLACE = "no locator available"


def kernels_not_kept() -> str:
    """Return the warning for a machine on which compiled code cannot be kept."""
    return (
        "Compiled code cannot be kept, because neither the folder of the package nor a cache folder in the home folder "
        "can be written to: every new process compiles again, which takes seconds. Set NUMBA_CACHE_DIR to a folder that "
        "can be written to."
    )
