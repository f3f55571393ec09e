"""A GPU: fits on a matrix of 69 GB, and one exact scan of all pairs of 4096 columns.

    cd benchmarks && python -m harness.scale.device [--quick]

Every figure is the median of several runs after one that compiles, by the clock on the wall, with the device
idle before and after. The bytes of the oracle are those of X, once. The rate of matrix products is
measured in the same run, on 8192 x 8192 x 8192 random numbers of the type that the scan multiplies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handful import FGMClassifier, GreedyRLSRegressor
from handful.sources.device.matrix import DeviceMatrix
from handful.sources.device.pairs import has_fast_doubles
from handful.spaces import Polynomial
from harness.scale import NotHereError, alone, median_seconds
from harness.study import Run, Target

RUNS = 5
LARGE, LARGE_QUICK = (65_536, 262_144), (16_384, 8_192)
PAIRS, PAIRS_QUICK = (1_000_000, 4_096), (20_000, 1_024)
GREEDY, GREEDY_QUICK = (65_536, 16_384), (4_096, 1_024)
INFORMATIVE = 300
BUDGET, ROUNDS, K, BEST = 10, 15, 150, 50
TOL = 4e-3  # such that all the rounds are wanted
SQUARE = 8192
SECONDS_PLAIN, SECONDS_EXACT, LEAST_TBS, LEAST_SHARE = 0.35, 0.6, 4.0, 0.5


def measure(run: Run, folder: Path) -> dict[str, Any]:
    """Measure on the GPU there is."""
    try:
        import torch
    except ImportError:
        raise NotHereError("torch is not installed") from None
    if not torch.cuda.is_available():
        raise NotHereError("torch finds no GPU") from None
    run.console.print(torch.cuda.get_device_name(), "torch", torch.__version__)
    figures: dict[str, Any] = {"device": torch.cuda.get_device_name()}
    for part in (_fits, _pairs, _greedy):
        figures[part.__name__.lstrip("_")] = part(torch, run)
    return figures


def _seconds(torch: Any, work: Callable[[], Any], runs: int = RUNS) -> float:
    work()
    return median_seconds(work, runs, torch.cuda.synchronize)


def _draw(torch: Any, shape: tuple[int, int]) -> tuple[Any, np.ndarray]:
    """Noise, and labels that depend on some of the columns, all by a little."""
    torch.manual_seed(0)
    X = torch.empty(shape, device="cuda")
    for start in range(0, shape[0], 4096):
        X[start : start + 4096].normal_()
    columns = torch.randperm(shape[1], device="cuda")[:INFORMATIVE]
    weights = torch.randn(INFORMATIVE, device="cuda")
    signal = X[:, columns] @ weights
    noise = torch.randn(shape[0], device="cuda") * signal.std()
    return X, (signal + noise > 0).int().cpu().numpy()


def _fits(torch: Any, run: Run) -> dict[str, Any]:
    shape = LARGE_QUICK if run.given.quick else LARGE
    X, y = _draw(torch, shape)
    size = X.numel() * X.element_size()
    a = np.random.default_rng(0).standard_normal(shape[0])
    space = DeviceMatrix(X).space(None, 1, None)
    oracle = _seconds(torch, lambda: space.top(a, BUDGET), 3 * RUNS)
    speed = size / oracle / 1e12
    what = f"float32 {shape[0]:,} x {shape[1]:,} ({size / 1e9:.1f} GB)"
    run.console.print(f"{what}: oracle {oracle * 1e3:.2f} ms, {speed:.2f} TB/s")
    models = {
        "plain": (
            f"B={BUDGET}, {ROUNDS} rounds",
            {"budget": BUDGET, "max_rounds": ROUNDS, "tol": TOL},
        ),
        "exact": (f"k={K}", {"n_features_to_select": K}),
        "default": ("defaults", {}),
    }
    found: dict[str, Any] = {"shape": shape, "oracle_seconds": oracle, "tb_per_second": speed}
    for name, (title, options) in models.items():
        model = FGMClassifier(**options)
        seconds = _seconds(torch, partial(model.fit, X, y))
        found |= {f"{name}_seconds": seconds, f"{name}_rounds": model.n_iter_}
        run.console.print(
            f"  {title}: {seconds:.3f} s, {model.n_iter_} rounds, {len(model.support_ids_)} features, "
            f"gap {model.dual_gap_ / model.objective_:.2g}, {model.status_.name}"
        )
    plain, exact, rounds = (found[n] for n in ("plain_seconds", "exact_seconds", "plain_rounds"))
    text = f"{what}, B = {BUDGET}, {ROUNDS} rounds under {SECONDS_PLAIN} s"
    met = plain < SECONDS_PLAIN and rounds == ROUNDS
    run.targets.append(Target(text, f"{plain:.3f} s for {rounds} rounds", met))
    text = f"its oracle above {LEAST_TBS:g} TB/s"
    run.targets.append(Target(text, f"{speed:.2f} TB/s", speed > LEAST_TBS))
    text = f"exactly k = {K} under {SECONDS_EXACT} s"
    run.targets.append(Target(text, f"{exact:.3f} s", exact < SECONDS_EXACT))
    return found


def _pairs(torch: Any, run: Run) -> dict[str, Any]:
    shape = PAIRS_QUICK if run.given.quick else PAIRS
    torch.manual_seed(1)
    X = torch.randn(shape, device="cuda")
    a = np.random.default_rng(0).standard_normal(shape[0])
    kind = torch.float64 if has_fast_doubles(X) else torch.float32
    square = torch.randn((SQUARE, SQUARE), device="cuda", dtype=kind)
    rate = 2 * SQUARE**3 / _seconds(torch, lambda: square @ square)
    space = Polynomial(include_linear=False).on(DeviceMatrix(X))
    seconds = _seconds(torch, lambda: space.top(a, BEST), 3)
    products = shape[0] * shape[1] * (shape[1] + 1)  # two operations for each row of each pair
    share = products / seconds / rate
    what = f"pairs of {shape[0]:,} x {shape[1]:,}, exact top {BEST}"
    figure = (
        f"{seconds:.3f} s, {products / seconds / 1e12:.1f} TFLOP/s, {share:.0%} of {rate / 1e12:.1f} "
        f"({str(kind).removeprefix('torch.')})"
    )
    run.console.print(f"{what}: {figure}")
    text = f"{what} at over half of the product rate"
    run.targets.append(Target(text, figure, share > LEAST_SHARE))
    return {"shape": shape, "seconds": seconds, "rate": rate, "share": share}


def _greedy(torch: Any, run: Run) -> dict[str, Any]:
    shape = GREEDY_QUICK if run.given.quick else GREEDY
    torch.manual_seed(2)
    X = torch.randn(shape, device="cuda")
    y = (X[:, :20].sum(dim=1) + torch.randn(shape[0], device="cuda")).cpu().numpy()
    model = GreedyRLSRegressor(20)
    seconds = _seconds(torch, lambda: model.fit(X, y), 2)
    found = int(np.sum(model.support_ids_ < 20))
    run.console.print(
        f"greedy RLS, {shape[0]:,} x {shape[1]:,}, 20 steps: {seconds:.3f} s, {found} of 20 found"
    )
    return {"shape": shape, "seconds": seconds}


if __name__ == "__main__":
    alone(measure, __doc__)
