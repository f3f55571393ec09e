"""A fit loads what it needs and no more."""

import json
import os
import subprocess
import sys

import numba
import pytest

from handful.kernels import compiled
from handful.validation.warning import kernels_not_kept

FITS = """
import json, sys
import contextlib, sklearn.feature_selection
with contextlib.suppress(ImportError):  # there since scikit-learn 1.9
    import sklearn.callback
before = set(sys.modules)

import numpy as np
import handful.inspection
from handful import FGMClassifier, FGMRegressor, GreedyRLSClassifier

X = np.random.default_rng(0).standard_normal((50, 20))
FGMClassifier(2, C="fast").fit(X, X[:, 3] > 0).predict(X)
FGMRegressor(C="fast").fit(X, X[:, 3]).transform(X)
GreedyRLSClassifier(2).fit(X, X[:, 3] > 0)
print(json.dumps(sorted({name.split(".")[0] for name in set(sys.modules) - before})))
"""
UNNEEDED = {"matplotlib", "pyarrow", "pandas", "polars", "typer", "click", "rich"}
UNNEEDED |= {"dask", "distributed"}
GPU = {"torch", "triton", "cupy", "cupyx"}


def test_dense_fits_load_no_tables_plots_command_line_or_gpu(tmp_path):
    """Beyond what scikit-learn loads by itself where it is installed (pandas, rich)."""
    for name in GPU:  # where these are installed, importing one takes longer than a small fit
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('not asked for')")
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    child = subprocess.run(
        [sys.executable, "-c", FITS],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )
    loaded = set(json.loads(child.stdout))
    assert {"handful", "numba"} <= loaded
    assert not loaded & (UNNEEDED | GPU)
    assert child.stderr == ""


NOWHERE = """
import tempfile

def refuse(*args, **options):
    raise PermissionError("read-only")

tempfile.TemporaryFile = refuse  # by which numba tries whether a folder can be written to

import numpy as np
from handful import FGMRegressor

X = np.random.default_rng(0).standard_normal((50, 20))
print(FGMRegressor(budget=1, max_rounds=1).fit(X, X[:, 3]).support_ids_.tolist())
"""


def test_without_a_place_for_compiled_code_a_fit_runs_and_warns_once():
    """As where the package is installed read-only and there is no home."""
    child = subprocess.run(
        [sys.executable, "-c", NOWHERE], check=False, capture_output=True, text=True
    )
    assert child.returncode == 0, child.stderr
    assert child.stdout.split("\n")[0] == "[3]"
    assert child.stderr.count(kernels_not_kept()) == 1


def test_other_faults_of_compilation_are_not_hidden(monkeypatch):
    def refuse(**options):
        raise RuntimeError("out of order")

    monkeypatch.setattr(numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="out of order"):
        compiled.njit(cache=True)(lambda: None)


BEFORE_CALLBACKS = """
import sys
import sklearn.feature_selection, sklearn.model_selection, sklearn.pipeline  # later ones need their callbacks
sys.modules["sklearn.callback"] = None  # as before scikit-learn 1.9

import numpy as np
from handful import FGMRegressor
from handful.model_selection import SelectKCV

X = np.random.default_rng(0).standard_normal((50, 20))
search = SelectKCV(FGMRegressor(C="fast"), [1, 2], cv=2).set_callbacks().fit(X, X[:, 3])
print(search.n_features_)
try:
    search.set_callbacks(print)
except NotImplementedError as error:
    print(error)
"""


def test_without_callbacks_in_scikit_learn_all_else_works():
    child = subprocess.run(
        [sys.executable, "-c", BEFORE_CALLBACKS], check=True, capture_output=True, text=True
    )
    k, sentence = child.stdout.splitlines()
    assert k == "1"
    assert "scikit-learn 1.9" in sentence
    assert "verbose" in sentence
    assert child.stderr == ""
