"""Sparse matrices whose indices were changed by hand: no kernel may follow them."""

import numpy as np
from scipy import sparse

import handful
from attack.verdict import FellError, only
from handful import metrics
from handful.spaces import AdditiveKernel, Polynomial

ODD = [-1, -(2**31), 12, 13, 2**31 - 1, 10**6]
FORMATS = ("csr", "csc", "bsr", "coo", "lil")


def estimators():
    """One of each way to go through X."""
    return [
        handful.FGMClassifier(2),
        handful.FGMClassifier(2, scale="norm"),
        handful.FGMClassifier(2, space=Polynomial()),
        handful.FGMClassifier(2, space=AdditiveKernel()),
        handful.FGMClassifier(2, groups=np.arange(12) // 3),
        handful.GreedyRLSClassifier(2),
        handful.MultiTaskLassoInf(0.1),
        handful.RFSClassifier(2),
        handful.DirectSparsityClassifier(2),
        handful.SVMPerfClassifier(),
        handful.MILESClassifier(2),
    ]


def draw(rng):
    """Rows, labels, and the same rows as a sparse matrix of some format."""
    X = np.where(rng.random((24, 12)) < 0.4, rng.standard_normal((24, 12)), 0.0)
    X[:, 0] = rng.standard_normal(24)
    y = (X[:, 0] > 0).astype(int)
    return X, y, sparse.csr_array(X).asformat(FORMATS[rng.integers(len(FORMATS))])


def prepare():
    """Fit all of them once to good matrices."""
    X, y, _ = draw(np.random.default_rng(0))
    for estimator in estimators():
        for form in (np.asarray, sparse.csr_array, sparse.csc_array):
            estimator.fit(form(X), y).predict(form(X))


def attack(seed, folder):
    """Fit to and predict from a matrix with one index that points elsewhere."""
    rng = np.random.default_rng(seed)
    X, y, bad = draw(rng)
    spoil(bad, rng)
    estimator = estimators()[rng.integers(len(estimators()))]
    refused(lambda: estimator.fit(bad, y))
    estimator.fit(X, y)
    refused(lambda: estimator.predict(bad))
    labels = sparse.csr_array(np.column_stack([y, 1 - y]))
    labels.indices = labels.indices.copy()
    labels.indices[rng.integers(len(labels.indices))] = ODD[rng.integers(len(ODD))]
    refused(lambda: metrics.hamming_loss(labels, labels))


def spoil(matrix, rng):
    """Change one index or pointer so that it points outside."""
    odd = ODD[rng.integers(len(ODD))]
    if matrix.format == "lil":
        row = next(i for i in range(matrix.shape[0]) if matrix.rows[i])
        matrix.rows[row][-1] = max(odd, 12)
    elif matrix.format == "coo":
        axis = int(rng.integers(2))
        parts = [part.copy() for part in matrix.coords]
        parts[axis][rng.integers(len(parts[axis]))] = odd if not 0 <= odd < 24 else 24
        matrix.coords = tuple(parts)
    elif rng.random() < 0.5:
        across = 24 if matrix.format == "csc" else 12
        matrix.indices[rng.integers(len(matrix.indices))] = odd if not 0 <= odd < across else across
    elif rng.random() < 0.5:
        matrix.indptr[rng.integers(1, len(matrix.indptr) - 1)] = -5 if rng.random() < 0.5 else 10**6
    else:
        wide = matrix.indptr.astype(
            np.int64
        )  # rises when neighbours are subtracted, and wraps around
        wide[1:3] = 2**62, -(2**62)
        matrix.indptr = wide


def refused(action):
    """Run it; a ValueError of one sentence is right, anything else is not."""
    stands = True
    with only(ValueError):
        action()
        stands = False
    if not stands:
        raise FellError("indices outside of the matrix were computed with")
