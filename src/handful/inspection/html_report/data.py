"""What the data are, and what is odd about them: missing, constant, repeated, of very different scale."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.inspection.html_report.subject import Subject, Target, plural
from handful.spaces.base import ExplicitSpace, dense
from handful.spaces.columns import is_constant
from handful.spaces.resolve import resolve_space

Array = np.ndarray
#: Pairs of columns or rows that are compared value by value, at most.
MOST_COMPARED = 2000
BLOCK = 64
#: From this ratio of spreads on a note says what it means for weights.
WIDE = 100.0
#: From this share on a class is called rare.
RARE = 0.1


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for, what was found, and what it means; ``is_odd`` if one should look at it."""

    name: str
    value: str
    note: str = ""
    is_odd: bool = False


@dataclass(frozen=True)
class DataChecks:
    """Everything that the section shows; ``counted`` is what ``classes`` has numbers of."""

    findings: Sequence[Finding]
    target: str
    counted: str
    classes: Sequence[tuple[str, int, float]]
    fingerprint: str


def data_checks(subject: Subject) -> DataChecks:
    """Look at the data of a fit."""
    target = subject.target
    if subject.cases == "strings":
        findings, digest = _of_strings(subject.X.texts)
    elif subject.cases == "bags":
        findings, digest = _of_bags(subject.X)
    else:
        findings, digest = _of_rows(subject)
    findings += _beside(subject)
    findings += [Finding("note of the reader", note) for note in subject.around.notes]
    for doubt in subject.around.doubts:
        found_in, _, what_to_do = doubt.rpartition(": ")
        findings.append(Finding("doubt of the reader", found_in, what_to_do, is_odd=True))
    findings += _of_target(target)
    counted = (
        f"{subject.cases.capitalize()} of each {'class' if target.kind == 'classes' else 'label'}"
    )
    fingerprint = _digest(digest, target.values)
    return DataChecks(findings, _described(target), counted, _counts(target), fingerprint)


def _odd(name: str, count: int, note: str = "", at_least: str = "") -> Finding:
    """Return how many there are of what should not be there."""
    if not count:
        return Finding(name, "none")
    return Finding(name, f"{at_least}{count:,}", note, is_odd=True)


def _of_rows(subject: Subject) -> tuple[list[Finding], str]:
    found = [Finding("rows", f"{subject.n_rows:,}")]
    at = subject.columns_of_X
    matrix = subject.at_selector if at is None else at[0]
    space = resolve_space(matrix)
    found.append(_columns(subject, space.n_features))
    found.append(_missing(subject))
    found += _of_columns(space)
    if not subject.is_away:
        found.append(_repeated_rows(matrix))
    return found, space.fingerprint()


def _columns(subject: Subject, n_features: int) -> Finding:
    """Count the columns as they were given, and what was made of them."""
    shape: tuple[int, ...] = getattr(subject.X, "shape", ())
    given = subject.around.n_columns or (int(shape[1]) if len(shape) == 2 else n_features)
    if given == n_features:
        return Finding("columns", f"{given:,}")
    made = f"made into {plural(n_features, 'features')} before the selection, which the lines below are about"
    return Finding("columns", f"{given:,}", made)


def _missing(subject: Subject) -> Finding:
    """Count what is not there in the data as they were given: behind a Pipeline's steps nothing is missing."""
    missing, by = _count_missing(subject.X), "filled in by a step before the selection"
    if subject.around.n_missing is not None:
        missing, by = subject.around.n_missing, "filled in when the file was read"
    return _odd("missing values", missing, by)


def _beside(subject: Subject) -> list[Finding]:
    """Describe groups and weights of rows."""
    found, groups, weight = [], subject.beside.groups, subject.weight
    if groups is not None:
        found.append(
            Finding(f"groups of {subject.cases}", f"{len(np.unique(np.asarray(groups))):,}")
        )
    if weight is not None:
        n_zero = int((weight == 0).sum())
        note = f"{plural(n_zero, subject.cases)} of weight 0" if n_zero else ""
        value = f"{weight.min():.3g} to {weight.max():.3g}, in all {weight.sum():.6g}"
        found.append(Finding(f"weights of {subject.cases}", value, note))
    return found


def _count_missing(X: Any) -> int:
    for name in ("isna", "is_null"):  # pandas, polars
        if hasattr(X, name):
            return int(np.asarray(getattr(X, name)()).sum())
    if hasattr(X, "null_count"):
        return int(sum(np.asarray(X.null_count()).ravel()))
    values = getattr(X, "data", None) if hasattr(X, "nnz") else X
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return int(np.isnan(values).sum())
    return 0


def _of_columns(space: ExplicitSpace) -> list[Finding]:
    """Look for constant and repeated columns, and compare how far columns spread."""
    squares, about_means = space.centred_squares(np.ones(space.n_samples), centred=True)
    is_flat = is_constant(about_means, squares)
    n_constant = int(is_flat.sum())
    found = [
        _odd("constant columns", n_constant, "they tell nothing, and are never worth choosing"),
        _repeated_columns(space, is_flat),
    ]
    spreads = np.sqrt(about_means[~is_flat] / space.n_samples)
    if len(spreads):
        low, middle, high = np.quantile(spreads, [0.0, 0.5, 1.0])
        is_wide = bool(high > WIDE * low)
        note = "a weight is for one unit of its column: compare weight × spread" if is_wide else ""
        value = f"{low:.3g} to {high:.3g}, median {middle:.3g}"
        found.append(Finding("spread (standard deviation) of columns", value, note, is_odd=is_wide))
    return found


