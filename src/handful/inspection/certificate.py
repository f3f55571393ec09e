"""What the certificate of a fit proves, in words."""

from __future__ import annotations

from typing import Any

from handful.estimators._gap import gap_in_words
from handful.inspection._fitted import fitted_selector


def explain_gap(estimator: Any) -> str:
    """Say in a sentence or two what ``objective_`` and ``dual_gap_`` of a fit prove, and when they prove little.

    Parameters
    ----------
    estimator : fitted estimator of this package, or what has one in it
        A Pipeline, SelectKCV, StabilitySelection.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from handful import FGMRegressor
    >>> from handful.inspection import explain_gap
    >>> X, y = make_regression(100, 50, n_informative=3, noise=5, random_state=0)
    >>> print(explain_gap(FGMRegressor(3, C=0.1).fit(X, y)))
    No 3 features can have an objective below 2662; this choice has 2822. The 5.7 % between them is what is not proved.
    >>> print(explain_gap(FGMRegressor(3, C=0.1, certify=True).fit(X, y)))
    No 3 features can have an objective below 2811; this choice has 2822. The 0.38 % between them is what is not proved.
    """
    return gap_in_words(fitted_selector(estimator))
