"""The one exception of the readers and of the model file."""

from __future__ import annotations

__all__ = ["InputError"]


class InputError(ValueError):
    """A file cannot be used; the message is one sentence that names it and says what to do."""

    def __init__(self, message: str) -> None:
        # What other libraries complain of may run over several lines; a sentence does not.
        super().__init__(" ".join(message.split("\n")))
