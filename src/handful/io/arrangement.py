"""Where a model's columns are in a file without names: as they stood when it was fitted.

New rows may have the target or not, may still have the columns that were left out, and may have an id that
no one had before. So there are a few arrangements, of which the number of columns and those that the user
names must allow exactly one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from handful.io.errors import InputError
from handful.validation.plural import plural

_FEATURE, _TARGET, _LEFT_OUT = "features", "targets", "left out"


def arrange(
    path: Path,
    n_columns: int,
    n_features: int,
    *,
    targets: Sequence[int] = (),
    left_out: Sequence[int] = (),
    target_here: int | None = None,
    left_out_here: Sequence[int] = (),
) -> tuple[list[int], list[int]]:
    """Return the positions of the features and of the targets, none where the file has no target.

    `targets` and `left_out` are positions in the file that the model was fitted on; `target_here` and
    `left_out_here` are those in this one, as far as they are said.
    """
    named = dict.fromkeys(left_out_here, _LEFT_OUT)
    if target_here is not None:
        named[target_here] = _TARGET
    before = _before(n_features, targets, left_out)
    possible: set[tuple[str, ...]] = set()
    fewest = len(named)
    for shorter in _shortened(before, may_have_target=target_here is None):
        n_new = n_columns - len(shorter)
        fitting = set(_with_named(shorter, n_new, named)) if 0 <= n_new <= fewest else set()
        if fitting:
            possible = fitting if n_new < fewest else possible | fitting
            fewest = n_new
    if not possible:
        counts = f"{n_features} of features, {len(targets)} of targets and {len(left_out)} left out"
        raise InputError(
            f"{path} has {plural(n_columns, 'column')}, the model was fitted on {counts}"
        )
    if len(possible) > 1:
        raise InputError(
            f"{path} has {n_columns} columns, {n_features} of them features, but which ones cannot be told; say where the "
            "target is with --target, or one that is no feature with --id"
        )
    (roles,) = possible
    return _places(roles, _FEATURE), _places(roles, _TARGET)


def _before(n_features: int, targets: Sequence[int], left_out: Sequence[int]) -> list[str]:
    """Say of each column of the file that the model was fitted on what it was."""
    known = {**dict.fromkeys(targets, _TARGET), **dict.fromkeys(left_out, _LEFT_OUT)}
    return [known.get(j, _FEATURE) for j in range(n_features + len(known))]


def _shortened(roles: Sequence[str], may_have_target: bool) -> Iterator[list[str]]:
    """Yield the same columns, with and without the targets and those that were left out."""
    for absent in ((), (_TARGET,), (_LEFT_OUT,), (_TARGET, _LEFT_OUT)):
        if may_have_target or _TARGET in absent:
            yield [role for role in roles if role not in absent]


def _with_named(
    roles: Sequence[str], n_new: int, named: Mapping[int, str]
) -> Iterator[tuple[str, ...]]:
    """Yield what the columns may be: those that are named were there before, or are put in between."""
    for new in itertools.combinations(sorted(named), n_new):
        filled = list(roles)
        for j in new:
            filled.insert(j, named[j])
        if all(filled[j] == role for j, role in named.items()):
            yield tuple(filled)


def _places(roles: Sequence[str], wanted: str) -> list[int]:
    return [j for j, role in enumerate(roles) if role == wanted]
