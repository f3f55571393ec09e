"""000: Mao and Tsang, feature selection for multivariate performance measures; the claims of its experiments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from . import measures_runs as runs
from . import measures_theorems
from .claim import Claims, Figures, Found, Paper, listed, mean, span, when

#: Table 2, news20: macro F1, Rec@2p, PRBEP in per cent.
TABLE_2 = {
    "the measure": (77.56, 91.21, 81.46),
    "Hamming": (49.61, 66.32, 52.14),
    "SVMperf": (55.53, 93.08, 80.83),
}

CLAIMS = Claims(measures_theorems.CLAIMS)


@CLAIMS.claim("section 5.4", "-", runs.topics)
def risk_at_k_text(f: Figures) -> Found:
    """with that risk features are selected for Rec@2p."""
    k = f["k"][-1]
    paper, shared = (
        100 * float(np.mean(f["values"][f"{name}, {k}"]["rec@2p"]))
        for name in ("the paper's risk", "the measure")
    )
    ours = (
        f"Rec@2p {paper:.1f} with the paper's risk, {shared:.1f} with ours (k = {k}; {f['size']})"
    )
    return when(shared >= paper, ours, better=True)


@CLAIMS.claim("Figures 1(c), 1(d)", "linear", runs.sensitivity)
def figure_1cd(f: Figures) -> Found:
    """the number of features grows linearly with B, whatever C is."""
    told, fits = [], []
    for C in sorted({p["C"] for p in f["points"]}):
        own = [p for p in f["points"] if p["C"] == C]
        B, features = [p["B"] for p in own], [p["features"] for p in own]
        fits.append(float(np.corrcoef(B, features)[0, 1]))
        told.append(f"C = {C}: {', '.join(map(str, features))}")
    ours = f"features for B = {', '.join(map(str, B))}, {'; '.join(told)} (correlation {min(fits):.3f} or more; {f['size']})"
    return when(min(fits) > 0.97, ours)


@CLAIMS.claim("Figures 1(a), 1(b)", "less with B", runs.sensitivity)
def figure_1ab(f: Figures) -> Found:
    """results depend on C when B is small, and hardly when it is large."""
    spans = {}
    for B in sorted({p["B"] for p in f["points"]}):
        scores = [p["f1"] for p in f["points"] if p["B"] == B]
        spans[B] = max(scores) - min(scores)
    first, *_, last = spans.values()
    return when(last < first, f"F1 varies with C by {listed('{1:.3f} (B = {0})', spans)}")


@CLAIMS.claim("Figure 2", "between", runs.for_hamming)
def figure_2(f: Figures) -> Found:
    """training is slower than l1, and much faster than RFE and than l1 under F1."""
    times = {name: mean([p["seconds"] for p in points]) for name, points in f["curves"].items()}
    met = times["for F1"] < times["RFE"] or times["for Hamming"] < times["RFE"]
    ours = f"{listed('{} {:.2f} s', times)} (mean; {f['size']})"
    return when(met, ours, better=times["for F1"] < times["l1"])


def _curve(f: Figures, name: str) -> dict[int, float]:
    return {p["k"]: p["accuracy"] for p in f["curves"][name]}


@CLAIMS.claim("Figure 3", "above", runs.for_hamming)
def figure_3(f: Figures) -> Found:
    """below 20 features FGM and its Hamming form are more accurate than RFE."""
    curves = {name: _curve(f, name) for name in f["curves"]}
    told = ((name, listed("{:.3f}", curve.values())) for name, curve in curves.items())
    ours = f"k = {listed('{}', curves['RFE'].keys())}: {listed('{} {}', told, '; ')} ({f['size']})"
    few = [k for k in curves["RFE"] if k <= 20]
    fgm = {k: max(curves[n][k] for n in ("for Hamming", "squared hinge")) for k in few}
    return when(all(fgm[k] > curves["RFE"][k] for k in few), ours)


@CLAIMS.claim("Figure 3(a)", "mostly above", runs.for_hamming)
def figure_3_l1(f: Figures) -> Found:
    """and than l1 at most numbers of features."""
    ours, l1 = _curve(f, "for Hamming"), _curve(f, "l1")
    leads = [ours[k] - l1[k] for k in l1]
    above = sum(lead > 0 for lead in leads)
    told = f"above at {above} of {len(l1)} numbers of features ({span(leads)})"
    return when(above > len(l1) / 2, told)


@CLAIMS.claim("Figure 4", "most, not all", runs.for_hamming)
def figure_4(f: Figures) -> Found:
    """most features of a small B are there with a larger one, but not all."""
    told = listed("B = {0[from]} in B = {0[to]}: {0[kept]} of {0[size]}", f["nested"], "; ")
    share = sum(n["kept"] for n in f["nested"]) / sum(n["size"] for n in f["nested"])
    return when(0.5 < share < 1.0, f"{told} ({share:.0%})")


@CLAIMS.claim("section 7, Figure 5", "first on four of five (images)", runs.bags)
def figure_5(f: Figures) -> Found:
    """on embedded bags selecting for F1 beats Hamming and RFE, l1 is behind."""
    told, wins = [], 0
    for name, ways in f["sets"].items():
        means = {way: float(np.mean(v)) for way, v in ways.items()}
        wins += means["for F1"] > max(means["for Hamming"], means["RFE"])
        told.append(f"{name}: {listed('{} {:.3f}', means)}")
    return when(wins == len(f["sets"]), f"{'; '.join(told)} ({f['size']})")


CLAIMS.not_here(
    "table-1",
    "Table 1",
    "news20.binary, URL1, Image, Sector, news20",
    "all but news20 (its training part) is not to be had here; 20 newsgroups, Reuters, musk1 and elephant stand in",
)


def _means(f: Figures, name: str) -> tuple[float, float, float]:
    """Return the macro means of the three measures at the largest k, in per cent."""
    own = f["values"][name]
    first, second, third = (100 * float(np.mean(own[m])) for m in runs.MEASURES)
    return first, second, third


def _row(values: Iterable[float]) -> str:
    return listed("{:.1f}", values, " / ")


@CLAIMS.claim(
    "Table 2, news20",
    "F1 / Rec@2p / PRBEP: " + "; ".join(f"{n} {_row(v)}" for n, v in TABLE_2.items()),
    runs.topics,
)
def table_2(f: Figures) -> Found:
    """selecting for the measure beats selecting for Hamming on all three."""
    k = f["k"][-1]
    rows = {
        "the measure": _means(f, f"the measure, {k}"),
        "Hamming": _means(f, f"Hamming, {k}"),
        "SVMperf, all": _means(f, "SVMperf, all"),
    }
    ours = "; ".join(f"{name} {_row(v)}" for name, v in rows.items()) + f" (k = {k}; {f['size']})"
    fgm, plain = rows["the measure"], rows["Hamming"]
    met = fgm[0] > plain[0] and sum(a >= b - 0.5 for a, b in zip(fgm, plain, strict=True)) == 3
    return when(met, ours)


@CLAIMS.claim(
    "Table 2, Figure 6(d)",
    f"{TABLE_2['the measure'][0] - TABLE_2['SVMperf'][0]:+.1f} / {TABLE_2['the measure'][1] - TABLE_2['SVMperf'][1]:+.1f} / {TABLE_2['the measure'][2] - TABLE_2['SVMperf'][2]:+.1f} with about 1,100 words",
    runs.topics,
)
def table_2_svmperf(f: Figures) -> Found:
    """and for F1 SVMperf on all words."""
    k = f["k"][-1]
    fgm, all_words = _means(f, f"the measure, {k}"), _means(f, "SVMperf, all")
    ours = f"{fgm[0] - all_words[0]:+.1f} / {fgm[1] - all_words[1]:+.1f} / {fgm[2] - all_words[2]:+.1f} with {k} of 62,061 words"
    return when(fgm[0] > all_words[0], ours)


CLAIMS.not_here(
    "table-2-sector",
    "Table 2, Sector",
    "the same on 105 classes",
    "Sector is not to be had here; the 90 topics of Reuters are in [the measure you are judged by](measures.md#how-well-it-does)",
    "92.07 / 95.77 / 93.25",
)


def _at_k(f: Figures, name: str) -> list[float]:
    return [100 * float(np.mean(f["values"][f"{name}, {k}"]["f1"])) for k in f["k"]]


@CLAIMS.claim("Figure 6", "above everywhere", runs.topics)
def figure_6(f: Figures) -> Found:
    """the gain over Hamming holds for every B."""
    pairs = zip(f["k"], _at_k(f, "the measure"), _at_k(f, "Hamming"), strict=True)
    gains = {k: ours - plain for k, ours, plain in pairs}
    told = listed("k = {} {:+.1f}", gains)
    return when(min(gains.values()) > 0, f"macro F1 over Hamming: {told} ({f['size']})")


@CLAIMS.claim("Figure 7", "above", runs.topics)
def figure_7(f: Figures) -> Found:
    """F1 against the number of features: above l1, and above RFE when there are few."""
    rows = {name: _at_k(f, name) for name in ("the measure", "RFE", "l1")}
    told = ((name, _row(values)) for name, values in rows.items())
    ours = f"k = {listed('{}', f['k'])}: {listed('{} {}', told, '; ')}"
    fgm, rfe, l1 = rows.values()
    return when(all(a > b for a, b in zip(fgm, l1, strict=True)) and fgm[0] > rfe[0], ours)


PAPER = Paper(
    "000",
    "Selecting for a measure",
    'Mao and Tsang, "A feature selection method for multivariate performance measures", IEEE TPAMI 35, 2013',
    "paper-measures.md",
    '"For the measure" is `FGMClassifier(k, loss="f1")` and so on, "Hamming" is `loss="accuracy"`. In 000 C is divided by n.',
    ("benchmarks/measures.py", "benchmarks/measures_speed.py", "benchmarks/bags.py"),
    CLAIMS,
)
