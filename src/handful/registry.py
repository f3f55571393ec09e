"""Classes that are known by their name or their parameters, and families of them: a subclass of this package belongs, however deep."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from handful.validation.spaces import unknown_parameter


class Named:
    """A member of a family: told as its name, or its class where it has none, and with all that it holds."""

    name: ClassVar[str]

    def __str__(self) -> str:
        return getattr(self, "name", type(self).__name__)

    def __repr__(self) -> str:
        held = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({held})"


class Configured:
    """Something that is known by the parameters of its ``__init__``, each of which it keeps under its own name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn asks for them; none has parameters of its own."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **parameters: Any) -> Self:
        """Change some parameters; ``space__name`` of an estimator ends here."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise unknown_parameter(self, name, list(known))
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return a copy, with what is no parameter too, as ``clone`` makes them of all that is no estimator."""
        return copy.deepcopy(self)

    def _anew(self) -> Self:
        """Return another one of the same parameters, without anything that this one has learned."""
        return type(self)(**self.get_params())

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"


def subclasses(family: type[Any]) -> Iterator[type[Any]]:
    """Yield this package's classes under ``family``."""
    for cls in family.__subclasses__():
        yield from subclasses(cls)
        if cls.__module__.startswith("handful."):
            yield cls


def named_subclasses(family: type[Any]) -> dict[str, Any]:
    """Return the classes under ``family`` that have a ``name`` of their own, by that name, in its order."""
    found = {vars(cls)["name"]: cls for cls in subclasses(family) if "name" in vars(cls)}
    return dict(sorted(found.items()))
