"""Where tasks on the chunks of a dask array are run: on a cluster, or in this process."""

from __future__ import annotations

import functools
import itertools
import math
import sys
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import dask
import numpy as np
from dask.base import get_scheduler

from handful.validation import sources as checks

# How often to look whether there are workers, while waiting for them.
POLL_SECONDS = 2.0
WORKER_TIMEOUT = "60s"  # how long a cluster may be without any


@dataclass(frozen=True, eq=False)
class Handle:
    """A value that is, or will be, where tasks run.

    Attributes
    ----------
    key : hashable
        Its name in the graph of tasks.
    value : Any
        A future of the cluster, or the value itself where that is this process; None until it is
        computed.
    """

    key: Hashable
    value: Any = None


@dataclass(frozen=True)
class _Slot:
    """Stands in an argument for the value of a handle."""

    number: int


class Scheduler(ABC):
    """Loads chunks and runs small tasks on them.

    Tasks of one round are few, each takes all chunks of one thread of one worker, and they are sent
    together: a message on its own may wait for the next by some milliseconds.
    """

    def __init__(self) -> None:
        self._name = uuid.uuid4().hex
        self._numbers = itertools.count()
        self._graph: dict[Hashable, Any] = {}

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
    def kept(self, handle: Handle) -> Handle:
        """Run what was submitted; return a handle for tasks that are submitted later."""

    @abstractmethod
    def results(self, handles: Sequence[Handle]) -> list[Any]:
        """Run what was submitted and bring results here."""

    def submit(self, function: Callable[..., Any], *args: Any) -> Handle:
        """Note a task; handles among its arguments, or in lists of them, become values."""
        used: list[Handle] = []

        def with_slots(arg: Any) -> Any:
            if isinstance(arg, Handle):
                used.append(arg)
                return _Slot(len(used) - 1)
            return [with_slots(part) for part in arg] if isinstance(arg, list) else arg

        call = functools.partial(_call, function, with_slots(list(args)))
        key = f"{function.__name__}-{self._name}-{next(self._numbers)}"
        inputs = [one.key if one.value is None else one.value for one in used]
        self._graph[key] = (call, inputs)
        return Handle(key)

    def _made(self, handles: Sequence[Handle], run: Callable[..., Any]) -> list[Any]:
        """Have the tasks noted so far run, and begin anew; return what handles stand for."""
        graph, self._graph = self._graph, {}
        made = iter(run(graph, [one.key for one in handles if one.value is None]))
        return [next(made) if one.value is None else one.value for one in handles]


def _same(chunk: Any) -> Any:
    """Return a chunk: to have this done by a worker moves the chunk there."""
    return chunk


def _call(function: Callable[..., Any], args: list[Any], values: list[Any]) -> Any:
    """Call a function with values in the place of slots."""

    def filled(arg: Any) -> Any:
        if isinstance(arg, _Slot):
            return values[arg.number]
        return [filled(part) for part in arg] if isinstance(arg, list) else arg

    return function(*filled(args))


class Local(Scheduler):
    """One of dask's schedulers within this machine; chunks are held by this process."""

    def __init__(self, get: Callable[..., Any] | None) -> None:
        super().__init__()
        self._get = get or get_scheduler(scheduler="threads")
        is_serial = getattr(self._get, "__name__", "") == "get_sync"
        n_cores = int(dask.system.CPU_COUNT)
        self._n_threads = 1 if is_serial else dask.config.get("num_workers", None) or n_cores

    def load(self, array: Any) -> list[list[Handle]]:
        grid = array.to_delayed()
        values = iter(dask.compute(*grid.ravel(), scheduler=self._get))
        return [[Handle(cell.key, next(values)) for cell in row] for row in grid]

    def homes(self, chunks: Sequence[Handle]) -> list[Hashable]:
        return [number * self._n_threads // len(chunks) for number in range(len(chunks))]

    def workers(self) -> Hashable:
        return None

    def kept(self, handle: Handle) -> Handle:
        return Handle(handle.key, self.results([handle])[0])

    def results(self, handles: Sequence[Handle]) -> list[Any]:
        return self._made(handles, self._get)


class Cluster(Scheduler):
    """A scheduler of ``distributed``; chunks are held by its workers.

    Chunks are futures of tasks, and the scheduler keeps what those were made from: chunks that are
    lost with a worker are computed again, and so is the part of the round that needed them.
    """

    def __init__(self, client: Any) -> None:
        super().__init__()
        self._client = client
        self._known_workers: Hashable = None
        self._asked_at = -np.inf
        self._last: Any = None

    def load(self, array: Any) -> list[list[Handle]]:
        from distributed import futures_of

        loaded = self._ask(self._client.persist, array)
        futures = {future.key: future for future in futures_of(loaded)}
        self._wait(list(futures.values()))
        self._share_out(futures)
        return [
            [Handle(futures[key].key, futures[key]) for key in row]
            for row in loaded.__dask_keys__()
        ]

    def _share_out(self, futures: dict[Hashable, Any]) -> None:
        """Move chunks once, so that in every round all threads have the same to do.

        dask puts chunks where there is room; one worker with a few more of them would hold up the others.
        """
        threads = self._ask(self._client.nthreads)
        holders = self._ask(self._client.who_has, list(futures.values()))
        room = {
            worker: math.ceil(len(futures) * count / sum(threads.values()))
            for worker, count in threads.items()
        }
        moving = []
        for key in futures:
            here = [worker for worker in holders.get(key, ()) if room.get(worker, 0) > 0]
            if here:
                room[min(here)] -= 1
            else:
                moving.append(key)
        for key in moving:
            there = max(room, key=lambda worker: room[worker], default=None)
            if there is not None:
                room[there] -= 1
                options = {"workers": [there], "allow_other_workers": True, "pure": False}
                futures[key] = self._ask(self._client.submit, _same, futures[key], **options)
        self._wait([futures[key] for key in moving])

    def homes(self, chunks: Sequence[Handle]) -> list[Hashable]:
        holders = self._ask(self._client.who_has, [chunk.value for chunk in chunks])
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

    def kept(self, handle: Handle) -> Handle:
        (future,) = self._sent([handle])
        return Handle(handle.key, future)

    def results(self, handles: Sequence[Handle]) -> list[Any]:
        self._last = self._sent(handles)
        self._wait(self._last)
        return list(self._ask(self._client.gather, self._last))

    def _sent(self, handles: Sequence[Handle]) -> list[Any]:
        """Send all tasks that were submitted; return the futures of some."""

        # A task carries its rows of a vector, so that it can be run again anywhere: no copy of the vector
        # needs to survive. That may be large, and is meant to.
        def send(graph: dict[Hashable, Any], keys: list[Hashable]) -> Any:
            return self._ask(self._client.get, graph, keys, sync=False) if keys else []

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self._made(handles, send)

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
