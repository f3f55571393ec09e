"""Data on disk, four times larger than the memory that the process may have."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from handful import FGMClassifier, open_store
from handful.sources.blocks import ColumnBlockedSpace
from harness.child import Answer, ask
from harness.measure import timed
from harness.scale.wide import in_memory, write_wide
from harness.study import Run, Target

TIMES_LARGER = 4
LIMIT = 640 * 2**20
ROUNDS, BUDGET, K = 15, 10, 50
LARGE = ("indices.npy", "data.npy")
MODES = ("in memory", "cached", "not cached")
READ_AT_ONCE = 8 * 2**20
TIMEOUT = 1200.0


def _sizes(quick: bool) -> tuple[int, int, int]:
    n_bytes = TIMES_LARGER * LIMIT // (40 if quick else 1)
    n_rows, per_column = (20_000, 500) if quick else (200_000, 2000)
    return n_rows, n_bytes // (8 * per_column), per_column


def drop_from_cache(place: Path) -> None:
    """Have the system forget what it keeps of the files in memory."""
    for handle in _opened(place):
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)


def read_all(place: Path) -> None:
    """Read the files from end to end."""
    for handle in _opened(place):
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_SEQUENTIAL)
        while os.read(handle, READ_AT_ONCE):
            pass


def _opened(place: Path) -> Iterator[int]:
    for name in LARGE:
        handle = os.open(place / name, os.O_RDONLY)
        yield handle
        os.close(handle)


def bytes_from_disk() -> int:
    """Return what this process has had fetched from the disk so far."""
    for line in Path("/proc/self/io").read_text().splitlines():
        if line.startswith("read_bytes"):
            return int(line.split()[1])
    raise KeyError("read_bytes")


ESTIMATORS: dict[str, Callable[[], Any]] = {
    "plain": lambda: FGMClassifier(budget=BUDGET, max_rounds=ROUNDS, tol=1e-6),
    "exactly k": lambda: FGMClassifier(K),
}


def _forget_and_read(store: Any) -> float:
    """Seconds of reading the files once, not cached; they are not afterwards either.

    Read after each scan, because the rate of a disk that others use too varies by the minute.
    """
    store.release()
    drop_from_cache(store.path)
    _, seconds = timed(lambda: read_all(store.path))
    drop_from_cache(store.path)
    return seconds


def cell(place: Path, mode: str, method: str, timeout: float) -> Answer:
    """Fit once, and count scans, bytes and seconds."""
    make = ESTIMATORS[method]
    small = open_store(write_wide(place.parent, 2000, 400, 50))
    make().fit(small, small.y)  # compiles
    if mode == "in memory":
        X, y = in_memory(place)
    else:
        X = open_store(place)
        y = X.y
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    passes: list[float] = []
    reads: list[float] = []
    each = ColumnBlockedSpace._each

    def counted(space: Any, work: Any) -> Any:
        started = time.perf_counter()
        try:
            return each(space, work)
        finally:
            passes.append(time.perf_counter() - started)
            if mode == "not cached":
                reads.append(_forget_and_read(X))

    ColumnBlockedSpace._each = counted  # type: ignore[method-assign]
    if mode == "not cached":
        drop_from_cache(place)
    elif mode == "cached":
        read_all(place)
    before = bytes_from_disk()
    model, seconds = timed(lambda: make().fit(X, y))
    n_read = bytes_from_disk() - before
    return {
        "status": "ok",
        "seconds": seconds,
        "passes": len(passes),
        # Without the time to forget the files, which is no part of a scan.
        "seconds_of_scans": sum(passes) or None,
        "seconds_of_reads": sum(reads) or None,
        "bytes_read": n_read,
        "own_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "ids": model.support_ids_.tolist(),
        "objective": float(model.objective_),
        "rounds": model.n_iter_,
    }


def measure(run: Run, folder: Path) -> dict[str, Any]:
    """Fit in memory, from the page cache and from the disk, and print how they compare."""
    sizes = _sizes(run.given.quick)
    place = write_wide(folder, *sizes)
    n_bytes = sum((place / name).stat().st_size for name in LARGE)
    figures: dict[str, Any] = {"sizes": sizes, "bytes": n_bytes}
    run.console.print(
        f"{sizes[0]:,} rows, {sizes[1]:,} columns, {n_bytes / 2**30:.2f} GiB of entries; "
        f"limit {LIMIT / 2**30:.2f} GiB"
    )
    texts = []
    for method in ESTIMATORS:
        found = {}
        for mode in MODES:
            answer = ask(cell, TIMEOUT, place=place, mode=mode, method=method)
            found[mode] = figures[f"{method}, {mode}"] = answer
            texts.append((method, mode, *_cells(answer, found["in memory"], n_bytes)))
        run.targets += (one.at(f"store, {method}") for one in _targets(method, found, n_bytes))
    headings = ("method", "data", "seconds", "scans", "of them s", "GB/s", "read GiB", "ids")
    run.show("the same fit", headings, texts, left=2)
    return figures


def _cells(answer: dict[str, Any], first: dict[str, Any], n_bytes: int) -> list[str]:
    if answer["status"] != "ok":
        return [answer["status"], "", "", "", "", ""]
    scans, rate = "", ""
    if answer["seconds_of_scans"]:
        scans = f"{answer['seconds_of_scans']:.2f}"
        rate = f"{answer['passes'] * n_bytes / answer['seconds_of_scans'] / 1e9:.2f}"
    same = "same" if answer["ids"] == first.get("ids") else "other"
    read = f"{answer['bytes_read'] / 2**30:.2f}"
    return [f"{answer['seconds']:.2f}", str(answer["passes"] or ""), scans, rate, read, same]


def _targets(method: str, found: dict[str, dict[str, Any]], n_bytes: int) -> Iterator[Target]:
    memory, cached, cold = (found[mode] for mode in MODES)
    if any(answer["status"] != "ok" for answer in found.values()):
        yield Target("a result", str(found), False)
        return
    ratio = cached["seconds"] / memory["seconds"]
    told = f"{ratio:.2f} times ({cached['seconds']:.2f} s, {memory['seconds']:.2f} s)"
    yield Target("within 1.5 times the time in memory when cached", told, ratio <= 1.5)
    read = cold["passes"] * n_bytes
    rate, bandwidth = read / cold["seconds_of_scans"], read / cold["seconds_of_reads"]
    share, from_disk = rate / bandwidth, cold["bytes_read"] / (2 * read)
    told = (
        f"{rate / 1e9:.2f} of {bandwidth / 1e9:.2f} GB/s: {100 * share:.0f} % "
        f"({100 * from_disk:.0f} % of the bytes came from the disk)"
    )
    yield Target("scans at over 80 % of the disk when not cached", told, share > 0.8)
    is_same = cached["ids"] == memory["ids"] == cold["ids"]
    told = "the same features" if is_same else "others"
    yield Target("the answer of the matrix in memory", told, is_same)
