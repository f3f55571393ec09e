"""Strings as X: every substring of the training documents is a feature."""
