"""Small data for the tests of the model file, and ways to write strange files."""

import io

import numpy as np
from scipy import sparse

from handful.io.archive import read_archive, write_archive
from handful.io.model_file import FORMAT

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 15))
SCORE = X[:, 3] - X[:, 8] + 0.5 * X[:, 11]
THINNED = np.where(RNG.random(X.shape) < 0.5, 0.0, X)
LABELS = np.arange(15) // 3
NESTED = [np.arange(6), np.arange(2), np.array([3, 8]), np.arange(6, 12)]


def same(one, other):
    """Equal to the last bit, and dense or sparse alike."""
    assert sparse.issparse(one) == sparse.issparse(other)
    one, other = (x.toarray() if sparse.issparse(x) else x for x in (one, other))
    np.testing.assert_array_equal(one, other)


def alter(path, change):
    """Write the file again, checksums and all, as a malicious hand could."""
    manifest, members = read_archive(path, FORMAT, 1)
    del manifest["members"]
    change(manifest, members)
    write_archive(path, manifest, members)


def put(member, array):
    """Return a change of an array in the file."""

    def change(_, members):
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, np.asarray(array), version=(1, 0))
        members[f"arrays/{member}.npy"] = buffer.getvalue()

    return change
