"""Kernels of single columns: one feature for each column of X, made of several columns."""
