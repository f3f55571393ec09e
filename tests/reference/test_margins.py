"""The linear systems of margins, where they are hardest to solve."""

import numpy as np
import pytest

from handful.solvers.margins import bordered
from handful.solvers.projected import RowGram


@pytest.mark.parametrize("rho", [1.0, 1e6, 1e12])
def test_a_level_that_no_column_has_is_found_to_rounding(rho):
    """Columns without their means cannot make a level: only the intercept can, at once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 5))
    X -= X.mean(axis=0)
    goal = X @ rng.standard_normal((5, 2)) + 3.0
    a, intercept = bordered(X @ X.T + np.eye(20) / rho, goal, fit_intercept=True)
    np.testing.assert_allclose(a.sum(axis=0), 0.0, atol=1e-9)
    short = a / rho
    np.testing.assert_allclose(X @ (X.T @ a) + short + intercept, goal, atol=1e-12)
    np.testing.assert_allclose(intercept, 3.0, atol=1e-12)


def test_products_of_rows_are_those_of_the_rows_now_in():
    """Few rows or nearly all, a few changed or all of them, hundreds of times."""
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.standard_normal((60, 9)))
    gram = RowGram(basis)
    is_in = rng.random(60) < 0.3
    for step in range(300):
        share = 0.5 if step % 50 == 49 else 0.03
        is_in ^= rng.random(60) < share
        if step % 70 == 0:
            is_in = rng.random(60) < (0.9 if step % 140 else 0.1)
        rows = np.flatnonzero(is_in)
        np.testing.assert_allclose(gram.of(rows), basis[rows].T @ basis[rows], atol=1e-14)
    np.testing.assert_array_equal(gram.of(np.arange(0)), np.zeros((9, 9)))
