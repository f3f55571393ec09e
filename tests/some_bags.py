"""Small bags in every form that is taken for bags."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

from handful import Bags


def listed(sizes=(2, 5, 1, 3), n_features=3, seed=0, density=1.0):
    """Bags as a list of arrays, some entries zero."""
    rng = np.random.default_rng(seed)
    bags = [rng.standard_normal((size, n_features)) for size in sizes]
    return [np.where(rng.random(bag.shape) < density, bag, 0.0) for bag in bags]


def forms(bags):
    """The same bags in every form: name -> (X, options of as_bags)."""
    sizes = [len(bag) for bag in bags]
    instances = np.concatenate(bags)
    names = [f"f{j}" for j in range(instances.shape[1])]
    ids = np.repeat(np.arange(len(bags)), sizes)
    shuffled = np.concatenate(
        [np.flatnonzero(ids % 2 == 1), np.flatnonzero(ids % 2 == 0)]
    )  # bags out of order, instances of a bag in order
    frame = pd.DataFrame(instances, columns=names).assign(bag=ids)
    nested = pl.DataFrame({"bags": [bag.tolist() for bag in bags]})
    lists = pl.DataFrame(
        {name: [bag[:, j].tolist() for bag in bags] for j, name in enumerate(names)}
    )
    objects = np.empty(len(bags), dtype=object)
    objects[:] = bags
    fixed = pl.List(pl.Array(pl.Float64, len(names)))
    return {
        "list": (bags, {}),
        "tuple": (tuple(bags), {}),
        "lists of lists": ([bag.tolist() for bag in bags], {}),
        "array of objects": (objects, {}),
        "list of CSR": ([sp.csr_array(bag) for bag in bags], {}),
        "list of CSC": ([sp.csc_matrix(bag) for bag in bags], {}),
        "some sparse": ([sp.coo_array(bags[0]), *bags[1:]], {}),
        "Bags": (Bags(instances, ids), {}),
        "Bags out of order": (Bags(instances[shuffled], ids[shuffled]), {}),
        "Bags of text ids": (Bags(instances, [f"bag {i:03}" for i in ids]), {}),
        "Bags of CSR": (Bags(sp.csr_matrix(instances), ids), {}),
        "pair": ((instances, ids), {}),
        "pair of CSR": ((sp.csr_array(instances), ids.tolist()), {}),
        "pandas rows": (frame, {"bag_column": "bag"}),
        "pandas rows out of order": (frame.iloc[shuffled], {"bag_column": "bag"}),
        "polars rows": (pl.from_pandas(frame), {"bag_column": "bag"}),
        "Arrow rows": (pa.Table.from_pandas(frame), {"bag_column": "bag"}),
        "polars nested": (nested, {}),
        "polars nested column": (nested["bags"], {}),
        "polars nested arrays": (nested.with_columns(pl.col("bags").cast(fixed)), {}),
        "polars nested with ids": (nested.with_row_index("bag"), {"bag_column": "bag"}),
        "Arrow nested": (nested.to_arrow(), {}),
        "Arrow nested column": (nested.to_arrow()["bags"], {}),
        "pandas nested": (nested.to_pandas(), {}),
        "pandas column of arrays": (pd.Series(bags), {}),
        "polars lists": (lists, {}),
        "Arrow lists": (lists.to_arrow(), {}),
        "pandas lists": (lists.to_pandas(), {}),
    }


FORMS = list(forms(listed()))


def dense(matrix):
    """The matrix with its zeros."""
    return matrix.toarray() if sp.issparse(matrix) else matrix
