"""``--method``: a file for each way to select, or for two that report the same; a new one is a file here and a name in this list."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import fields
from typing import Annotated, Any, get_type_hints

from handful.cli.methods.base import Method
from handful.cli.methods.dictionary import Dictionary
from handful.cli.methods.direct import RFS, Direct
from handful.cli.methods.fgm import FGM
from handful.cli.methods.greedy_rls import GreedyRLS
from handful.cli.methods.miles import MILES
from handful.cli.options import Source, as_parameter, check_word, refuse, selection_option

__all__ = [
    "METHODS",
    "Method",
    "MethodName",
    "choose_method",
    "method_of",
    "method_options",
    "takers",
]

METHODS: dict[str, Method] = {
    method.name: method for method in (FGM(), GreedyRLS(), Direct(), RFS(), MILES(), Dictionary())
}

MethodName = Annotated[
    str | None,
    selection_option(
        "--method",
        metavar="NAME",
        help="How to select; the list is below, and options that not all methods take name those "
        "that do. [default: fgm; greedy-rls with --targets, miles with --bags]",
    ),
]


def takers(option: str) -> list[Method]:
    """Return the methods that take an option."""
    return [
        method
        for method in METHODS.values()
        if option in {field.name for field in fields(method.options)}
    ]


def method_options(*, many_fits: bool = False) -> list[inspect.Parameter]:
    """Return the options of all methods, each once; the help says which methods take it."""
    # One file cannot hold the rounds of many fits, and nobody looks at all their bounds.
    leave_out = ("certify", "checkpoint") if many_fits else ()
    found: dict[str, inspect.Parameter] = {}
    for method in METHODS.values():
        hints = get_type_hints(method.options, include_extras=True)
        for field in fields(method.options):
            if field.name in found or field.name in leave_out:
                continue
            kind, info = hints[field.name].__origin__, copy(hints[field.name].__metadata__[0])
            info.help = f"{info.help} ({', '.join(one.name for one in takers(field.name))})"
            found[field.name] = as_parameter(field, Annotated[kind, info])
    return list(found.values())


def choose_method(name: str | None, source: Source, options: Mapping[str, Any]) -> Method:
    """Return the method asked for; refuse, before anything is read, what does not go with it.

    Without ``--method`` it is FGM, or MILES for bags; for several targets greedy RLS, or FGM where an option
    is given that only FGM has.
    """
    if name is not None:
        check_word("method", name, METHODS)
    if source.bags is not None and source.targets is not None:
        raise refuse("bags", "it cannot go with --targets")
    asks = (
        "--bags" if source.bags is not None else "--targets" if source.targets is not None else ""
    )
    given = [option for option, value in options.items() if _is_given(value)]
    by_default = {"--bags": MILES.name, "--targets": GreedyRLS.name, "": FGM.name}[asks]
    if by_default == GreedyRLS.name and any(
        METHODS[FGM.name] in takers(option) and METHODS[GreedyRLS.name] not in takers(option)
        for option in given
    ):
        by_default = FGM.name
    method = METHODS[name or by_default]
    if method.takes_bags and source.bags is None:
        message = f"{method.name} needs --bags, the column that says which bag a row is in"
        raise refuse("method", message)
    if source.targets is not None and not method.takes_several_targets:
        raise refuse("targets", takes_one_target(method))
    unfit = f"not with {method.name}" + ("" if name or not asks else f", which {asks} asks for")
    if source.bags is not None and not method.takes_bags:
        of_bags = _listed(one for one in METHODS.values() if one.takes_bags)
        raise refuse("bags", f"it goes with --method {of_bags}, {unfit}")
    if source.has_strings and method.name != FGM.name:
        raise refuse("strings", f"substrings go with --method {FGM.name}, {unfit}")
    if source.has_strings and (source.bags is not None or source.targets is not None):
        raise refuse("strings", f"it cannot go with {asks}")
    for option in given:
        if method not in takers(option):
            raise refuse(option, f"it goes with --method {_listed(takers(option))}, {unfit}")
    return method


def takes_one_target(method: Method) -> str:
    """Say which methods take several targets, where this one does not."""
    several = _listed(one for one in METHODS.values() if one.takes_several_targets)
    return f"--method {method.name} takes one target; several go with {several}"


def _is_given(value: Any) -> bool:
    """Whether an option was said; zero is a value, and equal to a flag that is not set."""
    return value is not None and value is not False and value != []


def method_of(estimator: Any) -> Method:
    """Return the method that an estimator is of; FGM for those that are of none."""
    name = type(estimator).__name__
    methods = METHODS.values()
    known = (one for one in methods if name in (one.classifier, one.regressor))
    return next(known, METHODS[FGM.name])


def _listed(methods: Iterable[Method]) -> str:
    *others, last = [method.name for method in methods]
    return f"{', '.join(others)} or {last}" if others else last
