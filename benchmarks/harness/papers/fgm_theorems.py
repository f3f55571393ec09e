"""The claims of 003 (FGM), sections 2 to 5: duality, convergence, and what a round costs."""

from __future__ import annotations

from . import fgm_theory
from .claim import BETTER, REFUTED, REPRODUCED, Claim, Figures, Found, when

SAME = 1e-5  # relative, between two solvers of one convex problem


def _prop_1(f: Figures) -> Found:
    low, high = f["fixed"]
    ours = f"with the term: {low:.4f} and {high:.4f}; as printed the maximum is {abs(f['without_linear_term']):.0g}, at alpha = 0"
    return when(
        abs(low - high) < SAME * low and f["without_linear_term"] > 0.5 * low, ours, REFUTED
    )


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
    return when(
        met, ours, word=BETTER if union["rounds_to_1e-4"] < apg["rounds_to_1e-4"] else REPRODUCED
    )


def _theorem_4(f: Figures) -> Found:
    away = {
        name: abs(f[name]["objective"] / f["optimum"] - 1) for name in ("apg", "mkl", "ksupport")
    }
    ours = ", ".join(f"{name} {error:.0e}" for name, error in away.items()) + " from the optimum"
    return when(away["apg"] < SAME and away["mkl"] < 1e-3, ours, REFUTED)


def _remark_2(f: Figures) -> Found:
    one = f["apg"]
    ours = f"{one['features']} features, B = {fgm_theory.BUDGET}, T = {one['rounds']}"
    return when(
        fgm_theory.BUDGET <= one["features"] <= fgm_theory.BUDGET * one["rounds"], ours, REFUTED
    )


def _remark_4(f: Figures) -> Found:
    return when(
        f["alpha_error"] < 1e-3, f"C xi is CVXPY's alpha within {f['alpha_error']:.0e}", REFUTED
    )


def _prop_3(f: Figures) -> Found:
    return when(
        f["prox_error"] < SAME, f"within {f['prox_error']:.0e} of CVXPY ({f['size']})", REFUTED
    )


def _theorem_5(f: Figures) -> Found:
    share = f["largest_share_of_bound"]
    return when(
        share <= 1, f"at most {share:.2f} of the bound over {f['steps']} steps (eta = 1)", REFUTED
    )


def _prop_2(f: Figures) -> Found:
    ours = (
        f"same B groups as the flat scan: {'always' if f['equal'] else 'not always'} ({f['size']})"
    )
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
    ours = (
        f"exact within {f['intersection_error']:.0e}, in n^{power:.2f} where the double sum is n^2"
    )
    return when(
        f["intersection_error"] < 1e-10, ours, REFUTED, BETTER if power < 1.6 else REPRODUCED
    )


THEORY = (
    Claim(
        "proposition-1",
        "Proposition 1, (7)",
        "for fixed d the SVM is solved by its dual, which (7) prints without the linear term",
        "equal",
        fgm_theory.duality,
        _prop_1,
    ),
    Claim(
        "theorem-1",
        "Theorem 1, (8)",
        "minimum over d and maximum over alpha may change places",
        "equal",
        fgm_theory.duality,
        _theorem_1,
    ),
    Claim(
        "np-hard",
        "after Theorem 1",
        "(7) with d between 0 and 1 is NP-hard, (9) is the way round",
        "NP-hard",
        fgm_theory.duality,
        _np_hard,
    ),
    Claim(
        "remark-1",
        "Remark 1",
        "with d in {0, 1} there is a gap",
        "gap, size unknown",
        fgm_theory.duality,
        _remark_1,
    ),
    Claim(
        "theorem-2",
        "Theorem 2, (20)",
        "the restricted optimum and the best bound enclose the optimum and both only improve",
        "monotone",
        fgm_theory.convergence,
        _theorem_2,
    ),
    Claim(
        "theorem-3",
        "Theorem 3",
        "the rounds end at, or converge to, the global optimum",
        "optimum",
        fgm_theory.convergence,
        _theorem_3,
    ),
    Claim(
        "rounds",
        "section 3",
        "the cutting planes need tens of rounds",
        "tens",
        fgm_theory.convergence,
        _tens,
    ),
    Claim(
        "proposition-2",
        "Proposition 2",
        "subtrees whose root is too small may be skipped",
        "nothing lost",
        fgm_theory.trees,
        _prop_2,
    ),
    Claim(
        "tree-cost",
        "section 4.3",
        "with that a tree of p groups costs O(nm + log p log B)",
        "log p log B",
        fgm_theory.trees,
        _tree_cost,
    ),
    Claim(
        "scan-cost",
        "section 4.2",
        "the worst case costs O(mn + p log B)",
        "linear in n and m",
        fgm_theory.scans,
        _scan_cost,
    ),
    Claim(
        "remark-2",
        "Remark 2",
        "between B and TB features are selected",
        "B to TB",
        fgm_theory.convergence,
        _remark_2,
    ),
    Claim(
        "remark-3",
        "Remark 3, (27)",
        "for the intersection kernel the worst case is exact, by a double sum for each feature",
        "exact",
        fgm_theory.scans,
        _intersection,
    ),
    Claim(
        "theorem-4",
        "Theorem 4, (31)",
        "the MKL subproblem is the squared block norm in the primal",
        "equal",
        fgm_theory.convergence,
        _theorem_4,
    ),
    Claim(
        "remark-4",
        "Remark 4",
        "the dual variables are C times the training errors",
        "equal",
        fgm_theory.duality,
        _remark_4,
    ),
    Claim(
        "proposition-3",
        "Proposition 3",
        "the prox of the squared block norm is one threshold for sorted lengths",
        "closed form",
        fgm_theory.prox,
        _prop_3,
    ),
    Claim(
        "theorem-5",
        "Theorem 5",
        "after k accelerated steps the error is at most 2 L |w|^2 / (eta (k+1)^2)",
        "O(1/k^2)",
        fgm_theory.prox,
        _theorem_5,
    ),
)
