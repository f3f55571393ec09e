"""The claims of 003: Tan, Tsang and Wang, feature selection by feature generation (FGM)."""

from __future__ import annotations

from typing import Any

from . import fgm_runs, fgm_theory
from .claim import BETTER, REFUTED, REPRODUCED, Claim, Figures, Found, Paper, when
from .curves import at, leads

SAME = 1e-5  # relative, between two solvers of one convex problem
POINT = 0.01
KDDB = "kddb (30 million columns, 19 million rows) is not to be had here; {}"
HOW_LARGE = "[how large](how-large.md) has sizes of that order on drawn data"


def _worst(leads: list[float]) -> str:
    return f"{min(leads):+.3f} to {max(leads):+.3f}"


# -------------------------------------------------------------- the theorems


def _prop_1(f: Figures) -> Found:
    low, high = f["fixed"]
    ours = f"with the term: {low:.4f} and {high:.4f}; as printed the maximum is {abs(f['without_linear_term']):.0g}, at alpha = 0"
    return when(abs(low - high) < SAME * low and f["without_linear_term"] > 0.5 * low, ours, REFUTED)


def _theorem_1(f: Figures) -> Found:
    ours = f"{f['primal']:.5f} and {f['dual']:.5f} ({f['size']}; CVXPY, with the linear term)"
    return when(abs(f["primal"] - f["dual"]) < SAME * f["primal"], ours, REFUTED)


def _np_hard(f: Figures) -> Found:
    ours = f"jointly convex in (w, d): one call of a conic solver gives {f['primal']:.5f}, the dual bound {f['dual']:.5f}"
    return when(abs(f["primal"] - f["dual"]) >= SAME * f["primal"], ours, REFUTED)


def _remark_1(f: Figures) -> Found:
    low, high = f["subset"]
    ours = f"relaxed {low:.3f}, best of all 56 choices {high:.3f} (30 x 8, B = 3): {high / low - 1:.0%} above"
    return when(high > low * (1 + SAME), ours, REFUTED)


def _theorem_2(f: Figures) -> Found:
    one = f["apg"]
    ours = f"{one['rounds']} rounds of blocks: {one['rises']} rises, {one['falls_of_bound']} falls of the bound, optimum outside in {one['outside']}"
    return when(not (one["rises"] or one["falls_of_bound"] or one["outside"]), ours, REFUTED)


def _theorem_3(f: Figures) -> Found:
    apg, union = f["apg"], f["ksupport"]
    ours = (
        f"blocks: gap {apg['gap']:.0e} after {apg['rounds']} rounds; the union with the k-support norm: "
        f"{union['gap']:.0e} after {union['rounds']}; CVXPY within {abs(union['objective'] / f['optimum'] - 1):.0e}"
    )
    met = abs(apg["objective"] / f["optimum"] - 1) < SAME
    return when(met, ours, REFUTED, BETTER if union["rounds"] < apg["rounds"] else REPRODUCED)


def _tens(f: Figures) -> Found:
    apg, union = f["apg"], f["ksupport"]
    ours = f"to a gap of 1e-4: {apg['rounds_to_1e-4']} rounds of blocks, {union['rounds_to_1e-4']} of ours"
    met = apg["rounds_to_1e-4"] is not None and apg["rounds_to_1e-4"] < 100
    return when(met, ours, word=BETTER if union["rounds_to_1e-4"] < apg["rounds_to_1e-4"] else REPRODUCED)


def _theorem_4(f: Figures) -> Found:
    away = {name: abs(f[name]["objective"] / f["optimum"] - 1) for name in ("apg", "mkl", "ksupport")}
    ours = ", ".join(f"{name} {error:.0e}" for name, error in away.items()) + " from the optimum"
    return when(away["apg"] < SAME and away["mkl"] < 1e-3, ours, REFUTED)


