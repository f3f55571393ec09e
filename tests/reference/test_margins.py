"""The linear systems of margins, where they are hardest to solve."""

import numpy as np
import pytest

from handful.solvers.margins import bordered


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
