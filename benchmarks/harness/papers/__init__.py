"""The five papers claim by claim: a file of claims and one or two of experiments for each."""

from __future__ import annotations

from .bags import PAPER as BAGS
from .claim import Paper
from .fgm import PAPER as FGM
from .measures import PAPER as MEASURES
from .multilabel import PAPER as MULTILABEL
from .sparsity import PAPER as SPARSITY

PAPERS: dict[str, Paper] = {
    paper.number: paper for paper in (MEASURES, MULTILABEL, SPARSITY, FGM, BAGS)
}
