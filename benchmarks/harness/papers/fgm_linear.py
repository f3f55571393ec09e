"""The claims of 003 (FGM), section 6.2: single features of drawn data."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from . import fgm_runs
from .claim import (
    BETTER,
    NOT_REPRODUCED,
    REFUTED,
    REPRODUCED,
    Claim,
    Figures,
    Found,
    mean,
    span,
    when,
)
from .curves import at, leads

POINT = 0.01
THEIR_SIZE = "4,096 x 4,096"  # of section 6.2.2


def _rounds(path: list[float]) -> int:
    """Rounds until one changes the objective by less than a hundredth: the paper's end."""
    small = (number for number, (a, b) in enumerate(pairwise(path), 2) if a - b <= 0.01 * a)
    return next(small, len(path))


def _figure_1(f: Figures) -> Found:
    paths = f["objectives"]
    rises = sum(b > a for path in paths for a, b in pairwise(path))
    counts = [_rounds(path) for path in paths]
    told = ", ".join(f"{B}: {n}" for B, n in zip(f["budgets"], counts, strict=True))
    ours = f"{rises} rises; rounds until the change is below 1 %, by B: {told} ({f['size']})"
    return when(not rises and counts == sorted(counts, reverse=True), ours)


def _figure_1c(f: Figures) -> Found:
    breaks = 0
    for path in f["objectives"]:
        falls = [a - b for a, b in pairwise(path)]
        breaks += sum(later > earlier for earlier, later in pairwise(falls))
    steps = sum(max(0, len(path) - 2) for path in f["objectives"])
    return when(not breaks, f"the fall grows again in {breaks} of {steps} rounds ({f['size']})")


def _at_their_size(f: Figures) -> str:
    """What a run says that is against a statement with "always": on smaller data than theirs it refutes nothing."""
    return REFUTED if f["size"] == THEIR_SIZE else NOT_REPRODUCED


def _figure_2(f: Figures) -> Found:
    told, plain_leads, exact_leads = [], [], []
    for kind, of in f["types"].items():
        plain, exact = (leads(of[way], of["l1"], "accuracy") for way in ("FGM", "exactly k"))
        plain_leads += plain
        exact_leads += exact
        told.append(f"{kind}: {span(plain)}, exactly k {span(exact)}")
    ours = f"lead over l1 at the same number, type {'; '.join(told)} ({f['size']})"
    above = sum(lead > 0 for lead in plain_leads)
    if above == len(plain_leads):
        better = sum(exact_leads) > sum(plain_leads)
        return Found(ours, BETTER if better else REPRODUCED)
    return Found(f"{ours}; above in {above} of {len(plain_leads)}", _at_their_size(f))


def _all_features(f: Figures) -> Found:
    told = {
        k: (max(p["accuracy"] for p in of["FGM"]), of["all"]["accuracy"])
        for k, of in f["types"].items()
    }
    ours = "; ".join(
        f"type {k}: best of FGM {a:.3f}, all features {b:.3f}" for k, (a, b) in told.items()
    )
    return when(all(a > b for a, b in told.values()), f"{ours} ({f['size']})")


def _figure_3(f: Figures) -> Found:
    told, worst = [], []
    for kind, of in f["types"].items():
        many = [p for p in of["FGM"] if p["kept"] >= 200]
        gains = [p["true"] - at(of["l1"], p["kept"], "true") for p in many]
        worst += gains
        last = many[-1]
        told.append(
            f"{kind}: {last['true']} of {last['kept']}, l1 {at(of['l1'], last['kept'], 'true'):.0f}"
        )
    ours = f"true among the selected, type {'; '.join(told)} ({f['size']})"
    return when(min(worst) > 0, ours, _at_their_size(f))


def _figure_4(f: Figures) -> Found:
    fgm = [p["debiased"] - p["accuracy"] for of in f["types"].values() for p in of["FGM"]]
    l1 = [p["debiased"] - p["accuracy"] for of in f["types"].values() for p in of["l1"]]
    ours = (
        f"de-biasing adds {mean(fgm):+.3f} to FGM ({span(fgm)}), {mean(l1):+.3f} to l1 ({span(l1)})"
    )
    return when(mean(l1) > POINT and mean(fgm) < POINT, ours)


def _figure_5(f: Figures) -> Found:
    of = f["types"]["I"]
    fgm, l1 = ([p["seconds"] for p in of[name]] for name in ("FGM", "l1"))
    exact = [p["seconds"] for p in of["exactly k"]]
    ours = f"FGM {min(fgm):.2f} to {max(fgm):.2f} s, exactly k {max(exact):.2f}, l1 {min(l1):.2f} to {max(l1):.2f}, all features {of['all']['seconds']:.2f} ({f['size']})"
    return when(
        mean(fgm) < 3 * mean(l1),
        ours,
        word=BETTER if mean(exact) < 0.5 * mean(l1) else REPRODUCED,
    )


def _race(f: Figures) -> Found:
    slow, fast = f["mkl"]["seconds"], f["apg"]["seconds"]
    ours = f"{slow / fast:,.0f} times ({slow:.1f} s against {fast:.2f} s of processor on {f['size']}; same objective within {abs(f['mkl']['objective'] / f['apg']['objective'] - 1):.0e})"
    return when(slow / fast >= 1000, ours)


