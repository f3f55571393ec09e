"""Names of columns: one column each, wherever columns are found by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

SHOWN = 5
LONGEST_SHOWN = 60


def listed(names: Sequence[Any]) -> str:
    """Write "'a', 'b' and 7 more"."""
    shown = ", ".join(repr(_short(str(name))) for name in names[:SHOWN])
    return shown + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _short(name: str) -> str:
    """Return the beginning of a name that would make a sentence a page: a line read with a wrong separator is one."""
    return name if len(name) <= LONGEST_SHOWN else f"{name[: LONGEST_SHOWN - 3]}..."


def first_repeated(names: Iterable[Any], wanted: Iterable[Any] | None = None) -> str | None:
    """Return the first name, of all or of those wanted, that two columns have; None when none is."""
    counts = Counter(str(name) for name in names)
    looked_at = counts if wanted is None else map(str, wanted)
    return next((name for name in looked_at if counts[name] > 1), None)


def check_in_order(what: str, given: Any, names: Iterable[Any] | None) -> None:
    """Raise for a Series whose index has these very names in another order: its values go by place, so each to another name."""
    index = getattr(given, "index", None)
    if names is None or index is None or callable(index):  # a list has a method of this name
        return
    own, others = list(map(str, index)), list(map(str, names))
    if own != others and sorted(own) == sorted(others):
        place = next(
            j for j, (one, other) in enumerate(zip(own, others, strict=True)) if one != other
        )
        raise ValueError(
            f"{what} is a Series in another order: at position {place} its index has {own[place]!r}, and {others[place]!r} stands "
            "there; it is taken by position, so reindex it."
        )


def lacking_columns(missing: Sequence[str], n_used: int, error: Exception) -> ValueError:
    """Return the error for a table without some of the columns that a model has chosen.

    What scikit-learn says follows: it names columns of the fit, chosen or not.
    """
    return ValueError(
        f"X lacks {listed(missing)} of the {n_used} columns that the model looks at; give a table that has them "
        f"all, or all columns of the fit.\n{error}"
    )


def repeated_column(name: str) -> ValueError:
    """Return the error for a column that cannot be found by its name."""
    return ValueError(
        f"two columns are called {name!r}, which the model looks at; rename one, or give all columns in the "
        "order of the fit as an array."
    )


def two_of_a_name(name: str | None) -> ValueError:
    """Return the error for a table of which scikit-learn wants names that differ."""
    return ValueError(
        f"two columns of X are called {name!r}; rename one, or give X as an array, without names."
    )
