"""How long the most violated labeling of a million samples takes, for every measure.

    python benchmarks/measures_speed.py [n_samples]

Prints the median of five runs on one thread, for scores that are good, tied, flat and all zero: the
longest over three shares of positives. Compiling is not counted.
"""

import sys
import time
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from handful.measures import resolve_measure

TEXTS = ["accuracy", "f1", "f0.5", "prec@100", "rec@2p", "prbep", "roc_auc", "average_precision"]
SHARES = (0.01, 0.1, 0.45)
LIMIT_S = 0.5


def problems(rng, n_samples, share):
    y = np.where(rng.random(n_samples) < share, 1.0, -1.0)
    noise = rng.normal(size=n_samples)
    yield "good", y, noise + y
    yield "tied", y, np.round(4.0 * (noise + y)) / 4.0
    yield "flat", y, 0.001 * noise
    yield "zero", y, np.zeros(n_samples)


def seconds(measure, y, z):
    start = time.perf_counter()
    measure.most_violated(y, z)
    return time.perf_counter() - start


def main():
    n_samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(0)
    kinds = ("good", "tied", "flat", "zero")
    print(f"{n_samples:,} samples, shares of positives {SHARES}: median of five runs, ms")
    print(f"{'measure':18s}" + "".join(f"{kind:>8s}" for kind in kinds))
    longest = {text: dict.fromkeys(kinds, 0.0) for text in TEXTS}
    for share in SHARES:
        for kind, y, z in problems(rng, n_samples, share):
            for text in TEXTS:
                measure = resolve_measure(text)
                seconds(measure, y[:1000], z[:1000])
                runs = [seconds(measure, y, z) for _ in range(5)]
                longest[text][kind] = max(longest[text][kind], median(runs))
    for text, times in longest.items():
        print(f"{text:18s}" + "".join(f"{1000 * times[kind]:8.2f}" for kind in kinds))
    slow = [text for text, times in longest.items() if max(times.values()) > LIMIT_S]
    print(f"above {LIMIT_S} s: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
