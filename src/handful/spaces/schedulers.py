"""Where tasks on the chunks of a dask array are run: on a cluster, or in this process."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import dask
import numpy as np
from dask.base import get_scheduler

from handful.validation import cluster as checks

#: A value that is, or will be, where tasks run: a future of the cluster, or anything a task can take.
Handle = Any

# How often to look whether there are workers, while waiting for them.
POLL_SECONDS = 2.0
WORKER_TIMEOUT = "60s"  # how long a cluster may be without any


class Scheduler(ABC):
    """Loads chunks and runs small tasks on them.

    Tasks of one round are few: each takes all chunks of one thread of one worker.
    """

    @abstractmethod
    def load(self, array: Any) -> list[list[Handle]]:
        """Compute a dask array where its chunks are to stay; return a handle for each."""

    @abstractmethod
    def homes(self, chunks: Sequence[Handle]) -> list[Hashable]:
        """Say for each chunk which thread should work on it."""

    @abstractmethod
    def workers(self) -> Hashable:
        """Return what differs when :meth:`homes` may have changed."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *args: Any) -> Handle:
        """Run a function there; handles among its arguments, or in lists of them, become values."""

    @abstractmethod
    def kept(self, handle: Handle) -> Handle:
        """Return a handle of which the value is not computed anew by each task that takes it."""

    @abstractmethod
    def results(self, handles: Sequence[Handle]) -> list[Any]:
        """Bring results here."""


class Local(Scheduler):
    """One of dask's schedulers within this machine; chunks are held by this process."""

    def __init__(self, get: Callable[..., Any] | None) -> None:
        self._get = get or get_scheduler(scheduler="threads")
        is_serial = getattr(self._get, "__name__", "") == "get_sync"
        self._n_threads = 1 if is_serial else dask.config.get("num_workers", None) or _n_cores()

    def load(self, array: Any) -> list[list[Handle]]:
        grid = array.to_delayed()
        values = dask.compute(*grid.ravel(), scheduler=self._get)
        return [
            list(values[start:][: grid.shape[1]]) for start in range(0, grid.size, grid.shape[1])
        ]

    def homes(self, chunks: Sequence[Handle]) -> list[Hashable]:
        return [number * self._n_threads // len(chunks) for number in range(len(chunks))]

    def workers(self) -> Hashable:
        return None

    def submit(self, function: Callable[..., Any], *args: Any) -> Handle:
        return dask.delayed(function, pure=False)(*args)

    def kept(self, handle: Handle) -> Handle:
        return self.results([handle])[0]

    def results(self, handles: Sequence[Handle]) -> list[Any]:
        return list(dask.compute(*handles, scheduler=self._get))


class Cluster(Scheduler):
    """A scheduler of ``distributed``; chunks are held by its workers.

    Chunks are futures of tasks, and the scheduler keeps what those were made from: chunks that are
    lost with a worker are computed again, and so is the part of the round that needed them.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known_workers: Hashable = None
        self._asked_at = -np.inf

    def load(self, array: Any) -> list[list[Handle]]:
        from distributed import futures_of

        loaded = self._ask(self._client.persist, array)
        futures = {future.key: future for future in futures_of(loaded)}
        self._wait(list(futures.values()))
        return [[futures[key] for key in row] for row in loaded.__dask_keys__()]

    def homes(self, chunks: Sequence[Handle]) -> list[Hashable]:
        holders = self._ask(self._client.who_has, chunks)
        threads = self._ask(self._client.nthreads)
        mine: dict[Hashable, list[int]] = {}
        for number, chunk in enumerate(chunks):
            held_by = holders.get(chunk.key)
            mine.setdefault(min(held_by) if held_by else "", []).append(number)
        homes: list[Hashable] = [None] * len(chunks)
        for worker, numbers in mine.items():
            shares = np.array_split(numbers, min(threads.get(worker, 1), len(numbers)))
            for thread, share in enumerate(shares):
                for number in share:
                    homes[number] = (worker, thread)
        return homes

    def workers(self) -> Hashable:
        now = time.monotonic()
        if now - self._asked_at > POLL_SECONDS:  # a question to the scheduler is not for every task
            self._known_workers = frozenset(self._ask(self._client.nthreads))
            self._asked_at = now
        return self._known_workers

    def submit(self, function: Callable[..., Any], *args: Any) -> Handle:
        # A task carries its rows of a vector, so that it can be run again anywhere: no copy of the vector
        # needs to survive. That is meant to be large.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self._ask(self._client.submit, function, *args, pure=False)

    def kept(self, handle: Handle) -> Handle:
        return handle

    def results(self, handles: Sequence[Handle]) -> list[Any]:
        self._wait(handles)
        return list(self._ask(self._client.gather, list(handles)))

    def _wait(self, handles: Sequence[Handle]) -> None:
        """Wait until all are done or have failed; give up when there is nobody to do it."""
        from distributed import wait

        limit = dask.utils.parse_timedelta(
            dask.config.get("handful.worker-timeout", WORKER_TIMEOUT)
        )
        without_since = None
        while True:
            try:
                self._ask(wait, handles, timeout=min(POLL_SECONDS, limit))
                return
            except TimeoutError:
                pass
            if self._ask(self._client.nthreads):
                without_since = None
                continue
            now = time.monotonic()
            without_since = without_since or now
            if now - without_since >= limit:
                self._client.cancel(list(handles))
                raise checks.no_workers(limit)

    def _ask(self, question: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call the cluster; what its machinery raises is said in a sentence, what a task raises is not."""
        from distributed import CancelledError, KilledWorker
        from distributed.client import ClosedClientError
        from distributed.comm import CommClosedError

        try:
            return question(*args, **options)
        except (CancelledError, KilledWorker, CommClosedError, ClosedClientError) as error:
            raise checks.lost_cluster(error) from error


def scheduler_of(array: Any) -> Scheduler:
    """Return the scheduler that dask would compute the array with here and now."""
    get = get_scheduler(collections=[array])
    distributed = sys.modules.get("distributed")
    owner = getattr(get, "__self__", None)
    if distributed is not None and isinstance(owner, distributed.Client):
        return Cluster(owner)
    return Local(get)


def _n_cores() -> int:
    return int(dask.system.CPU_COUNT)
