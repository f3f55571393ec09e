"""torch tensors for tests: on the CPU where torch is installed, on a GPU where there is one."""

import numpy as np
import pytest


def torch_on(device):
    """torch, or a skip that says what is missing."""
    torch = pytest.importorskip("torch", reason="needs torch, which is not installed")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch can use (device cuda)")
    return torch


every_device = pytest.mark.parametrize("device", ["cpu", "cuda"])


def row_major(torch, X, device):
    return torch.from_numpy(np.ascontiguousarray(X)).to(device)


def column_major(torch, X, device):
    return row_major(torch, X.T, device).T


def strided(torch, X, device):
    return row_major(torch, np.repeat(np.repeat(X, 2, axis=1), 2, axis=0), device)[::2, ::2]


def csr(torch, X, device):
    return row_major(torch, X, device).to_sparse_csr()


def csc(torch, X, device):
    return row_major(torch, X, device).to_sparse_csc()


def csc_int32(torch, X, device):
    made = csc(torch, X, device)
    parts = (part.to(torch.int32) for part in (made.ccol_indices(), made.row_indices()))
    return torch.sparse_csc_tensor(*parts, made.values(), made.shape)


def coo(torch, X, device):
    return row_major(torch, X, device).to_sparse()


DENSE = {make.__name__: make for make in (row_major, column_major, strided)}
SPARSE = {make.__name__: make for make in (csr, csc, csc_int32, coo)}
FORMS = DENSE | SPARSE
every_form = pytest.mark.parametrize("form", FORMS)
