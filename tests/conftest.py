"""Fixtures that more than one folder of tests uses."""

import gc
import inspect
import io
import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout

import compiling
import pytest
import seams

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)

if "NUMBA_CACHE_DIR" in os.environ:
    compiling.share_the_work(os.environ["NUMBA_CACHE_DIR"])

#: A test with more settings than this has only some of them run, unless all are asked for.
MANY_SETTINGS = 3


def pytest_addoption(parser):
    parser.addoption(
        "--exhaustive",
        action="store_true",
        help="run the tests that repeat others in more settings or cases too",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without a look for garbage, which takes as long as all else: what is collected stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_pycollect_makeitem(collector, name, obj):
    """Make one item of a test that is left out anyhow, however many settings it has: making them takes seconds."""
    marks = getattr(obj, "pytestmark", ()) if inspect.isfunction(obj) else ()
    is_left_out = any(mark.name == "exhaustive" for mark in marks)
    if is_left_out and not collector.config.getoption("--exhaustive"):
        return pytest.Function.from_parent(collector, name=name)
    return None


def pytest_collection_modifyitems(config, items):
    """Leave repetitions to those who ask for them; pytest prints how many were deselected.

    That is what is marked exhaustive and, of a test with many settings, those that bring no value of any parameter
    that has not been there before.
    """
    if config.getoption("--exhaustive"):
        return
    marked = [item for item in items if item.get_closest_marker("exhaustive")]
    left = {id(item) for item in [*marked, *_repetitions(items)]}
    if left:
        config.hook.pytest_deselected(items=[item for item in items if id(item) in left])
        items[:] = [item for item in items if id(item) not in left]


def _repetitions(items):
    """Yield the items of tests with many settings whose parameters all had these values before."""
    tests = defaultdict(list)
    for item in items:
        # Each of scikit-learn's checks is a test of its own.
        if hasattr(item, "callspec") and "check" not in item.callspec.params:
            tests[item.nodeid.partition("[")[0]].append(item)
    for settings in tests.values():
        if len(settings) <= MANY_SETTINGS:
            continue
        seen = set()
        for item in settings:
            values = {(name, id(value)) for name, value in item.callspec.params.items()}
            if values <= seen:
                yield item
            seen |= values


@pytest.fixture(scope="session")
def fewer(pytestconfig):
    """Of so many random cases an eighth (or another part), unless all are asked for."""

    def fewer(n_cases, part=8):
        return n_cases if pytestconfig.getoption("--exhaustive") else n_cases // part

    return fewer


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """What ``handful demo`` prints, and the folder where it has kept its data."""
    folder = tmp_path_factory.mktemp("demo")
    return _output("demo", "--keep", str(folder)), folder


@pytest.fixture(scope="session")
def demo_json():
    """What ``handful demo --json`` prints."""
    return json.loads(_output("demo", "--json"))


def _output(*arguments):
    """Run ``handful ...`` in this process, which must succeed; return what it prints."""
    from handful.cli import main

    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert main(list(arguments)) == 0
    return out.getvalue()


@pytest.fixture
def monkeypatch():
    """Set what is outside of handful, and what is public: see tests/seams.py."""
    with seams.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture
def blank_pictures(monkeypatch):
    """Pictures of reports are left empty, where words are read: drawing takes longer than all else."""
    from matplotlib.figure import Figure

    blank = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
    monkeypatch.setattr(Figure, "savefig", lambda self, file, **options: file.write(blank))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KiB, to be filled."""
    folder = tmp_path / "small disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux to mount a small file system")
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system is not permitted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(autouse=True)
def no_figures_are_left():
    """Close what a test has drawn: pyplot warns, somewhere else, once there are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
