"""The suffixes of a text in order, by libdivsufsort."""

from __future__ import annotations

import numpy as np

from handful.validation.strings import sorting_is_missing

Array = np.ndarray


def sorted_suffixes(text: Array) -> Array:
    """Return where the suffixes of a text begin, in their order: int32, or int64 for long ones.

    libdivsufsort sorts bytes. Larger symbols are written with several bytes each, the first of which counts most; then of
    all suffixes those that begin with a symbol are in the right order.
    """
    try:
        from pydivsufsort import divsufsort
    except ImportError as error:
        raise sorting_is_missing() from error
    width = -(-int(text.max(initial=1)).bit_length() // 8)
    if width == 1:
        return np.asarray(divsufsort(text.astype(np.uint8, copy=False)))
    highest_first = text.astype(np.dtype(">u4")).view(np.uint8).reshape(-1, 4)[:, 4 - width :]
    suffixes = np.asarray(divsufsort(np.ascontiguousarray(highest_first).ravel()))
    suffixes = suffixes[suffixes % width == 0]
    suffixes //= width
    return suffixes
