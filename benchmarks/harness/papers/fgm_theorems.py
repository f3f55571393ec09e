"""The claims of 003 (FGM), sections 2 to 5: duality, convergence, and what a round costs."""

from __future__ import annotations

from . import fgm_theory
from .claim import REFUTED, Claims, Figures, Found, listed, when

SAME = 1e-5  # relative, between two solvers of one convex problem

CLAIMS = Claims()


@CLAIMS.claim("Proposition 1, (7)", "equal", fgm_theory.duality)
def proposition_1(f: Figures) -> Found:
    """for fixed d the SVM is solved by its dual, which (7) prints without the linear term."""
    (low, high), printed = f["fixed"], f["without_linear_term"]
    ours = f"with the term: {low:.4f} and {high:.4f}; as printed the maximum is {abs(printed):.0g}, at alpha = 0"
    return when(abs(low - high) < SAME * low and printed > 0.5 * low, ours, REFUTED)


@CLAIMS.claim("Theorem 1, (8)", "equal", fgm_theory.duality)
def theorem_1(f: Figures) -> Found:
    """minimum over d and maximum over alpha may change places."""
    ours = f"{f['primal']:.5f} and {f['dual']:.5f} ({f['size']}; CVXPY, with the linear term)"
    return when(abs(f["primal"] - f["dual"]) < SAME * f["primal"], ours, REFUTED)


@CLAIMS.claim("after Theorem 1", "NP-hard", fgm_theory.duality)
def np_hard(f: Figures) -> Found:
    """(7) with d between 0 and 1 is NP-hard, (9) is the way round."""
    ours = f"jointly convex in (w, d): one call of a conic solver gives {f['primal']:.5f}, the dual bound {f['dual']:.5f}"
    return when(abs(f["primal"] - f["dual"]) >= SAME * f["primal"], ours, REFUTED)


@CLAIMS.claim("Remark 1", "gap, size unknown", fgm_theory.duality)
def remark_1(f: Figures) -> Found:
    """with d in {0, 1} there is a gap."""
    low, high = f["subset"]
    ours = f"relaxed {low:.3f}, best of all 56 choices {high:.3f} (30 x 8, B = 3): {high / low - 1:.0%} above"
    return when(high > low * (1 + SAME), ours, REFUTED)


@CLAIMS.claim("Theorem 2, (20)", "monotone", fgm_theory.convergence)
def theorem_2(f: Figures) -> Found:
    """the restricted optimum and the best bound enclose the optimum and both only improve."""
    one = f["apg"]
    ours = f"{one['rounds']} rounds of blocks: {one['rises']} rises, {one['falls_of_bound']} falls of the bound, optimum outside in {one['outside']}"
    return when(not (one["rises"] or one["falls_of_bound"] or one["outside"]), ours, REFUTED)


@CLAIMS.claim("Theorem 3", "optimum", fgm_theory.convergence)
def theorem_3(f: Figures) -> Found:
    """the rounds end at, or converge to, the global optimum."""
    apg, union = f["apg"], f["ksupport"]
    ours = (
        f"blocks: gap {apg['gap']:.0e} after {apg['rounds']} rounds; the union with the k-support norm: "
        f"{union['gap']:.0e} after {union['rounds']}; CVXPY within {abs(union['objective'] / f['optimum'] - 1):.0e}"
    )
    met = abs(apg["objective"] / f["optimum"] - 1) < SAME
    return when(met, ours, REFUTED, better=union["rounds"] < apg["rounds"])


@CLAIMS.claim("section 3", "tens", fgm_theory.convergence)
def rounds(f: Figures) -> Found:
    """the cutting planes need tens of rounds."""
    blocks, union = (f[solver]["rounds_to_1e-4"] for solver in ("apg", "ksupport"))
    ours = f"to a gap of 1e-4: {blocks} rounds of blocks, {union} of ours"
    return when(blocks is not None and blocks < 100, ours, better=union < blocks)


