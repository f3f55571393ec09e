"""The machine and the versions a benchmark ran with."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import psutil

PACKAGES = (
    *("handful", "numpy", "scipy", "scikit-learn", "numba", "skglm", "celer"),
    *("abess", "adelie", "fastcan", "skrebate", "lightgbm", "rlscore"),
)


def system_information() -> dict[str, Any]:
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [
            line.split(":")[1].strip()
            for line in info.read_text().splitlines()
            if "model name" in line
        ]
        cpu = models[0] if models else cpu
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_before": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions,
    }