def _remark_2(f: Figures) -> Found:
    one = f["apg"]
    ours = f"{one['features']} features, B = {fgm_theory.BUDGET}, T = {one['rounds']}"
    return when(fgm_theory.BUDGET <= one["features"] <= fgm_theory.BUDGET * one["rounds"], ours, REFUTED)


def _remark_4(f: Figures) -> Found:
    return when(f["alpha_error"] < 1e-3, f"C xi is CVXPY's alpha within {f['alpha_error']:.0e}", REFUTED)


def _prop_3(f: Figures) -> Found:
    return when(f["prox_error"] < SAME, f"within {f['prox_error']:.0e} of CVXPY ({f['size']})", REFUTED)


def _theorem_5(f: Figures) -> Found:
    share = f["largest_share_of_bound"]
    return when(share <= 1, f"at most {share:.2f} of the bound over {f['steps']} steps (eta = 1)", REFUTED)


def _prop_2(f: Figures) -> Found:
    ours = f"same B groups as the flat scan: {'always' if f['equal'] else 'not always'} ({f['size']})"
    return when(f["equal"], ours, REFUTED)


def _tree_cost(f: Figures) -> Found:
    groups, scored, powers = f["groups"], f["scored"], f["powers"]
    strong, spread = "strong leaf", "weights 1/sqrt(size)"
    ours = (
        f"of {groups[-1]:,} groups {scored[strong][-1]} are scored when one leaf decides (p^{powers[strong]:.2f}), "
        f"and {scored[spread][-1]:,} when all scores are alike (p^{powers[spread]:.2f})"
    )
    return when(powers[spread] < 0.5, ours, REFUTED)


def _scan_cost(f: Figures) -> Found:
    n, m, B = (f["powers"][f"groups of 10, {size}"][2] for size in "nmB")
    ours = f"n^{n:.2f}, m^{m:.2f}, B^{B:.2f} ({f['size']})"
    return when(max(n, m) < 1.25 and B < 0.5, ours)


def _intersection(f: Figures) -> Found:
    power = f["powers"]["intersection, n"][2]
    ours = f"exact within {f['intersection_error']:.0e}, in n^{power:.2f} where the double sum is n^2"
    return when(f["intersection_error"] < 1e-10, ours, REFUTED, BETTER if power < 1.6 else REPRODUCED)


# -------------------------------------------------------- section 6.2


def _figure_1(f: Figures) -> Found:
    paths = f["objectives"]
    rises = sum(b > a for path in paths for a, b in zip(path, path[1:], strict=False))
    counts = [len(path) for path in paths]
    told = ", ".join(f"{B}: {n}" for B, n in zip(f["budgets"], counts, strict=True))
    ours = f"{rises} rises; rounds until the change is below 1 %, by B: {told} ({f['size']})"
    return when(not rises and counts == sorted(counts, reverse=True), ours)


def _figure_1c(f: Figures) -> Found:
    breaks = 0
    for path in f["objectives"]:
        falls = [a - b for a, b in zip(path, path[1:], strict=False)]
        breaks += sum(later > earlier for earlier, later in zip(falls, falls[1:], strict=False))
    steps = sum(max(0, len(path) - 2) for path in f["objectives"])
    return when(not breaks, f"the fall grows again in {breaks} of {steps} rounds", REFUTED)


def _figure_2(f: Figures) -> Found:
    told, plain_leads, exact_leads = [], [], []
    for kind, of in f["types"].items():
        plain, exact = leads(of["FGM"], of["l1"], "accuracy"), leads(of["exactly k"], of["l1"], "accuracy")
        plain_leads += plain
        exact_leads += exact
        told.append(f"{kind}: {_worst(plain)}, exactly k {_worst(exact)}")
    ours = f"lead over l1 at the same number, type {'; '.join(told)} ({f['size']})"
    above = sum(lead > 0 for lead in plain_leads)
    if above == len(plain_leads):
        better = sum(exact_leads) > sum(plain_leads)
        return Found(ours, BETTER if better else REPRODUCED)
    return Found(f"{ours}; above in {above} of {len(plain_leads)}", REFUTED)


