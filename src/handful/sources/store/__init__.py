"""The store: a matrix in a folder on disk, its format, reader and writer."""
