"""Rows of weights that vanish: direct l2,p sparsity and robust feature selection, by reweighting."""
