"""How to get the same again: command, versions, seeds, and by what the data are known."""

from __future__ import annotations

import datetime as dt
import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sklearn.base import clone

from handful.inspection.html_report.subject import Subject

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "clarabel", "matplotlib")


@dataclass(frozen=True)
class Reproduce:
    """Everything that the section shows.

    Attributes
    ----------
    command : str
        Of the shell, or of Python.
    is_shell : bool
    facts : list of (name, value)
    """

    command: str
    is_shell: bool
    facts: Sequence[tuple[str, str]]


def how_to_reproduce(
    subject: Subject,
    fingerprint: str,
    command: Sequence[str] | None,
    files: Sequence[tuple[str, str]] = (),
) -> Reproduce:
    """Gather it; ``command`` are the words of a shell, ``files`` names of files and what they are known by."""
    if command is not None:
        written = shlex.join(command)
    else:
        written = f"{_unfitted(subject.estimator)!r}.fit(X, y)"
    facts = [
        ("handful", _version("handful")),
        ("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *((name, _version(name)) for name in _PACKAGES),
        ("seed", _seeds(subject.estimator)),
        *files,
        ("data as they were read (SHA-256)", fingerprint),
        ("written", f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC"),
    ]
    return Reproduce(written, command is not None, facts)


def _unfitted(estimator: Any) -> Any:
    made = clone(estimator)
    quiet = {name: False for name in ("verbose",) if name in made.get_params(deep=False)}
    return made.set_params(**quiet)


def _seeds(estimator: Any) -> str:
    """Return the seeds that were given to parts that draw at random."""
    found = {
        name: value
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state"
    }
    told = [f"{name}={value!r}" for name, value in found.items() if isinstance(value, int)]
    if told:
        return ", ".join(told)
    return "none was given" if found else "none is needed: nothing is drawn at random"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
