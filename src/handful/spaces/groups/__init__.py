"""Groups of columns that are selected together."""
