"""One way to select, as the shell sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Method"]


@dataclass(frozen=True)
class Method:
    """A name, the estimators behind it, and how options become their parameters.

    Attributes
    ----------
    name : str
        After ``--method``.
    use : str
        When to use it, in one line.
    classifier, regressor : str or None
        Their public names; without a regressor quantities are refused.
    options : frozenset of str
        The parameters of the command that some methods have no use for and this one has.
    translate : callable
        From those parameters to those of the estimator; None keeps a default.
    takes_several_targets : bool
    takes_bags : bool
        Whether labels belong to bags of rows; the column that names them is then asked for.
    count : str
        The parameter that ``-k`` sets.
    """

    name: str
    use: str
    classifier: str
    regressor: str | None
    options: frozenset[str]
    translate: Callable[..., dict[str, Any]]
    takes_several_targets: bool = False
    takes_bags: bool = False
    count: str = "n_features_to_select"

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the estimator's parameters for the values of the command's parameters."""
        return self.translate(**{name: given[name] for name in sorted(self.options)})

    def estimator(self, regression: bool, **parameters: Any) -> Any:
        """Return the estimator for the task; parameters that are None keep their default."""
        import handful
        from handful.io import InputError

        name = self.regressor if regression else self.classifier
        if name is None:
            raise InputError(
                f"--method {self.name} tells classes apart, and the target holds quantities "
                "(--classification if they are classes)"
            )
        given = {key: value for key, value in parameters.items() if value is not None}
        return getattr(handful, name)(**given)
