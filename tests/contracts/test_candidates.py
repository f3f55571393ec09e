"""The rows of candidates of a greedy selection: how they are cut into blocks, and what memory is taken."""

import os

import numpy as np
import pytest

from handful.methods import memory
from handful.methods.greedy.candidates import BLOCK_ENTRIES, make_blocks
from handful.methods.greedy.search import FeatureSets

N = 1000


def groups_of(sizes):
    return FeatureSets(np.arange(sum(sizes)), np.append(0, np.cumsum(sizes)))


@pytest.mark.parametrize("sizes", [[1] * 500, [3, 1, 7, 2] * 40, [700, 1, 1, 2000]])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0, 10.0])
def test_blocks_cover_all_groups_once_and_keep_to_the_memory(sizes, share):
    groups = groups_of(sizes)
    needed = 16 * (N * sum(sizes) + int(np.square(sizes).sum()))
    available = int(share * needed)
    blocks = make_blocks(groups, N, available, 16, n_threads=2)
    assert [block.groups.start for block in blocks[1:]] == [
        block.groups.stop for block in blocks[:-1]
    ]
    assert (blocks[0].groups.start, blocks[-1].groups.stop) == (0, len(sizes))
    for block in blocks:
        own = np.array(sizes[block.groups])
        np.testing.assert_array_equal(np.diff(block.starts), own)
        np.testing.assert_array_equal(block.places, np.cumsum(own**2) - own**2)
        np.testing.assert_array_equal(
            block.features,
            np.concatenate([groups.members(u) for u in range(len(groups))][block.groups]),
        )
        assert len(own) == 1 or own.sum() * N <= BLOCK_ENTRIES
    kept = [block for block in blocks if block.is_kept]
    taken = sum(16 * (N * len(b.features) + int(np.square(np.diff(b.starts)).sum())) for b in kept)
    assert taken <= available
    assert (len(kept) == len(blocks)) == (share >= 1)
    assert bool(kept) == (share > 0)


def test_some_memory_is_usable():
    assert 0 < memory.usable_bytes() < 2**60


@pytest.mark.parametrize(
    ("meminfo", "limit", "used", "expected"),
    [
        ("MemFree: 1 kB\nMemAvailable:  1000 kB\n", "max\n", "5\n", 614_400),
        ("MemAvailable:  1000 kB\n", "500000\n", "400000\n", 60_000),
        ("MemAvailable:  1000 kB\n", "400000\n", "500000\n", 0),
    ],
)
def test_usable_memory(meminfo, limit, used, expected, tmp_path):
    for name, text in ((memory.MEMINFO, meminfo), (memory.LIMIT, limit), (memory.USED, used)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert memory.usable_bytes(tmp_path) == expected


@pytest.mark.parametrize("text", [None, "nothing here\n", "MemAvailable:\n"])
def test_a_system_that_tells_otherwise_or_not_at_all(text, tmp_path, monkeypatch):
    if text is not None:
        (tmp_path / memory.MEMINFO).parent.mkdir()
        (tmp_path / memory.MEMINFO).write_text(text)
    assert memory.usable_bytes(tmp_path) > 0  # sysconf knows, or it is assumed
    monkeypatch.setattr(os, "sysconf_names", {})
    assert memory.usable_bytes(tmp_path) == int(memory.SHARE * memory.UNKNOWN)