def _repeated_columns(space: ExplicitSpace, is_flat: Array) -> Finding:
    """Count columns that equal an earlier one: equal columns have equal products with a random vector."""
    probe = np.random.default_rng(0).standard_normal((space.n_samples, 1))
    products = np.where(is_flat, np.nan, np.ravel(space.dots(probe)))

    def equal(left: Array, right: Array) -> Array:
        ids = np.concatenate([left, right])
        columns = dense(space.columns(ids))
        half = len(left)
        return np.asarray((columns[:, :half] == columns[:, half:]).all(axis=0))

    return _repeated(
        "repeated columns", products, equal, "which of them is chosen is a matter of order"
    )


def _repeated_rows(X: Any) -> Finding:
    products = np.ravel(X @ np.random.default_rng(0).standard_normal(X.shape[1]))

    def equal(left: Array, right: Array) -> Array:
        return np.asarray((dense(X[left]) == dense(X[right])).all(axis=1))

    note = "a row on both sides of a split makes held-out scores too good"
    return _repeated("repeated rows", products, equal, note)


def _repeated(name: str, products: Array, equal: Any, note: str) -> Finding:
    order = np.argsort(products, kind="stable")  # what is not a number comes last
    ranked = products[order]
    close = np.abs(np.diff(ranked)) <= 1e-9 * np.maximum(np.abs(ranked[1:]), 1e-300)
    places = np.flatnonzero(close)
    compared, count = places[:MOST_COMPARED], 0
    for start in range(0, len(compared), BLOCK):
        part = compared[start : start + BLOCK]
        count += int(equal(order[part], order[part + 1]).sum())
    at_least = "at least " if len(places) > len(compared) else ""
    return _odd(name, count, note, at_least)


def _of_bags(bags: Any) -> tuple[list[Finding], str]:
    sizes = np.diff(bags.offsets)
    space = resolve_space(bags.instances)
    found = [
        Finding("bags", f"{len(bags):,}"),
        Finding("rows in them", f"{bags.n_instances:,}"),
        Finding("rows in a bag", _range(sizes)),
        Finding("columns", f"{bags.n_features:,}"),
        Finding("missing values", "none"),
        *_of_columns(space),
    ]
    return found, _digest(space.fingerprint(), bags.offsets)


def _of_strings(texts: Sequence[Any]) -> tuple[list[Finding], str]:
    lengths = np.array([len(text) for text in texts])
    n_empty, n_repeated = int((lengths == 0).sum()), len(texts) - len(set(texts))
    note = "a string on both sides of a split makes held-out scores too good"
    found = [
        Finding("strings", f"{len(texts):,}"),
        Finding("characters in a string", _range(lengths)),
        _odd("empty strings", n_empty),
        _odd("repeated strings", n_repeated, note),
    ]
    digest = hashlib.sha256()
    for text in texts:
        whole = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        digest.update(f"{len(whole)} ".encode() + whole)
    return found, digest.hexdigest()


def _range(counts: Array) -> str:
    low, middle, high = np.quantile(counts, [0, 0.5, 1])
    return f"{low:,.0f} to {high:,.0f}, median {middle:,.0f}"


def _described(target: Target) -> str:
    called = f"{target.name}, " if target.name else ""
    if target.kind == "classes":
        return called + plural(target.n_outputs, "classes")
    if target.kind == "labels":
        return called + f"{target.n_outputs} labels, of which a row may have several or none"
    return called + ("a quantity" if target.n_outputs == 1 else f"{target.n_outputs} quantities")


def _counts(target: Target) -> list[tuple[str, int, float]]:
    """Return how many rows there are of each class or label."""
    if target.kind == "quantities":
        return []
    counts = [int(target.members(c).sum()) for c in range(target.n_outputs)]
    return [
        (name, count, count / max(1, len(target.values)))
        for name, count in zip(target.names, counts, strict=True)
    ]


def _of_target(target: Target) -> list[Finding]:
    if target.kind == "quantities":
        found = []
        for c, name in enumerate(target.names[:10]):
            values = target.quantity(c)
            called = f"{name}: spread" if target.n_outputs > 1 else "spread of the target"
            ends = f"({values.min():.4g} to {values.max():.4g})"
            found.append(Finding(called, f"{values.std():.4g} about {values.mean():.4g} {ends}"))
        return found
    rare = [name for name, _, share in _counts(target) if share < RARE / target.n_outputs * 2]
    if not rare or target.kind == "labels":
        return []
    shown = ", ".join(rare[:5]) + (f" and {len(rare) - 5} more" if len(rare) > 5 else "")
    note = "accuracy hides how these are predicted: look at precision and recall"
    return [Finding("rare classes", shown, note, is_odd=True)]


def _digest(*parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(
            part.encode() if isinstance(part, str) else np.ascontiguousarray(part).tobytes()
        )
    return digest.hexdigest()
