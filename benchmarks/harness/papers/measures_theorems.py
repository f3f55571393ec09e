"""The claims of 000 (measures), sections 3 to 6: convexity, duality, cutting planes."""

from __future__ import annotations

from . import measures_theory as theory
from .claim import REFUTED, Claims, Figures, Found, listed, when

SAME = 1e-5

CLAIMS = Claims()


@CLAIMS.claim("Lemma 1", "p >= 2", theory.lemma_1)
def lemma_1(f: Figures) -> Found:
    """sum |w|^p / d is jointly convex exactly when p is at least 2."""
    least = f["least"]
    met = all((v >= -1e-12) == (float(p) >= 2) for p, v in least.items())
    told = listed("p = {} {:+.0e}", least)
    return when(met, f"least eigenvalue of the Hessian (relative): {told}", REFUTED)


@CLAIMS.claim("Proposition 1, Corollary 1", "equal", theory.blocks)
def proposition_1(f: Figures) -> Found:
    """primal over blocks and the dual QCQP have one value."""
    ours = f"{f['primal']:.4f} and {f['dual']:.4f} by CVXPY ({f['size']})"
    return when(abs(f["primal"] / f["dual"] - 1) < SAME, ours, REFUTED)


@CLAIMS.claim("Theorem 1", "bound", theory.cutting_planes)
def theorem_1(f: Figures) -> Found:
    """at most log2(Delta / 4 R^2 C) + 16 R^2 C / epsilon cuts are needed."""
    cases = f["cases"]
    used = max(case["cuts"] / case["bound"] for case in cases if case["cuts"])
    ours = f"{len(cases)} settings: at most {used:.0%} of the bound, {max(c['cuts'] or 0 for c in cases)} cuts where it allows {cases[-1]['bound']} ({f['size']})"
    return when(
        all(case["cuts"] and case["cuts"] <= case["bound"] for case in cases), ours, REFUTED
    )


@CLAIMS.claim("Theorem 1, proof", "at least that", theory.cutting_planes)
def theorem_1_proof(f: Figures) -> Found:
    """each violated cut raises the optimum by min(C g / 2, g^2 / 8 R^2), also with several blocks."""
    gain, needed = f["step"]
    ours = f"two blocks: a violated cut raises the optimum by {abs(gain):.0g}, where the proof has at least {needed:.3f}"
    return when(gain >= needed, ours, REFUTED)


@CLAIMS.claim("Theorem 2", "epsilon", theory.two_layers)
def theorem_2(f: Figures) -> Found:
    """the two layers end within epsilon of the optimum."""
    ended = f["statuses"].count("CONVERGED")
    ours = f"{f['size']}: at most {max(f['away']):.0e} above the optimum; certified gap {max(f['gap']):.0e} at most, {ended} of {len(f['statuses'])} below tol = 1e-3"
    return when(max(f["away"]) <= 1e-3, ours, REFUTED)


@CLAIMS.claim("Theorem 3", "enclose", theory.two_layers)
def theorem_3(f: Figures) -> Found:
    """lower and upper sequence enclose the optimum."""
    ours = f"optimum outside the bounds in {f['broken']} rounds ({f['size']})"
    return when(not f["broken"], ours, REFUTED)


@CLAIMS.claim("section 6.3, Lemma 2", "the same", theory.whole_features)
def lemma_2(f: Figures) -> Found:
    """the machine solves the l0 problem: relaxed and whole d have the same solutions."""
    above = [b / a - 1 for a, b in zip(f["relaxed"], f["subset"], strict=True)]
    ours = f"best whole columns are {min(above):.1%} to {max(above):.0%} above the relaxed optimum, which uses {min(f['used'])} to {max(f['used'])} columns ({f['size']})"
    return when(max(above) < 1e-4, ours, REFUTED)


@CLAIMS.claim("section 8.3", "the same", theory.hamming_is_svm)
def hamming_svm(f: Figures) -> Found:
    """for the Hamming loss SVMperf is the SVM."""
    ours = f"objectives {f['svmperf']:.5f} and {f['svm']:.5f} ({f['size']})"
    return when(abs(f["svmperf"] / f["svm"] - 1) < SAME, ours, REFUTED)


@CLAIMS.claim("section 5.4", "O(n^2)", theory.most_violated)
def most_violated(f: Figures) -> Found:
    """the most violated labeling is found in O(n^2)."""
    ours = f"n^{f['power']:.2f} with the sort, {1000 * f['seconds'][-1]:.0f} ms for {f['size'].split()[-1]}; equal to trying all (a, b) within {f['error']:.0e}"
    return when(f["error"] < 1e-8, ours, REFUTED, better=f["power"] < 1.5)


@CLAIMS.claim("section 5.4", "bounds it", theory.at_k)
def risk_at_k(f: Figures) -> Found:
    """the risk of precision and recall at k, lists of k against the true labels, bounds the loss."""
    paper, shared, draws = f["paper"], f["shared"], f["draws"]
    ours = f"below the loss in {paper['below'] / draws:.0%}, moved by a constant in {paper['moved'] / draws:.0%} of {f['size']}; ours in {shared['below']} and {shared['moved']}"
    return when(paper["below"] == 0, ours, REFUTED)
