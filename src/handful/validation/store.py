"""What is said about a store on disk that cannot be used."""

from __future__ import annotations

import os
from typing import Any

PathLike = str | os.PathLike[str]
_REMEDY = "copy the store again, or make it anew with handful convert"


class StoreError(ValueError):
    """A store cannot be used; the message is one sentence that names the file and what to do."""


def not_a_store(path: PathLike, unfinished: bool) -> StoreError:
    """Return the error for a path without a manifest."""
    if unfinished:
        return StoreError(
            f"{path} is not there yet: its conversion was interrupted; run the same handful convert "
            "again, which goes on where it stopped"
        )
    return StoreError(f"{path} is not a store: it has no store.json; make one with handful convert")


def unreadable_manifest(path: PathLike, reason: str) -> StoreError:
    """Return the error for a manifest that says nothing, or nonsense."""
    return StoreError(f"{path} is damaged ({reason}); {_REMEDY}")


def other_version(path: PathLike, got: Any, known: int) -> StoreError:
    """Return the error for a store of the future."""
    return StoreError(
        f"{path} has the version {got!r} of the format and this handful reads {known}; update handful, or "
        "convert the data again"
    )


def missing_file(path: PathLike) -> StoreError:
    """Return the error for a part that is not there."""
    return StoreError(f"{path} is missing from the store; {_REMEDY}")


def other_size(path: PathLike, got: int, expected: int) -> StoreError:
    """Return the error for a part that was cut short or appended to."""
    how = "cut short" if got < expected else "too long"
    return StoreError(f"{path} is {how}: {got} bytes and not {expected}; {_REMEDY}")


def other_header(path: PathLike, got: str, expected: str) -> StoreError:
    """Return the error for an array of another type or shape than the manifest says."""
    return StoreError(f"{path} holds {got} and should hold {expected}; {_REMEDY}")


def altered(path: PathLike, what: str) -> StoreError:
    """Return the error for bytes that are not those that were written."""
    return StoreError(f"{path} was altered: {what}; {_REMEDY}")


def repeated_name(path: PathLike, name: str) -> StoreError:
    """Return the error for a name that two columns have: a model would take one for the other."""
    return StoreError(f"{path} calls two columns {name!r}; rename one and convert the data again")


def bad_block(path: PathLike, first: int, stop: int, complaint: str) -> StoreError:
    """Return the error for numbers that no conversion writes."""
    return StoreError(f"{path}, columns {first} to {stop - 1}: {complaint}; {_REMEDY}")


def cannot_open(path: PathLike, error: OSError) -> StoreError:
    """Return the error for what the system says."""
    reason = error.strerror or str(error)
    return StoreError(f"cannot read {path}: {reason[:1].lower()}{reason[1:]}")


def target_inside(path: PathLike, target: str) -> StoreError:
    """Return the error for a target that is asked of a store."""
    return StoreError(
        f"{path} is a store and has its target in it as y; leave target={target!r} out"
    )
