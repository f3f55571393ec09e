"""A fit loads what it needs and no more."""

import json
import subprocess
import sys

FIT = """
import json, sys
import sklearn.callback, sklearn.feature_selection
before = set(sys.modules)

import numpy as np
from handful import FGMClassifier, FGMRegressor

X = np.random.default_rng(0).standard_normal((50, 20))
FGMClassifier(2).fit(X, X[:, 3] > 0).predict(X)
FGMRegressor().fit(X, X[:, 3]).transform(X)
print(json.dumps(sorted({name.split(".")[0] for name in set(sys.modules) - before})))
"""
UNNEEDED = {"matplotlib", "pyarrow", "pandas", "polars", "typer", "click", "rich"}
UNNEEDED |= {"dask", "distributed"}


def test_a_dense_fit_loads_no_tables_plots_or_command_line():
    """Beyond what scikit-learn loads by itself where it is installed (pandas, rich)."""
    child = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True)
    loaded = set(json.loads(child.stdout))
    assert {"handful", "numba"} <= loaded
    assert not loaded & UNNEEDED
    assert child.stderr == ""
