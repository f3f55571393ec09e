"""What to cite: the papers behind what was used for this fit."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from handful.inspection.html_report.subject import Subject
from handful.measures import find_measure

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


def what_to_cite(subject: Subject, *, counted_agreement: bool, stability: Any = None) -> list[str]:
    """Return the program, then the papers of the method and of what was counted."""
    cited = [f"handful {version('handful')}: pick exactly k features, with a certificate."]
    cited += _OF_ESTIMATOR.get(type(subject.selector).__name__, [])
    if find_measure(getattr(subject.selector, "loss", None)) is not None:
        cited.append(_MEASURES)
    if stability is not None:
        cited += _STABILITY_SELECTION
    if counted_agreement:
        cited.append(_STABILITY_INDEX)
    return cited