@CLAIMS.claim("Proposition 2", "nothing lost", fgm_theory.trees)
def proposition_2(f: Figures) -> Found:
    """subtrees whose root is too small may be skipped."""
    often = "always" if f["equal"] else "not always"
    return when(f["equal"], f"same B groups as the flat scan: {often} ({f['size']})", REFUTED)


@CLAIMS.claim("section 4.3", "log p log B", fgm_theory.trees)
def tree_cost(f: Figures) -> Found:
    """with that a tree of p groups costs O(nm + log p log B)."""
    groups, scored, powers = f["groups"], f["scored"], f["powers"]
    strong, spread = "strong leaf", "weights 1/sqrt(size)"
    ours = (
        f"of {groups[-1]:,} groups {scored[strong][-1]} are scored when one leaf decides (p^{powers[strong]:.2f}), "
        f"and {scored[spread][-1]:,} when all scores are alike (p^{powers[spread]:.2f})"
    )
    return when(powers[spread] < 0.5, ours, REFUTED)


@CLAIMS.claim("section 4.2", "linear in n and m", fgm_theory.scans)
def scan_cost(f: Figures) -> Found:
    """the worst case costs O(mn + p log B)."""
    n, m, B = (f["powers"][f"groups of 10, {size}"][2] for size in "nmB")
    ours = f"n^{n:.2f}, m^{m:.2f}, B^{B:.2f} ({f['size']})"
    return when(max(n, m) < 1.25 and B < 0.5, ours)


@CLAIMS.claim("Remark 2", "B to TB", fgm_theory.convergence)
def remark_2(f: Figures) -> Found:
    """between B and TB features are selected."""
    count, T, B = f["apg"]["features"], f["apg"]["rounds"], fgm_theory.BUDGET
    return when(B <= count <= B * T, f"{count} features, B = {B}, T = {T}", REFUTED)


@CLAIMS.claim("Remark 3, (27)", "exact", fgm_theory.scans)
def remark_3(f: Figures) -> Found:
    """for the intersection kernel the worst case is exact, by a double sum for each feature."""
    power, error = f["powers"]["intersection, n"][2], f["intersection_error"]
    ours = f"exact within {error:.0e}, in n^{power:.2f} where the double sum is n^2"
    return when(error < 1e-10, ours, REFUTED, better=power < 1.6)


@CLAIMS.claim("Theorem 4, (31)", "equal", fgm_theory.convergence)
def theorem_4(f: Figures) -> Found:
    """the MKL subproblem is the squared block norm in the primal."""
    solvers = ("apg", "mkl", "ksupport")
    away = {name: abs(f[name]["objective"] / f["optimum"] - 1) for name in solvers}
    ours = f"{listed('{} {:.0e}', away)} from the optimum"
    return when(away["apg"] < SAME and away["mkl"] < 1e-3, ours, REFUTED)


@CLAIMS.claim("Remark 4", "equal", fgm_theory.duality)
def remark_4(f: Figures) -> Found:
    """the dual variables are C times the training errors."""
    error = f["alpha_error"]
    return when(error < 1e-3, f"C xi is CVXPY's alpha within {error:.0e}", REFUTED)


@CLAIMS.claim("Proposition 3", "closed form", fgm_theory.prox)
def proposition_3(f: Figures) -> Found:
    """the prox of the squared block norm is one threshold for sorted lengths."""
    error = f["prox_error"]
    return when(error < SAME, f"within {error:.0e} of CVXPY ({f['size']})", REFUTED)


@CLAIMS.claim("Theorem 5", "O(1/k^2)", fgm_theory.prox)
def theorem_5(f: Figures) -> Found:
    """after k accelerated steps the error is at most 2 L |w|^2 / (eta (k+1)^2)."""
    share = f["largest_share_of_bound"]
    ours = f"at most {share:.2f} of the bound over {f['steps']} steps (eta = 1)"
    return when(share <= 1, ours, REFUTED)
