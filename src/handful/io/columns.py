"""Choose the target and the features among the columns of a file."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handful.io.errors import InputError
from handful.io.labels import expand
from handful.io.table import Request, Table
from handful.validation import near
from handful.validation.names import first_repeated, listed
from handful.validation.plural import plural

_FEATURE, _TARGET, _LEFT_OUT = "features", "targets", "left out"


@dataclass(frozen=True)
class Columns:
    """Positions in the file of the columns to read.

    `may_drop` says whether one can be left out; those of a model cannot. `left_out` are those that were,
    in a file without names.
    """

    features: tuple[int, ...]
    feature_names: tuple[str, ...] | None
    target: int | None
    target_name: str | None
    targets: tuple[int, ...] = ()
    target_names: tuple[str, ...] | None = None
    may_drop: bool = True
    left_out: tuple[int, ...] = ()

    def table(self, X: Any, y: np.ndarray | None, features: tuple[str, ...] | None = None) -> Table:
        """Return what was read of them; ``features`` are the names of X where it is not the columns themselves."""
        return Table(
            X,
            y,
            self.feature_names if features is None else features,
            self.target_name,
            target_names=self.target_names,
            left_out=self.left_out,
        )


def choose_columns(
    path: Path, names: Sequence[str] | None, n_columns: int, request: Request
) -> Columns:
    """Find the target or targets, and the features that are asked for.

    `names` is None for a file without a header: columns are then known by position.
    """
    labels = [str(j) for j in range(n_columns)] if names is None else list(names)
    if names is None and request.only is None and request.n_features is not None:
        return _as_fitted(path, labels, request.n_features, request)
    targets = _find_targets(path, labels, request)
    target = None if request.targets else _find_target(path, names, labels, request)
    used = {target, *targets}
    dropped = {_position(path, labels, name, "column to drop") for name in request.drop}
    if request.only is not None:
        features = positions_of(path, names, request.only)
    else:
        features = [j for j in range(n_columns) if j not in used and j not in dropped]
    if not features and request.only != ():
        raise InputError(f"{path}: no column is left to select from")
    may_drop = request.only is None and request.n_features is None
    if names is not None:
        nameless = next((j for j in features if not names[j]), None)
        if nameless is not None:
            drop = f", or leave it out with --drop {nameless}" if may_drop else ""
            raise InputError(f"{path}: column {nameless} has no name; name it{drop}")
        check_names(path, names, [names[j] for j in features])
    return Columns(
        features=tuple(features),
        feature_names=None if names is None else tuple(names[j] for j in features),
        target=target,
        target_name=None if target is None else labels[target],
        targets=tuple(targets),
        target_names=tuple(labels[j] for j in targets) or None,
        may_drop=may_drop,
        left_out=() if names is not None else tuple(sorted(dropped)),
    )


def _as_fitted(path: Path, labels: Sequence[str], n_features: int, request: Request) -> Columns:
    """Find the columns of a model in a file without names, by how they stood when it was fitted."""
    is_said = request.target is not None and not request.target_optional
    target_here = _find_target(path, None, labels, request) if is_said else None
    fitted = [request.target] if request.target is not None and not is_said else request.targets
    features, targets = arrange(
        path,
        len(labels),
        n_features,
        targets=[int(name) for name in fitted or () if name.isdecimal()],
        left_out=request.left_out,
        target_here=target_here,
        left_out_here=[_position(path, labels, name, "column") for name in request.drop],
    )
    is_one = request.targets is None and len(targets) == 1
    return Columns(
        features=tuple(features),
        feature_names=None,
        target=targets[0] if is_one else None,
        target_name=labels[targets[0]] if is_one else None,
        targets=() if is_one else tuple(targets),
        target_names=None if is_one else tuple(labels[j] for j in targets) or None,
        may_drop=False,
    )


def _find_targets(path: Path, labels: Sequence[str], request: Request) -> list[int]:
    if request.targets is None:
        return []
    words = expand(path, request.targets, labels, "column", optional=request.target_optional)
    positions = [_position(path, labels, word, "target column") for word in words]
    return list(dict.fromkeys(positions))


def _find_target(
    path: Path, names: Sequence[str] | None, labels: Sequence[str], request: Request
) -> int | None:
    if request.target is None:
        if request.target_optional:
            return None
        raise InputError(
            f"{path}: say which column is the target with --target; {near_names('', labels)}"
        )
    if request.target_optional and names is not None and request.target not in names:
        return None
    return _position(path, labels, request.target, f"{request.role} column")


def _position(path: Path, names: Sequence[str], wanted: str, role: str) -> int:
    """Find a column by its name or else by its position, negative ones from the end."""
    if wanted in names:
        if names.count(wanted) > 1:
            raise InputError(f"{path}: the {role} {wanted!r} is the name of two columns")
        return names.index(wanted)
    try:
        position = int(wanted)
    except ValueError:
        hint = near_names(wanted, names)
        raise InputError(f"{path}: there is no {role} {wanted!r}; {hint}") from None
    if not -len(names) <= position < len(names):
        last = len(names) - 1
        raise InputError(f"{path}: there is no {role} {wanted}; columns are numbered 0 to {last}")
    return position % len(names)


def positions_of(path: Path, names: Sequence[str] | None, only: Sequence[str]) -> list[int]:
    """Positions of the columns that must be there, by name."""
    if not only:
        return []
    if names is None:
        raise InputError(f"{path} has no column names, so {list_names(only)} cannot be found in it")
    where = {name: j for j, name in enumerate(names)}
    missing = [name for name in only if name not in where]
    if missing:
        raise InputError(f"{path} lacks {list_names(missing)}{_spelt_otherwise(missing, names)}")
    check_names(path, names, only)
    return [where[name] for name in only]


def _spelt_otherwise(missing: Sequence[str], names: Sequence[str]) -> str:
    """Say which names differ from missing ones in capitals, blanks or marks alone: R writes HLA-A as HLA.A."""
    letters = {_letters_of(name) for name in missing} - {""}
    alike = [name for name in names if _letters_of(name) in letters]
    return f"; names are compared letter by letter, and it has {list_names(alike)}" if alike else ""


def _letters_of(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def check_names(path: Path, names: Sequence[str], wanted: Sequence[str] | None = None) -> None:
    """Refuse two columns of one name, among all or those wanted: a model would take one for the other."""
    name = first_repeated(names, wanted)
    if name is not None:
        raise InputError(f"{path}: two columns are called {name!r}; rename one")


def refuse_names(path: Path, request: Request) -> None:
    """For formats without column names: complain when some are asked for."""
    if request.only is not None:
        positions_of(path, None, request.only)
    if request.drop:
        raise InputError(
            f"{path} has no column names, so {list_names(request.drop)} cannot be dropped"
        )


def near_names(wanted: str, names: Sequence[str], noun: str = "column") -> str:
    """Say which names are close to `wanted`, or else which there are."""
    close = near(wanted, names)
    return close.removeprefix("; ") if close else f"it has {list_names(names, noun)}"


def refuse_text(path: Path, names: Sequence[str], may_drop: bool = True) -> InputError:
    """Make the error about columns that hold no numbers."""
    verb = "holds" if len(names) == 1 else "hold"
    drop = (
        " or leave out with --drop NAME" if may_drop else ", as those that the model was fitted on"
    )
    return InputError(f"{path}: {list_names(names)} {verb} text; encode as numbers{drop}")


def mend_gap(may_drop: bool = True) -> str:
    """Say what to do about a missing value."""
    if may_drop:
        return "fill it in, remove the row or leave the column out with --drop"
    return "fill it in or remove the row"


def list_names(names: Sequence[str], noun: str = "column") -> str:
    """Write "the columns 'a', 'b' and 7 more", so that it stays one sentence."""
    return f"the {noun}{'s' if len(names) > 1 else ''} {listed(names)}"


# ------------------------------------------------- columns of a model in a file without names


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

    Columns are where they stood when the model was fitted. But new rows may have the target or not, may still have the
    columns that were left out, and may have an id that no one had before. So there are a few arrangements, of which the
    number of columns and those that the user names must allow exactly one.

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
