"""Small problems of linear algebra that do not need each other: several at a time, each in one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from handful.threads import blas_threads, limited_threads

Task = TypeVar("Task")
Result = TypeVar("Result")
#: Problems of fewer rows are over before another thread has begun.
LEAST_ROWS = 500


def side_by_side(
    solve: Callable[[Task], Result], tasks: Sequence[Task], n_rows: int
) -> list[Result]:
    """Return what ``solve`` gives for each task, as many at a time as BLAS has threads.

    Within small problems these threads are worth nothing. Worse, those of NumPy keep a core busy while
    they wait for the next product, and SciPy's are then in their way: two cores took three times as
    long as one.
    """
    if len(tasks) == 1:
        return [solve(tasks[0])]
    n_threads = blas_threads()
    with limited_threads(1):
        if n_threads == 1 or n_rows < LEAST_ROWS:
            return [solve(task) for task in tasks]
        with ThreadPoolExecutor(min(n_threads, len(tasks))) as pool:
            return list(pool.map(solve, tasks))
