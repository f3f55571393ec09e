"""A monkeypatch for the outside world: what is inside handful has seams of its own (CONTRIBUTING.md, "Tests")."""

import pkgutil
import types

import pytest

import handful

#: What is set all the same, and why nothing else would do.
ALLOWED = {
    (
        "handful.estimators._inputs",
        "checked",
    ): "nothing public shows how often a matrix is looked at",
    ("handful.io.labels.LabelCodes", "__call__"): "an interrupt has to come inside NumPy's parser",
    ("handful.kernels.ksupport", "_prox"): "a loop without an end must fail and not hang",
    ("handful.losses", "__all__"): "a loss is added as a contributor would, and taken back",
    ("handful.methods.reweighted.margins", "solve_positive"): "as _prox",
    ("handful.methods.reweighted.projected", "solve_positive"): "as _prox",
    ("handful.threads", "_libraries"): "stands for libraries of another machine",
}


class MonkeyPatch(pytest.MonkeyPatch):
    """Refuses to set what is inside handful: a module's own names, and classes that users do not see."""

    def setattr(self, target, name, *value, **options):
        place = target, name
        if isinstance(target, str):
            owner, _, last = target.rpartition(".")
            place = pkgutil.resolve_name(owner), last
        found = (_name_of(place[0]), place[1])
        assert not is_internal(*place) or found in ALLOWED, (
            f"a test sets {found[1]} of {found[0]}, which is inside handful: see CONTRIBUTING.md, "
            '"Tests", for what to do instead'
        )
        super().setattr(target, name, *value, **options)


def is_internal(target, name):
    """Whether an attribute of a module, a class or an object is neither of the outside world nor public."""
    if isinstance(target, types.ModuleType):
        is_ours = f"{target.__name__}.".startswith("handful.")
        return is_ours and name not in getattr(target, "__all__", ())
    kind = target if isinstance(target, type) else type(target)
    is_ours = f"{kind.__module__}.".startswith("handful.")
    return is_ours and getattr(handful, kind.__name__, None) is not kind


def _name_of(target):
    if isinstance(target, types.ModuleType):
        return target.__name__
    kind = target if isinstance(target, type) else type(target)
    return f"{kind.__module__}.{kind.__qualname__}"
