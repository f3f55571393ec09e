"""The tables of docs/parameters.md, made from the estimators themselves; ``tests/written_lists.py`` writes them."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from every_estimator import ESTIMATORS, OF_BAGS, quick
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC

from handful.datasets import make_bags
from handful.spaces import Polynomial

PAGE = Path(__file__).resolve().parents[1] / "docs" / "parameters.md"
#: Columns of the tables: a classifier, and the regressor beside it.
FAMILIES = {
    "FGM": ("FGMClassifier", "FGMRegressor"),
    "MILES": ("MILESClassifier",),
    "GreedyRLS": ("GreedyRLSClassifier", "GreedyRLSRegressor"),
    "DirectSparsity": ("DirectSparsityClassifier",),
    "RFS": ("RFSClassifier", "RFSRegressor"),
    "MultiTaskLassoInf": ("MultiTaskLassoInf",),
    "SVMPerf": ("SVMPerfClassifier",),
    "DictionaryMIL": ("DictionaryMILClassifier",),
}
#: What takes a matrix of labels.
OF_LABELS = ("FGMClassifier", "GreedyRLSClassifier", "DirectSparsityClassifier")
BLOCK = re.compile(r"(<!-- table: (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)


def estimators():
    """Return the classes by their public names."""
    return {name: ESTIMATORS[name] for names in FAMILIES.values() for name in names}


def defaults(cls):
    """Return the parameters of a class with their defaults."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(cls).parameters.items()
        if name != "self"
    }


def parameter_table():
    """Return the defaults, a row for each parameter and a column for each family."""
    known = {name: defaults(cls) for name, cls in estimators().items()}
    rows = []
    for parameter in _in_order(known.values()):
        cells = []
        for names in FAMILIES.values():
            have = [name for name in names if parameter in known[name]]
            words = dict.fromkeys(f"`{_shown(known[name][parameter])}`" for name in have)
            only = 0 < len(have) < len(names)
            cells.append(", ".join(words) + (f" ({_task(have[0])})" if only else ""))
        rows.append([f"`{parameter}`", *cells])
    return _table("parameter", rows)


def attribute_table():
    """Return the types of fitted attributes; in brackets what some fits do not have."""
    found = {name: [attributes(model) for model in fits(name)] for name in estimators()}
    rows = []
    for attribute in sorted({key for models in found.values() for one in models for key in one}):
        cells = []
        for names in FAMILIES.values():
            models = [one for name in names for one in found[name]]
            kinds = {one[attribute] for one in models if attribute in one}
            kinds = sorted(kinds - {"None"} or kinds)
            is_always = all(attribute in one for one in models)
            cells.append(
                " or ".join(kinds) if is_always or not kinds else f"({' or '.join(kinds)})"
            )
        rows.append([f"`{attribute}`", *cells])
    return _table("attribute", rows)


@functools.cache
def fits(name):
    """Return fitted models of a class that together have every attribute there is."""
    X = np.random.default_rng(0).standard_normal((60, 8))
    numbers, labels = X[:, :3], (X[:, :3] > 0).astype(int)
    y = (labels if "Classifier" in name else numbers)[:, 0]
    groups = np.arange(8) // 2
    settings = [({}, X, y), ({}, pd.DataFrame(X).rename(columns="f{}".format), y)]
    if name.startswith(("FGM", "RFS", "Direct")):
        settings += [({"scale": "std"}, X, y)]
    if name.startswith("FGM"):
        settings += [({"groups": groups}, X, y), ({"space": Polynomial()}, X, y)]
    if name == "FGMClassifier":
        many = numbers.argmax(axis=1)
        settings += [({"loss": "f1"}, X, many), ({"per_class": True}, X, many)]
    if name.startswith("Greedy"):
        settings += [({"groups": groups, "feature_costs": np.ones(8)}, X, y)]
        settings += [({"alpha_per_output": True}, X, y)]
    if name == "DirectSparsityClassifier":
        settings += [({"p": [0.5, 1.0]}, X, y), ({"margin": "hard"}, X[:8], y[:8])]
    if name in OF_LABELS:
        settings += [({}, X, labels)]
    if name.startswith("RFS"):
        settings += [({"alpha": [0.5, 1.0]}, X, y)]
    if name.startswith(("FGM", "RFS", "Direct")):
        own = SVC() if "Classifier" in name else LinearRegression()
        settings += [({"refit": own}, X, y)]
    if "Regressor" in name or name == "MultiTaskLassoInf":
        settings += [({}, X, numbers)] if name != "FGMRegressor" else []
    if name in OF_BAGS:
        settings = _of_bags(name, settings[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [quick(name, 3, **options).fit(data, y) for options, data, y in settings]


def _of_bags(name, table):
    """Return what else is set and fitted to of a method on bags."""
    data, more = make_bags(n_bags=20, n_features=4, random_state=0), np.arange(20) % 3
    few = {"max_rounds": 1} if name == "MILESClassifier" else {}
    settings = [({}, data.bags, data.y), ({"loss": "f1", **few}, data.bags, more), table]
    if name == "MILESClassifier":
        settings += [({"per_class": True, **few}, data.bags, more)]
        settings += [({"refit": SVC()}, data.bags, data.y)]
    return settings


def attributes(model):
    """Return the public fitted attributes with words for their types; properties are among them."""
    names = {name for name in {*vars(model), *dir(type(model))} if name.endswith("_")}
    public = (name for name in names if not name.startswith("_") and hasattr(model, name))
    return {name: _kind(getattr(model, name)) for name in public}


def _kind(value):
    """Say what a value is: of arrays the type of entries and the dimensions."""
    if isinstance(value, np.ndarray):
        words = {"f": "float", "i": "int", "u": "int", "b": "bool"}.get(value.dtype.kind, "any")
        return f"{words} {value.ndim}-d"
    words = {
        "NoneType": "None",
        "SVC": "estimator",
        "LinearRegression": "estimator",
        "Polynomial": "space",
    }
    return {**words, "BagSimilarity": "space"}.get(type(value).__name__, type(value).__name__)


def _in_order(signatures):
    """Return all names, each after those that stand before it in the first signature that has it."""
    names: list[str] = []
    for signature in signatures:
        place = min(1, len(names))  # how many to select comes first
        for name in signature:
            if name not in names:
                names.insert(place, name)
            place = names.index(name) + 1
    return names


def _shown(default):
    return f'"{default}"' if isinstance(default, str) else str(default)


def _task(name):
    return "classifier" if name.endswith("Classifier") else "regressor"


def _table(first, rows):
    lines = [[first, *FAMILIES], ["---"] * (1 + len(FAMILIES)), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def rewritten(text):
    """Return the page with its tables as they must be."""
    tables = {"parameters": parameter_table, "attributes": attribute_table}
    return BLOCK.sub(lambda match: f"{match[1]}{tables[match[2]]()}{match[3]}", text)
