"""Checks of strings, and of the features that are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from handful.validation import check_choice, check_count, check_flag, check_share


def sorting_is_missing() -> ImportError:
    """Return the error for a missing library."""
    return ImportError(
        "sorting strings needs pydivsufsort; install it with: pip install 'handful[strings]'"
    )


def decoded(document: bytes, number: int) -> str:
    """Return bytes as text; ValueError where they are not UTF-8."""
    try:
        return document.decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"the string in row {number} is not valid UTF-8 at byte {error.start}; use unit='byte', or decode it first."
        ) from None


def checked_words(words: Any, number: int) -> list[str]:
    """Return what a function made of a document, if it is words."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        words = [words]
    words = list(words)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise ValueError(
            f"unit gave {wrong[0]!r} for the string in row {number}; it must give a list of str."
        )
    return words


def check_strings(texts: Sequence[Any]) -> None:
    """Raise unless all are str, or all are bytes."""
    kind = bytes if len(texts) and isinstance(texts[0], bytes) else str
    for row, text in enumerate(texts):
        if not isinstance(text, kind):
            is_missing = text is None or type(text).__name__ == "NAType" or text != text
            what = "missing" if is_missing else f"{text!r}, a {type(text).__name__}"
            if isinstance(text, str | bytes):
                what = f"{type(text).__name__} and the first is {kind.__name__}"
            raise ValueError(
                f"X must hold strings, but row {row} is {what}; give str or bytes in every row, '' for an empty one."
            )


def not_strings(X: Any) -> ValueError:
    """Return the error for X that is no column of strings."""
    return ValueError(
        f"space=Substrings() wants one string for each sample, as a list, an array or a column; got {X}."
    )


def check_rows(n_documents: int, least: int) -> None:
    """Raise unless there are strings enough."""
    if n_documents < least:
        raise ValueError(f"X has {n_documents} string(s), and a minimum of {least} is required.")


def check_parameters(space: Any) -> None:
    """Raise when a parameter of Substrings has no meaning."""
    if not callable(space.unit):
        check_choice("unit", space.unit, ["byte", "character", "word"])
    check_choice("weight", space.weight, ["presence", "count", "log"])
    if space.rarity != "idf" and (
        isinstance(space.rarity, str | bool) or space.rarity is None or not 0 <= space.rarity <= 1
    ):
        raise ValueError(f"rarity must be a number from 0 to 1 or 'idf'; got {space.rarity!r}.")
    for name in ("min_df", "max_df"):
        frequency = getattr(space, name)
        (check_share if isinstance(frequency, float) else check_count)(name, frequency)
    check_count("min_length", space.min_length)
    check_count("max_length", space.max_length, least=space.min_length, optional=True)
    check_choice("boundary", space.boundary, [None, "word"])
    check_choice("case", space.case, ["keep", "lower"])
    check_flag("reverse_complement", space.reverse_complement)
    of_letters = space.unit in ("byte", "character")
    if not of_letters and space.boundary is not None:
        raise ValueError("boundary='word' is for unit='byte' or 'character'; words have no parts.")
    if not of_letters and space.reverse_complement:
        raise ValueError(
            "reverse_complement=True is for unit='byte' or 'character'; give sequences of bases."
        )


def no_substrings(n_documents: int, limits: Any, *, are_empty: bool) -> ValueError:
    """Return the error for strings that have no feature."""
    if are_empty:
        return ValueError(
            "all strings of X are empty, or have no word in them where words are what counts; check that the right "
            "column was given."
        )
    return ValueError(
        f"no substring of the {n_documents} strings is within the limits {limits}; widen these."
    )


def unknown_string(string: str, n_documents: int, n_found: int) -> ValueError:
    """Return the error for a string that is no feature."""
    return ValueError(
        f"{string!r} occurs in {n_found} of the {n_documents} strings and is outside the limits of min_df, max_df and "
        "lengths; widen these, or leave it out of include and exclude."
    )


def not_among(feature: int) -> ValueError:
    """Return the error for a feature whose string was not kept."""
    return ValueError(f"the string of feature {feature} was not chosen, and is not known any more.")


def damaged(what: str) -> ValueError:
    """Return the error for strings of a model file that cannot be used."""
    return ValueError(f"the strings of the model {what}")
