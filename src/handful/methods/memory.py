"""How much memory a long computation may take."""

from __future__ import annotations

import os
from pathlib import Path

from handful.sizes import current_sizes

SHARE = 0.6  # of what is free: the rest is for everybody else
UNKNOWN = 2**31  # where the system does not say
ROOT = Path("/")
MEMINFO, LIMIT, USED = "proc/meminfo", "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"


def usable_bytes(root: Path = ROOT) -> int:
    """Return a share of the memory that is free now, within the limits of a container.

    Parameters
    ----------
    root : Path
        Of the file system in which Linux says how much that is.
    """
    given = current_sizes().usable_bytes
    if given is not None:
        return given
    free = _free_bytes(root / MEMINFO)
    limit, used = _number(root / LIMIT), _number(root / USED)
    if limit is not None and used is not None:
        free = min(free, max(limit - used, 0))
    return int(SHARE * free)


def _free_bytes(meminfo: Path) -> int:
    """Free memory, caches that the system would give up included where it tells."""
    try:
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        if name in getattr(os, "sysconf_names", {}):
            return int(os.sysconf(name) * os.sysconf("SC_PAGE_SIZE"))
    return UNKNOWN


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
