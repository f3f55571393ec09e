"""What scikit-learn has since 1.9 (callbacks) and 1.7 (a hook for notebooks), and what stands there before.

All that differs between the releases is here. Without callbacks an estimator keeps ``set_callbacks``, which
says in one sentence what to use instead, and its tasks are told to nobody.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class _Unheard:
        """A task that nobody is told of: what is used of ``sklearn.callback.CallbackContext``."""

        def subcontext(self, *, task_name: str) -> _Unheard:
            """Return a task within this one."""
            return self

        def call_on_fit_task_begin(self, *, estimator: Any, **told: Any) -> None:
            """Tell that the task begins."""

        def call_on_fit_task_end(self, *, estimator: Any, **told: Any) -> bool:
            """Tell that it ended; true when somebody asks to stop."""
            return False

        def propagate_callback_context(self, sub_estimator: Any) -> Any:
            """Return what hands the callbacks on while another estimator is fitted."""
            return nullcontext()

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """An estimator that would have callbacks with a later scikit-learn."""

        def set_callbacks(self, *callbacks: Any) -> Any:
            """Set no callbacks; NotImplementedError for any, because scikit-learn has them since 1.9."""
            if callbacks:
                raise NotImplementedError(
                    f"Callbacks are those of scikit-learn 1.9 and later, this is {sklearn.__version__}: update it, "
                    "or give the estimator verbose='bar' or a function as verbose."
                )
            return self

        def _init_callback_context(self, **options: Any) -> _Unheard:
            return _Unheard()

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return what calls the method: warnings count one frame for it, as with later releases."""

        @functools.wraps(method)
        def called(estimator: Any, *args: Any, **options: Any) -> Any:
            return method(estimator, *args, **options)

        return called


class ReprHookMixin:
    """Has notebooks ask ``_html_repr``, as scikit-learn does since 1.7."""

    if not hasattr(BaseEstimator, "_html_repr"):

        def _repr_html_inner(self) -> str:
            return str(self._html_repr())  # type: ignore[attr-defined]

        def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
            bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
            if "text/html" in bundle:  # a setting of scikit-learn can be without
                bundle["text/html"] = self._repr_html_inner()
            return bundle
