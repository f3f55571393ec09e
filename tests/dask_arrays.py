"""Matrices as dask arrays: every kind of chunk, cut in every way."""

import dask.array as da
import scipy.sparse as sp

KINDS = {"dense": None, "CSR": sp.csr_matrix, "CSC": sp.csc_array, "COO": sp.coo_array}
#: Parts of the rows and of the columns in a chunk.
CUTS = {"one chunk": (1, 1), "rows": (4, 1), "columns": (1, 3), "grid": (3, 4)}
#: A few of all combinations, for tests that fit models.
FORMS = {
    "dense rows": ("dense", "rows"),
    "dense grid": ("dense", "grid"),
    "CSR rows": ("CSR", "rows"),
    "CSC grid": ("CSC", "grid"),
}


def as_dask(X, kind="dense", cut="rows"):
    """X as a dask array of uneven chunks."""
    chunks = tuple(-(-size // parts) for size, parts in zip(X.shape, CUTS[cut], strict=True))
    array = da.from_array(X, chunks=chunks)
    return array if KINDS[kind] is None else array.map_blocks(KINDS[kind], dtype=X.dtype)