def _all_features(f: Figures) -> Found:
    told = {k: (max(p["accuracy"] for p in of["FGM"]), of["all"]["accuracy"]) for k, of in f["types"].items()}
    ours = "; ".join(f"type {k}: best of FGM {a:.3f}, all features {b:.3f}" for k, (a, b) in told.items())
    return when(all(a > b for a, b in told.values()), f"{ours} ({f['size']})")


def _figure_3(f: Figures) -> Found:
    told, worst = [], []
    for kind, of in f["types"].items():
        many = [p for p in of["FGM"] if p["kept"] >= 200]
        gains = [p["true"] - at(of["l1"], p["kept"], "true") for p in many]
        worst += gains
        last = many[-1]
        told.append(f"{kind}: {last['true']} of {last['kept']}, l1 {at(of['l1'], last['kept'], 'true'):.0f}")
    ours = f"true among the selected, type {'; '.join(told)} ({f['size']})"
    return when(min(worst) > 0, ours, REFUTED)


def _figure_4(f: Figures) -> Found:
    fgm = [p["debiased"] - p["accuracy"] for of in f["types"].values() for p in of["FGM"]]
    l1 = [p["debiased"] - p["accuracy"] for of in f["types"].values() for p in of["l1"]]
    ours = f"de-biasing adds {_mean(fgm):+.3f} to FGM ({_worst(fgm)}), {_mean(l1):+.3f} to l1 ({_worst(l1)})"
    return when(_mean(l1) > POINT and _mean(fgm) < POINT, ours)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _figure_5(f: Figures) -> Found:
    of = f["types"]["I"]
    fgm, l1 = ([p["seconds"] for p in of[name]] for name in ("FGM", "l1"))
    exact = [p["seconds"] for p in of["exactly k"]]
    ours = f"FGM {min(fgm):.2f} to {max(fgm):.2f} s, exactly k {max(exact):.2f}, l1 {min(l1):.2f} to {max(l1):.2f}, all features {of['all']['seconds']:.2f} ({f['size']})"
    return when(_mean(fgm) < 3 * _mean(l1), ours, word=BETTER if _mean(exact) < 0.5 * _mean(l1) else REPRODUCED)


def _race(f: Figures) -> Found:
    slow, fast = f["mkl"]["seconds"], f["apg"]["seconds"]
    ours = f"{slow / fast:,.0f} times ({slow:.1f} s against {fast:.2f} s of processor on {f['size']}; same objective within {abs(f['mkl']['objective'] / f['apg']['objective'] - 1):.0e})"
    return when(slow / fast >= 1000, ours)


def _figure_6(f: Figures) -> Found:
    accuracy, true = leads(f["FGM"], f["l1"], "accuracy"), leads(f["FGM"], f["l1"], "true")
    exact = leads(f["exactly k"], f["l1"], "accuracy")
    ours = f"accuracy {_worst(accuracy)}, exactly k {_worst(exact)}; true features {min(true):+.0f} to {max(true):+.0f}; {_times(f)}"
    met = min(accuracy) > 0 and min(true) > 0
    return when(met, ours, word=BETTER if min(exact) > min(accuracy) else REPRODUCED)


def _times(f: Figures) -> str:
    parts = [f"{name} {min(s):.2f} to {max(s):.2f} s" for name in ("FGM", "exactly k", "l1") if (s := [p["seconds"] for p in f[name]])]
    return f"{', '.join(parts)} ({f['size']})"


def _figure_6c(f: Figures) -> Found:
    fgm, exact, l1 = ([p["seconds"] for p in f[name]] for name in ("FGM", "exactly k", "l1"))
    return when(_mean(fgm) < _mean(l1), _times(f), word=BETTER if _mean(exact) < _mean(l1) / 5 else REPRODUCED)


