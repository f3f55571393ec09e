"""003: Tan, Tsang and Wang, feature selection by feature generation (FGM)."""

from __future__ import annotations

from . import fgm_linear, fgm_spaces, fgm_theorems
from .claim import Claims, Paper

PAPER = Paper(
    "003",
    "Feature generation (FGM)",
    'Tan, Tsang and Wang, "Towards ultrahigh dimensional feature selection for big data", JMLR 15, 2014 (the version at hand is the preprint)',
    "paper-fgm.md",
    'FGM is the plain machine of the paper (`solver="apg"`, C = 10, at most 15 rounds, `refit=False`); "exactly k" is `n_features_to_select`, which '
    'the paper does not have. The paper\'s figures are curves without numbers: "above" is what can be read off them.',
    ("benchmarks/linear.py", "benchmarks/spaces.py", "benchmarks/scale.py"),
    Claims(claim for part in (fgm_theorems, fgm_linear, fgm_spaces) for claim in part.CLAIMS),
)
