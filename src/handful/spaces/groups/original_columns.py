"""Which column of a table each column comes from, told by the transformer that made them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful.validation.groups import unknown_origins


def original_columns(transformer: Any) -> list[str]:
    """Return for each column that a fitted transformer makes the name of the column it comes from.

    They are labels for ``groups``: then the categories of a text column are selected together, and so
    are a number and the mark that it was missing, and k counts the columns of the table. The names of columns
    need not be told apart by looks, and the output may be sparse, unlike with ``groups="columns"``.

    Parameters
    ----------
    transformer : ColumnTransformer, Pipeline, OneHotEncoder, SimpleImputer or other
        Fitted. Of others, those that make one column of each are known by ``get_feature_names_out``.

    Returns
    -------
    list of str
        Names of columns; where the transformer was fitted on an array, ``x0``, ``x1``, ...

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.preprocessing import OneHotEncoder, StandardScaler
    >>> from handful.spaces import original_columns
    >>> table = np.array([[1.0, 0, 5], [2.0, 1, 6], [4.0, 2, 5]])
    >>> made = make_column_transformer((StandardScaler(), [0]), (OneHotEncoder(), [1, 2])).fit(
    ...     table
    ... )
    >>> original_columns(made)
    ['x0', 'x1', 'x1', 'x1', 'x2', 'x2']
    """
    names = _names_in(transformer)
    return [names[j] for j in _origins(transformer, len(names))]


def _names_in(transformer: Any) -> list[str]:
    named = getattr(transformer, "feature_names_in_", None)
    if named is not None:
        return [str(name) for name in named]
    return [f"x{j}" for j in range(transformer.n_features_in_)]


def _origins(transformer: Any, n_in: int) -> list[int]:
    """Return for each column of the output the position of the one it comes from."""
    if transformer == "passthrough":
        return list(range(n_in))
    if hasattr(transformer, "output_indices_"):  # a ColumnTransformer
        return _of_columns(transformer)
    if hasattr(transformer, "named_steps"):  # a Pipeline
        origins = list(range(n_in))
        for _, step in transformer.steps:
            if step is not None:
                origins = [origins[j] for j in _origins(step, len(origins))]
        return origins
    if hasattr(transformer, "categories_") and hasattr(transformer, "drop_idx_"):
        return np.repeat(np.arange(n_in), _one_hot_widths(transformer)).tolist()
    if hasattr(transformer, "statistics_"):
        return _of_imputer(transformer)
    if hasattr(transformer, "features_") and hasattr(transformer, "missing_values"):
        return [int(j) for j in transformer.features_]  # a MissingIndicator
    if _is_one_to_one(transformer, n_in):
        return list(range(n_in))
    raise unknown_origins(transformer)


def _of_columns(transformer: Any) -> list[int]:
    names = _names_in(transformer)
    made: dict[int, int] = {}
    for name, part, columns in transformer.transformers_:
        place = transformer.output_indices_[name]
        if part == "drop" or place.start == place.stop:
            continue
        own = _positions(columns, names)
        origins = [own[j] for j in _origins(part, len(own))]
        if len(origins) != place.stop - place.start:
            raise unknown_origins(part)
        made.update(zip(range(place.start, place.stop), origins, strict=True))
    return [made[j] for j in range(len(made))]


def _positions(columns: Any, names: Sequence[str]) -> list[int]:
    """Return positions of columns that were given by position, name, mask or slice."""
    if isinstance(columns, str):
        return [names.index(columns)]
    if isinstance(columns, slice) and not any(
        isinstance(end, str) for end in (columns.start, columns.stop)
    ):
        return list(range(len(names))[columns])
    if isinstance(columns, slice):  # of names, the last one included
        first = 0 if columns.start is None else names.index(columns.start)
        last = len(names) - 1 if columns.stop is None else names.index(columns.stop)
        return list(range(first, last + 1))
    given = np.atleast_1d(np.asarray(columns))
    if given.dtype.kind == "b":
        return np.flatnonzero(given).tolist()
    return [names.index(str(one)) if isinstance(one, str) else int(one) for one in given.tolist()]


def _one_hot_widths(encoder: Any) -> list[int]:
    """How many columns an encoder makes of each: its categories, rare ones as one, less a dropped one."""
    rare = getattr(encoder, "infrequent_categories_", [None] * len(encoder.categories_))
    dropped = encoder.drop_idx_
    widths = []
    for j, (categories, few) in enumerate(zip(encoder.categories_, rare, strict=True)):
        n_rare = 0 if few is None else len(few) - 1
        is_dropped = dropped is not None and dropped[j] is not None
        widths.append(len(categories) - n_rare - is_dropped)
    return widths


def _of_imputer(imputer: Any) -> list[int]:
    """Columns without any value are left out, unless they are kept; marks of missing values follow."""
    empty = np.zeros(len(imputer.statistics_), dtype=bool)
    if not imputer.keep_empty_features:
        empty = np.array([value != value for value in imputer.statistics_])
    marks = getattr(imputer, "indicator_", None)
    return np.flatnonzero(~empty).tolist() + (
        [] if marks is None else [int(j) for j in marks.features_]
    )


def _is_one_to_one(transformer: Any, n_in: int) -> bool:
    """Whether the names that come out are those that went in."""
    names = _names_in(transformer)
    try:
        return len(names) == n_in and list(transformer.get_feature_names_out()) == names
    except (AttributeError, TypeError, ValueError):
        return False
