"""The task: what was to be found, in a sentence, the method, and the parameters that were set."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from handful.inspection._fitted import chooser_in, innermost
from handful.inspection.html_report.subject import Subject, plural
from handful.inspection.html_report.which import counted_in
from handful.model_selection._wrapped import selector_in

#: Parameters that say how a fit runs, and not what it computes.
_OF_THE_RUN = ("verbose", "n_jobs", "checkpoint", "warm_start")
#: What a fit has found for a parameter, where it was left to it.
_FOUND = {"C": "C_", "alpha": "alpha_", "gamma": "gamma_", "scale": "scaling_"}


@dataclass(frozen=True)
class Task:
    """Everything that the section shows."""

    sentence: str
    method: str
    parameters: Sequence[tuple[str, str]]


def describe_task(subject: Subject) -> Task:
    """Say what was to be found in what."""
    target, source = subject.target, subject.around.source
    counted = counted_in(subject)
    aim = {
        "classes": f"tell {plural(target.n_outputs, 'classes')} apart",
        "labels": f"predict {plural(target.n_outputs, 'labels')}",
        "quantities": f"predict {'a quantity' if target.n_outputs == 1 else f'{target.n_outputs} quantities'}",
    }[target.kind]
    of = "" if target.name is None else f" ({target.name})"
    where = "" if source is None else f" in {source}"
    verb = "Learn" if counted == "atoms" else "Find"
    sentence = f"{verb} the {counted} that are enough to {aim}{of}, from {plural(subject.n_rows, subject.cases)}{where}."
    return Task(sentence, ", ".join(_chain(subject)), _parameters(subject))


def _chain(subject: Subject) -> list[str]:
    """Return what selects, and what it is inside of, from the inside out."""
    around = [subject.estimator]
    chooser = chooser_in(subject.estimator)
    if chooser is not None and chooser is not subject.estimator:
        around.insert(0, chooser)
    inner = innermost(around[0])
    if inner is not subject.selector and inner is not around[0]:
        around.insert(0, inner)
    named = [f"inside a {type(one).__name__}" for one in around if one is not subject.selector]
    return [type(subject.selector).__name__, *named]


def _parameters(subject: Subject) -> list[tuple[str, str]]:
    """Return what differs from the defaults, and what the fit has found for what was left to it."""
    estimator, chooser = subject.selector, chooser_in(subject.estimator)
    given, names = estimator, subject.selection.names
    if hasattr(chooser, "stability_path_"):  # the last fit had nothing to choose, and was told so
        given = selector_in(chooser.estimator)
    defaults = {
        name: parameter.default
        for name, parameter in signature(type(estimator).__init__).parameters.items()
    }
    told = []
    for name, value in given.get_params(deep=False).items():
        if name in _OF_THE_RUN:
            continue
        if name == "groups" and value is not None and names.group_names is not None:
            if names.grouped == "groups":  # not columns, which the reader of the file keeps whole
                told.append((name, _listed(names.group_names)))
            continue
        found = getattr(estimator, _FOUND.get(name, ""), None)
        default = defaults.get(name)
        is_same = type(value) is type(default) and isinstance(value, str | int | float)
        is_default = value is default or (is_same and value == default)
        is_open = value is None if name == "scale" else isinstance(value, str)
        if found is not None and is_open:
            of_each = _listed([shortly(float(one)) for one in found]) if np.ndim(found) else ""
            told.append((name, f"{shortly(value)}: {of_each or shortly(found)}"))
        elif not is_default:
            told.append((name, shortly(value)))
    return told


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(str(name) for name in names[:most])
    return f"{len(names):,}: {shown}" + (", ..." if len(names) > most else "")


def shortly(value: Any) -> str:
    """Write a parameter in a few words, also when it is a list of all features."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return value
    short = reprlib.Repr()
    short.maxstring = short.maxother = 200
    return " ".join(short.repr(value).split())
