"""Options of methods: declared once, shown by select and path, refused by methods without them."""

import inspect
import re
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

import handful
from handful.cli.methods import METHODS, takers
from handful.cli.methods.fgm import known_kernels
from handful.io.mixed import MISSING_RULES
from handful.losses import known_losses
from handful.measures import find_measure, known_measures
from handful.methods.fgm.solvers import known_solvers
from handful.model_selection.error_bounds import ASSUMPTIONS
from handful.spaces import Substrings
from handful.validation.model_selection import RULES

COMMANDS = ("select", "path")
every_method = pytest.mark.parametrize("name", METHODS)
every_command = pytest.mark.parametrize("command", COMMANDS)
#: One file cannot hold the rounds of many fits, and nobody looks at all their bounds.
NOT_IN_PATH = {"certify", "checkpoint"}


def declared(method):
    """Return the type and typer's declaration of each option of a method."""
    hints = get_type_hints(method.options, include_extras=True)
    return {field.name: get_args(hints[field.name])[:2] for field in fields(method.options)}


ALL = {option: pair for method in METHODS.values() for option, pair in declared(method).items()}


def flag(option):
    return "--" + option.replace("_", "-")


@pytest.fixture
def shown(run, monkeypatch):
    """Return the help of a command as it is on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def shown(command):
        result = run(command, "--help")
        assert (result.code, result.err) == (0, "")
        return result.out

    return shown


@every_command
def test_help_has_every_option_with_the_methods_that_take_it(shown, command):
    text = "".join(shown(command).split())  # lines may end amid a method's name
    for option, (kind, info) in ALL.items():
        methods = ", ".join(method.name for method in takers(option))
        value = "" if kind is bool else info.metavar
        told = "".join(f"{flag(option)} {value} {info.help} ({methods})".split())
        is_expected = command == "select" or option not in NOT_IN_PATH
        assert (told in text) is is_expected, option


@every_command
def test_help_fits_the_terminal_and_has_panels(shown, command):
    lines = shown(command).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    titles = [line for line in lines if re.fullmatch(r"\w[\w -]*:", line)]
    between = ["Cross-validation:"] if command == "path" else []
    assert titles == [
        *("Arguments:", "Data:", "Selection:", *between, "Features to select from:"),
        *("Fit:", "Output:", "Methods:"),
    ]
    for method in METHODS.values():
        assert f"  {method.name:12}{method.use}" in lines


#: What an option may say, by the registry of it; ``--help`` loads none of them (``cli/names.py``).
WORDS = {
    ("select", "--space"): known_kernels(),
    ("select", "--loss"): known_losses(),
    ("select", "--solver"): ["auto", *known_solvers()],
    ("select", "--missing"): MISSING_RULES,
    ("select", "--method"): METHODS,
    ("stability", "--assumption"): ["auto", *ASSUMPTIONS],
    ("path", "--rule"): RULES,
}


@pytest.mark.parametrize(("command", "option"), WORDS)
def test_help_names_all_that_is_known(shown, command, option):
    told = set(re.findall(r"[\w-]+", shown(command).replace("-\n", "-")))
    assert set(WORDS[command, option]) <= told


def test_help_of_measures_names_all_that_are_known():
    told = re.split(r"[\s,:;()\[\]]+", ALL["loss"][1].help)
    named = {type(find_measure(word.rstrip("."))) for word in told}
    assert set(known_measures().values()) <= named


def test_an_option_of_several_methods_is_declared_once():
    for option in ALL:
        hints = [get_type_hints(one.options, include_extras=True)[option] for one in takers(option)]
        first, *others = [get_args(hint) for hint in hints]
        assert all(one[1] is first[1] for one in others), option


@every_method
def test_defaults_are_left_to_the_estimators(name):
    """Every option reaches a parameter of its name, and none is set that was not asked for."""
    method = METHODS[name]
    parameters, known = method.options().parameters(), set()
    for estimator in filter(None, (method.classifier, method.regressor)):
        defaults = {
            key: value.default
            for key, value in inspect.signature(getattr(handful, estimator)).parameters.items()
        }
        known |= set(defaults)
        assert {key for key, value in parameters.items() if value is not None} <= set(defaults)
        assert method.count in defaults
        assert set(method.fixed) <= set(defaults)
        assert all(value in (None, defaults.get(key)) for key, value in parameters.items())
    assert set(parameters) <= known


@every_method
def test_defaults_in_the_help_are_those_of_the_estimators(name):
    method = METHODS[name]
    for option, (_, info) in declared(method).items():
        told = re.search(r"\[default: (.*)\]", info.help)
        if told is None:
            continue
        first, *others = told[1].split("; ")
        special = dict(one.split(" for ") for one in others)
        for estimator in filter(None, (method.classifier, method.regressor)):
            known = {
                **inspect.signature(Substrings).parameters,
                **inspect.signature(getattr(handful, estimator)).parameters,
            }
            if option not in known:
                assert estimator == method.regressor, option  # it is of classes
                continue
            default = known[option].default
            expected = {who: value for value, names in special.items() for who in names.split(", ")}
            who = "regression" if estimator == method.regressor and option == "loss" else name
            assert str(default) == expected.get(who, first), (option, estimator)


def value_of(option):
    kind = ALL[option][0]
    return [flag(option)] if kind is bool else [flag(option), "1"]


@every_method
@every_command
def test_options_of_other_methods_are_refused(refused, command, name):
    """In one sentence that names the methods that take it, before anything is read."""
    of_bags = ["--bags", "b"] if METHODS[name].takes_bags else []
    for option in ALL:
        if METHODS[name] in takers(option) or (command == "path" and option in NOT_IN_PATH):
            continue
        asked = ["no such file", "-k", "2", "--method", name, *of_bags, *value_of(option)]
        *others, last = [method.name for method in takers(option)]
        listed = f"{', '.join(others)} or {last}" if others else last
        assert refused(command, *asked) == (
            f"Invalid value for {flag(option)}: it goes with --method {listed}, not with {name}"
        )


@every_command
@pytest.mark.parametrize(("data", "name"), [("--bags", "miles"), ("--targets", "greedy-rls")])
def test_the_sentence_says_why_it_is_that_method(refused, command, data, name):
    sentence = refused(command, "no such file", "-k", "2", data, "b", "--p", "0.5")
    assert sentence.endswith(f"--method direct, not with {name}, which {data} asks for")


def test_zero_is_a_value(refused):
    """It equals False, which a flag is that was not set."""
    asked = ["no such file", "-k", "2", "--method", "greedy-rls", "--tol", "0"]
    assert "--tol: it goes with --method" in refused("select", *asked)
