"""
Larger than memory
==================

``handful convert`` makes a store of a file of any size: a folder of plain arrays, written in bounded memory. ``fit``
reads it where it is, a column at a time.

The file here is small enough to be made in a second, so that the same fit in memory can stand beside it: 20,000 rows,
60,000 columns, 3.6 million numbers. What is drawn is the memory that each of the two took at its peak.
"""

import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import handful

folder = tempfile.TemporaryDirectory()
file, store = (str(Path(folder.name) / name) for name in ("clicks.npz", "clicks.store"))

rng = np.random.default_rng(0)
X = sp.random_array((20_000, 60_000), density=0.003, rng=rng, format="csr", dtype=np.float32)
truth = rng.choice(60_000, 12, replace=False)
for column in truth:  # these are in a third of the rows
    rows = rng.choice(20_000, 7000, replace=False)
    X += sp.csr_array((np.ones(7000, np.float32), (rows, np.full(7000, column))), X.shape)
y = np.asarray(X[:, truth] @ rng.choice([-1.0, 1.0], 12)).ravel() > 0
np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y, format="csr")
del X

# %%
# On the shell: ``handful convert clicks.npz clicks.store --target y --memory 16M``.

convert = ("convert", file, store, "--target", "y", "--memory", "16M")
subprocess.run([sys.executable, "-m", "handful", *convert], check=True, capture_output=True)


def fit_and_measure(load):
    handful.FGMClassifier(12, C="fast").fit(
        load(), y
    )  # what is compiled on first use is not counted
    tracemalloc.start()
    X = load()
    tracemalloc.reset_peak()
    model = handful.FGMClassifier(12, C="fast").fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return model, peak


def load_all():
    with np.load(file) as f:
        return sp.csr_array((f["data"], f["indices"], f["indptr"]), shape=f["shape"])


# %%
# The same twelve columns, either way.

in_memory, peak_in_memory = fit_and_measure(load_all)
from_store, peak_from_store = fit_and_measure(lambda: handful.open_store(store))
on_disk = sum(part.stat().st_size for part in Path(store).rglob("*")) / 1e6
assert set(from_store.support_ids_) == set(in_memory.support_ids_) == set(truth)

figure, ax = plt.subplots(figsize=(6.8, 2.4), layout="constrained")
names = ["the store on disk", "fit in memory, at its peak", "fit from the store, at its peak"]
sizes = [on_disk, peak_in_memory, peak_from_store]
bars = ax.barh(names, sizes, color=["#999999", "#E69F00", "#0072B2"])
ax.bar_label(bars, fmt="%.0f MB", padding=4)
ax.set(xlabel="megabytes", xlim=(0, 1.15 * max(sizes)))
ax.invert_yaxis()

assert peak_from_store < peak_in_memory / 2
folder.cleanup()
plt.show()
