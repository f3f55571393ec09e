"""The sentences of the library in the words of the shell, where parameters are options."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache

from handful.cli.methods import METHODS

#: Options of commands that are called as a parameter, beside those of the methods.
_OF_COMMANDS = ("aggregate", "assumption", "nested", "pfer", "rule", "scoring", "threshold")
#: What the shell has no None, no instances and no lists for.
_SAID_OTHERWISE = {
    "leave it None": "leave it out",
    r", ([^,;]*), or None; got": r" or \1; got",
    r" or None(?=; got)": "",
    r", or an? [a-z ]*instance[a-z ]*(?=;)": "",
    r"^k has (?=\d)": "-k has ",
}


def in_options(sentence: str) -> str:
    """Return a sentence about parameters as one about options.

    Examples
    --------
    >>> in_options("n_features_to_select=9 is more than there are; ask for fewer or leave it None.")
    '-k 9 is more than there are; ask for fewer or leave it out.'
    >>> in_options("aggregate=True takes single features; set aggregate=False.")
    '--aggregate takes single features; leave out --aggregate.'
    """
    for pattern, words in _SAID_OTHERWISE.items():
        sentence = re.sub(pattern, words, sentence)
    return _pattern().sub(_as_option, sentence)


def _as_option(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    counts = {method.count for method in METHODS.values()}
    option = "-k" if name in counts else f"--{name.replace('_', '-')}"
    if value == "False":
        return f"leave out {option}"
    said = "" if value in (None, "True") else " " + value.strip("'")
    return f"{option}{said}"


@cache
def _pattern() -> re.Pattern[str]:
    """Match what is told of a parameter: that it has a value, or what it must be."""
    names = {field.name for method in METHODS.values() for field in fields(method.options)}
    names |= {method.count for method in METHODS.values()} | set(_OF_COMMANDS)
    known = "|".join(sorted(names, key=len, reverse=True))
    value = r"'[^']*'|[^\s;,()']*[^\s;,()'.]"
    return re.compile(
        rf"(?<![\w'\"-])(?:set (?=\w+=False))?(?P<name>{known})(?:=(?P<value>{value})|(?= must be ))"
    )
