"""The file of everything measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .system import system_information


class Report:
    """Everything measured so far; written after each step, so an interrupted run keeps it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.results: dict[str, Any] = {"system": system_information()}

    def add(self, **parts: Any) -> None:
        """Put parts in, replacing older ones of the same name, and save."""
        self.results.update(parts)
        if self.path:
            self.path.write_text(json.dumps(self.results, indent=1) + "\n")
