"""Processes that test side by side compile each kernel once: one does it, the others wait and load it."""

import contextlib
import os
import sys
from pathlib import Path

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

_held = {}


def share_the_work(folder):
    """From now on have other processes that were told the same folder wait for a kernel in the making."""
    if sys.platform == "win32":
        return
    compile_alone = Dispatcher.compile

    def compile_once(dispatcher, signature):
        path = Path(folder) / f"{dispatcher.py_func.__module__}.{dispatcher.__name__}.lock"
        # Of this process one thread compiles at a time, as numba has it: two would wait for each other's files.
        with global_compiler_lock, _alone(path):
            return compile_alone(dispatcher, signature)

    Dispatcher.compile = compile_once


@contextlib.contextmanager
def _alone(path):
    """Hold the lock of a file; a thread that has it may take it again."""
    import fcntl

    if path in _held:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _held[path] = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(_held[path], fcntl.LOCK_EX)
        yield
    finally:
        os.close(_held.pop(path))
