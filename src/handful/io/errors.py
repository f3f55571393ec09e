"""The exceptions of the readers and of the model file."""

from __future__ import annotations


class InputError(ValueError):
    """A file cannot be used; the message is one sentence that names it and says what to do."""

    def __init__(self, message: str) -> None:
        # What other libraries complain of may run over several lines; a sentence does not.
        super().__init__(" ".join(message.split("\n")))


class NoRoomError(InputError, MemoryError):
    """A file does not fit in memory."""


def let_through(error: BaseException) -> None:
    """Raise what a parser took for an error of the data: Ctrl-C, or the end of memory, inside a callback."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (KeyboardInterrupt, MemoryError)):
            raise cause
        cause = cause.__cause__ or cause.__context__
