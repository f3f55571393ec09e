"""What the children of ``test_study.py`` are asked to do."""

import sys
import time


def _sleep(limit):
    from harness.child import limited  # not where the tests are collected

    with limited(limit):
        time.sleep(10)


def add(timeout, first, second):
    return {"status": "ok", "sum": first + second, "limit": timeout}


def count(timeout):
    for number in range(3):
        yield {"status": "ok", "number": number}
        if number == 1:
            _sleep(0.05)


def sleep(timeout):
    _sleep(timeout)


def need_a_package(timeout):
    import a_package_that_nobody_has  # noqa: F401


def take_memory(timeout):
    raise MemoryError


def fail(timeout):
    raise ValueError("wrong on purpose")


def end(timeout):
    sys.exit(0)
