"""Dask arrays: the chunks stay with the workers that have them."""
