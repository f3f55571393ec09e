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
