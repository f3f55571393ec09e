"""Compiled loops: arrays in, arrays out. Nothing here knows what a feature space is."""
