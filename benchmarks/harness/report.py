"""The file of everything measured, for scripts that are not on ``study.py`` yet."""

from .study import Report  # noqa: F401
