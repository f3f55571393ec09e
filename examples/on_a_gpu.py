"""
On a GPU, if there is one
=========================

X may be a torch tensor on a GPU; everything else is as before. Where there is none, as perhaps where this page was made,
the same lines run on arrays in memory, and the picture has one curve.

:doc:`How large can I go </how-large>` has figures of a large GPU: 69 GB are scanned in 0.016 s.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier

try:
    import torch

    has_gpu = torch.cuda.is_available()
except ModuleNotFoundError:
    has_gpu = False
print("there is a GPU" if has_gpu else "there is no GPU here: arrays in memory only")

rng = np.random.default_rng(0)
n_rows, truth = 1000, [3, 141, 592, 653, 897]
SIZES = (2000, 4000, 8000, 16_000)
X_all = rng.standard_normal((n_rows, SIZES[-1]), dtype=np.float32)
y = X_all[:, truth] @ np.array([1, -1, 1, -1, 1], np.float32) > 0


def seconds_of_fit(X) -> float:
    FGMClassifier(5, C="fast").fit(X, y)  # once for whatever is compiled or moved
    started = time.perf_counter()
    model = FGMClassifier(5, C="fast").fit(X, y)
    assert model.support_ids_.tolist() == truth
    return time.perf_counter() - started


# %%
# The same five features wherever the data are.

seconds = {"in memory": [seconds_of_fit(X_all[:, :m].copy()) for m in SIZES]}
if has_gpu:
    seconds["on the GPU"] = [
        seconds_of_fit(torch.as_tensor(X_all[:, :m]).cuda().contiguous()) for m in SIZES
    ]

figure, ax = plt.subplots(figsize=(6.8, 3.8), layout="constrained")
for (place, times), marker in zip(seconds.items(), "oD", strict=False):
    ax.semilogx(SIZES, times, f"{marker}-", label=place)
ax.set(xlabel="columns", ylabel="seconds of a fit", ylim=(0, None))
ax.set_xticks(SIZES, [f"{m:,}" for m in SIZES])
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()
