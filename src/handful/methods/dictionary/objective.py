"""The joint objective of a dictionary and a classifier, and its derivative with respect to the atoms.

``V(D) = min over w, b of  1/2 |w|^2 + C1/2 sum_k |d_k - c|^2 + C R(S(D) w + b)``,
``S_ik = max over x in bag i of exp(-gamma |x - d_k|^2)``,  c a centre  (paper eq. 7)

The classifier is found by the solver of the loss, which starts from the labelings that the last
dictionary was hard on. The gradient then costs next to nothing (paper eq. 27, with the factor 2 that is lost
there): with a, minus the gradient of the loss, and x_ik the instance of bag i that is nearest to d_k,

``dV/dd_k = -2 gamma w_k sum_i a_i S_ik (x_ik - d_k) + C1 (d_k - c)``
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from handful.methods.fgm.solvers import Solution, Subproblem, Target, ridge_solver
from handful.methods.fgm.solvers.penalty import Penalty
from handful.spaces.bags.distances import BagDistances
from handful.spaces.base import Array, dense
from handful.status import Status

# Relative gap of a measure's risk while atoms move, and of the model that is kept.
ROUGH_TOL, FINAL_TOL = 1e-2, 1e-3
MAX_CUTS = 500


@dataclass(frozen=True)
class Fitted:
    """A dictionary with the best classifier on it.

    Attributes
    ----------
    atoms : ndarray of shape (n_atoms, n_features)
    similarities : ndarray of shape (n_bags, n_atoms)
    rows : ndarray of int64, shape (n_bags, n_atoms)
        The nearest instances.
    solution : Solution
    objective : float
        The joint one.
    """

    atoms: Array
    similarities: Array
    rows: Array
    solution: Solution
    objective: float


@dataclass(frozen=True)
class JointObjective:
    """The bags, what their predictions are judged by, and the two parameters of the dictionary."""

    distances: BagDistances
    target: Target
    gamma: float
    penalty: float
    center: Array

    def fit(self, atoms: Array, previous: Fitted | None = None, tol: float = ROUGH_TOL) -> Fitted:
        """Find the classifier on a dictionary, starting from that on a similar one."""
        columns, rows = self._similarities(atoms)
        n_atoms = len(atoms)
        if previous is None:
            zero, nothing = np.zeros((n_atoms, 1)), self.target.at_zero
            start = Solution(zero, nothing, nothing.value, -np.inf, 0, Status.MAX_STEPS)
        else:
            start = previous.solution
            point = self.target.at(columns @ start.weights, start.point.intercept)
            start = replace(start, point=point)
        tol = min(tol, self.target.loss.cheap_tol)
        norms = np.einsum("ij,ij->j", columns, columns)
        problem = Subproblem(columns, norms, self.target, Penalty(n_atoms), [], tol, MAX_CUTS)
        solution = ridge_solver(self.target.loss).solve(problem, start)
        away = atoms - self.center
        size = 0.5 * self.penalty * float(np.einsum("kj,kj->", away, away))
        return Fitted(atoms, columns, rows, solution, size + solution.objective)

    def taken_up(self, atoms: Array, solution: Solution, objective: float) -> Fitted:
        """Return a dictionary that was fitted before."""
        return Fitted(atoms, *self._similarities(atoms), solution, objective)

    def _similarities(self, atoms: Array) -> tuple[Array, Array]:
        """Return the similarity of every bag to every atom, and the instance that it is due to."""
        squared, rows = self.distances.nearest(atoms)
        return np.exp(-self.gamma * squared), rows

    def gradient(self, fitted: Fitted) -> Array:
        """Return the derivative of the least objective with respect to the atoms."""
        pull = fitted.solution.point.a * fitted.similarities * fitted.solution.weights.T
        n_bags, n_atoms = pull.shape
        ends = n_bags * np.arange(n_atoms + 1)
        shape = (n_atoms, self.distances.bags.n_instances)
        # One row for each atom, with an entry at the nearest instance of each bag: sparse whatever
        # the instances are.
        pulls = sp.csr_array((pull.T.ravel(), fitted.rows.T.ravel(), ends), shape=shape)
        towards = dense(pulls @ self.distances.bags.instances)
        towards = towards - pull.sum(axis=0)[:, None] * fitted.atoms
        gradient = self.penalty * (fitted.atoms - self.center) - 2.0 * self.gamma * towards
        return np.asarray(gradient)
