"""How the columns of a table become features, as a model keeps it: plain texts and numbers.

A row of the table is a row of numbers here: numbers as they are, true and false as 1 and 0, a text as the code
of its category, and NaN where a value is missing. scikit-learn's ColumnTransformer makes features of it: first the
numbers with their gaps filled, then which of them were missing, then a column for each category. What a model file
holds of it is checked as that of a stranger when read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.io.mixed.kinds import BOOLEAN, KINDS, NUMBER, TEXT
from handful.validation.names import first_repeated
from handful.validation.plural import plural
from handful.validation.schema import Field, array_of, choice

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer


#: What ``--missing`` may say.
MISSING_RULES = ("error", "mean", "median", "category", "drop-rows")
_MISSING = "(missing)"


@dataclass(frozen=True)
class EncodedColumn:
    """The features that one column of the table became."""

    name: str
    features: np.ndarray


@dataclass(frozen=True, eq=False)
class Encoding:
    """The columns of a table and what each becomes."""

    #: Of the columns; their positions in a file without names.
    names: tuple[str, ...]
    has_names: bool
    #: "number", "boolean" or "text" of each column.
    kinds: tuple[str, ...]
    #: Of each column, in order; empty where it is no text.
    categories: tuple[tuple[str, ...], ...]
    #: One of MISSING_RULES.
    missing: str = "error"
    #: Columns in which values were missing.
    gaps: tuple[int, ...] = ()
    #: What stands for a missing value of each column; 0 where it is text. None before it is learned.
    fill: np.ndarray | None = None

    # ------------------------------------------------------------------ the layout

    @cached_property
    def numbers(self) -> list[int]:
        """Columns that are numbers, or true and false."""
        return [j for j, kind in enumerate(self.kinds) if kind != TEXT]

    @cached_property
    def texts(self) -> list[int]:
        """Columns of text."""
        return [j for j, kind in enumerate(self.kinds) if kind == TEXT]

    @cached_property
    def marked(self) -> list[int]:
        """Columns of numbers that have a second feature, which says whether the value was missing."""
        return [j for j in self.gaps if self.kinds[j] != TEXT] if self.missing == "category" else []

    @cached_property
    def _levels(self) -> list[list[str]]:
        """Of each column of text, what its features stand for."""
        extra = set(self.gaps) if self.missing == "category" else set()
        return [[*self.categories[j], *([_MISSING] if j in extra else [])] for j in self.texts]

    @cached_property
    def columns_of_features(self) -> np.ndarray:
        """For each feature the column that it comes from."""
        widths = [len(levels) for levels in self._levels]
        whole = [*self.numbers, *self.marked]
        return np.concatenate(
            [np.array(whole, dtype=np.int64), np.repeat(np.array(self.texts, np.int64), widths)]
        )

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """What the features are called: ``age``, ``age=(missing)``, ``colour=red``."""
        plain = [self.names[j] for j in self.numbers]
        marks = [f"{self.names[j]}={_MISSING}" for j in self.marked]
        one_hot = [
            f"{self.names[j]}={level}"
            for j, levels in zip(self.texts, self._levels, strict=True)
            for level in levels
        ]
        return (*plain, *marks, *one_hot)

    @cached_property
    def encoded_columns(self) -> list[EncodedColumn]:
        """Columns that became several features, or indicators of categories, in the order of the table."""
        several = sorted({*self.marked, *self.texts})
        if not several:
            return []
        order = np.argsort(self.columns_of_features, kind="stable").astype(np.int64)
        sorted_columns = self.columns_of_features[order]
        starts = np.searchsorted(sorted_columns, several, side="left")
        stops = np.searchsorted(sorted_columns, several, side="right")
        return [
            EncodedColumn(self.names[j], order[start:stop])
            for j, start, stop in zip(several, starts, stops, strict=True)
        ]

    def restricted(self, columns: Sequence[int]) -> Encoding:
        """Return the encoding of some columns alone, in ascending order."""
        places = {j: place for place, j in enumerate(columns)}
        return replace(
            self,
            names=tuple(self.names[j] for j in columns),
            kinds=tuple(self.kinds[j] for j in columns),
            categories=tuple(self.categories[j] for j in columns),
            gaps=tuple(places[j] for j in self.gaps if j in places),
            fill=None if self.fill is None else self.fill[list(columns)],
        )

    # -------------------------------------------------------------- rows to features

    @property
    def learns(self) -> bool:
        """Whether features depend on the rows that it is fitted on: something is filled in."""
        return self.missing in ("mean", "median", "category") and any(
            self.kinds[j] != TEXT for j in self.gaps
        )

    def transformer(self) -> ColumnTransformer:
        """Return what makes features of rows, not yet fitted; its columns are the same for all rows."""
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import MissingIndicator, SimpleImputer
        from sklearn.preprocessing import OneHotEncoder

        filled: Any = "passthrough"
        if self.missing in ("mean", "median", "category"):
            strategy = "median" if self.missing == "median" else "mean"
            filled = SimpleImputer(strategy=strategy, keep_empty_features=True)
        # A missing text is a category like others, or none of them, as one that was never seen.
        codes = [
            np.array([*range(len(self.categories[j])), np.nan][: len(levels)], dtype=np.float64)
            for j, levels in zip(self.texts, self._levels, strict=True)
        ]
        one_hot = OneHotEncoder(categories=codes, handle_unknown="ignore") if codes else "drop"
        marks = MissingIndicator(features="all", error_on_new=False)
        return ColumnTransformer(
            [
                ("numbers", filled, self.numbers),
                ("missing", marks, self.marked),
                ("texts", one_hot, self.texts),
            ]
        )

    def learned(self, transformer: ColumnTransformer) -> Encoding:
        """Return this with what a fitted transformer fills in."""
        fill = np.zeros(len(self.names))
        imputer = transformer.named_transformers_.get("numbers")
        if hasattr(imputer, "statistics_"):
            fill[self.numbers] = imputer.statistics_
        return replace(self, fill=fill)

    def encode(self, rows: np.ndarray) -> Any:
        """Return the features of rows, with what was learned from others."""
        # The mean, and the median, of one row is that row.
        example = np.zeros((1, len(self.names))) if self.fill is None else self.fill[None, :]
        return self.transformer().fit(example).transform(rows)

    def check_features(self, n_features: int, names: Any) -> None:
        """Raise ValueError unless a model has these features."""
        if len(self.columns_of_features) != n_features:
            raise ValueError("its table makes another number of features than the model has")
        if names is not None and tuple(map(str, names)) != self.feature_names:
            raise ValueError("its table makes other features than the model has")

    def describe(self) -> str:
        """Say in a few words what the columns are."""
        n_categories = sum(map(len, self.categories))
        counts = [
            (self.kinds.count(NUMBER), "of numbers"),
            (self.kinds.count(BOOLEAN), "of true and false"),
            (len(self.texts), f"of text with {plural(n_categories, 'category', 'categories')}"),
        ]
        told = ", ".join(f"{count} {words}" for count, words in counts if count)
        n_columns, n_features = len(self.names), len(self.columns_of_features)
        return f"{plural(n_columns, 'column')} ({told}) as {plural(n_features, 'feature')}"


def notes_of(encoding: Encoding) -> dict[str, Any]:
    """Return what a model file is to hold of an encoding: arrays, which can be as long as they like."""
    sizes = [len(categories) for categories in encoding.categories]
    fill = np.zeros(len(encoding.names)) if encoding.fill is None else encoding.fill
    return {
        "names": np.array(encoding.names, dtype=object),
        "has_names": encoding.has_names,
        "kinds": np.array([KINDS.index(kind) for kind in encoding.kinds], dtype=np.int64),
        "category_counts": np.array(sizes, dtype=np.int64),
        "categories": np.array([text for one in encoding.categories for text in one], dtype=object),
        "missing": encoding.missing,
        "gaps": np.array(encoding.gaps, dtype=np.int64),
        "fill": fill,
    }


def encoding_of(notes: Any) -> Encoding:
    """Return the encoding that a model file holds; ValueError when what it says makes no sense."""
    _check_parts(notes)
    texts, stops = notes["categories"].tolist(), np.cumsum(notes["category_counts"])
    parts = zip(stops - notes["category_counts"], stops, strict=True)
    made = Encoding(
        names=tuple(notes["names"].tolist()),
        has_names=notes["has_names"],
        kinds=tuple(KINDS[kind] for kind in notes["kinds"]),
        categories=tuple(tuple(texts[start:stop]) for start, stop in parts),
        missing=notes["missing"],
        gaps=tuple(notes["gaps"].tolist()),
        fill=notes["fill"],
    )
    for kind, categories in zip(made.kinds, made.categories, strict=True):
        if bool(categories) != (kind == TEXT) or first_repeated(categories) is not None:
            raise ValueError("the categories of its table do not fit the columns")
    return made


def _check_parts(notes: Any) -> None:
    """Raise ValueError unless every part is there, of its kind, and as long as the others."""
    if not isinstance(notes, Mapping) or set(notes) != set(_PARTS):
        raise ValueError("its table does not say what it must")
    for key, part in _PARTS.items():
        if not part.is_right(notes[key]):
            raise ValueError(f"{key} of its table is not what it must be")
    n_columns = len(notes["names"])
    if not n_columns or any(len(notes[key]) != n_columns for key in _FOR_EACH_COLUMN):
        raise ValueError("the parts of its table have different lengths")
    if notes["category_counts"].sum() != len(notes["categories"]):
        raise ValueError("the categories of its table do not fit the columns")
    if not (notes["gaps"] < n_columns).all():
        raise ValueError("gaps of its table point outside the columns")


def _are_texts(values: np.ndarray) -> bool:
    return all(isinstance(item, str) for item in values)


def _are_counts(values: np.ndarray, below: int = 2**31) -> bool:
    return values.dtype == np.int64 and bool(((values >= 0) & (values < below)).all())


_PARTS = {
    "names": array_of(
        "names", "OU", 1, lambda names: _are_texts(names) and first_repeated(names) is None
    ),
    "has_names": Field("true or false", lambda value: isinstance(value, bool)),
    "kinds": array_of("kinds", "i", 1, lambda kinds: _are_counts(kinds, below=len(KINDS))),
    "category_counts": array_of("counts", "i", 1, _are_counts),
    "categories": array_of("texts", "OU", 1, _are_texts),
    "missing": choice(*MISSING_RULES),
    "gaps": array_of(
        "places", "i", 1, lambda gaps: _are_counts(gaps) and (np.diff(gaps) > 0).all()
    ),
    "fill": array_of("numbers", "f", 1, lambda x: x.dtype == np.float64 and np.isfinite(x).all()),
}
_FOR_EACH_COLUMN = ("kinds", "category_counts", "fill")
