"""Matrices on a GPU: torch tensors and CuPy arrays."""
