"""A fit that fails leaves the estimator as it was."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """Decorate ``fit``: what it has set so far is taken back when it raises, an interrupt included.

    Otherwise an estimator would look fitted as soon as its input has been looked at, and a model
    that was fitted before would be half replaced.
    """

    @functools.wraps(fit)
    def guarded(estimator: Any, *args: Any, **options: Any) -> Any:
        before = vars(estimator).copy()
        try:
            return fit(estimator, *args, **options)
        except BaseException:
            vars(estimator).clear()
            vars(estimator).update(before)
            raise

    return guarded  # type: ignore[return-value]
