"""The algorithms: each file reads like its paper."""
