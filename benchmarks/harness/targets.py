"""Targets, for scripts that are not on ``study.py`` yet."""

from .study import Target  # noqa: F401
