"""The claims of 002: Peng and Fan, direct sparsity for many classes."""

from __future__ import annotations

from harness.classes import DSO, TABLE_1
from harness.ranked import OURS

from . import sparsity_runs as runs
from .claim import NOT_REPRODUCED, REFUTED, Claims, Figures, Found, Paper, listed, when

SAME = 1e-4
AS_THEIRS = 0.015  # accuracy
THEIR_SPLITS = 10

CLAIMS = Claims()


@CLAIMS.claim("(7), (8)", "P = [M; I]", runs.paper_algorithm)
def equation_8(f: Figures) -> Found:
    """solutions of X W = Y + E are P U + Q + F with P = [M; I]."""
    printed, right = f["printed"], f["corrected"]
    ours = f"X W = Y + E is missed by {printed['residual']:.2g} with P as printed, by {right['residual']:.0e} with [-M; I] ({f['size']})"
    return when(printed["residual"] < 1e-6, ours, REFUTED)


@CLAIMS.claim("Lemma 1", "only a = b", runs.theorems)
def lemma_1(f: Figures) -> Found:
    """the weighted mean inequality has equality only for a = b."""
    difference, apart = f["lemma_1"]
    ours = f"both sides equal within {difference:.0e} for 200 pairs of one length that are {apart:.2f} or more apart"
    return when(difference > 1e-9, ours, REFUTED)


@CLAIMS.claim("Theorem 1", "never", runs.theorems)
def theorem_1(f: Figures) -> Found:
    """the objective never rises, for every p up to 1."""
    rises = sum(of["rises"] for of in f["powers"].values())
    steps = listed("p = {0} {1[steps]} steps", f["powers"])
    return when(not rises, f"{rises} rises; {steps} ({f['size']})", REFUTED)


@CLAIMS.claim("Algorithm 1", "converges", runs.paper_algorithm)
def algorithm_1(f: Figures) -> Found:
    """alternating between U and E descends."""
    half, joint = f["corrected"], f["joint"]
    ours = f"after 40 steps {half['objective']:.3f} with {half['rises']} rises; joint steps, each class an SVM, {joint:.3f} ({f['size']})"
    return when(half["rises"] == 0, ours, better=joint < half["objective"])


@CLAIMS.claim("(5)", "at least 1", runs.theorems)
def margins(f: Figures) -> Found:
    """all margins are at least 1 where the constraints can hold."""
    least = min(of["margin"] for of in f["powers"].values())
    return when(least > 1 - 1e-6, f"least margin {least:.7f} over all p ({f['size']})", REFUTED)


@CLAIMS.claim("Theorem 2", "optimum", runs.theorems)
def theorem_2(f: Figures) -> Found:
    """for p = 1 reweighting comes to the global optimum: with joint steps."""
    own, best = f["powers"]["1.0"]["objective"], f["optimum"]
    return when(abs(own / best - 1) < SAME, f"{own:.5f}, CVXPY {best:.5f} ({f['size']})", REFUTED)


@CLAIMS.claim("Theorem 2, Algorithm 1", "optimum", runs.paper_algorithm)
def theorem_2_limit(f: Figures) -> Found:
    """and so do the half-steps of Algorithm 1."""
    of = f["convex"]
    away = of["half"] / of["optimum"] - 1
    ours = f"the half-steps come to rest at {of['half']:.4f} (last change {of['last_change']:.0e}), the optimum is {of['optimum']:.4f}: {away:.0%} above ({f['size'].split(', p')[0]}, p = 1)"
    return when(away < SAME, ours, REFUTED)


@CLAIMS.claim("section 2", "sparser", runs.theorems)
def sparser(f: Figures) -> Found:
    """p below 1 gives fewer rows than p = 1."""
    *below, one = (of["rows"] for of in f["powers"].values())
    told = listed("p = {0} {1[rows]}", f["powers"])
    return when(min(below) < one, f"rows that are not zero: {told}")


@CLAIMS.claim("Figure 1", "it does (curves)", runs.powers)
def figure_1(f: Figures) -> Found:
    """p matters for the accuracy."""
    told, spans = [], []
    for name, of in f["sets"].items():
        spans += [max(at_k) - min(at_k) for at_k in zip(*of.values(), strict=True)]
        curves = ((p, listed("{:.1f}", (100 * a for a in v), " / ")) for p, v in of.items())
        told.append(f"{name}: {listed('p = {} {}', curves)}")
    ours = f"k = {listed('{}', f['k'])}: {'; '.join(told)} ({f['size']})"
    return when(max(spans) > 0.03, ours)


def _at_100(f: Figures, name: str, method: str) -> float:
    return 100 * f["sets"][name][method]["means"]["100"]


@CLAIMS.claim("Table 1", "95.2 isolet, 90.6 semeion, 95.4 lung, 98.4 UMIST, 89.6 AR", runs.table_1)
def table_1(f: Figures) -> Found:
    """accuracy of a linear SVM on 100 features."""
    told, close = [], 0
    for name in f["sets"]:
        ours, theirs = _at_100(f, name, OURS), TABLE_1[name][DSO][0]
        close += ours >= theirs - 100 * AS_THEIRS
        told.append(f"{name} {ours:.1f} ({theirs:.1f})")
    return when(close == len(f["sets"]), f"theirs in brackets: {', '.join(told)}; {f['size']}")


@CLAIMS.claim("Table 1", "best on all six", runs.table_1)
def table_1_first(f: Figures) -> Found:
    """direct sparsity is best on every set."""
    told, firsts = [], 0
    for name, of in f["sets"].items():
        values = {method: _at_100(f, name, method) for method in of}
        best = max(values, key=lambda method: values[method])
        firsts += values[OURS] >= values[best] - 1e-9
        told.append(f"{name} {values[OURS]:.1f}, best {best} {values[best]:.1f}")
    ours = f"first on {firsts} of {len(told)}: {'; '.join(told)} ({f['splits']} splits)"
    return when(
        firsts == len(told), ours, REFUTED if f["splits"] >= THEIR_SPLITS else NOT_REPRODUCED
    )


@CLAIMS.claim("Figure 2", "mostly first (curves)", runs.table_1)
def figure_2(f: Figures) -> Found:
    """and at most numbers of features."""
    told, wins, cells = [], 0, 0
    for name, of in f["sets"].items():
        curve, *others = (of[m]["means"] for m in (OURS, *(m for m in of if m != OURS)))
        ahead = sum(curve[k] >= max(other[k] for other in others) - 1e-9 for k in curve)
        wins, cells = wins + ahead, cells + len(curve)
        told.append(f"{name} {ahead} of {len(curve)}")
    ours = f"first at so many numbers of features: {', '.join(told)} ({f['splits']} splits)"
    return when(wins > cells / 2, ours)


CLAIMS.not_here(
    "cll-sub-111",
    "Table 1, CLL-SUB-111",
    "81.2 on 111 samples with 11,340 genes",
    "CLL-SUB-111 is not to be had here; the other gene sets are in [many classes](direct-sparsity.md#against-other-selectors)",
    "81.18",
)


PAPER = Paper(
    "002",
    "Direct sparsity",
    'Peng and Fan, "Direct sparsity optimization based feature selection for multi-class classification", IJCAI 2016 (the text at hand) and AAAI 2017',
    "paper-direct-sparsity.md",
    "Ours is `DirectSparsityClassifier` with its defaults (p = 0.5). Quick runs have lung, AR and UMIST alone; [many classes](direct-sparsity.md#against-other-selectors) has ten sets with ten splits each.",
    ("benchmarks/multiclass.py",),
    CLAIMS,
)
