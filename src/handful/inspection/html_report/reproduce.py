"""How to get the same again, command, versions, seeds, and by what the data are known; and what to cite for it."""

from __future__ import annotations

import datetime as dt
import numbers
import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sklearn.base import clone

from handful.inspection.html_report.subject import Subject

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "clarabel", "matplotlib")
_FGM = (
    "Tan, Tsang and Wang (2014), Towards ultrahigh dimensional feature selection for big data, Journal of Machine "
    "Learning Research 15, 1371-1429."
)
_GREEDY = (
    "Naula, Airola, Salakoski and Pahikkala (2014), Multi-label learning under feature extraction budgets, Pattern "
    "Recognition Letters 40, 56-65."
)
_RFS = (
    "Nie, Huang, Cai and Ding (2010), Efficient and robust feature selection via joint l2,1-norms minimization, "
    "Advances in Neural Information Processing Systems 23."
)
_MEASURES = (
    "Mao and Tsang (2013), A feature selection method for multivariate performance measures, IEEE Transactions on "
    "Pattern Analysis and Machine Intelligence 35, 2051-2063."
)
_OF_ESTIMATOR = {
    "FGMClassifier": [_FGM],
    "FGMRegressor": [_FGM],
    "GreedyRLSClassifier": [_GREEDY],
    "GreedyRLSRegressor": [_GREEDY],
    "MultiTaskLassoInf": [
        "Turlach, Venables and Wright (2005), Simultaneous variable selection, Technometrics 47, 349-363."
    ],
    "DirectSparsityClassifier": [
        "Peng and Fan (2016), Direct sparsity optimization based feature selection for multi-class classification, "
        "IJCAI 2016, 1918-1924."
    ],
    "RFSClassifier": [_RFS],
    "RFSRegressor": [_RFS],
    "SVMPerfClassifier": [
        "Joachims (2005), A support vector method for multivariate performance measures, ICML 2005, 377-384."
    ],
    "MILESClassifier": [
        "Chen, Bi and Wang (2006), MILES: multiple-instance learning via embedded instance selection, IEEE Transactions "
        "on Pattern Analysis and Machine Intelligence 28, 1931-1947.",
        _FGM,
    ],
    "DictionaryMILClassifier": [
        "Wang, Tsang, Cui, Lu and Gao (2016), Multi-instance dictionary learning via multivariate performance measure "
        "optimization, Pattern Recognition, doi:10.1016/j.patcog.2016.12.023."
    ],
}
_STABILITY_SELECTION = [
    "Meinshausen and Bühlmann (2010), Stability selection, Journal of the Royal Statistical Society B 72, 417-473.",
    "Shah and Samworth (2013), Variable selection with error control: another look at stability selection, Journal of "
    "the Royal Statistical Society B 75, 55-80.",
]
_STABILITY_INDEX = (
    "Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, Journal of Machine Learning "
    "Research 18(174), 1-54."
)


@dataclass(frozen=True)
class Reproduce:
    """Everything that the section shows."""

    #: Of the shell, or of Python.
    command: str
    is_shell: bool
    #: Names and values.
    facts: Sequence[tuple[str, str]]


def how_to_reproduce(
    subject: Subject, fingerprint: str, folds_by: Any = None, chosen_by: Sequence[Any] = ()
) -> Reproduce:
    """Gather it.

    ``folds_by`` is what dealt rows into the folds of the report, ``chosen_by`` all that had a part in the choice and
    may have drawn at random.
    """
    command = subject.around.command
    if command is not None:
        written = shlex.join(command)
    else:
        more = [
            f", {name}={which}" for name, which in subject.beside.names(subject.estimator).items()
        ]
        made = clone(subject.estimator)
        if "verbose" in made.get_params(deep=False):
            made.set_params(verbose=False)
        written = f"{made!r}.fit(X, y{''.join(more)})"
    facts = [
        ("handful", _version("handful")),
        ("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *((name, _version(name)) for name in _PACKAGES),
        ("seed", _seeds(chosen_by or (subject.estimator,), folds_by)),
        *subject.around.files,
        ("data as they were read (SHA-256)", fingerprint),
        ("written", f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC"),
    ]
    return Reproduce(written, command is not None, facts)


def _seeds(estimators: Sequence[Any], folds_by: Any = None) -> str:
    """Return the seeds that were given to parts that draw at random, and that of the report's own folds."""
    found = {}
    parameters = [one.get_params(deep=True) for one in estimators]
    for name, value in (item for some in parameters for item in some.items()):
        if name.rpartition("__")[2] == "random_state":
            found[name] = value
        elif getattr(value, "shuffle", False) and hasattr(value, "split"):
            found[f"{name}.random_state"] = value.random_state
    given = {name: value for name, value in found.items() if isinstance(value, numbers.Integral)}
    told = ", ".join(f"{name}={value}" for name, value in given.items())
    if not given:
        told = (
            "none was given" if found else "none is needed for the selection, which draws nothing"
        )
    if folds_by is None:
        return told
    own = f"{folds_by}" if isinstance(folds_by, numbers.Integral) else "not a number"
    return f"{told}; the folds of this report: {own}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def what_to_cite(subject: Subject, *, counted_agreement: bool, stability: Any = None) -> list[str]:
    """Return the program, then the papers of the method and of what was counted."""
    cited = [f"handful {version('handful')}: pick exactly k features, with a certificate."]
    cited += _OF_ESTIMATOR.get(type(subject.selector).__name__, [])
    if subject.measure is not None:
        cited.append(_MEASURES)
    if stability is not None:
        cited += _STABILITY_SELECTION
    if counted_agreement:
        cited.append(_STABILITY_INDEX)
    return cited
