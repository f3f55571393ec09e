"""Write .h5ad files as AnnData does, with h5py alone."""

import numpy as np
import pytest
import scipy.sparse as sp


def write_h5ad(path, X, names, **obs):
    """X dense, CSR or CSC; columns of obs are numbers, text, or categories (a tuple of codes, labels)."""
    h5py = pytest.importorskip("h5py", reason="h5py reads and writes h5ad files")
    text = h5py.string_dtype()
    with h5py.File(path, "w") as file:
        if sp.issparse(X):
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{X.format}_matrix"
            group.attrs["shape"] = X.shape
            for name in ("data", "indices", "indptr"):
                group.create_dataset(name, data=getattr(X, name))
        else:
            file.create_dataset("X", data=X, chunks=True).attrs["encoding-type"] = "array"
        for frame, labels in (("var", names), ("obs", [f"cell {i}" for i in range(X.shape[0])])):
            group = file.create_group(frame)
            group.attrs["_index"] = "_index"
            group.create_dataset("_index", data=list(labels), dtype=text)
        file["obs"].attrs["column-order"] = list(obs)
        for name, values in obs.items():
            if isinstance(values, tuple):
                group = file["obs"].create_group(name)
                group.attrs["encoding-type"] = "categorical"
                group.create_dataset("codes", data=values[0])
                group.create_dataset("categories", data=list(values[1]), dtype=text)
            else:
                is_text = np.asarray(values).dtype.kind in "UO"
                data = list(values) if is_text else values
                file["obs"].create_dataset(name, data=data, dtype=text if is_text else None)