def _best(points: Any) -> float:
    return max(point["accuracy"] for point in points)


def _figure_7(f: Figures) -> Found:
    told, met = [], True
    for density, of in f["densities"].items():
        fgm, exact, l1 = (_best(of[name]) for name in ("FGM", "exactly k", "l1"))
        met &= max(fgm, exact) > l1
        told.append(f"{density}: {fgm:.3f}, {exact:.3f}, {l1:.3f}")
    return when(met, f"best accuracy by density, FGM, exactly k, l1: {'; '.join(told)} ({f['size']})")


def _figure_7b(f: Figures) -> Found:
    ratios = {d: _mean([p["seconds"] for p in of["l1"]]) / _mean([p["seconds"] for p in of["exactly k"]]) for d, of in f["densities"].items()}
    plain = {d: _mean([p["seconds"] for p in of["l1"]]) / _mean([p["seconds"] for p in of["FGM"]]) for d, of in f["densities"].items()}
    told = "; ".join(f"{d}: {plain[d]:.1f}, {ratios[d]:.1f}" for d in ratios)
    values = list(plain.values())
    ours = f"l1 over FGM, and over exactly k, in seconds, by density: {told} ({f['size']})"
    return when(values[-1] > values[0], ours, word=BETTER if min(ratios.values()) > 1 else REPRODUCED)


# -------------------------------------------------------- sections 6.3 and 6.4


def _figure_8(f: Figures) -> Found:
    told, plain_all, exact_all = [], [], []
    for name, of in f["sets"].items():
        plain, exact = leads(of["FGM"], of["l1"], "accuracy"), leads(of["exactly k"], of["l1"], "accuracy")
        plain_all += plain
        exact_all += exact
        told.append(f"{name} {_worst(plain)}, exactly k {_worst(exact)}")
    ours = f"lead over l1: {'; '.join(told)} ({f['size']})"
    met = min(plain_all) > -POINT / 2
    return when(met, ours, word=BETTER if sum(exact_all) > sum(plain_all) else REPRODUCED)


def _figure_9(f: Figures) -> Found:
    told, met = [], True
    for name, of in f["sets"].items():
        fgm, l1 = (_mean([p["debiased"] - p["accuracy"] for p in of[key]]) for key in ("FGM", "l1"))
        met &= l1 > fgm and fgm < POINT
        told.append(f"{name}: FGM {fgm:+.3f}, l1 {l1:+.3f}")
    return when(met, f"de-biasing adds, {'; '.join(told)}")


def _figure_10(f: Figures) -> Found:
    told, faster = [], []
    for name, of in f["sets"].items():
        fgm, exact, l1 = (_mean([p["seconds"] for p in of[key]]) for key in ("FGM", "exactly k", "l1"))
        faster.append(exact < l1)
        told.append(f"{name}: FGM {fgm:.2f} s, exactly k {exact:.2f}, l1 {l1:.2f} a C")
    return when(all(faster), "; ".join(told), word=BETTER)


def _figure_13(f: Figures) -> Found:
    of, scan = f["mnist"], f["scan"]
    ours = f"{of['pairs']['seconds']:.1f} s, l1 on the written expansion {of['l1 on the expansion']['seconds']:.1f} s ({f['size']}); exact 20 best of {scan['features']:.1e} pairs of words: {scan['seconds']:.2f} s a scan"
    return when(of["pairs"]["seconds"] < of["l1 on the expansion"]["seconds"], ours, word=BETTER)


def _figure_14(f: Figures) -> Found:
    of = f["mnist"]
    ours = f"50 of each: pairs {of['pairs']['accuracy']:.4f}, single {of['single']['accuracy']:.4f}, l1 on pairs {of['l1 on the expansion']['accuracy']:.4f} ({f['size']})"
    return when(of["pairs"]["accuracy"] > of["single"]["accuracy"], ours)


