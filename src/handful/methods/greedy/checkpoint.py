"""The checkpoint of a greedy selection: the steps, which are quickly made again."""

from __future__ import annotations

import time

from handful.history import History
from handful.methods.checkpoint_file import CheckpointFile
from handful.methods.greedy.models import State
from handful.methods.greedy.path import Path
from handful.validation import unreadable_checkpoint


class GreedyCheckpoint(CheckpointFile):
    """A file that holds the steps so far."""

    def save(self, state: State) -> None:
        """Write the steps."""
        path = state.path
        self.write(path.to_arrays(), path.history, time.perf_counter() - path.started)

    def restore(self, path: Path) -> None:
        """Put the saved steps, if there are any, into a fresh path."""
        if self._saved is None:
            return
        header, arrays = self._saved
        try:
            self.check_ids(arrays["units"])
            path.fill(arrays)
            path.history = History.from_json(header["history"])
            path.started = time.perf_counter() - header["seconds"]
        except (KeyError, ValueError, TypeError) as error:
            raise unreadable_checkpoint(self.path) from error
