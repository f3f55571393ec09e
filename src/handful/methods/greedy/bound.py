"""How low the objective of greedy regularised least squares can be, whatever the features.

For any A of shape (n_samples, n_outputs), with columns that add up to zero beside an intercept, all models of
k features have

``sum_i s_i |x_i W + b - y_i|^2 + sum_l alpha_l |w_l|^2  >=  2 <A, Y> - sum_i |A_i|^2 / s_i - L,``

L the sum of the k largest ``sum_l (x_j' a_l)^2 / alpha_l``: a square is the maximum of linear functions, and each W_jl then has
its best value. Weighted residuals of a model attain its objective if its features are those k. Where alphas are small,
features outside the model have large products with its residuals, and the residuals of all features prove more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from handful.methods.greedy.search import Search
from handful.methods.memory import usable_bytes
from handful.methods.problem import Problem
from handful.methods.reweighted.margins import solve_positive
from handful.sizes import current_sizes
from handful.spaces.base import Array, dense_rows

#: Copies of its columns that are held at the same time.
COPIES = 3


@dataclass(frozen=True)
class Proof:
    """What some A proves at the alphas it was made for, and at others.

    Where columns of A are multiplied by ``sqrt(alpha_l / old alpha_l)``, or left alone where that is above 1, L does not
    grow. So outputs whose alpha has become smaller prove less, and the others what they did.

    Attributes
    ----------
    proof_alphas : ndarray of shape (n_outputs,)
    proof_linear, proof_squares : ndarray of shape (n_outputs,)
        ``<a_l, y_l>`` and ``sum_i a_il^2 / s_i``.
    proof_gain : float
        L.
    """

    proof_alphas: Array
    proof_linear: Array
    proof_squares: Array
    proof_gain: float

    def bound(self, alphas: Array) -> float:
        """Return the bound for all choices of as many groups, or fewer: that of the best multiple of A."""
        share = np.sqrt(np.minimum(alphas / self.proof_alphas, 1.0))
        square = float(share**2 @ self.proof_squares) + self.proof_gain
        return float(share @ self.proof_linear) ** 2 / square if square > 0 else 0.0

    def to_plain(self) -> dict[str, Any]:
        """Return the parts by name."""
        return {name: getattr(self, name) for name in PARTS}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], n_outputs: int) -> Proof | None:
        """Undo :meth:`to_plain`; None where no part is there, ValueError where they do not fit."""
        if not plain.keys() & {*PARTS}:
            return None
        proof = cls(**{name: plain[name] for name in PARTS})
        *vectors, gain = (getattr(proof, name) for name in PARTS)
        if not isinstance(gain, float) or any(part.shape != (n_outputs,) for part in vectors):
            raise ValueError("the bound in path_ is of other outputs")
        return proof


PARTS = tuple(field.name for field in fields(Proof))


def best_proof(search: Search, ids: Array, weights: Array, alphas: Array) -> Proof:
    """Return what bounds all choices of as many groups.

    Costs are not looked at: what is too dear counts too.

    Parameters
    ----------
    search : Search
    ids : ndarray of int64
        Features of the model that was found.
    weights : ndarray of shape (n_outputs, n_ids)
    alphas : ndarray of shape (n_outputs,)
    """
    space = search.problem.space
    proofs = [_proof_of(search, dense_rows(space, ids).T @ weights.T, alphas)]
    n_numbers = COPIES * space.n_features * space.n_samples
    most = current_sizes().proof_columns_per_step * search.n_groups
    is_quick = space.n_features + search.problem.y.shape[1] <= most
    if is_quick and 8 * n_numbers <= usable_bytes():
        proofs.append(_proof_of(search, _of_all_features(search.problem, alphas), alphas))
    return max(proofs, key=lambda proof: proof.bound(alphas))


def _of_all_features(problem: Problem, alphas: Array) -> Array:
    """Predict by ridge regression on all features, but for the intercept."""
    rows = dense_rows(problem.space, np.arange(problem.space.n_features))
    if problem.fit_intercept:
        rows -= (rows @ problem.weight / problem.weight.sum())[:, None]
    weighted = rows * problem.weight
    inner, targets = weighted @ rows.T, weighted @ problem.y
    for alpha in np.unique(alphas):
        own = alphas == alpha
        with_penalty = inner + alpha * np.eye(len(inner))
        targets[:, own] = solve_positive(with_penalty, targets[:, own])
    return np.asarray(rows.T @ targets)


def _proof_of(search: Search, predictions: Array, alphas: Array) -> Proof:
    """Return what the residuals of one model prove; its predictions are overwritten by them."""
    problem = search.problem
    residuals = np.subtract(problem.y, predictions, out=predictions)
    if problem.fit_intercept:
        residuals -= problem.weight @ residuals / problem.weight.sum()
    A = problem.weight[:, None] * residuals
    linear, squares = (np.einsum("il,il->l", A, other) for other in (problem.y, residuals))
    A /= np.sqrt(alphas)
    return Proof(alphas, linear, squares, _largest_gain(search, A))


def _largest_gain(search: Search, A: Array) -> float:
    """Return the largest ``sum_j |x_j' A|^2`` of as many groups as are selected, with those of include."""
    space, include = search.problem.space, search.problem.include
    ids, found = space.top(A, space.n_features)
    scores = np.zeros(space.n_features)
    scores[ids] = found
    gains = search.groups.sums(scores)
    n_free = search.n_groups - len(include)
    free = np.sort(gains[search.may_enter])[::-1][: max(n_free, 0)]
    return float(gains[include].sum() + free.sum())