def _figure_14_text(f: Figures) -> Found:
    of = f["text"]
    gain = of["pairs"]["accuracy"] - of["single"]["accuracy"]
    ours = f"newsgroups, 50 features: pairs {of['pairs']['accuracy']:.4f}, single {of['single']['accuracy']:.4f} ({gain:+.4f}; {of['size']})"
    return when(gain < POINT, ours)


# ---------------------------------------------------------------- section 7


def _figure_15(f: Figures) -> Found:
    ten, lasso, exact = f["FGM"]["10"], f["group lasso"], f["exactly k"]
    ours = (
        f"{f['true']} true: FGM B = 10 {ten['accuracy']:.3f} ({ten['true']} of {ten['groups']}), exactly k {exact['accuracy']:.3f} "
        f"({exact['true']}), group lasso {lasso['accuracy']:.3f} ({lasso['true']} of {lasso['groups']}; {f['size']})"
    )
    met = max(ten["accuracy"], exact["accuracy"]) > lasso["accuracy"]
    return when(met, ours, word=BETTER if exact["true"] >= lasso["true"] else REPRODUCED)


def _figure_15c(f: Figures) -> Found:
    times = {B: f["FGM"][B]["seconds"] for B in f["FGM"]}
    told = ", ".join(f"B = {B} {s:.2f} s" for B, s in times.items())
    ours = f"{told}; exactly k {f['exactly k']['seconds']:.2f} s, group lasso {f['group lasso']['seconds']:.2f} s"
    met = times["10"] < times["1"] and times["10"] < f["group lasso"]["seconds"]
    return when(met, ours, word=BETTER if f["exactly k"]["seconds"] < times["10"] else REPRODUCED)


def _more_with_c(f: Figures) -> Found:
    counts = [one["groups"] for one in f["C"].values()]
    ours = ", ".join(f"C = {C}: {one['groups']} groups" for C, one in f["C"].items())
    return when(counts == sorted(counts) and counts[-1] > counts[0], ours)


def _figure_16(f: Figures) -> Found:
    of = f["wide"]
    ours = f"exactly {of['groups']}: {of['accuracy']:.3f}, {of['true']} true, {of['seconds']:.2f} s ({of['size']})"
    return when(of["true"] > 0.5 * of["groups"], ours)


def _table_3(f: Figures) -> Found:
    of = f["storage"]
    ours = f"{of['gaussian']:.0f} and {of['intersection']:.1f} times on mnist; here only chosen columns are ever expanded"
    return when(True, ours, word=BETTER)


def _figure_17(f: Figures) -> Found:
    of = f["spaces"]
    ours = ", ".join(f"{name} {of[name]['accuracy']:.4f}" for name in ("single", "intersection", "gaussian")) + f" ({f['size']})"
    return when(max(of["intersection"]["accuracy"], of["gaussian"]["accuracy"]) > of["single"]["accuracy"], ours)


def _figure_18(f: Figures) -> Found:
    slow, fast = f["spaces"]["B = 1 (active set)"], f["spaces"]["B = 5"]
    ours = f"B = 1 {slow['seconds']:.1f} s, B = 5 {fast['seconds']:.1f} s, exactly k {f['spaces']['intersection']['seconds']:.1f} s ({f['size']})"
    return when(fast["seconds"] < slow["seconds"], ours)


def _poly_size(f: Figures) -> Found:
    m = 4_590_807
    ours = f"(m + 2)(m + 1) / 2 = {(m + 2) * (m + 1) / 2:.2e} for kddb's {m:,}; the exact 20 best of {f['scan']['features']:.1e} in {f['scan']['seconds']:.2f} s"
    return when((m + 2) * (m + 1) / 2 > 5e13, ours, REFUTED)


