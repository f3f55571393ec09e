"""Dask: the same fit with one and with two workers of one thread, and against memory.

    cd benchmarks && python -m harness.scale.dask [--quick]

Chunks are CSR, cut by rows, and loaded before. Each figure is the median of several, after a small fit that
compiles. "A question" is one call of the oracle, or one gathering of columns, on data that cost nothing:
what is left is the way to the workers and back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful import FGMClassifier
from handful.spaces.resolve import resolve_space, source_of
from harness.scale import NotHereError, alone, median_seconds
from harness.scale.wide import drawn
from harness.study import Run, Target

N_CHUNKS = 16
# Rows, columns and entries in a row.
LARGE, LARGE_QUICK = (32_000, 60_000, 6_000), (3_200, 20_000, 200)
TINY = (20 * N_CHUNKS, 1_000, 50)
TRUE = 20
BUDGET, ROUNDS = 10, 15
RUNS, QUESTIONS = 2, 30
LEAST_GAIN = 1.7


def rows_of(number: int, n_rows: int, n_columns: int, per_row: int) -> sp.csr_array:
    """Some rows of a random sparse matrix."""
    parts = drawn(np.random.default_rng([number, 7]), n_rows, n_columns, per_row)
    return sp.csr_array(parts, shape=(n_rows, n_columns))


def as_dask(sizes: tuple[int, int, int]) -> Any:
    """The whole matrix, made by the workers."""
    import dask.array as da

    n_rows, n_columns, per_row = sizes
    step = n_rows // N_CHUNKS

    def chunk(block: np.ndarray, block_info: Any = None) -> sp.csr_array:
        return rows_of(block_info[0]["chunk-location"][0], step, n_columns, per_row)

    frame = da.zeros((n_rows, n_columns), chunks=(step, n_columns), dtype=np.float32)
    return frame.map_blocks(chunk, dtype=np.float32, meta=np.empty((0, 0), dtype=np.float32))


def in_memory(sizes: tuple[int, int, int]) -> tuple[sp.csr_array, np.ndarray]:
    """The same matrix here, and labels that some of its columns make."""
    n_rows, n_columns, per_row = sizes
    parts = [rows_of(number, n_rows // N_CHUNKS, n_columns, per_row) for number in range(N_CHUNKS)]
    X = sp.vstack(parts, format="csr")
    true = np.linspace(0, n_columns - 1, TRUE).astype(np.int64)
    z = resolve_space(X).columns(true) @ np.where(np.arange(TRUE) % 2, 3.0, -3.0)
    z += np.random.default_rng(0).standard_normal(n_rows) * z.std()
    return X, (z > 0).astype(np.int64)


def estimator(**options: Any) -> FGMClassifier:
    """The paper's machine, all rounds."""
    return FGMClassifier(budget=BUDGET, max_rounds=ROUNDS, tol=1e-3, **options)


def _of_space(X: Any, a: np.ndarray, runs: int) -> tuple[float, float]:
    """Seconds of one call of the oracle, and of gathering ten columns."""
    space, ids = resolve_space(X, n_jobs=1), np.arange(BUDGET)
    oracle = median_seconds(lambda: space.top(a, BUDGET), runs)
    return oracle, median_seconds(lambda: space.columns(ids), runs)


def _fits(X: Any, source: Any, y: np.ndarray, **options: Any) -> dict[str, Any]:
    a = np.random.default_rng(1).standard_normal(len(y))
    oracle, gather = _of_space(source, a, 2 * RUNS)
    model = estimator(**options)
    seconds = median_seconds(lambda: model.fit(X, y), RUNS)
    return {"fit": seconds, "oracle": oracle, "gather": gather, "model": model}


def _on_cluster(n_workers: int, sizes: tuple[int, int, int], y: np.ndarray) -> dict[str, Any]:
    from distributed import Client, LocalCluster, wait

    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    a = np.random.default_rng(1).standard_normal(len(y))
    with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
        small = client.persist(as_dask(TINY))
        estimator().fit(small, y[: TINY[0]])
        question, fetch = _of_space(source_of(small), a[: TINY[0]], QUESTIONS)
        X = client.persist(as_dask(sizes))
        wait(X)
        return {**_fits(X, source_of(X), y), "question": question, "fetch": fetch}


def _here(sizes: tuple[int, int, int]) -> tuple[dict[str, Any], np.ndarray]:
    X, y = in_memory(TINY)
    estimator(n_jobs=1).fit(X, y)
    X, y = in_memory(sizes)
    return _fits(X, X, y, n_jobs=1), y


def measure(run: Run, folder: Path) -> dict[str, Any]:
    """Measure on the cores of this machine."""
    try:
        import distributed
    except ImportError:
        raise NotHereError("distributed is not installed") from None
    sizes = LARGE_QUICK if run.given.quick else LARGE
    memory, y = _here(sizes)
    rows = {"memory, 1 thread": memory}
    for n_workers in (1, 2):
        rows[f"{n_workers} worker{'s'[: n_workers - 1]}"] = _on_cluster(n_workers, sizes, y)
    n_rows, n_columns, per_row = sizes
    gigabytes = n_rows * per_row * 8 / 1e9
    names, texts = ("fit", "oracle", "gather", "question", "fetch"), []
    known = memory["model"]
    for where, row in rows.items():
        model = row.pop("model")
        same = np.array_equal(model.support_ids_, known.support_ids_)
        row["same_features"] = same
        row["difference"] = float(np.abs(model.weights_ - known.weights_).max()) if same else None
        cells = [f"{row[name]:.4f}" if name in row else "" for name in names]
        differ = f"{row['difference']:.1g}" if same else ""
        texts.append((where, *cells, str(model.n_iter_), str(same), differ))
    title = (
        f"distributed {distributed.__version__}: CSR {n_rows:,} x {n_columns:,}, {gigabytes:.2f} GB in "
        f"{N_CHUNKS} chunks, B = {BUDGET}, {ROUNDS} rounds; seconds"
    )
    headings = ("", *names, "rounds", "same features", "weights differ by")
    run.show(title, headings, texts, left=len(headings))
    one, two = rows["1 worker"], rows["2 workers"]
    gain, of_oracle = one["fit"] / two["fit"], one["oracle"] / two["oracle"]
    overhead = one["fit"] / memory["fit"]
    run.console.print(
        f"two workers against one: fit {gain:.2f} times faster, oracle {of_oracle:.2f}; "
        f"one worker against memory: fit {overhead:.2f} times as long"
    )
    figure = f"{gain:.2f} (fit), {of_oracle:.2f} (oracle)"
    text = f"over {LEAST_GAIN} times faster with 2 workers than with 1"
    run.targets.append(Target(text, figure, None if run.given.quick else gain > LEAST_GAIN))
    return {"sizes": sizes, "gain": gain, "overhead": overhead, **rows}


if __name__ == "__main__":
    alone(measure, __doc__)
