"""``--method``: one file for each way to select; a new one is a file here and a name in this list."""

from __future__ import annotations

import typer

from handful.cli.methods.base import Method
from handful.cli.methods.dictionary import DICTIONARY
from handful.cli.methods.direct import DIRECT
from handful.cli.methods.fgm import FGM
from handful.cli.methods.greedy_rls import GREEDY_RLS
from handful.cli.methods.miles import MILES
from handful.cli.methods.rfs import RFS

__all__ = ["FGM", "METHODS", "Method", "choose_method", "list_methods"]

METHODS = {method.name: method for method in (FGM, GREEDY_RLS, DIRECT, RFS, MILES, DICTIONARY)}


def list_methods() -> str:
    """Return a line for each method that says when to use it; the end of ``handful select --help``."""
    width = max(map(len, METHODS))
    lines = [f"  {method.name:{width}}  {method.use}" for method in METHODS.values()]
    return "\n".join(["\b", "Methods:", *lines])  # click fills paragraphs unless they begin with \b


def choose_method(context: typer.Context) -> Method:
    """Return the method asked for; refuse, before anything is read, what does not go with it.

    Without ``--method`` it is FGM, or greedy RLS for several targets, or MILES for bags.
    """
    name, targets = context.params["method"], context.params["targets"]
    bags = context.params["bags"]
    if name is not None and name not in METHODS:
        known = ", ".join(METHODS)
        raise typer.BadParameter(f"{name!r} is none of {known}", param_hint="--method")
    if bags is not None and targets is not None:
        raise typer.BadParameter("it cannot go with --targets", param_hint="--bags")
    by_default = MILES if bags is not None else FGM if targets is None else GREEDY_RLS
    method = METHODS[name or by_default.name]
    if method.takes_bags and bags is None:
        message = f"{method.name} needs --bags, the column that says which bag a row is in"
        raise typer.BadParameter(message, param_hint="--method")
    if targets is not None and not method.takes_several_targets:
        several = _listed([other for other in METHODS.values() if other.takes_several_targets])
        message = f"--method {name} takes one target; several go with {several}"
        raise typer.BadParameter(message, param_hint="--targets")
    for parameter, option in _given_options(context).items():
        _check_option(parameter, option, method, implied_by_targets=name is None and bool(targets))
    return method


def _given_options(context: typer.Context) -> dict[str, str]:
    """Return the parameters that the user set, each with the flag it is known by."""
    given = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is not None and source.name == "COMMANDLINE":
            given[str(parameter.name)] = parameter.opts[0]
    return given


def _check_option(parameter: str, option: str, method: Method, *, implied_by_targets: bool) -> None:
    fitting = [other for other in METHODS.values() if parameter in other.options]
    if not fitting or method in fitting:  # for all methods, or for this one too
        return
    if implied_by_targets:
        raise typer.BadParameter("it cannot go with --targets", param_hint=option)
    message = f"it goes with --method {_listed(fitting)}, not with {method.name}"
    raise typer.BadParameter(message, param_hint=option)


def _listed(methods: list[Method]) -> str:
    return " or ".join(method.name for method in methods)