def _figure_6(f: Figures) -> Found:
    accuracy, true = leads(f["FGM"], f["l1"], "accuracy"), leads(f["FGM"], f["l1"], "true")
    exact = leads(f["exactly k"], f["l1"], "accuracy")
    ours = f"accuracy {span(accuracy)}, exactly k {span(exact)}; true features {min(true):+.0f} to {max(true):+.0f}; {_times(f)}"
    met = min(accuracy) > 0 and min(true) > 0
    return when(met, ours, word=BETTER if min(exact) > min(accuracy) else REPRODUCED)


def _times(f: Figures) -> str:
    parts = [
        f"{name} {min(s):.2f} to {max(s):.2f} s"
        for name in ("FGM", "exactly k", "l1")
        if (s := [p["seconds"] for p in f[name]])
    ]
    return f"{', '.join(parts)} ({f['size']})"


def _figure_6c(f: Figures) -> Found:
    fgm, exact, l1 = ([p["seconds"] for p in f[name]] for name in ("FGM", "exactly k", "l1"))
    return when(
        mean(fgm) < mean(l1),
        _times(f),
        word=BETTER if mean(exact) < mean(l1) / 5 else REPRODUCED,
    )


def _best(points: Any) -> float:
    return max(point["accuracy"] for point in points)


def _figure_7(f: Figures) -> Found:
    told, met = [], True
    for density, of in f["densities"].items():
        fgm, exact, l1 = (_best(of[name]) for name in ("FGM", "exactly k", "l1"))
        met &= max(fgm, exact) > l1
        told.append(f"{density}: {fgm:.3f}, {exact:.3f}, {l1:.3f}")
    return when(
        met, f"best accuracy by density, FGM, exactly k, l1: {'; '.join(told)} ({f['size']})"
    )


def _figure_7b(f: Figures) -> Found:
    ratios = {
        d: mean([p["seconds"] for p in of["l1"]]) / mean([p["seconds"] for p in of["exactly k"]])
        for d, of in f["densities"].items()
    }
    plain = {
        d: mean([p["seconds"] for p in of["l1"]]) / mean([p["seconds"] for p in of["FGM"]])
        for d, of in f["densities"].items()
    }
    told = "; ".join(f"{d}: {plain[d]:.1f}, {ratios[d]:.1f}" for d in ratios)
    values = list(plain.values())
    ours = f"l1 over FGM, and over exactly k, in seconds, by density: {told} ({f['size']})"
    return when(
        values[-1] > values[0], ours, word=BETTER if min(ratios.values()) > 1 else REPRODUCED
    )


LINEAR = (
    Claim(
        "figure-1",
        "Figures 1(a), 1(b)",
        "the objective falls in every round, and larger B needs fewer of them",
        "curves for B = 10 to 500",
        fgm_runs.rounds,
        _figure_1,
    ),
    Claim(
        "figure-1c",
        "Figure 1(c)",
        "the difference between rounds only gets smaller",
        "monotone",
        fgm_runs.rounds,
        _figure_1c,
    ),
    Claim(
        "figure-2",
        "Figure 2",
        "FGM is more accurate than l1 at every number of features, for three kinds of weights",
        "always above (curves)",
        fgm_runs.x1,
        _figure_2,
    ),
    Claim(
        "figure-2-all",
        "Figure 2",
        "with a suitable number of features it beats an SVM on all",
        "above (curves)",
        fgm_runs.x1,
        _all_features,
    ),
    Claim(
        "figure-3",
        "Figure 3",
        "from 200 features on FGM has more true ones than l1",
        "always more (curves)",
        fgm_runs.x1,
        _figure_3,
    ),
    Claim(
        "figure-4",
        "Figure 4",
        "de-biasing helps l1 and not FGM",
        "l1 gains, FGM does not",
        fgm_runs.x1,
        _figure_4,
    ),
    Claim(
        "figure-5",
        "Figure 5",
        "training takes about as long as l1",
        "comparable",
        fgm_runs.x1,
        _figure_5,
    ),
    Claim(
        "figure-5-mkl",
        "Figure 5, abstract",
        "and is up to 1,000 times faster than with SimpleMKL",
        "up to 1,000 times",
        fgm_runs.race,
        _race,
    ),
    Claim(
        "figure-6",
        "Figures 6(a), 6(b)",
        "on 4,096 x 65,536 FGM is more accurate than l1 and finds more true features",
        "above (curves)",
        fgm_runs.x2,
        _figure_6,
    ),
    Claim("figure-6c", "Figure 6(c)", "and is faster", "faster", fgm_runs.x2, _figure_6c),
    Claim(
        "figure-7a",
        "Figure 7(a)",
        "at every density the best accuracy is FGM's",
        "always above",
        fgm_runs.densities,
        _figure_7,
    ),
    Claim(
        "figure-7b",
        "Figure 7(b)",
        "l1 is as fast on sparse data and much slower on dense",
        "grows with density",
        fgm_runs.densities,
        _figure_7b,
    ),
)
