"""Greedy regularised least squares for one label or many (Naula et al. 2014)."""
