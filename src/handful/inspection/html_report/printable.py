"""Text as a page can hold it."""

from __future__ import annotations

# Joiners that are not seen are part of emoji and of many scripts.
_UNSEEN_BUT_HARMLESS = "\n\t\u200c\u200d"


def printable(text: str) -> str:
    r"""Show what no page can hold, and what would steer the text around it, by its code.

    Examples
    --------
    >>> printable("a\x00b\u202ec")
    'a\\x00b\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(c if _can_be_shown(c) else _code(c) for c in text)


def _can_be_shown(character: str) -> bool:
    return character.isprintable() or character in _UNSEEN_BUT_HARMLESS


def _code(character: str) -> str:
    return character.encode("unicode_escape").decode()
