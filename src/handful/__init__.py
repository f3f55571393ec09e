"""Pick exactly k features, for the measure you will be judged by, with a certificate.

Public names are loaded on first use, so ``import handful`` itself imports nothing heavy.

Examples
--------
>>> import handful
>>> sorted(name for name in dir(handful) if name.startswith("FGM"))
['FGMClassifier', 'FGMRegressor']
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handful import datasets, inspection, losses, measures, metrics, model_selection, spaces
    from handful.estimators.dictionary_mil import DictionaryMILClassifier
    from handful.estimators.direct_sparsity import DirectSparsityClassifier
    from handful.estimators.fgm import FGMClassifier
    from handful.estimators.fgm_regressor import FGMRegressor
    from handful.estimators.greedy_rls import GreedyRLSClassifier, GreedyRLSRegressor
    from handful.estimators.multi_instance import MILESClassifier
    from handful.estimators.multi_task_lasso import MultiTaskLassoInf
    from handful.estimators.rfs import RFSClassifier, RFSRegressor
    from handful.estimators.svmperf import SVMPerfClassifier
    from handful.history import History
    from handful.io.model_file import load_model, save_model
    from handful.sources.store.reader import open_store
    from handful.spaces.bags import Bags
    from handful.status import Status

__version__ = "0.2.0.dev0"

__all__ = [
    "Bags",
    "DictionaryMILClassifier",
    "DirectSparsityClassifier",
    "FGMClassifier",
    "FGMRegressor",
    "GreedyRLSClassifier",
    "GreedyRLSRegressor",
    "History",
    "MILESClassifier",
    "MultiTaskLassoInf",
    "RFSClassifier",
    "RFSRegressor",
    "SVMPerfClassifier",
    "Status",
    "__version__",
    "datasets",
    "inspection",
    "load_model",
    "losses",
    "measures",
    "metrics",
    "model_selection",
    "open_store",
    "save_model",
    "spaces",
]

_MODULE_OF_NAME = {
    "Bags": "handful.spaces.bags",
    "DictionaryMILClassifier": "handful.estimators.dictionary_mil",
    "DirectSparsityClassifier": "handful.estimators.direct_sparsity",
    "FGMClassifier": "handful.estimators.fgm",
    "FGMRegressor": "handful.estimators.fgm_regressor",
    "GreedyRLSClassifier": "handful.estimators.greedy_rls",
    "GreedyRLSRegressor": "handful.estimators.greedy_rls",
    "History": "handful.history",
    "MILESClassifier": "handful.estimators.multi_instance",
    "MultiTaskLassoInf": "handful.estimators.multi_task_lasso",
    "RFSClassifier": "handful.estimators.rfs",
    "RFSRegressor": "handful.estimators.rfs",
    "SVMPerfClassifier": "handful.estimators.svmperf",
    "Status": "handful.status",
    "load_model": "handful.io.model_file",
    "open_store": "handful.sources.store.reader",
    "save_model": "handful.io.model_file",
}
_SUBMODULES = frozenset(
    {"datasets", "inspection", "losses", "measures", "metrics", "model_selection", "spaces"}
)


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for (PEP 562)."""
    if name in _MODULE_OF_NAME:
        value: object = getattr(import_module(_MODULE_OF_NAME[name]), name)
        globals()[name] = value
        return value
    if name in _SUBMODULES:
        return import_module(f"handful.{name}")
    raise AttributeError(f"module 'handful' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(set(globals()) | set(__all__))
