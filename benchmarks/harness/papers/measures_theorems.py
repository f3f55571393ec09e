"""The claims of 000 (measures), sections 3 to 6: convexity, duality, cutting planes."""

from __future__ import annotations

from . import measures_theory as theory
from .claim import BETTER, REFUTED, REPRODUCED, Claim, Figures, Found, when

SAME = 1e-5


def _lemma_1(f: Figures) -> Found:
    least = f["least"]
    ours = "least eigenvalue of the Hessian (relative): " + ", ".join(
        f"p = {p} {v:+.0e}" for p, v in least.items()
    )
    met = all((v >= -1e-12) == (float(p) >= 2) for p, v in least.items())
    return when(met, ours, REFUTED)


def _proposition_1(f: Figures) -> Found:
    ours = f"{f['primal']:.4f} and {f['dual']:.4f} by CVXPY ({f['size']})"
    return when(abs(f["primal"] / f["dual"] - 1) < SAME, ours, REFUTED)


def _theorem_1(f: Figures) -> Found:
    cases = f["cases"]
    used = max(case["cuts"] / case["bound"] for case in cases if case["cuts"])
    ours = f"{len(cases)} settings: at most {used:.0%} of the bound, {max(c['cuts'] or 0 for c in cases)} cuts where it allows {cases[-1]['bound']} ({f['size']})"
    return when(
        all(case["cuts"] and case["cuts"] <= case["bound"] for case in cases), ours, REFUTED
    )


def _proof(f: Figures) -> Found:
    gain, needed = f["step"]
    ours = f"two blocks: a violated cut raises the optimum by {abs(gain):.0g}, where the proof has at least {needed:.3f}"
    return when(gain >= needed, ours, REFUTED)


def _theorem_2(f: Figures) -> Found:
    ended = f["statuses"].count("CONVERGED")
    ours = f"{f['size']}: at most {max(f['away']):.0e} above the optimum; certified gap {max(f['gap']):.0e} at most, {ended} of {len(f['statuses'])} below tol = 1e-3"
    return when(max(f["away"]) <= 1e-3, ours, REFUTED)


def _theorem_3(f: Figures) -> Found:
    return when(
        not f["broken"],
        f"optimum outside the bounds in {f['broken']} rounds ({f['size']})",
        REFUTED,
    )


def _lemma_2(f: Figures) -> Found:
    above = [b / a - 1 for a, b in zip(f["relaxed"], f["subset"], strict=True)]
    ours = f"best whole columns are {min(above):.1%} to {max(above):.0%} above the relaxed optimum, which uses {min(f['used'])} to {max(f['used'])} columns ({f['size']})"
    return when(max(above) < 1e-4, ours, REFUTED)


def _hamming(f: Figures) -> Found:
    ours = f"objectives {f['svmperf']:.5f} and {f['svm']:.5f} ({f['size']})"
    return when(abs(f["svmperf"] / f["svm"] - 1) < SAME, ours, REFUTED)


def _most_violated(f: Figures) -> Found:
    ours = f"n^{f['power']:.2f} with the sort, {1000 * f['seconds'][-1]:.0f} ms for {f['size'].split()[-1]}; equal to trying all (a, b) within {f['error']:.0e}"
    return when(f["error"] < 1e-8, ours, REFUTED, BETTER if f["power"] < 1.5 else REPRODUCED)


def _at_k(f: Figures) -> Found:
    paper, shared, draws = f["paper"], f["shared"], f["draws"]
    ours = f"below the loss in {paper['below'] / draws:.0%}, moved by a constant in {paper['moved'] / draws:.0%} of {f['size']}; ours in {shared['below']} and {shared['moved']}"
    return when(paper["below"] == 0, ours, REFUTED)


THEORY = (
    Claim(
        "lemma-1",
        "Lemma 1",
        "sum |w|^p / d is jointly convex exactly when p is at least 2",
        "p >= 2",
        theory.lemma_1,
        _lemma_1,
    ),
    Claim(
        "proposition-1",
        "Proposition 1, Corollary 1",
        "primal over blocks and the dual QCQP have one value",
        "equal",
        theory.blocks,
        _proposition_1,
    ),
    Claim(
        "theorem-1",
        "Theorem 1",
        "at most log2(Delta / 4 R^2 C) + 16 R^2 C / epsilon cuts are needed",
        "bound",
        theory.cutting_planes,
        _theorem_1,
    ),
    Claim(
        "theorem-1-proof",
        "Theorem 1, proof",
        "each violated cut raises the optimum by min(C g / 2, g^2 / 8 R^2), also with several blocks",
        "at least that",
        theory.cutting_planes,
        _proof,
    ),
    Claim(
        "theorem-2",
        "Theorem 2",
        "the two layers end within epsilon of the optimum",
        "epsilon",
        theory.two_layers,
        _theorem_2,
    ),
    Claim(
        "theorem-3",
        "Theorem 3",
        "lower and upper sequence enclose the optimum",
        "enclose",
        theory.two_layers,
        _theorem_3,
    ),
    Claim(
        "lemma-2",
        "section 6.3, Lemma 2",
        "the machine solves the l0 problem: relaxed and whole d have the same solutions",
        "the same",
        theory.whole_features,
        _lemma_2,
    ),
    Claim(
        "hamming-svm",
        "section 8.3",
        "for the Hamming loss SVMperf is the SVM",
        "the same",
        theory.hamming_is_svm,
        _hamming,
    ),
    Claim(
        "most-violated",
        "section 5.4",
        "the most violated labeling is found in O(n^2)",
        "O(n^2)",
        theory.most_violated,
        _most_violated,
    ),
    Claim(
        "risk-at-k",
        "section 5.4",
        "the risk of precision and recall at k, lists of k against the true labels, bounds the loss",
        "bounds it",
        theory.at_k,
        _at_k,
    ),
)