THEORY = (
    Claim("proposition-1", "Proposition 1, (7)", "for fixed d the SVM is solved by its dual, which (7) prints without the linear term", "equal", fgm_theory.duality, _prop_1),
    Claim("theorem-1", "Theorem 1, (8)", "minimum over d and maximum over alpha may change places", "equal", fgm_theory.duality, _theorem_1),
    Claim("np-hard", "after Theorem 1", "(7) with d between 0 and 1 is NP-hard, (9) is the way round", "NP-hard", fgm_theory.duality, _np_hard),
    Claim("remark-1", "Remark 1", "with d in {0, 1} there is a gap", "gap, size unknown", fgm_theory.duality, _remark_1),
    Claim("theorem-2", "Theorem 2, (20)", "the restricted optimum and the best bound enclose the optimum and both only improve", "monotone", fgm_theory.convergence, _theorem_2),
    Claim("theorem-3", "Theorem 3", "the rounds end at, or converge to, the global optimum", "optimum", fgm_theory.convergence, _theorem_3),
    Claim("rounds", "section 3", "the cutting planes need tens of rounds", "tens", fgm_theory.convergence, _tens),
    Claim("proposition-2", "Proposition 2", "subtrees whose root is too small may be skipped", "nothing lost", fgm_theory.trees, _prop_2),
    Claim("tree-cost", "section 4.3", "with that a tree of p groups costs O(nm + log p log B)", "log p log B", fgm_theory.trees, _tree_cost),
    Claim("scan-cost", "section 4.2", "the worst case costs O(mn + p log B)", "linear in n and m", fgm_theory.scans, _scan_cost),
    Claim("remark-2", "Remark 2", "between B and TB features are selected", "B to TB", fgm_theory.convergence, _remark_2),
    Claim("remark-3", "Remark 3, (27)", "for the intersection kernel the worst case is exact, by a double sum for each feature", "exact", fgm_theory.scans, _intersection),
    Claim("theorem-4", "Theorem 4, (31)", "the MKL subproblem is the squared block norm in the primal", "equal", fgm_theory.convergence, _theorem_4),
    Claim("remark-4", "Remark 4", "the dual variables are C times the training errors", "equal", fgm_theory.duality, _remark_4),
    Claim("proposition-3", "Proposition 3", "the prox of the squared block norm is one threshold for sorted lengths", "closed form", fgm_theory.prox, _prop_3),
    Claim("theorem-5", "Theorem 5", "after k accelerated steps the error is at most 2 L |w|^2 / (eta (k+1)^2)", "O(1/k^2)", fgm_theory.prox, _theorem_5),
)
LINEAR = (
    Claim("figure-1", "Figures 1(a), 1(b)", "the objective falls in every round, and larger B needs fewer of them", "curves for B = 10 to 500", fgm_runs.rounds, _figure_1),
    Claim("figure-1c", "Figure 1(c)", "the difference between rounds only gets smaller", "monotone", fgm_runs.rounds, _figure_1c),
    Claim("figure-2", "Figure 2", "FGM is more accurate than l1 at every number of features, for three kinds of weights", "always above (curves)", fgm_runs.x1, _figure_2),
    Claim("figure-2-all", "Figure 2", "with a suitable number of features it beats an SVM on all", "above (curves)", fgm_runs.x1, _all_features),
    Claim("figure-3", "Figure 3", "from 200 features on FGM has more true ones than l1", "always more (curves)", fgm_runs.x1, _figure_3),
    Claim("figure-4", "Figure 4", "de-biasing helps l1 and not FGM", "l1 gains, FGM does not", fgm_runs.x1, _figure_4),
    Claim("figure-5", "Figure 5", "training takes about as long as l1", "comparable", fgm_runs.x1, _figure_5),
    Claim("figure-5-mkl", "Figure 5, abstract", "and is up to 1,000 times faster than with SimpleMKL", "up to 1,000 times", fgm_runs.race, _race),
    Claim("figure-6", "Figures 6(a), 6(b)", "on 4,096 x 65,536 FGM is more accurate than l1 and finds more true features", "above (curves)", fgm_runs.x2, _figure_6),
    Claim("figure-6c", "Figure 6(c)", "and is faster", "faster", fgm_runs.x2, _figure_6c),
    Claim("figure-7a", "Figure 7(a)", "at every density the best accuracy is FGM's", "always above", fgm_runs.densities, _figure_7),
    Claim("figure-7b", "Figure 7(b)", "l1 is as fast on sparse data and much slower on dense", "grows with density", fgm_runs.densities, _figure_7b),
    Claim("table-1", "Table 1", "seven data sets of up to 30 million columns", "", why="epsilon, aut-avn, real-sim, rcv1, astro-ph, news20.binary and kddb are not to be had here; 20 newsgroups with word pairs and Reuters stand in"),
    Claim("figure-8", "Figure 8", "within 300 features FGM is as accurate as l1 or more", "above on five of six sets", fgm_runs.text, _figure_8),
    Claim("figure-9", "Figure 9", "on real data too de-biasing helps l1 and not FGM", "l1 gains, FGM does not", fgm_runs.text, _figure_9),
    Claim("figure-10", "Figure 10", "training time is comparable with l1 on sparse data", "comparable", fgm_runs.text, _figure_10),
    Claim("figure-11", "Figure 11", "on kddb selection beats all features, and FGM beats l1", "", why=KDDB.format("no set at hand has a like shape")),
    Claim("figure-12", "Figure 12", "and training is quicker than with all features", "", why=KDDB.format(HOW_LARGE)),
)
SPACES = (
    Claim("table-2", "Table 2", "the second-order map of kddb has O(10^14) features", "O(10^14)", fgm_runs.pairs, _poly_size),
    Claim("figure-13", "Figure 13", "selecting among all products is faster than l1 on the written expansion; 1,000 s where l1 cannot run", "faster; 1,000 s", fgm_runs.pairs, _figure_13),
    Claim("figure-14", "Figure 14(a)", "products of pixels are more accurate than pixels on mnist 3 against 8", "much improved", fgm_runs.pairs, _figure_14),
    Claim("figure-14-text", "Figures 14(b), 14(c)", "on text products bring nothing", "no gain", fgm_runs.pairs, _figure_14_text),
    Claim("figure-15", "Figures 15(a), 15(b)", "groups: FGM is more accurate than group lassos and finds the true groups", "above (curves)", fgm_runs.groups, _figure_15),
    Claim("figure-15c", "Figure 15(c)", "a large B is much faster than the active set (B = 1) and than group lassos", "faster", fgm_runs.groups, _figure_15c),
    Claim("more-with-c", "section 7.2", "with B fixed a larger C selects more groups", "more", fgm_runs.groups, _more_with_c),
    Claim("figure-16", "Figure 16", "the same among 40,000 groups", "above (curves)", fgm_runs.groups, _figure_16),
    Claim("table-3", "Table 3", "written down, the maps take 12 and 15 times the room (aut)", "11.9 and 15.1 times", fgm_runs.additive, _table_3),
    Claim("figure-17", "Figure 17", "groups of a kernel's map are selected with good accuracy", "above group lassos", fgm_runs.additive, _figure_17),
    Claim("figure-18", "Figure 18", "FGM is much faster than the active set there", "faster", fgm_runs.additive, _figure_18),
)
PAPER = Paper(
    "003",
    "Feature generation (FGM)",
    'Tan, Tsang and Wang, "Towards ultrahigh dimensional feature selection for big data", JMLR 15, 2014 (the version at hand is the preprint)',
    "paper-fgm.md",
    "FGM is the plain machine of the paper (`solver=\"apg\"`, C = 10, at most 15 rounds, `refit=False`); \"exactly k\" is `n_features_to_select`, which "
    "the paper does not have. The paper's figures are curves without numbers: \"above\" is what can be read off them.",
    ("benchmarks/linear.py", "benchmarks/spaces.py", "benchmarks/scale.py"),
    (*THEORY, *LINEAR, *SPACES),
)
