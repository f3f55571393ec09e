"""``--method dictionary``: labels on bags, atoms learned together with the classifier."""

from __future__ import annotations

from typing import Any

from handful.cli.methods.base import Method
from handful.cli.options import parse_weight

__all__ = ["DICTIONARY"]

#: Options that reach the estimator under their own names.
_PLAIN = ("loss", "tol", "gamma")


def _translate(*, bags: str | None, c: str, **plain: Any) -> dict[str, Any]:
    # The same command gives the same model.
    return {**plain, "C": None if c == "auto" else parse_weight(c), "random_state": 0}


DICTIONARY = Method(
    name="dictionary",
    use="labels on bags of rows (--bags): k atoms that need not be rows",
    classifier="DictionaryMILClassifier",
    regressor=None,
    options=frozenset((*_PLAIN, "bags", "c")),
    translate=_translate,
    takes_bags=True,
    count="n_atoms",
)
