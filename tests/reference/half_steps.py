"""The paper's own algorithm for direct sparsity, by half-steps: slow, and a reference for fixed points.

``min sum_i |W_i|^p  subject to  X W = X X^+ (Y + E),  Y * E >= 0``. All W with the same left side are
``W = P U + Q + [L E; 0]`` (equation 8, with ``P = [-M; I]``, whose sign the paper has wrong). One
half-step moves U, the other E, each by a weighted least-squares problem (algorithm 1). The intercept
is a column of ones, penalised like any other.
"""

import cvxpy as cp
import numpy as np


class HalfSteps:
    """Solution space of X W = P (Y + E), and the two half-steps in it."""

    def __init__(self, X, Y):
        self.Y = Y
        rank = np.linalg.matrix_rank(X)
        first = _independent_columns(X, rank)
        others = np.setdiff1d(np.arange(X.shape[1]), first)
        self.order = np.concatenate([first, others])
        solve = np.linalg.pinv(X[:, first])  # X_1^+ : the rows that elimination leaves
        self.M, self.L = solve @ X[:, others], solve
        self.N = solve @ Y

    def weights(self, U, E):
        """Return W in the order of the columns of X."""
        W = np.empty((len(self.order), self.Y.shape[1]))
        W[self.order] = np.vstack([self.N + self.L @ E - self.M @ U, U])
        return W

    def coordinates(self, X, W):
        """Return U and E for W that keeps the margins, where the rows of X are independent."""
        return W[self.order][self.L.shape[0] :], X @ W - self.Y

    def step(self, U, E, p):
        """Move U, then E; return both."""
        S = _weights(self.weights(U, E)[self.order], p)
        n_first = self.L.shape[0]
        S1, S2 = S[:n_first, None], S[n_first:, None]
        K = self.N + self.L @ E
        U = np.linalg.solve(self.M.T @ (S1 * self.M) + np.diag(S2[:, 0]), self.M.T @ (S1 * K))
        S = _weights((self.N + self.L @ E - self.M @ U), p)
        H = self.N - self.M @ U
        e = cp.Variable(E.shape)
        cost = cp.sum_squares(cp.multiply(np.sqrt(S)[:, None], self.L @ e + H))
        problem = cp.Problem(cp.Minimize(cost), [cp.multiply(self.Y, e) >= 0])
        problem.solve(solver=cp.CLARABEL)
        return U, e.value


def _weights(W, p):
    """``1 / |W_i|^(2-p)``, of rows that are nearly zero as large as arithmetic can bear."""
    return np.maximum(np.linalg.norm(W, axis=1), 1e-7) ** (p - 2)


def _independent_columns(X, rank):
    from scipy.linalg import qr

    return np.sort(qr(X, pivoting=True)[2][:rank])


def size(W, p):
    """``sum_i |W_i|^p``."""
    return float((np.linalg.norm(W, axis=1) ** p).sum())
