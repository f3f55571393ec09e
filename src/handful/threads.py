"""Work in several threads, and how many of them linear algebra may have for a while.

Several fits may want fewer at the same time. Most libraries have one number for the whole process. Whoever saves it, sets it and puts it back may put back what
another had set in between, and then nobody undoes that. So all who want fewer threads are counted here: as long as there
is one, the least of their wishes holds, and the last to leave puts back what the first found.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

_lock = threading.Lock()
#: What is wished for now, and for each library what it had before the first wish.
_wishes: dict[object, int] = {}
_before: dict[str, tuple[Any, int]] = {}


def map_in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], n_threads: int
) -> list[Result]:
    """Return what the work gives for each item; this thread is one of those that take the next in turn."""
    n_others = min(n_threads, len(items)) - 1
    if n_others < 1:
        return [work(item) for item in items]
    results: list[Any] = [None] * len(items)
    waiting = iter(range(len(items)))

    def take_turns() -> None:
        for number in waiting:
            results[number] = work(items[number])

    with ThreadPoolExecutor(n_others) as pool:
        others = [pool.submit(take_turns) for _ in range(n_others)]
        take_turns()
    for other in others:
        other.result()
    return results


def map_apart(
    work: Callable[[Item], Result], items: Sequence[Item], n_threads: int | None = None
) -> list[Result]:
    """Return what the work gives for each item, in threads that leave linear algebra one each.

    There are so many of them, or as many as linear algebra has: within small problems those are worth nothing. Worse,
    those of NumPy keep a core busy while they wait for the next product, and SciPy's are then in their way: two cores
    took three times as long as one.
    """
    n_threads = blas_threads() if n_threads is None else n_threads
    with limited_threads(1):
        return map_in_threads(work, items, n_threads)


@contextmanager
def limited_threads(limit: int) -> Iterator[None]:
    """Let the libraries of linear algebra use so many threads each, but no more than they have.

    OpenBLAS that is given more threads than it was started with ends the process now and then (seen with SciPy 1.15 and
    1.16). The work of :func:`map_in_threads` may have as many as are wished for: see :func:`blas_threads`.
    """
    libraries = _libraries("torch" in sys.modules)
    shared = [library for library in libraries if _is_shared(library)]
    own = [(library, library.num_threads) for library in libraries if not _is_shared(library)]
    wish = object()
    with _lock:
        for library in shared:
            _before.setdefault(library.filepath, (library, library.num_threads))
        _wishes[wish] = limit
        _apply_wishes()
    try:
        for library, before in own:
            library.set_num_threads(min(limit, before))
        yield
    finally:
        for library, before in own:
            library.set_num_threads(before)
        with _lock:
            del _wishes[wish]
            _apply_wishes()


def blas_threads() -> int:
    """Return how many threads work may have now: what is wished for, or else what linear algebra has."""
    with _lock:
        if _wishes:
            return min(_wishes.values())
    libraries = _libraries("torch" in sys.modules)
    return max((one.num_threads for one in libraries if one.user_api == "blas"), default=1)


@functools.cache
def _libraries(with_torch: bool) -> list[Any]:
    """Return the libraries that have threads; torch brings its own, and looking takes milliseconds."""
    return list(ThreadpoolController().lib_controllers)


def _is_shared(library: Any) -> bool:
    """Whether all threads of this process have one number; with OpenMP each thread has its own."""
    layer = getattr(library, "threading_layer", None)
    return bool(library.user_api == "blas" and layer != "openmp")


def _apply_wishes() -> None:
    least = min(_wishes.values(), default=None)
    for library, before in _before.values():
        library.set_num_threads(before if least is None else min(least, before))
    if least is None:
        _before.clear()
