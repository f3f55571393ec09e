"""Which of the best-scoring features a round takes, where several outputs share them.

The features with the highest scores are often near-copies: neighbouring pixels, genes of one pathway. Taken together
they tell the model one thing several times. So after each feature that is taken the scores of the others are those for what
it leaves unexplained, as in orthogonal matching pursuit,

    c <- c - f g_j c_j / g_jj,    G <- G - f g_j g_j' / g_jj        c = X'a, G = X' diag(s) X

of some of the features with the highest scores, so that a round still takes one pass over the data.

``f`` is the share of the score that is no chance, ``1 - chance / r_j^2`` as in James and Stein's rule, with
``r_j^2 = |c_j|^2 / (g_jj |a|^2)``. Of m features that say nothing the best reaches, by Laurent and Massart's bound for
chi-squared with K degrees of freedom, about ``chance = (K + 2 sqrt(K log m) + 2 log m) / (K n)``. Where scores are no higher than that
nothing is taken off: what near-copies agree on is then more certain than what any of them leaves.

One output alone does not tell the two apart well enough: docs/defaults.md has the figures.
"""

from __future__ import annotations

import math

import numpy as np

from handful.methods.fgm.oracle import Cut
from handful.methods.fgm.solvers.hessians import weighted_gram
from handful.spaces.base import Array, FeatureSpace

#: Features among which a round chooses, for each that it takes, and how many at most: their Gram matrix is made.
POOL, MOST_IN_POOL = 10, 200
LEAST_POOL = 2  # for each that is taken: with fewer there is hardly a choice
TINY = 1e-300


def pool_size(per_round: int, n_samples: int, n_outputs: int, most_entries: int) -> int:
    """How many features a round chooses among; as many as it takes where there is no choice."""
    most = min(POOL * per_round, MOST_IN_POOL, most_entries // max(n_samples, 1))
    return most if n_outputs > 1 and most >= LEAST_POOL * per_round else per_round


def take_apart(
    space: FeatureSpace, cut: Cut, a: Array, count: int, weight: Array, *, centred: bool
) -> Array:
    """Return the ids of ``count`` features of a cut that tell the outputs different things, in the order of their scores.

    Parameters
    ----------
    space : FeatureSpace
    cut : Cut
        More than ``count`` features, best first.
    a : ndarray of shape (n_samples, n_outputs)
        What the scores are of.
    count : int
    weight : ndarray of shape (n_samples,)
        How often each sample counts.
    centred : bool
        Whether an intercept takes up the means of columns.
    """
    if len(cut.ids) <= count or (space.widths(cut.ids) != 1).any():
        return cut.ids[:count]
    columns = space.columns(cut.ids)
    gram, sums = weighted_gram(columns, weight)
    if centred:
        gram = gram - np.outer(sums, sums) / weight.sum()
    dots = np.asarray(columns.T @ a)
    counted = weight > 0
    power = float((np.einsum("ik,ik->i", a, a)[counted] / weight[counted]).sum())
    chance = _chance(float(weight.sum()), a.shape[1], space.n_features)
    return cut.ids[np.sort(_pursue(gram, dots, count, chance * power))]


def _pursue(gram: Array, dots: Array, count: int, by_chance: float) -> Array:
    """Positions of features, each the best for what those before it leave.

    ``by_chance`` is the score of a column of length one that is due to chance.
    """
    lengths = np.diagonal(gram).copy()
    is_free, taken = np.ones(len(dots), dtype=bool), list[int]()
    while len(taken) < count:
        scores = np.where(is_free, np.einsum("jk,jk->j", dots, dots), -1.0)
        best = int(scores.argmax())
        taken.append(best)
        is_free[best] = False
        share = 1.0 - by_chance * lengths[best] / max(float(scores[best]), TINY)
        if share > 0.0 and gram[best, best] > 0.0:
            along = gram[best] / gram[best, best]
            dots = dots - share * np.outer(along, dots[best])
            gram = gram - share * np.outer(along, gram[best])
    return np.array(taken, dtype=np.int64)


def _chance(n_samples: float, n_outputs: int, n_features: int) -> float:
    """The squared correlation that the best of so many features has with outputs of which it says nothing."""
    surprise = math.log(max(n_features, 2))
    tail = 2.0 * math.sqrt(n_outputs * surprise) + 2.0 * surprise
    return (n_outputs + tail) / (n_outputs * n_samples)
