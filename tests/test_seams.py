"""Small data go the way of large ones, and tests do not reach into handful to get there."""

import os
import pkgutil
import re
import threading
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import seams

import handful.io
from handful import FGMClassifier, threads
from handful.losses.of_measure import Multivariate
from handful.sizes import Sizes, changed_sizes, current_sizes
from handful.spaces import DenseSpace

PACKAGE = Path(handful.__file__).parent


def test_sizes_hold_within_and_not_beyond():
    with changed_sizes(block_entries=7) as outer:
        with changed_sizes(tile_rows=3):
            assert (current_sizes().block_entries, current_sizes().tile_rows) == (7, 3)
        with pytest.raises(ZeroDivisionError), changed_sizes(block_entries=0):
            1 // current_sizes().block_entries
        assert current_sizes() is outer
    assert current_sizes() == Sizes()


def test_whoever_leaves_last_puts_the_sizes_back():
    """Threads may change them at the same time."""
    first, second = changed_sizes(block_entries=7), changed_sizes(tile_rows=3)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert current_sizes().tile_rows == 3
    second.__exit__(None, None, None)
    assert current_sizes() == Sizes()


def test_sizes_hold_in_every_thread():
    """Pools of other libraries work for a fit too."""
    seen = []
    other = threading.Thread(target=lambda: seen.append(current_sizes().block_entries))
    with changed_sizes(block_entries=7):
        other.start()
        other.join()
        seen += threads.map_in_threads(lambda _: current_sizes().block_entries, range(4), 2)
    assert seen == [7] * 5


def test_a_size_that_does_not_exist():
    with pytest.raises(TypeError, match="no_such_size"), changed_sizes(no_such_size=1):
        pass
    assert current_sizes() == Sizes()


@pytest.mark.parametrize("name", [field.name for field in fields(Sizes)])
def test_every_size_is_asked_for(name):
    sources = (path for path in PACKAGE.rglob("*.py") if path.name != "sizes.py")
    texts = (path.read_text(encoding="utf-8") for path in sources)
    assert any(re.search(rf"\.{name}\b", text) for text in texts)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("handful.spaces.base.NO_IDS", None),
        (threads, "limited_threads"),
        (Multivariate, "cut"),
        (handful.io, "lines"),
    ],
)
def test_what_is_inside_is_not_set(monkeypatch, target, name):
    given = (target, None) if name is None else (target, name, None)
    with pytest.raises(AssertionError, match=r"which is inside handful: see CONTRIBUTING\.md"):
        monkeypatch.setattr(*given)
    with monkeypatch.context() as patch, pytest.raises(AssertionError, match="inside handful"):
        patch.setattr(*given)


def test_nor_is_that_of_an_object(monkeypatch):
    with pytest.raises(AssertionError, match=r"sets top of handful\.spaces\.dense\.DenseSpace"):
        monkeypatch.setattr(DenseSpace(np.ones((1, 1))), "top", None)


def test_the_outside_world_and_public_names_may_fail(monkeypatch):
    monkeypatch.setattr(os, "fsync", None)
    monkeypatch.setattr("handful.io.read_model_file", None)
    monkeypatch.setattr(FGMClassifier, "fit", None)
    assert os.fsync is handful.io.read_model_file is FGMClassifier.fit is None


@pytest.mark.parametrize("place", seams.ALLOWED)
def test_what_is_allowed_is_there_and_set(place):
    owner, name = place
    assert hasattr(pkgutil.resolve_name(owner), name)
    sources = Path(__file__).parent.rglob("test_*.py")
    texts = (path.read_text(encoding="utf-8") for path in sources if path != Path(__file__))
    assert any(re.search(rf'patch\.setattr\([^)]*"{name}"', text) for text in texts)
