"""Which half of the panel a task belongs to."""

from __future__ import annotations

import hashlib

TUNED, UNSEEN = "tuned", "unseen"
HALVES = (TUNED, UNSEEN)


def half_of(name: str) -> str:
    """Say by the parity of SHA-256 whether defaults may be tuned on a task of this name.

    >>> half_of("colon"), half_of("madelon")
    ('tuned', 'unseen')
    """
    return HALVES[hashlib.sha256(name.encode()).digest()[-1] % 2]
