"""Fixtures that more than one folder of tests uses."""

import os
import signal
import subprocess
import sys

import pytest

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption(
        "--exhaustive",
        action="store_true",
        help="run the tests that repeat others in more settings too",
    )


def pytest_collection_modifyitems(config, items):
    """Leave tests marked exhaustive to those who ask for them; pytest prints how many were deselected."""
    if config.getoption("--exhaustive"):
        return
    left = [item for item in items if item.get_closest_marker("exhaustive")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]


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
